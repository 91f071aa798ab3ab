#include "connectors/woocommerce/orders.hpp"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::connectors::woo {
namespace {

json::object plain_order() {
  return json::parse(R"({
    "id": 727, "number": "A-727", "status": "processing", "currency": "eur", "total": "53.43",
    "date_created_gmt": "2026-07-01T10:00:00", "date_modified_gmt": "2026-07-01T11:30:05",
    "date_paid_gmt": null, "customer_note": " Bitte klingeln &amp; warten ",
    "billing": {"first_name": "Jana", "last_name": "Lindström", "company": "ACME", "address_1": "Billgatan 1",
                "address_2": "", "city": "Lund", "state": "", "postcode": "22100", "country": "se",
                "email": "jana@example.com", "phone": "+46 1"},
    "shipping": {"first_name": "Per", "last_name": "", "company": "", "address_1": "Storgatan 5",
                 "address_2": "Lgh 2", "city": "Göteborg", "state": "O", "postcode": "411 24", "country": "SE",
                 "phone": "+46 2"},
    "shipping_total": "4.90",
    "shipping_lines": [{"id": 2, "method_title": "Express &amp; insured", "method_id": "flat_rate"}],
    "line_items": [{"id": 1, "name": "Tröja &ndash; Blå", "product_id": 93, "variation_id": 94, "quantity": 3,
                    "total": "10.00", "sku": "TEE", "price": 3.3333333333333335}]
  })")
      .as_object();
}

StoreOrder read(const json::object& row) {
  StorePage<StoreOrder> page;
  read_order(row, page);
  EXPECT_TRUE(page.unreadable.empty()) << page.unreadable.at(0).reason;
  return page.records.size() == 1 ? page.records[0] : StoreOrder{};
}

std::string reason(const json::value& row) {
  StorePage<StoreOrder> page;
  read_order(row, page);
  EXPECT_TRUE(page.records.empty());
  return page.unreadable.size() == 1 ? page.unreadable[0].reason : "";
}

json::object with(std::string_view name, json::value value) {
  auto row = plain_order();
  row[name] = std::move(value);
  return row;
}

json::object with_item(std::string_view name, json::value value) {
  auto row = plain_order();
  row["line_items"].as_array()[0].as_object()[name] = std::move(value);
  return row;
}

TEST(WooCommerceOrders, FieldsAreMapped) {
  const auto order = read(plain_order());
  EXPECT_EQ(order.external_id, "727");
  EXPECT_EQ(order.number, "A-727");
  EXPECT_EQ(order.status, "processing");
  EXPECT_EQ(order.total, "53.43");
  EXPECT_EQ(order.currency, "EUR");
  EXPECT_EQ(order.customer_name, "Jana Lindström");
  EXPECT_EQ(order.customer_email, "jana@example.com");
  EXPECT_EQ(order.customer_phone, "+46 1");
  EXPECT_EQ(order.customer_company, "ACME");
  EXPECT_EQ(order.recipient.name, "Per");
  EXPECT_EQ(order.recipient.company, std::nullopt);
  EXPECT_EQ(order.recipient.phone, "+46 2");
  EXPECT_EQ(order.recipient.email, std::nullopt);
  EXPECT_EQ(order.shipping_method, "Express & insured");
  EXPECT_EQ(order.shipping_cost, "4.90");
  EXPECT_EQ(order.notes, "Bitte klingeln & warten");
  EXPECT_EQ(format_timestamp(order.created_at), "2026-07-01T10:00:00.000Z") << "UTC, though it has no suffix";
  EXPECT_EQ(format_timestamp(order.changed_at), "2026-07-01T11:30:05.000Z");
  EXPECT_EQ(order.delivery.street, "Storgatan 5, Lgh 2");
  EXPECT_EQ(order.delivery.city, "Göteborg");
  EXPECT_EQ(order.delivery.state, "O");
  EXPECT_EQ(order.delivery.postal_code, "411 24");
  EXPECT_EQ(order.delivery.country, "SE");
  ASSERT_EQ(order.items.size(), 1U);
  EXPECT_EQ(order.items[0].description, "Tröja – Blå");
  EXPECT_EQ(order.items[0].sku, "TEE");
  EXPECT_EQ(order.items[0].quantity, 3);
  EXPECT_EQ(order.items[0].price, "3.3333333333333335") << "as the store has it, not rounded";
}

