#include "worker/stores/import_rules.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/values/limits.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using connectors::StoreItem;
using connectors::StoreOrder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto statuses = {"pending", "processing", "ready", "shipped", "delivered", "cancelled"};

StoreOrder good_order() {
  return {.external_id = "7",
          .number = "1007",
          .status = "processing",
          .customer_name = "Jana",
          .customer_email = "jana@example.com",
          .delivery = {.street = "Storgatan 5", .city = "Göteborg", .country = "SE"},
          .items = {{.description = "Shirt", .sku = "S", .quantity = 2, .price = "19.99"},
                    {.description = "Hat", .quantity = 1, .price = "5"}},
          .total = "44.98",
          .currency = "EUR",
          .created_at = *parse_timestamp("2026-11-20T05:45:12Z"),
          .changed_at = *parse_timestamp("2026-11-20T05:45:12Z")};
}

TEST(ImportRules, StatusMovesForwardsAndCancellationWinsUnlessShipped) {
  struct Case {
    const char *here, *now, *move;
    bool contradicts;
  };
  const Case cases[] = {
      {"pending", "processing", "processing", false}, {"pending", "shipped", "shipped", false},
      {"pending", "delivered", "delivered", false},   {"ready", "processing", nullptr, false},
      {"shipped", "processing", nullptr, false},      {"delivered", "shipped", nullptr, false},
      {"shipped", "delivered", "delivered", false},   {"pending", "cancelled", "cancelled", false},
      {"ready", "cancelled", "cancelled", false},     {"shipped", "cancelled", nullptr, true},
      {"delivered", "cancelled", nullptr, true},      {"cancelled", "processing", nullptr, true},
      {"cancelled", "shipped", nullptr, true},        {"draft", "pending", "pending", false},
  };
  for (const auto& each : cases) {
    const auto verdict = decide_status(each.here, "unknown", each.now);
    EXPECT_EQ(verdict.move.value_or(""), each.move == nullptr ? "" : each.move) << each.here << each.now;
    EXPECT_EQ(verdict.contradiction.has_value(), each.contradicts) << each.here << each.now;
  }
}

TEST(ImportRules, AnUnmovedOrEqualStatusChangesNothing) {
  for (const auto* const here : statuses) {
    for (const auto* const now : statuses) {
      const auto unmoved = decide_status(here, now, now);
      EXPECT_FALSE(unmoved.move || unmoved.contradiction) << here << now;
    }
    const auto echo = decide_status(here, "pending", here);
    EXPECT_FALSE(echo.move || echo.contradiction) << here;
  }
}

TEST(ImportRules, DigestCoversAllFieldsExceptStatusAndTime) {
  const auto order = good_order();
  std::set<std::string> digests{digest_of(order)};
  const auto differs = [&](auto change) {
    auto other = good_order();
    change(other);
    return digests.insert(digest_of(other)).second;
  };
  EXPECT_TRUE(differs([](auto& o) { o.number = "2"; }));
  EXPECT_TRUE(differs([](auto& o) { o.customer_name = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.customer_email = std::nullopt; }));
  EXPECT_TRUE(differs([](auto& o) { o.customer_phone = "1"; }));
  EXPECT_TRUE(differs([](auto& o) { o.delivery.street = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.delivery.city = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.delivery.state = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.delivery.postal_code = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.delivery.country = "DE"; }));
  EXPECT_TRUE(differs([](auto& o) { o.items[0].quantity = 3; }));
  EXPECT_TRUE(differs([](auto& o) { o.items[0].price = "20"; }));
  EXPECT_TRUE(differs([](auto& o) { o.items[0].sku = "T"; }));
  EXPECT_TRUE(differs([](auto& o) { o.items[0].description = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.items[0].details = "Size: L"; }));
  EXPECT_TRUE(differs([](auto& o) { o.items.pop_back(); }));
  EXPECT_TRUE(differs([](auto& o) { o.total = "1"; }));
  EXPECT_TRUE(differs([](auto& o) { o.currency = "SEK"; }));
  EXPECT_TRUE(differs([](auto& o) { o.notes = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.customer_company = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.recipient.name = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.recipient.company = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.recipient.phone = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.recipient.email = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.shipping_method = "X"; }));
  EXPECT_TRUE(differs([](auto& o) { o.shipping_cost = "1"; }));
  EXPECT_FALSE(differs([](auto& o) { o.status = "shipped"; }));
  EXPECT_FALSE(differs([](auto& o) { o.changed_at += 1h; }));
  EXPECT_FALSE(differs([](auto& o) { std::swap(o.items[0], o.items[1]); }));
}

