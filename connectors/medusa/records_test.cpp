#include "connectors/medusa/records.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::connectors {
namespace {

/// An order of a server of version 2.21.2, without the unused fields.
json::object order_of_a_guest() {
  return json::parse(R"({
    "id": "order_1", "display_id": 7, "custom_display_id": null, "status": "pending", "currency_code": "eur",
    "total": 48.213, "email": "g@x.example", "created_at": "2026-11-20T14:11:54.682Z",
    "updated_at": "2026-11-20T14:11:55.024Z", "canceled_at": null,
    "payment_status": "not_paid", "fulfillment_status": "not_fulfilled",
    "items": [
      {"id": "ordli_2", "title": "Custom \"x\"", "product_title": null, "variant_title": null, "variant_sku": null,
       "quantity": 1, "unit_price": 3.333, "raw_unit_price": {"value": "3.333", "precision": 20}},
      {"id": "ordli_1", "title": "Shirt", "product_title": "Shirt", "variant_title": "M", "variant_sku": "SH-M",
       "quantity": 2, "unit_price": 19.99, "raw_unit_price": {"value": "19.99", "precision": 20}}],
    "shipping_address": {"first_name": "Jo", "last_name": "Doe", "company": null, "address_1": "Weg 1",
      "address_2": null, "city": "Ulm", "country_code": "de", "province": null, "postal_code": "1", "phone": "+49"},
    "billing_address": null,
    "customer": {"first_name": null, "last_name": null, "company_name": null, "email": "c@x.example",
      "phone": null}})")
      .as_object();
}

StorePage<StoreOrder> read(const json::value& order) {
  StorePage<StoreOrder> page;
  add_medusa_order(order, page);
  return page;
}

StoreOrder readable(const json::value& order) {
  auto page = read(order);
  EXPECT_TRUE(page.unreadable.empty());
  return page.records.at(0);
}

TEST(MedusaRecords, MapsEachStatusOfTheStore) {
  struct Case {
    const char *status, *payment, *fulfillment, *ours;
  };
  const std::vector<Case> cases = {
      {"pending", "not_paid", "not_fulfilled", "pending"},
      {"pending", "awaiting", "not_fulfilled", "pending"},
      {"pending", "authorized", "not_fulfilled", "pending"},
      {"pending", "partially_captured", "not_fulfilled", "pending"},
      {"pending", "canceled", "not_fulfilled", "pending"},
      {"requires_action", "captured", "not_fulfilled", "pending"},
      {"pending", "captured", "not_fulfilled", "processing"},
      {"pending", "partially_refunded", "not_fulfilled", "processing"},
      {"pending", "refunded", "not_fulfilled", "cancelled"},
      {"pending", "not_paid", "partially_fulfilled", "ready"},
      {"pending", "captured", "fulfilled", "ready"},
      {"pending", "captured", "partially_shipped", "shipped"},
      {"pending", "captured", "shipped", "shipped"},
      {"pending", "refunded", "shipped", "shipped"},
      {"pending", "captured", "partially_delivered", "shipped"},
      {"pending", "captured", "delivered", "delivered"},
      {"completed", "captured", "delivered", "delivered"},
      {"completed", "captured", "not_fulfilled", "shipped"},
      {"archived", "captured", "not_fulfilled", "shipped"},
      {"canceled", "captured", "shipped", "cancelled"},
      {"draft", "not_paid", "not_fulfilled", ""},
      {"of a later version", "of a later version", "of a later version", "pending"},
  };
  for (const auto& [status, payment, fulfillment, ours] : cases) {
    const json::value order = {
        {"status", status}, {"payment_status", payment}, {"fulfillment_status", fulfillment}, {"total", 5}};
    EXPECT_EQ(medusa_status(order), ours) << status << " " << payment << " " << fulfillment;
  }
  // Archiving hides that it was canceled.
  const json::value archived = {{"status", "archived"}, {"canceled_at", "2026-11-20T14:11:54.682Z"}};
  EXPECT_EQ(medusa_status(archived), "cancelled");
  const json::value free = {{"status", "pending"}, {"payment_status", "not_paid"}, {"total", 0}};
  EXPECT_EQ(medusa_status(free), "processing");
}