TEST(WooCommerceOrders, StatusesAreMapped) {
  const std::vector<std::array<std::string_view, 2>> table = {
      {"pending", "pending"},       {"on-hold", "pending"},       {"failed", "pending"},
      {"processing", "processing"}, {"completed", "shipped"},     {"cancelled", "cancelled"},
      {"refunded", "cancelled"},    {"trash", "cancelled"},       {"ready-to-ship", "ready"},
      {"shipped", "shipped"},       {"partial-shipped", "ready"}, {"delivered", "shipped"},
  };
  for (const auto& [theirs, ours] : table)
    EXPECT_EQ(read(with("status", json::string(theirs))).status, ours) << theirs;
}

TEST(WooCommerceOrders, AnUnknownStatusIsProcessingOncePaid) {
  auto row = with("status", "wc-picking");
  EXPECT_EQ(read(row).status, "pending");
  row["date_paid_gmt"] = "2026-07-01T10:00:00";
  EXPECT_EQ(read(row).status, "processing");
}

TEST(WooCommerceOrders, DraftsAreLeftOut) {
  for (const auto* const status : {"checkout-draft", "auto-draft", "draft"}) {
    StorePage<StoreOrder> page;
    read_order(with("status", status), page);
    EXPECT_TRUE(page.records.empty() && page.unreadable.empty()) << status;
  }
}

TEST(WooCommerceOrders, TheBillingAddressReplacesAnEmptyShippingAddress) {
  auto row = plain_order();
  for (auto& [name, value] : row["shipping"].as_object()) value = "";
  EXPECT_EQ(read(row).delivery.street, "Billgatan 1");
  EXPECT_EQ(read(row).recipient.name, "Jana Lindström");
  EXPECT_EQ(read(row).recipient.company, "ACME");
  EXPECT_EQ(read(row).recipient.email, "jana@example.com");
  row["shipping"].as_object()["country"] = "DE";
  EXPECT_EQ(read(row).delivery.street, "Billgatan 1") << "the shop's default country is no address";
  EXPECT_EQ(read(row).delivery.country, "SE");
  row.erase("shipping");
  EXPECT_EQ(read(row).delivery.city, "Lund");
}

TEST(WooCommerceOrders, NamesFallBackToCompanyAndShipping) {
  auto row = plain_order();
  auto& billing = row["billing"].as_object();
  billing["first_name"] = billing["last_name"] = "";
  EXPECT_EQ(read(row).customer_name, "ACME");
  billing["company"] = "";
  EXPECT_EQ(read(row).customer_name, "Per");
}

TEST(WooCommerceOrders, ABuyerWithoutAPhoneDoesNotGetTheRecipients) {
  auto row = plain_order();
  row["billing"].as_object()["phone"] = "";
  EXPECT_EQ(read(row).customer_phone, std::nullopt);
  row["shipping"].as_object()["first_name"] = "Jana";
  row["shipping"].as_object()["last_name"] = "Lindström";
  EXPECT_EQ(read(row).customer_phone, "+46 2");
}

TEST(WooCommerceOrders, SeveralShippingLinesAreOneMethod) {
  auto row = plain_order();
  row["shipping_lines"].as_array().push_back({{"method_title", "Pallet"}});
  EXPECT_EQ(read(row).shipping_method, "Express & insured, Pallet");
  row["shipping_lines"] = json::array();
  EXPECT_EQ(read(row).shipping_method, std::nullopt);
  EXPECT_EQ(read(row).shipping_cost, std::nullopt);
}

TEST(WooCommerceOrders, ACountryIsNeverLost) {
  for (const auto& [written, country] : {std::pair("se", "SE"),
                                         {"SWE", "SE"},
                                         {"Sweden", "SE"},
                                         {"Sverige", "SE"},
                                         {"Germany (DE)", "Germany (DE)"},
                                         {"ZZ", "ZZ"},
                                         {"Atlantis", "Atlantis"}}) {
    auto row = plain_order();
    row["shipping"].as_object()["country"] = written;
    EXPECT_EQ(read(row).delivery.country, country) << written;
  }
  auto row = plain_order();
  row["shipping"].as_object()["country"] = " ";
  EXPECT_EQ(read(row).delivery.country, std::nullopt);
}