// The digests of orders that earlier versions imported must stay valid.
TEST(ImportRules, TheEarlierDigestsNeverChange) {
  auto order = good_order();
  EXPECT_EQ(second_digest_of(order), "8fe098ce6bf395b7b8d1153ef842e9bc722b837c15d9d73b3c500060d640655f");
  const std::string digest = first_digest_of(order);
  EXPECT_EQ(digest, "470da12b30c8ac37f612a41ba0f7170fde737959bf670b56cbff3db6e134ddec");
  order.recipient.name = "X";
  order.shipping_method = "X";
  EXPECT_EQ(first_digest_of(order), digest);
  const std::string second = second_digest_of(order);
  EXPECT_NE(second, second_digest_of(good_order()));
  order.items[0].details = "Size: L";
  EXPECT_EQ(second_digest_of(order), second);
  EXPECT_NE(digest_of(order), second);
}

TEST(ImportRules, TheFirstServiceThatMatchesTheMethodCounts) {
  const Guid carrier = Guid::random();
  const auto rules = service_rules(to_json(json::array{
      json::object{{"method", "Expréss*"}, {"carrierId", carrier.to_string()}, {"serviceLevel", "express"}},
      json::object{{"method", "EXPRÉSS Night"}, {"carrierId", nullptr}, {"serviceLevel", "night"}},
      json::object{{"method", "Pick*up"}, {"serviceLevel", "star"}},
      json::object{{"method", "*"}, {"carrierId", nullptr}, {"serviceLevel", "standard"}}}));
  ASSERT_EQ(rules.size(), 4U);
  const auto level = [&](const std::optional<std::string>& method) {
    const auto* const rule = find_service(rules, method);
    return rule == nullptr ? "" : rule->level.value_or("none");
  };
  EXPECT_EQ(level("EXPRÉSS night"), "express");
  EXPECT_EQ(level("expréss"), "express");
  EXPECT_EQ(level("pick*up"), "star") << "an asterisk counts only at the end";
  EXPECT_EQ(level("pickup"), "standard");
  EXPECT_EQ(level(""), "standard");
  EXPECT_EQ(level(std::nullopt), "") << "an order without a shipping method";
  EXPECT_EQ(find_service(rules, "Expréss")->carrier, carrier);
  EXPECT_TRUE(service_rules("[1, {}, {\"method\": 2}]").empty());
  EXPECT_TRUE(service_rules("nonsense").empty());
}