TEST(MedusaRecords, ListsItemsInTheSameOrderWhateverTheStoreDoes) {
  auto order = order_of_a_guest();
  const auto first = readable(order);
  auto& items = order.at("items").as_array();
  std::swap(items[0], items[1]);
  const auto second = readable(order);
  ASSERT_EQ(first.items.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(first.items[i].description, second.items[i].description);
  EXPECT_EQ(first.items[0].description, "Shirt - M");
  EXPECT_EQ(first.items[1].description, "Custom \"x\"");
  EXPECT_EQ(first.items[1].sku, std::nullopt);
}

TEST(MedusaRecords, ReadsTheShippingMethodAndItsCost) {
  auto order = order_of_a_guest();
  EXPECT_EQ(readable(order).shipping_method, std::nullopt);
  order["shipping_methods"] =
      json::array{json::object{{"id", "ordsm_1"}, {"name", "Express"}, {"amount", 9}}};
  order["shipping_total"] = 9.5;
  EXPECT_EQ(readable(order).shipping_method, "Express");
  EXPECT_EQ(readable(order).shipping_cost, "9.5");
}

TEST(MedusaRecords, PrefersTheMerchantsNumber) {
  auto order = order_of_a_guest();
  EXPECT_EQ(readable(order).number, "7");
  order["custom_display_id"] = "EU-0007";
  EXPECT_EQ(readable(order).number, "EU-0007");
}

TEST(MedusaRecords, TheBuyerIsInTheBillingAddressElseTheAccountElseTheDeliveryAddress) {
  auto order = order_of_a_guest();
  EXPECT_EQ(readable(order).customer_name, "Jo Doe");
  EXPECT_EQ(readable(order).customer_phone, "+49");
  order.at("customer").as_object()["first_name"] = "Ann";
  EXPECT_EQ(readable(order).customer_name, "Ann");
  EXPECT_EQ(readable(order).customer_phone, std::nullopt) << "another person's";
  order["billing_address"] = {{"first_name", "Anne"}, {"last_name", "Doe"}, {"company", "Doe Ltd"}};
  EXPECT_EQ(readable(order).customer_name, "Anne Doe");
  EXPECT_EQ(readable(order).customer_company, "Doe Ltd");
  EXPECT_EQ(readable(order).recipient.name, "Jo Doe");
  EXPECT_EQ(readable(order).recipient.phone, "+49");
  order["billing_address"] = nullptr;
  order["customer"] = nullptr;
  order["shipping_address"] = nullptr;
  const auto bare = readable(order);
  EXPECT_EQ(bare.customer_name, std::nullopt);
  EXPECT_EQ(bare.customer_email, "g@x.example");
  EXPECT_EQ(bare.delivery.street, std::nullopt);
  EXPECT_EQ(bare.delivery.country, std::nullopt);
}

TEST(MedusaRecords, PrefersTheExactAmountToTheNumber) {
  auto order = order_of_a_guest();
  auto& item = order.at("items").as_array()[0].as_object();
  item["raw_unit_price"] = {{"value", "1234567890123456.789"}, {"precision", 20}};
  EXPECT_EQ(readable(order).items[1].price, "1234567890123456.789");
  item["raw_unit_price"] = {{"value", "1e-7"}, {"precision", 20}};
  EXPECT_EQ(readable(order).items[1].price, "3.333");
  EXPECT_EQ(readable(order).total, "48.213");
}

TEST(MedusaRecords, APriceThatCannotBeReadIsAbsentAndNotZero) {
  for (const json::value& price : {json::value(), json::value(""), json::value("1,5"), json::value("1e400"),
                                   json::value(json::object())}) {
    auto order = order_of_a_guest();
    auto& item = order.at("items").as_array()[0].as_object();
    item["raw_unit_price"] = {{"value", price}};
    item["unit_price"] = price;
    EXPECT_EQ(readable(order).items[1].price, std::nullopt) << to_json(price);
  }
}

TEST(MedusaRecords, LeavesOutItemsThatAnEditRemoved) {
  auto order = order_of_a_guest();
  order.at("items").as_array()[0].as_object()["quantity"] = 0;
  EXPECT_EQ(readable(order).items.size(), 1U);
}

TEST(MedusaRecords, ReportsUnreadableRecordsWithAReason) {
  for (const auto* const field : {"total", "currency_code", "created_at", "updated_at", "display_id"}) {
    auto order = order_of_a_guest();
    order[field] = json::array();
    const auto page = read(order);
    EXPECT_TRUE(page.records.empty()) << field;
    ASSERT_EQ(page.unreadable.size(), 1U) << field;
    EXPECT_EQ(page.unreadable[0].external_id, "order_1");
    EXPECT_TRUE(page.unreadable[0].reason.ends_with('.'));
  }
  for (const json::value& nonsense :
       {json::value(), json::value(1), json::value(json::array()), json::value(json::object())}) {
    EXPECT_EQ(read(nonsense).unreadable.size(), 1U);
  }
  for (const json::value& quantity : {json::value(), json::value("one"), json::value(1e10)}) {
    auto order = order_of_a_guest();
    order.at("items").as_array()[0].as_object()["quantity"] = quantity;
    EXPECT_EQ(read(order).unreadable.at(0).number, "7") << to_json(quantity);
  }
}

TEST(MedusaRecords, AFractionIsOnePieceAndADiscountAsALineCostsNothing) {
  auto order = order_of_a_guest();
  auto& item = order.at("items").as_array()[0].as_object();
  item["quantity"] = 0.5;
  item["unit_price"] = 3.5;
  item["raw_unit_price"] = {{"value", "3.5"}};
  const auto fraction = readable(order).items.at(1);
  EXPECT_EQ(fraction.quantity, 1);
  EXPECT_EQ(fraction.price, "1.75");
  EXPECT_TRUE(fraction.description.ends_with(" × 0.5")) << fraction.description;
  item["quantity"] = 1;
  item["unit_price"] = -3;
  item["raw_unit_price"] = {{"value", "-3"}};
  EXPECT_EQ(readable(order).items.at(1).price, "0");
}

TEST(MedusaRecords, AnUnreadableOrderHasItsStatusIfTheStoreNamesIt) {
  auto order = order_of_a_guest();
  order["total"] = nullptr;
  order["status"] = "canceled";
  order["shipping_address"] = order["items"] = nullptr;
  EXPECT_EQ(read(order).unreadable.at(0).status, "cancelled");
  order.erase("status");
  order.erase("canceled_at");
  EXPECT_EQ(read(order).unreadable.at(0).status, "");
}

TEST(MedusaRecords, ValuesMayHaveOtherTypes) {
  auto order = order_of_a_guest();
  auto& items = order.at("items").as_array();
  items[0].as_object()["quantity"] = "1";
  items[0].as_object()["title"] = nullptr;
  items[0].as_object()["metadata"] = {
      {"<i>Engraving</i>", "<b>Ann</b>"},
      {"<br>", "nameless"},
      {"_id", 7},
      {"Wrap", 1},
      {"Gift", true},
      {"Parts", json::array{"Cup", "2 <i>Plates</i>", nullptr, json::array{1}}},
      {"x", json::object()}};
  items[0].as_object()["raw_unit_price"] = nullptr;
  items[0].as_object()["unit_price"] = "3.5";
  order["total"] = "48.21";
  order["raw_total"] = nullptr;
  order["email"] = "none";
  order["items"] = json::object{{"0", order.at("items").at(0)}};  // new members moved the others
  const auto read_order = readable(order);
  EXPECT_EQ(read_order.total, "48.21");
  ASSERT_EQ(read_order.items.size(), 1U);
  EXPECT_EQ(read_order.items[0].description, "Item");
  EXPECT_EQ(read_order.items[0].details, "Engraving: Ann, Gift: yes, Parts: Cup, 2 Plates, Wrap: 1");
  EXPECT_EQ(read_order.items[0].price, "3.5");
  EXPECT_NE(read_order.customer_email, "none");
}

json::object price(std::string_view currency, double amount, json::object more = {}) {
  more["currency_code"] = currency;
  more["amount"] = amount;
  return more;
}

TEST(MedusaRecords, TakesTheGeneralPriceOfOnePiece) {
  const json::array prices = {price("usd", 1),
                              price("eur", 2, {{"min_quantity", 10}}),
                              price("eur", 3, {{"price_list_id", "plist_1"}}),
                              price("eur", 4, {{"rules", {{"region_id", "reg_1"}}}}),
                              price("eur", 5, {{"rules_count", 1}}),
                              price("eur", 6, {{"rules", json::object()}, {"min_quantity", nullptr}})};
  const auto variant = [](std::string_view id, int rank, json::array of) {
    return json::object{
        {"id", id},     {"title", id},       {"variant_rank", rank},    {"weight", 1},
        {"length", 12}, {"height", nullptr}, {"prices", std::move(of)}, {"origin_country", "pt"}};
  };
  const json::value product = {{"id", "prod_1"},
                               {"title", "Shirt"},
                               {"weight", 12.5},
                               {"hs_code", "6109.10"},
                               {"origin_country", nullptr},
                               {"updated_at", "2026-11-20T14:11:55.024Z"},
                               {"variants", json::array{variant("b", 1, {}), variant("a", 0, prices)}}};
  StorePage<StoreProduct> page;
  add_medusa_product(product, "eur", page);
  ASSERT_EQ(page.records.size(), 1U);
  const auto& read = page.records[0];
  EXPECT_EQ(read.weight, "0.0125");
  ASSERT_EQ(read.variants.size(), 2U);
  EXPECT_EQ(read.variants[0].name, "a");
  EXPECT_EQ(read.variants[0].price, "6");
  EXPECT_EQ(read.variants[0].weight, "0.001");
  EXPECT_EQ(read.variants[0].external_id, "a");
  EXPECT_EQ(read.variants[0].length, "12");
  EXPECT_FALSE(read.variants[0].height);
  EXPECT_TRUE(read.has_all_variants);
  EXPECT_EQ(read.hs_code, "6109.10");
  EXPECT_FALSE(read.origin_country);
  EXPECT_EQ(read.variants[0].origin_country, "pt");
  EXPECT_FALSE(read.variants[0].hs_code);
  EXPECT_EQ(read.variants[1].price, std::nullopt);
}

}  // namespace
}  // namespace waybill::connectors