TEST(WooCommerceOrders, AnUnreadableOrderKeepsItsTimeOfCreation) {
  StorePage<StoreOrder> page;
  read_order(with("total", "much"), page);
  EXPECT_EQ(format_timestamp(page.unreadable.at(0).created_at.value()), "2026-07-01T10:00:00.000Z");
}

TEST(WooCommerceOrders, AMissingSkuIsReplacedByTheVariationsOrProductsId) {
  for (const json::value& none : {json::value(), json::value(""), json::value("  ")}) {
    EXPECT_EQ(read(with_item("sku", none)).items[0].sku, "WC-94");
    auto row = with_item("sku", none);
    row["line_items"].as_array()[0].as_object()["variation_id"] = 0;
    EXPECT_EQ(read(row).items[0].sku, "WC-93");
    row["line_items"].as_array()[0].as_object()["product_id"] = 0;
    EXPECT_EQ(read(row).items[0].sku, std::nullopt);
  }
}

TEST(WooCommerceOrders, PricesAreNumbersOrComputedFromTheTotal) {
  EXPECT_EQ(read(with_item("price", 20)).items[0].price, "20");
  EXPECT_EQ(read(with_item("price", 19.99)).items[0].price, "19.99");
  EXPECT_EQ(read(with_item("price", "7.5")).items[0].price, "7.5");
  EXPECT_EQ(read(with_item("price", 0)).items[0].price, "0");
  auto row = with_item("price", nullptr);
  EXPECT_EQ(read(row).items[0].price, "3.3333333333333335") << "10.00 for 3";
  row["line_items"].as_array()[0].as_object()["total"] = "-4.00";
  EXPECT_EQ(read(row).items[0].price, "0") << "a discount as a line costs nothing";
  EXPECT_EQ(read(with_item("price", "1,234.50")).items[0].price, "3.3333333333333335") << "from the total";
}

TEST(WooCommerceOrders, APriceThatCannotBeReadIsAbsentAndNotZero) {
  for (const json::value& unreadable :
       {json::value(), json::value(""), json::value("N/A"), json::value("1,234.50"), json::value("1.234,50"),
        json::value("12.00 EUR"), json::value("1e400"), json::value(false), json::value(json::array())}) {
    auto row = with_item("price", unreadable);
    auto& line = row["line_items"].as_array()[0].as_object();
    line["total"] = unreadable;
    EXPECT_EQ(read(row).items[0].price, std::nullopt) << to_json(unreadable);
    line["quantity"] = 2.5;
    EXPECT_EQ(read(row).items[0].price, std::nullopt) << to_json(unreadable);
  }
}

TEST(WooCommerceOrders, ATimeThatCannotBeReadIsNotReplacedByAnother) {
  for (const json::value& unreadable : {json::value("yesterday"), json::value("01/07/2026 11:30"),
                                        json::value(1782905405), json::value(json::object{{"date", "x"}})}) {
    EXPECT_EQ(reason(with("date_modified_gmt", unreadable)), "Its time of change cannot be read.")
        << to_json(unreadable);
    EXPECT_EQ(reason(with("date_created_gmt", unreadable)), "Its time of creation cannot be read.")
        << to_json(unreadable);
  }
  for (const json::value& absent :
       {json::value(), json::value(""), json::value(false), json::value("0000-00-00T00:00:00")}) {
    const auto order = read(with("date_modified_gmt", absent));
    EXPECT_EQ(format_timestamp(order.changed_at), "2026-07-01T10:00:00.000Z") << to_json(absent);
  }
}

TEST(WooCommerceOrders, ALineWithoutQuantityIsLeftOutAndAFractionIsOnePiece) {
  EXPECT_TRUE(read(with_item("quantity", 0)).items.empty());
  auto order = read(with_item("quantity", 2.5));
  EXPECT_EQ(order.items[0].quantity, 1);
  EXPECT_EQ(order.items[0].price, "10.00");
  EXPECT_EQ(order.items[0].description, "Tröja – Blå × 2.5");
}

TEST(WooCommerceOrders, AQuantityThatCannotBeReadIsNotReplacedByAnother) {
  for (const json::value& quantity :
       {json::value(), json::value(""), json::value("N/A"), json::value("2 pcs"), json::value("2,5"),
        json::value(false), json::value(json::array()), json::value(1e300)}) {
    EXPECT_EQ(reason(with_item("quantity", quantity)),
              "The quantity of Tröja – Blå is not a number below 10^9.")
        << to_json(quantity);
  }
  EXPECT_EQ(reason(with("line_items", json::array{nullptr})),
            "The quantity of an item is not a number below 10^9.")
      << "no piece is invented";
}