TEST(ImportRules, OrdersThatCannotBeImportedHaveAReason) {
  EXPECT_EQ(order_problem(good_order(), true), std::nullopt);
  const auto reason = [](auto change) {
    auto order = good_order();
    change(order);
    return order_problem(order, true).value_or("");
  };
  EXPECT_EQ(reason([](auto& o) { o.delivery.street.reset(); }),
            "It has no delivery address with street and city.");
  EXPECT_EQ(reason([](auto& o) { o.delivery.city.reset(); }),
            "It has no delivery address with street and city.");
  EXPECT_EQ(reason([](auto& o) { o.total = "-1"; }), "Its total is negative.");
  EXPECT_NE(reason([](auto& o) { o.total = "1e5"; }), "");
  EXPECT_NE(reason([](auto& o) { o.total = "1000000000000"; }), "");
  EXPECT_EQ(reason([](auto& o) { o.total = "0000999999999999.99"; }), "");
  EXPECT_EQ(reason([](auto& o) { o.currency = "BTC"; }), "") << "stores offer it";
  for (const auto* const currency : {"eur", "EURO", ""})
    EXPECT_EQ(reason([&](auto& o) { o.currency = currency; }), "Its currency is not an ISO 4217 code.");
  EXPECT_NE(reason([](auto& o) { o.status = "draft"; }), "");
  EXPECT_NE(reason([](auto& o) { o.number = ""; }), "");
  EXPECT_NE(reason([](auto& o) { o.items[0].price = "-5"; }), "");
  EXPECT_EQ(reason([](auto& o) { o.items[1].price.reset(); }),
            "The price of Hat is not an amount from 0 to 10^12.")
      << "it is not given away";
  EXPECT_EQ(reason([](auto& o) {
              o.items[1].price.reset();
              o.items[1].quantity = 0;
            }),
            "")
      << "a removed item needs no price";
  EXPECT_EQ(reason([](auto& o) { o.items.clear(); }), "It has no items.");
  EXPECT_EQ(reason([](auto& o) { o.items[0].quantity = o.items[1].quantity = 0; }), "It has no items.");
  EXPECT_NE(reason([](auto& o) { o.items[0].quantity = 1'000'000'001; }), "");
  const auto sum_of = [&](std::int64_t quantity, const char* price) {
    return reason([&](auto& o) { o.items = {{.description = "Mug", .quantity = quantity, .price = price}}; });
  };
  EXPECT_EQ(sum_of(100'000, "99999999"), "The sum of its items is not below 10^12.");
  EXPECT_EQ(sum_of(1, "999999999999.999"), "The sum of its items is not below 10^12.") << "it is rounded";
  EXPECT_EQ(sum_of(1, "999999999999.99"), "");
  EXPECT_EQ(sum_of(10'000, "99999999"), "");
  const auto with_items = [&](std::size_t count) {
    return reason(
        [&](auto& o) { o.items.assign(count, {.description = "Mug", .quantity = 1, .price = "1"}); });
  };
  EXPECT_EQ(with_items(domain::most_items), "");
  EXPECT_EQ(with_items(domain::most_items + 1), "It has more than 5000 items.");
  auto cancelled = good_order();
  cancelled.delivery = {};
  cancelled.items.clear();
  cancelled.status = "cancelled";
  EXPECT_EQ(order_problem(cancelled, true), std::nullopt) << "a cancelled order needs no address";
  EXPECT_NE(order_problem(cancelled, false), std::nullopt) << "unless it would replace the one here";
}

TEST(ImportRules, AChangedBuyerWithoutAnEmailAddressIsAnotherCustomer) {
  const Guid order = Guid::random();
  const auto jana = good_order();
  const auto changed = [](auto change) {
    auto other = good_order();
    change(other);
    return other;
  };
  for (const auto& other : {changed([](auto& o) { o.customer_name = "Bob"; }),
                            changed([](auto& o) { o.customer_company = "ACME"; }),
                            changed([](auto& o) { o.customer_phone = "222"; })}) {
    EXPECT_NE(buyer_guid(order, other), buyer_guid(order, jana));
    EXPECT_TRUE(is_buyer(
        other,
        {.name = other.customer_name, .company = other.customer_company, .phone = other.customer_phone}));
    EXPECT_FALSE(is_buyer(other, {.name = "Jana"}));
  }
  EXPECT_EQ(buyer_guid(order, changed([](auto& o) { o.notes = "X"; })), buyer_guid(order, jana));
  EXPECT_NE(buyer_guid(Guid::random(), jana), buyer_guid(order, jana)) << "of another order";
}

// The API refuses longer texts and other e-mail addresses, so that such a record could not be saved again.
TEST(ImportRules, AnAddressInACountryThatIsOneCityNeedsNoCity) {
  for (const auto& [country, city] :
       {std::pair("SG", "Singapore"), std::pair("HK", "Hong Kong"), std::pair("MO", "Macau"),
        std::pair("MC", "Monaco"), std::pair("GI", "Gibraltar"), std::pair("VA", "Vatican City")}) {
    auto order = good_order();
    order.delivery = {.street = "1 Orchard Road", .country = country};
    make_acceptable(order);
    EXPECT_EQ(order.delivery.city, city);
    EXPECT_EQ(order_problem(order, true), std::nullopt);
    order.delivery.city = "Old Town";
    make_acceptable(order);
    EXPECT_EQ(order.delivery.city, "Old Town");
  }
  auto order = good_order();
  order.delivery.city.reset();
  make_acceptable(order);
  EXPECT_EQ(order_problem(order, true), "It has no delivery address with street and city.");
}

TEST(ImportRules, ImportedRecordsAreAcceptableToTheApi) {
  auto order = good_order();
  const std::string letter = "ä";
  std::string text;
  for (int i = 0; i < 300; ++i) text += letter;
  order.number = order.delivery.street.emplace(text);
  order.recipient = {.name = text, .company = text, .phone = text, .email = "none"};
  order.customer_email = "+49 30 1234";
  order.items[0].sku = text;
  order.items[0].details = std::string(20'000, 'x');
  order.notes = std::string(20'000, 'x');
  make_acceptable(order);
  for (const auto& cut : {std::optional(order.number), order.delivery.street, order.recipient.name,
                          order.recipient.company, order.recipient.phone, order.items[0].sku}) {
    EXPECT_EQ(cut, text.substr(0, 200 * letter.size()));
  }
  EXPECT_EQ(order.customer_email, std::nullopt);
  EXPECT_EQ(order.recipient.email, std::nullopt);
  EXPECT_EQ(order.notes->size(), 10'000U);
  EXPECT_LE(items_of(order, Guid()).at(0).at("description").as_string().size(), 10'000U);
  const auto good = good_order();
  auto same = good;
  make_acceptable(same);
  EXPECT_EQ(digest_of(same), digest_of(good));
}

TEST(ImportRules, NamesWithoutACommonWordAreThoseOfTwoPersons) {
  EXPECT_TRUE(are_two_persons("Ann", "Bob"));
  EXPECT_TRUE(are_two_persons("Ann Lee", "Bob Ray"));
  EXPECT_TRUE(are_two_persons("Ann", "Annabel"));
  for (const auto* const same : {"ann lee", "LEE, Ann", "Ann M. Lee", "Bob Lee", "Lee", "", "-"}) {
    EXPECT_FALSE(are_two_persons("Ann Lee", same)) << same;
  }
  EXPECT_FALSE(are_two_persons("Øyvind", "ØYVIND Å"));
}

TEST(ImportRules, ItemsKeepTheirGuidsInAnyOrder) {
  const Guid guid = Guid::random();
  auto order = good_order();
  order.items.push_back(order.items[0]);  // the same twice
  const auto guids_of = [&](const StoreOrder& each) {
    std::set<std::string> guids;
    for (const auto& item : items_of(each, guid)) guids.emplace(item.at("guid").as_string());
    return guids;
  };
  const auto guids = guids_of(order);
  EXPECT_EQ(guids.size(), 3U);
  std::swap(order.items[0], order.items[1]);
  EXPECT_EQ(guids_of(order), guids);
  order.items[0].quantity = 0;
  EXPECT_EQ(items_of(order, guid).size(), 2U) << "a removed item is left out";
}

TEST(ImportRules, OverlapEndsAfterACompleteImportWithoutNews) {
  const Time at = *parse_timestamp("2026-11-20T05:00:00Z");
  const Time moved = *parse_timestamp("2030-01-01T00:00:00Z");  // the clocks need not agree
  EXPECT_EQ(import_start({}), std::nullopt);
  EXPECT_EQ(import_start({at, moved, std::nullopt}), at - 5min);
  EXPECT_EQ(import_start({at, moved, moved - 1h}), at - 5min);
  EXPECT_EQ(import_start({at, moved, moved + 5min - 1us}), at - 5min);
  EXPECT_EQ(import_start({at, moved, moved + 5min}), at - 1s);
}

TEST(ImportRules, ATimeReachedAfterItsOwnAdvanceIsNotBelieved) {
  const Time at = *parse_timestamp("2026-11-20T05:00:00Z");
  EXPECT_EQ(believable({at + 6h, at, at + 1h}).reached, at) << "the store's clock was ahead";
  EXPECT_EQ(believable({at - 6h, at, at + 1h}).reached, at - 6h) << "it may be behind";
  EXPECT_EQ(believable({at, std::nullopt, std::nullopt}).reached, at);
  EXPECT_EQ(believable({std::nullopt, at, at}).reached, std::nullopt);
}

TEST(ImportRules, AnImportBeginsEarlierOnceTheStoresClockWasPutBack) {
  const Time at = *parse_timestamp("2026-11-20T05:00:00Z");
  const ImportProgress unsettled{at, at, at - 1min};
  const ImportProgress settled{at, at, at + 10min};
  const auto put_back = [](const ImportProgress& progress, Time now, Duration by) {
    return reached_before_setback(progress, now - by, now);
  };
  for (const Duration passed : {0min, 1min, 60 * 24min}) {
    EXPECT_EQ(put_back(unsettled, at + passed, 0s), std::nullopt);
    EXPECT_EQ(put_back(unsettled, at + passed, 5min), std::nullopt) << "the overlap has these changes";
    EXPECT_EQ(put_back(unsettled, at + passed, 6h), at - 6h) << "changes since the last advance";
    EXPECT_EQ(put_back(settled, at + 10min + passed, 10min), std::nullopt);
    EXPECT_EQ(put_back(settled, at + 10min + passed, 11min), at - 1min) << "changes since the last import";
  }
  EXPECT_EQ(put_back(unsettled, at - 1h, 6h), at - 7h) << "the local clock was put back, too";
  EXPECT_EQ(put_back({}, at, 6h), std::nullopt) << "everything is read";
  EXPECT_EQ(put_back({at, std::nullopt, std::nullopt}, at, 1h), at - 1h);
  // A store that is always behind is not read again and again.
  EXPECT_EQ(put_back({at - 6h, at, at - 1min}, at + 1min, 6h), std::nullopt);
}

TEST(ImportRules, TheFirstImportOfOrdersBeginsAtImportSince) {
  const Time since = *parse_timestamp("2026-11-01T00:00:00Z");
  EXPECT_EQ(order_import_start({}, since), since - 1s);
  EXPECT_EQ(order_import_start({since - 24h, since, std::nullopt}, since), since - 24h - 5min)
      << "orders that were imported follow the store";
  EXPECT_EQ(order_import_start({since + 24h, since, std::nullopt}, since), since + 24h - 5min);
}

TEST(ImportRules, PausesAfterFailuresAreOneTwoFourToThirtyMinutes) {
  const Duration pauses[] = {1min, 2min, 4min, 8min, 16min, 30min, 30min};
  for (int failures = 1; failures <= 7; ++failures) {
    EXPECT_EQ(pause_after(failures, std::nullopt, 0), pauses[failures - 1]);
  }
  EXPECT_EQ(pause_after(1'000'000, std::nullopt, 0), Duration(30min));
  EXPECT_EQ(pause_after(1, std::nullopt, 1), Duration(72s));
  EXPECT_EQ(pause_after(1, std::nullopt, -1), Duration(48s));
  EXPECT_EQ(pause_after(1, Duration(1h), 0), Duration(1h)) << "Retry-After is a lower bound";
  EXPECT_EQ(pause_after(2, Duration(1s), 0), Duration(2min));
  EXPECT_EQ(pause_after(1, Duration(1000h), 0), Duration(24h));
}

TEST(ImportRules, CustomsValuesAreThoseThatTheProductAndItsVariantsAgreeOn) {
  const connectors::StoreProduct plain{
      .external_id = "1", .name = "Tea", .hs_code = "0902.10", .origin_country = "jp"};
  const auto of_plain = customs_of(plain);
  EXPECT_EQ(of_plain.hs_code, "090210");
  EXPECT_EQ(of_plain.origin_country, "JP");
  EXPECT_TRUE(of_plain.remarks.empty());
  const connectors::StoreProduct varied{
      .external_id = "2",
      .name = "Shirt",
      .variants = {{.name = "S", .hs_code = "610910", .origin_country = "PT"},
                   {.name = "M", .hs_code = "6109.10", .origin_country = "TR"},
                   {.name = "L"}}};
  const auto of_varied = customs_of(varied);
  EXPECT_EQ(of_varied.hs_code, "610910");
  EXPECT_EQ(of_varied.origin_country, std::nullopt);
  EXPECT_EQ(of_varied.remarks,
            std::vector<std::string>{"its country of origin is left out, because its variants "
                                     "differ in it."});
}

TEST(ImportRules, CustomsValuesThatCannotBeStoredAreLeftOutWithAReason) {
  const auto customs =
      customs_of({.external_id = "1", .name = "Tea", .hs_code = "9021", .origin_country = "Atlantis"});
  EXPECT_EQ(customs.hs_code, std::nullopt);
  EXPECT_EQ(customs.origin_country, std::nullopt);
  EXPECT_EQ(customs.remarks,
            (std::vector<std::string>{
                "its HS code 9021 is left out, because it does not have 6 to 10 digits.",
                "its country of origin Atlantis is left out, because it is not a known country."}));
}

TEST(ImportRules, PricesAndMeasuresThatCannotBeStoredAreNamed) {
  EXPECT_THAT(unreadable_values({.external_id = "1", .name = "Tea", .price = "9.90", .weight = "0.1"}),
              IsEmpty());
  EXPECT_THAT(unreadable_values({.external_id = "1", .name = "Tea"}), IsEmpty());
  const std::string long_text(100, 'x');
  EXPECT_THAT(unreadable_values({.external_id = "1",
                                 .name = "Tea",
                                 .price = "9,90",
                                 .weight = long_text,
                                 .variants = {{.name = "S", .price = "-1"}}}),
              ElementsAre("its price 9,90 is left out, because it is not an amount from 0 to 10^12.",
                          "its weight " + long_text.substr(0, 60) +
                              "… is left out, because it is not a number from 0 to 10^9."));
  EXPECT_THAT(
      unreadable_values({.external_id = "1",
                         .name = "Tea",
                         .price = "9.90",
                         .height = "1000000001",
                         .variants = {{.name = "S", .price = "8"}, {.name = "M", .price = "1e3"}}}),
      ElementsAre(
          "its height 1000000001 is left out, because it is not a number from 0 to 10^9.",
          "its price 1e3 of the variant M is left out, because it is not an amount from 0 to 10^12."));
  auto order = good_order();
  EXPECT_EQ(unreadable_cost(order), std::nullopt);
  order.shipping_cost = "4.90";
  EXPECT_EQ(unreadable_cost(order), std::nullopt);
  order.shipping_cost = "4,90";
  EXPECT_EQ(unreadable_cost(order),
            "Its shipping cost 4,90 is left out, because it is not an amount from 0 to 10^12.");
}

TEST(ImportRules, AProductWithoutAPriceOfItsOwnHasTheLowestOfItsVariants) {
  const auto price = [](connectors::StoreProduct product) {
    set_price(product);
    return product.price;
  };
  EXPECT_EQ(price({.external_id = "1",
                   .name = "Tea",
                   .variants = {{.name = "S", .price = "12.5"},
                                {.name = "M"},
                                {.name = "L", .price = "9.90"},
                                {.name = "XL", .price = "9,10"},
                                {.name = "2XL", .price = "100"}}}),
            "9.90");
  EXPECT_EQ(
      price({.external_id = "1", .name = "Tea", .price = "20", .variants = {{.name = "S", .price = "5"}}}),
      "20");
  EXPECT_EQ(
      price({.external_id = "1", .name = "Tea", .price = "9,90", .variants = {{.name = "S", .price = "5"}}}),
      "9,90")
      << "one that cannot be read is named";
  EXPECT_EQ(price({.external_id = "1", .name = "Tea", .variants = {{.name = "S"}}}), std::nullopt);
}

TEST(ImportRules, AnOrderThatTheStoreCreatedOnAnotherDayIsNotTheClosedOneWithItsId) {
  auto order = good_order();
  order.created_at = *parse_timestamp("2026-07-10T10:00:00Z");
  for (const auto* const same : {"2026-07-10T10:00:00Z", "2026-07-09T20:00:00Z", "2026-07-11T23:00:00Z"})
    EXPECT_EQ(reused_id(order, "7", *parse_timestamp(same)), std::nullopt) << same;
  EXPECT_EQ(reused_id(order, "7", *parse_timestamp("2026-07-20T10:00:00Z")),
            "It is not imported: it has the id of the order 7 of 2026-07-20, which is closed here, and the "
            "store created it on 2026-07-10.");
  EXPECT_TRUE(reused_id(order, "7", *parse_timestamp("2026-07-08T10:00:00Z")));
}

TEST(ImportRules, LengthsOfVariantsChangeTheDigestOfAProductAndAreNamedIfTheyCannotBeStored) {
  const connectors::StoreProduct product{.external_id = "1", .name = "Tea", .variants = {{.name = "S"}}};
  auto other = product;
  other.variants[0].width = "3";
  EXPECT_NE(digest_of(other), digest_of(product));
  EXPECT_THAT(unreadable_values(other), IsEmpty());
  other.variants[0].height = "3 cm";
  EXPECT_THAT(
      unreadable_values(other),
      ElementsAre("its height 3 cm of the variant S is left out, because it is not a number from 0 to "
                  "10^9."));
}

TEST(ImportRules, CustomsValuesChangeTheDigestOfAProductOnlyIfThereAreAny) {
  const connectors::StoreProduct product{.external_id = "1", .name = "Tea", .variants = {{.name = "S"}}};
  EXPECT_EQ(digest_of(product), "fe29110f0d966d694dd79a200a991af9fbc217237d2cf50ce599d08bfc5c9559")
      << "that of earlier versions";
  auto other = product;
  other.variants[0].hs_code = "090210";
  EXPECT_NE(digest_of(other), digest_of(product));
  auto elsewhere = product;
  elsewhere.hs_code = "090210";
  EXPECT_NE(digest_of(elsewhere), digest_of(other));
}

}  // namespace
}  // namespace waybill::worker
