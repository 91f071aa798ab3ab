#include "connectors/woocommerce/orders.hpp"

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
  EXPECT_EQ(read(row).items[0].price, std::nullopt) << "a discount as a line has no price";
}

TEST(WooCommerceOrders, ALineWithoutQuantityIsLeftOutAndAFractionIsOnePiece) {
  EXPECT_EQ(reason(with_item("quantity", 0)), "It has no items.");
  auto order = read(with_item("quantity", 2.5));
  EXPECT_EQ(order.items[0].quantity, 1);
  EXPECT_EQ(order.items[0].price, "10.00");
  EXPECT_EQ(order.items[0].description, "Tröja – Blå × 2.5");
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
  auto no_address = plain_order();
  no_address["billing"].as_object()["address_1"] = no_address["shipping"].as_object()["address_1"] = "";
  no_address["shipping"].as_object()["address_2"] = no_address["shipping"].as_object()["city"] = "";
  EXPECT_EQ(reason(no_address), "It has no delivery address with street and city.");
  EXPECT_EQ(reason(with("line_items", json::array())), "It has no items.");
  EXPECT_EQ(reason(with("line_items", nullptr)), "It has no items.");
  for (const json::value& total :
       {json::value("free"), json::value("-1.00"), json::value(), json::value("1e3"), json::value(""),
        json::value("1."), json::value(".5")}) {
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

TEST(WooCommerceOrders, UnreadableOrdersAreNamed) {
  StorePage<StoreOrder> page;
  read_order(with("total", nullptr), page);
  ASSERT_EQ(page.unreadable.size(), 1U);
  EXPECT_EQ(page.unreadable[0].external_id, "727");
  EXPECT_EQ(page.unreadable[0].number, "A-727");
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