TEST(WooCommerceOrders, ARefundKeepsTheTotalAndAPartialRefundTheStatus) {
  auto row = with("refunds", json::array{{{"id", 1}, {"total", "-9.00"}}});
  EXPECT_EQ(read(row).total, "53.43");
  EXPECT_EQ(read(row).status, "processing");
}

TEST(WooCommerceOrders, CurrenciesWithoutAndWithThreeDecimals) {
  auto row = with("currency", "JPY");
  row["total"] = "5343";
  EXPECT_EQ(read(row).total, "5343");
  row["currency"] = "KWD";
  row["total"] = "5.343";
  EXPECT_EQ(read(row).total, "5.343");
}

TEST(WooCommerceOrders, UnreadableOrdersHaveAReason) {
  for (const json::value& total :
       {json::value("free"), json::value("-1.00"), json::value(), json::value("1e3"), json::value(""),
        json::value("1."), json::value(".5"), json::value(false), json::value(json::object())}) {
    EXPECT_EQ(reason(with("total", total)), "Its total is not an amount.") << to_json(total);
  }
  EXPECT_EQ(reason(with("currency", "EURO")), "Its currency is not an ISO 4217 code.");
  EXPECT_EQ(reason(with("currency", "E1R")), "Its currency is not an ISO 4217 code.");
  EXPECT_EQ(reason(with("status", nullptr)), "It has no status.");
  EXPECT_EQ(reason(with("id", nullptr)), "It has no id.");
  EXPECT_EQ(reason(json::value(7)), "It has no id.");
  auto no_times = plain_order();
  no_times["date_created_gmt"] = no_times["date_modified_gmt"] = nullptr;
  EXPECT_EQ(reason(no_times), "It has no times of creation and change.");
}

TEST(WooCommerceOrders, UnreadableOrdersAreNamedAndHaveTheirStatus) {
  auto row = with("total", nullptr);
  row["status"] = "cancelled";
  StorePage<StoreOrder> page;
  read_order(row, page);
  ASSERT_EQ(page.unreadable.size(), 1U);
  EXPECT_EQ(page.unreadable[0].external_id, "727");
  EXPECT_EQ(page.unreadable[0].number, "A-727");
  EXPECT_EQ(page.unreadable[0].status, "cancelled");
}

// The total, currency and times are needed for an order; its items and address only for one that is packed.
TEST(WooCommerceOrders, AnOrderWithoutItemsOrAddressIsReadForItsStatus) {
  for (const json::value& nothing :
       {json::value(), json::value(json::array()), json::value(""), json::value(false)}) {
    auto row = plain_order();
    for (const char* const name : {"billing", "shipping", "line_items", "shipping_lines"})
      row[name] = nothing;
    const auto order = read(row);
    EXPECT_EQ(order.status, "processing");
    EXPECT_TRUE(order.items.empty());
    EXPECT_FALSE(order.delivery.street || order.customer_name || order.shipping_method);
  }
}

// WC_Privacy_Erasers: the texts are in the language of the site.
TEST(WooCommerceOrders, ErasedDataIsAbsent) {
  auto row = plain_order();
  for (const char* const name : {"billing", "shipping"}) {
    auto& address = row[name].as_object();
    for (const char* const part :
         {"first_name", "last_name", "company", "address_1", "address_2", "city", "postcode"})
      address[part] = "[gelöscht]";
    address["phone"] = address["state"] = address["country"] = "";
  }
  row["billing"].as_object()["email"] = "deleted@site.invalid";
  const auto order = read(row);
  EXPECT_FALSE(order.delivery.street || order.delivery.city || order.customer_name || order.customer_email ||
               order.recipient.name);
  row["billing"].as_object()["email"] = "ann@example.com";
  EXPECT_EQ(read(row).delivery.city, "[gelöscht]") << "a text in brackets alone means nothing";
}

// Refunds

json::object refund(const json::array& lines) { return {{"id", 9}, {"line_items", lines}}; }
json::object refunded_line(json::value id, json::value quantity) {
  return {{"id", 77},
          {"quantity", std::move(quantity)},
          {"meta_data", {{{"key", "_refunded_item_id"}, {"value", std::move(id)}}}}};
}
json::object two_lines() {
  auto row = plain_order();
  auto& lines = row["line_items"].as_array();
  lines.push_back(lines[0]);
  lines[1].as_object()["id"] = 2;
  lines[1].as_object()["name"] = "Plate";
  lines[1].as_object()["quantity"] = 1;
  return row;
}
StoreOrder read_left(const json::object& row, const std::vector<json::object>& refunds) {
  RefundedLines refunded;
  for (const auto& each : refunds) EXPECT_EQ(add_refund(each, refunded), "");
  StorePage<StoreOrder> page;
  read_order(row, page, refunded);
  return page.records.at(0);
}

TEST(WooCommerceRefunds, WhatWasPaidBackIsNotPacked) {
  const auto one = read_left(two_lines(), {refund({refunded_line("1", -1)})});
  ASSERT_EQ(one.items.size(), 2U);
  EXPECT_EQ(one.items[0].quantity, 2);
  EXPECT_EQ(one.items[0].price, "3.3333333333333335") << "the price of one piece stays";
  const auto several = read_left(two_lines(), {refund({refunded_line(1, "-1"), refunded_line("2", 0)}),
                                               refund({refunded_line("1", -1)})});
  ASSERT_EQ(several.items.size(), 2U);
  EXPECT_EQ(several.items[0].quantity, 1);
  const auto whole_line = read_left(two_lines(), {refund({refunded_line("2", -1)})});
  ASSERT_EQ(whole_line.items.size(), 1U);
  EXPECT_EQ(whole_line.items[0].quantity, 3);
  EXPECT_EQ(whole_line.status, "processing");
}

TEST(WooCommerceRefunds, AmountsAloneAndUnknownLinesChangeNothing) {
  for (const auto& each : {refund({}), refund({refunded_line("99", -1)}), refund({refunded_line("1", 0)}),
                           refund({json::object{{"quantity", -1}, {"meta_data", json::array()}}}),
                           json::object{{"id", 9}, {"line_items", nullptr}}}) {
    const auto order = read_left(two_lines(), {each});
    ASSERT_EQ(order.items.size(), 2U);
    EXPECT_EQ(order.items[0].quantity, 3);
  }
}

TEST(WooCommerceRefunds, AQuantityThatCannotBeReadIsNamed) {
  for (const json::value& quantity : {json::value(), json::value(""), json::value("one"), json::value("-1,5"),
                                      json::value(-1e300), json::value(json::array())}) {
    RefundedLines refunded;
    EXPECT_EQ(add_refund(refund({refunded_line("1", quantity)}), refunded),
              "The refunded quantity of an item cannot be read.")
        << to_json(quantity);
  }
  RefundedLines refunded;
  EXPECT_NE(add_refund(refund({refunded_line(nullptr, -1)}), refunded), "") << "of an unknown line";
}

TEST(WooCommerceRefunds, AnOrderWithNothingLeftIsCancelledUnlessItWasSent) {
  const std::vector<json::object> all = {refund({refunded_line("1", -3), refunded_line("2", -1)})};
  auto row = two_lines();
  EXPECT_EQ(read_left(row, all).status, "cancelled");
  EXPECT_EQ(read_left(row, all).items.size(), 2U) << "as ordered";
  row["status"] = "completed";
  EXPECT_EQ(read_left(row, all).status, "shipped");
  row["line_items"].as_array()[0].as_object()["quantity"] = 2.5;
  const auto piece = read_left(row, {refund({refunded_line("1", -0.5)})});
  EXPECT_EQ(piece.items[0].description, "Tröja – Blå × 2");
}

TEST(WooCommerceRefunds, AreReadOnlyIfTheOrderHasSomeAndIsToBePacked) {
  EXPECT_FALSE(has_refunds(plain_order()));
  for (const json::value& none :
       {json::value(), json::value(json::array()), json::value(json::object()), json::value("")})
    EXPECT_FALSE(has_refunds(with("refunds", none)));
  auto row = with("refunds", json::array{{{"id", 9}}});
  EXPECT_TRUE(has_refunds(row));
  EXPECT_TRUE(has_refunds(with("refunds", json::object{{"1", {{"id", 9}}}})));
  for (const char* const status : {"refunded", "cancelled", "wc-trash"}) {
    row["status"] = status;
    EXPECT_FALSE(has_refunds(row)) << status;
  }
}

// Details of lines

json::object with_meta(json::value meta) { return with_item("meta_data", std::move(meta)); }
json::object meta(std::string_view key, std::string_view label, json::value value) {
  return {{"id", 1}, {"key", key}, {"value", value}, {"display_key", label}, {"display_value", value}};
}

TEST(WooCommerceDetails, TellLinesApart) {
  EXPECT_EQ(read(with_meta(json::array{meta("pa_size", "Size", "XL"),
                                       meta("Engraving", "Engraving", "For <b>Ann</b> &amp; Bob")}))
                .items[0]
                .details,
            "Size: XL, Engraving: For Ann & Bob");
  EXPECT_EQ(read(with_meta(json::array{meta("parts", "Contains", "1 × Cup<br>2 × Plate")})).items[0].details,
            "Contains: 1 × Cup 2 × Plate");
  EXPECT_EQ(read(with_meta(json::array{json::object{{"key", "gift"}, {"value", 7}}})).items[0].details,
            "gift: 7");
  EXPECT_EQ(read(with_meta(json::object{{"3", meta("a", "A", "b")}})).items[0].details, "A: b")
      << "a list with gaps";
}

TEST(WooCommerceDetails, LeaveOutWhatIsHiddenOrKnown) {
  for (const json::value& none :
       {json::value(), json::value(json::array()), json::value(""), json::value(json::array{nullptr, 1, "x"}),
        json::value(json::array{meta("_reduced_stock", "_reduced_stock", "1")}),
        json::value(json::array{meta("_x", "Shown", "1")}),
        json::value(json::array{meta("x", "X", json::array{1})}),
        json::value(json::array{meta("x", "X", "")}),
        json::value(json::array{meta("pa_color", "Color", "blå")})}) {
    EXPECT_EQ(read(with_meta(none)).items[0].details, std::nullopt) << to_json(none);
  }
  auto row = with_meta(json::array{meta("pa_size", "Size", "s")});
  row["line_items"].as_array()[0].as_object()["name"] = "Men's Shirt";
  EXPECT_EQ(read(row).items[0].details, "Size: s") << "a letter of the name is not the option";
}

TEST(WooCommerceDetails, AreBounded) {
  json::array many;
  for (int i = 0; i < 1000; ++i) many.push_back(meta("k", "Key", json::value(std::string(10'000, 'x'))));
  EXPECT_EQ(read(with_meta(many)).items[0].details->size(), domain::longest_text);
}

TEST(WooCommerceOrders, TextsAreAsLongAsOursCanBe) {
  std::string text;
  for (std::size_t i = 0; i < domain::longest_text; ++i) text += "é";
  auto row = with_item("name", json::value(text));
  row["customer_note"] = text;
  EXPECT_EQ(read(row).items[0].description, text);
  EXPECT_EQ(read(row).notes, text);
  row["customer_note"] = text + "é";
  EXPECT_EQ(read(row).notes, text);
  EXPECT_EQ(
      read(with_meta(json::array{meta("text", "Text", json::value(text.substr(0, 4000)))})).items[0].details,
      "Text: " + text.substr(0, 4000));
}

// The types of PHP

TEST(WooCommerceOrders, PlainTextHasNoTags) {
  auto row = with_item("name", "T-Shirt <span>(XL)</span><br>I &lt;3 it");
  row["shipping_lines"].as_array()[0].as_object()["method_title"] = "<b>Express</b>";
  row["customer_note"] = "Ring <i>twice</i><br/>a < b<script>x()</script>";
  const auto order = read(row);
  EXPECT_EQ(order.items[0].description, "T-Shirt (XL) I <3 it");
  EXPECT_EQ(order.shipping_method, "Express");
  EXPECT_EQ(order.notes, "Ring twice\na < b");
}

TEST(WooCommerceOrders, IdentifiersHaveNoWhiteSpaceAround) {
  auto row = with_item("sku", "\u00a0TEE\u200b \n");
  row["number"] = " A-727\r\n";
  EXPECT_EQ(read(row).items[0].sku, "TEE");
  EXPECT_EQ(read(row).number, "A-727");
}

TEST(WooCommerceOrders, WhatIsNoAddressIsNoEmail) {
  for (const char* const text :
       {"n/a", "-", "none", "no@", "+46 31 123", "deleted@site.invalid", "a b@example.com", "@example.com"}) {
    auto row = plain_order();
    row["billing"].as_object()["email"] = text;
    EXPECT_EQ(read(row).customer_email, std::nullopt) << text;
  }
  auto row = plain_order();
  row["billing"].as_object()["email"] = "\xe2\x80\x8bjana@example.com\xc2\xa0";
  EXPECT_EQ(read(row).customer_email, "jana@example.com");
}

TEST(WooCommerceOrders, ValuesMayHaveOtherTypes) {
  auto row = plain_order();
  row["id"] = "727";
  row["number"] = 727;
  row["total"] = 53.43;
  row["status"] = "wc-Processing";
  row["line_items"] = json::object{{"0", row["line_items"].as_array()[0]}};
  row["line_items"].at("0").as_object()["quantity"] = "3";
  row["line_items"].at("0").as_object()["price"] = "3.5";
  row["shipping_lines"] = json::object{{"4", row["shipping_lines"].as_array()[0]}};
  const auto order = read(row);
  EXPECT_EQ(order.external_id, "727");
  EXPECT_EQ(order.number, "727");
  EXPECT_EQ(order.total, "53.43");
  EXPECT_EQ(order.status, "processing");
  ASSERT_EQ(order.items.size(), 1U);
  EXPECT_EQ(order.items[0].quantity, 3);
  EXPECT_EQ(order.shipping_method, "Express & insured");
  row["total"] = "-0.00";
  EXPECT_EQ(read(row).total, "0.00");
}

// Replaces every value of a row, one after another, by each of these.
const json::array& other_values() {
  static const json::array values = {nullptr,
                                     true,
                                     false,
                                     0,
                                     -1,
                                     7.5,
                                     1e300,
                                     "",
                                     " ",
                                     "text",
                                     "7",
                                     "1e9",
                                     json::array{},
                                     json::object{},
                                     json::array{1},
                                     json::object{{"0", 1}},
                                     json::object{{"x", "y"}},
                                     std::string(5000, 'x'),
                                     "\xff"};
  return values;
}
void for_each_place(json::value& root, json::value& value, const std::function<void()>& act) {
  if (&root != &value) {
    const json::value before = value;
    for (const auto& other : other_values()) {
      value = other;
      act();
    }
    value = before;
  }
  if (auto* const array = value.if_array()) {
    for (auto& element : *array) for_each_place(root, element, act);
  } else if (auto* const object = value.if_object()) {
    for (auto& member : *object) for_each_place(root, member.value(), act);
  }
}

TEST(WooCommerceOrders, AnyValueInAnyPlaceGivesAnOrderOrAReason) {
  auto full = two_lines();
  full["refunds"] = json::array{{{"id", 9}}};
  full["line_items"].as_array()[0].as_object()["meta_data"] = json::array{meta("pa_size", "Size", "XL")};
  json::value row = full;
  json::value back = refund({refunded_line("1", -1)});
  std::size_t read_orders = 0;
  const auto read_all = [&] {
    RefundedLines refunded;
    add_refund(back, refunded);
    has_refunds(row);
    StorePage<StoreOrder> page;
    read_order(row, page, refunded);
    set_aside_order(row, "It cannot be shown.", page);
    const bool is_draft = page.records.empty() && page.unreadable.empty();
    EXPECT_TRUE(is_draft || page.records.size() + page.unreadable.size() == 2) << to_json(row);
    read_orders += page.records.size();
    for (const auto& each : page.unreadable) EXPECT_FALSE(each.reason.empty());
  };
  for_each_place(row, row, read_all);
  for_each_place(back, back, read_all);
  EXPECT_GT(read_orders, 1000U) << "most fields are not needed";
}

TEST(WooCommerceOrders, TimesHaveNoSuffixOrATrueOne) {
  const json::value plain = "2026-07-01T10:00:00";
  const json::value zulu = "2026-07-01T10:00:00Z";
  EXPECT_EQ(time_of(&plain), parse_timestamp("2026-07-01T10:00:00Z"));
  EXPECT_EQ(time_of(&zulu), parse_timestamp("2026-07-01T10:00:00Z"));
  for (const json::value& none : {json::value(), json::value(""), json::value("0000-00-00T00:00:00")}) {
    EXPECT_EQ(time_of(&none), std::nullopt);
  }
}

}  // namespace
}  // namespace waybill::connectors::woo
