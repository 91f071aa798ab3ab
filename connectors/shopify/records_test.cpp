#include "connectors/shopify/records.hpp"

#include <gtest/gtest.h>

#include "connectors/shopify/tracking.hpp"

namespace waybill::connectors {
namespace {

json::object object(std::string_view text) { return json::parse(text).as_object(); }

constexpr std::string_view whole_order = R"({
  "id": "gid://shopify/Order/5000000001", "name": "#1001", "test": false, "note": " Ring twice ",
  "createdAt": "2026-07-01T12:00:00+02:00", "updatedAt": "2026-07-01T10:05:00Z", "cancelledAt": null,
  "displayFinancialStatus": "PAID", "displayFulfillmentStatus": "UNFULFILLED",
  "email": "anna@example.com", "phone": null,
  "currentTotalPriceSet": {"shopMoney": {"amount": "24.9", "currencyCode": "EUR"}},
  "customer": {"firstName": "Anna", "lastName": "Müller", "defaultEmailAddress": null,
               "defaultPhoneNumber": {"phoneNumber": "+49301"}},
  "shippingAddress": {"name": "A. M.", "address1": "Lindenstraße 1", "address2": "2. Hof", "city": "Berlin",
                      "province": "Berlin", "provinceCode": "BE", "zip": "10969", "countryCodeV2": "DE",
                      "phone": "+49302"},
  "billingAddress": null, "fulfillments": [],
  "lineItems": {"nodes": [
    {"title": "Tea <b>\"Uji\"</b>", "variantTitle": "100 g", "sku": "TEA-1", "quantity": 3, "currentQuantity": 2,
     "originalUnitPriceSet": {"shopMoney": {"amount": "10.00"}}},
    {"title": "Cup", "variantTitle": "Default Title", "sku": "", "quantity": 1, "currentQuantity": 0,
     "originalUnitPriceSet": {"shopMoney": {"amount": "4.90"}}},
    {"title": "Card", "variantTitle": null, "sku": null, "quantity": 1, "currentQuantity": 1,
     "originalUnitPriceSet": {"shopMoney": {"amount": "4.90"}}}]}})";

StorePage<StoreOrder> read(const json::object& order) {
  StorePage<StoreOrder> page;
  add_shopify_order(order, page);
  return page;
}

TEST(ShopifyRecords, ReadAnOrder) {
  const auto page = read(object(whole_order));
  ASSERT_EQ(page.records.size(), 1U);
  const auto& order = page.records[0];
  EXPECT_EQ(order.external_id, "5000000001");
  EXPECT_EQ(order.number, "#1001");
  EXPECT_EQ(order.status, "processing");
  EXPECT_EQ(order.customer_name, "Anna Müller");
  EXPECT_EQ(order.customer_email, "anna@example.com");
  EXPECT_EQ(order.customer_phone, "+49301");
  EXPECT_EQ(order.recipient.name, "A. M.");
  EXPECT_EQ(order.recipient.company, std::nullopt);
  EXPECT_EQ(order.recipient.phone, "+49302");
  EXPECT_EQ(order.shipping_method, std::nullopt);
  EXPECT_EQ(order.shipping_cost, std::nullopt);
  EXPECT_EQ(order.delivery.street, "Lindenstraße 1, 2. Hof");
  EXPECT_EQ(order.delivery.city, "Berlin");
  EXPECT_EQ(order.delivery.state, "BE");
  EXPECT_EQ(order.delivery.postal_code, "10969");
  EXPECT_EQ(order.delivery.country, "DE");
  EXPECT_EQ(order.total, "24.9");
  EXPECT_EQ(order.currency, "EUR");
  EXPECT_EQ(order.notes, "Ring twice");
  EXPECT_EQ(format_timestamp(order.created_at), "2026-07-01T10:00:00.000Z");
  EXPECT_EQ(format_timestamp(order.changed_at), "2026-07-01T10:05:00.000Z");
}

TEST(ShopifyRecords, ItemsHaveTheQuantitiesLeftAfterEditsAndRefunds) {
  const auto items = read(object(whole_order)).records.at(0).items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].description, "Tea \"Uji\" - 100 g");
  EXPECT_EQ(items[0].sku, "TEA-1");
  EXPECT_EQ(items[0].quantity, 2);
  EXPECT_EQ(items[0].price, "10.00");
  EXPECT_EQ(items[1].description, "Card");
  EXPECT_FALSE(items[1].sku);
}

TEST(ShopifyRecords, AnOrderWithNothingLeftKeepsTheOrderedQuantities) {
  auto order = object(whole_order);
  for (auto& node : order["lineItems"].at("nodes").as_array()) node.as_object()["currentQuantity"] = 0;
  order["displayFinancialStatus"] = "REFUNDED";
  const auto read_order = read(order).records.at(0);
  EXPECT_EQ(read_order.status, "cancelled");
  ASSERT_EQ(read_order.items.size(), 3U);
  EXPECT_EQ(read_order.items[0].quantity, 3);
}

TEST(ShopifyRecords, AnOrderWithNothingLeftIsCancelledUnlessItWasSent) {
  auto order = object(whole_order);
  for (auto& node : order["lineItems"].at("nodes").as_array()) node.as_object()["currentQuantity"] = 0;
  order["displayFinancialStatus"] = "PARTIALLY_REFUNDED";  // the shipping was not paid back
  EXPECT_EQ(read(order).records.at(0).status, "cancelled");
  order["displayFulfillmentStatus"] = "FULFILLED";
  EXPECT_EQ(read(order).records.at(0).status, "shipped");
}

TEST(ShopifyRecords, AFractionIsOnePieceAndADiscountAsALineCostsNothing) {
  auto order = object(whole_order);
  auto& line = order["lineItems"].at("nodes").as_array()[0].as_object();
  line["currentQuantity"] = 0.5;
  line["originalUnitPriceSet"] = {{"shopMoney", {{"amount", "3.5"}}}};
  const auto fraction = read(order).records.at(0).items.at(0);
  EXPECT_EQ(fraction.quantity, 1);
  EXPECT_EQ(fraction.price, "1.75");
  EXPECT_TRUE(fraction.description.ends_with(" × 0.5")) << fraction.description;
  line["currentQuantity"] = 1;
  line["originalUnitPriceSet"] = {{"shopMoney", {{"amount", "-3.5"}}}};
  EXPECT_EQ(read(order).records.at(0).items.at(0).price, "0");
}

// Neither the ordered quantity nor none takes the place of what is left, and no line is passed over.
TEST(ShopifyRecords, AQuantityThatCannotBeReadIsNotReplacedByAnother) {
  for (const json::value& left :
       {json::value(), json::value("two"), json::value(1e10), json::value(json::array())}) {
    auto order = object(whole_order);
    auto& nodes = order["lineItems"].at("nodes").as_array();
    nodes[0].as_object()["currentQuantity"] = left;
    EXPECT_EQ(read(order).unreadable.at(0).reason, "It has no readable quantity of an item.")
        << serialize(left);
    for (auto& node : nodes) node.as_object()["currentQuantity"] = left;
    ASSERT_EQ(read(order).unreadable.size(), 1U) << serialize(left);
    EXPECT_EQ(read(order).unreadable[0].status, "processing") << "nothing says that it was undone";
  }
  auto order = object(whole_order);
  order["lineItems"].at("nodes").as_array()[1] = nullptr;
  EXPECT_EQ(read(order).unreadable.at(0).reason, "It has no readable quantity of an item.");
}

TEST(ShopifyRecords, APriceThatCannotBeReadIsAbsentAndNotZero) {
  for (const json::value& amount : {json::value(), json::value(""), json::value("1,234.50"),
                                    json::value("€5"), json::value("1e400"), json::value(json::object())}) {
    auto order = object(whole_order);
    auto& line = order["lineItems"].at("nodes").as_array()[0].as_object();
    line["originalUnitPriceSet"] = {{"shopMoney", {{"amount", amount}}}};
    EXPECT_EQ(read(order).records.at(0).items.at(0).price, std::nullopt) << serialize(amount);
    line["originalUnitPriceSet"] = nullptr;
    EXPECT_EQ(read(order).records.at(0).items.at(0).price, std::nullopt);
  }
}

TEST(ShopifyRecords, WhatTheBuyerEnteredTellsLinesApart) {
  auto order = object(whole_order);
  auto& line = order["lineItems"].at("nodes").as_array()[0].as_object();
  line["customAttributes"] = json::parse(
      R"([{"key":"Engraving","value":"For <i>Ann</i>"},{"key":"_app","value":"x"},{"key":"Empty","value":null},null])");
  EXPECT_EQ(read(order).records.at(0).items[0].details, "Engraving: For Ann");
  line["customAttributes"] = json::array();
  EXPECT_EQ(read(order).records.at(0).items[0].details, std::nullopt);
}

// A redacted or otherwise unreadable order still has its status.
TEST(ShopifyRecords, AnUnreadableOrderHasItsStatus) {
  auto order = object(whole_order);
  order["currentTotalPriceSet"] = nullptr;
  order["cancelledAt"] = "2026-07-02T10:00:00Z";
  for (const auto* const field : {"shippingAddress", "billingAddress", "customer", "email"})
    order[field] = nullptr;
  EXPECT_EQ(read(order).unreadable.at(0).status, "cancelled");
}

TEST(ShopifyRecords, TextsArePlainAndIdentifiersClean) {
  auto order = object(whole_order);
  auto& line = order["lineItems"].at("nodes").as_array()[0].as_object();
  line["variantTitle"] = "<b>100 g</b>";
  line["sku"] = " TEA-1\xc2\xa0";
  order["note"] = "Ring<br>twice";
  order["email"] = "n/a";
  order["shippingLine"] = object(R"({"title":"<b>Express</b>","discountedPriceSet":null})");
  const auto read_order = read(order).records.at(0);
  EXPECT_EQ(read_order.items[0].description, "Tea \"Uji\" - 100 g");
  EXPECT_EQ(read_order.items[0].sku, "TEA-1");
  EXPECT_EQ(read_order.notes, "Ring\ntwice");
  EXPECT_EQ(read_order.customer_email, std::nullopt);
  EXPECT_EQ(read_order.shipping_method, "Express");
}

TEST(ShopifyRecords, AnOrderWithoutCustomerOrAddressIsAnOrder) {
  auto order = object(whole_order);
  for (const auto* const field :
       {"customer", "shippingAddress", "billingAddress", "email", "phone", "note"}) {
    order[field] = nullptr;
  }
  const auto read_order = read(order).records.at(0);
  EXPECT_FALSE(read_order.customer_name);
  EXPECT_FALSE(read_order.customer_email);
  EXPECT_FALSE(read_order.customer_phone);
  EXPECT_FALSE(read_order.delivery.street);
  EXPECT_FALSE(read_order.delivery.country);
  EXPECT_FALSE(read_order.notes);
  order["billingAddress"] = object(R"({"name":"B. Bill","phone":"+1"})");
  EXPECT_EQ(read(order).records.at(0).customer_name, "B. Bill");
}

TEST(ShopifyRecords, TheBuyerIsThePersonOfTheBillingAddress) {
  auto order = object(whole_order);
  order["billingAddress"] = object(R"({"name":"B. Bill","company":"Bill Ltd","phone":"+1"})");
  order["shippingLine"] =
      object(R"({"title":" Express ","discountedPriceSet":{"shopMoney":{"amount":"9.5"}}})");
  const auto read_order = read(order).records.at(0);
  EXPECT_EQ(read_order.customer_name, "B. Bill");
  EXPECT_EQ(read_order.customer_company, "Bill Ltd");
  EXPECT_EQ(read_order.customer_phone, "+1");
  EXPECT_EQ(read_order.recipient.name, "A. M.");
  EXPECT_EQ(read_order.shipping_method, "Express");
  EXPECT_EQ(read_order.shipping_cost, "9.5");
}

TEST(ShopifyRecords, AnUnreadableOrderKeepsItsTimeOfCreation) {
  auto order = object(whole_order);
  order["currentTotalPriceSet"] = nullptr;
  EXPECT_EQ(format_timestamp(read(order).unreadable.at(0).created_at.value()), "2026-07-01T10:00:00.000Z");
}

TEST(ShopifyRecords, AmountsKeepTheirDecimals) {
  for (const auto* const amount : {"1500", "1.234", "0.0", "-1.5"}) {
    auto order = object(whole_order);
    order["currentTotalPriceSet"].at("shopMoney").as_object()["amount"] = amount;
    EXPECT_EQ(read(order).records.at(0).total, amount);
  }
}

TEST(ShopifyRecords, TestOrdersAreLeftOut) {
  auto order = object(whole_order);
  order["test"] = true;
  const auto page = read(order);
  EXPECT_TRUE(page.records.empty());
  EXPECT_TRUE(page.unreadable.empty());
}

TEST(ShopifyRecords, UnreadableRecordsAreReported) {
  const std::vector<std::pair<const char*, json::value>> broken = {{"id", nullptr},
                                                                   {"name", ""},
                                                                   {"createdAt", "yesterday"},
                                                                   {"updatedAt", nullptr},
                                                                   {"currentTotalPriceSet", nullptr}};
  for (const auto& [field, value] : broken) {
    auto order = object(whole_order);
    order[field] = value;
    const auto page = read(order);
    EXPECT_TRUE(page.records.empty()) << field;
    ASSERT_EQ(page.unreadable.size(), 1U) << field;
    EXPECT_FALSE(page.unreadable[0].reason.empty());
    EXPECT_EQ(page.unreadable[0].external_id, std::string_view(field) == "id" ? "" : "5000000001");
    EXPECT_EQ(page.unreadable[0].number,
              std::string_view(field) == "name" ? std::nullopt : std::optional("#1001"));
  }
}

TEST(ShopifyRecords, StatusesAreMapped) {
  struct Row {
    const char* paid;
    const char* sent;
    const char* ours;
  };
  constexpr std::array<Row, 19> rows = {{
      {"PENDING", "UNFULFILLED", "pending"},
      {"AUTHORIZED", "UNFULFILLED", "pending"},
      {"PARTIALLY_PAID", "UNFULFILLED", "pending"},
      {"EXPIRED", "UNFULFILLED", "pending"},
      {"A_NEW_ONE", "ANOTHER", "pending"},
      {"PAID", "UNFULFILLED", "processing"},
      {"PAID", "OPEN", "processing"},
      {"PAID", "SCHEDULED", "processing"},
      {"PAID", "A_NEW_ONE", "processing"},
      {"PAID", "RESTOCKED", "processing"},
      {"PAID", "REQUEST_DECLINED", "processing"},
      {"PARTIALLY_REFUNDED", "UNFULFILLED", "processing"},
      {"PAID", "ON_HOLD", "pending"},
      {"PAID", "PARTIALLY_FULFILLED", "ready"},
      {"PENDING", "IN_PROGRESS", "ready"},
      {"PAID", "PENDING_FULFILLMENT", "ready"},
      {"PAID", "FULFILLED", "shipped"},
      {"VOIDED", "UNFULFILLED", "cancelled"},
      {"REFUNDED", "FULFILLED", "cancelled"},
  }};
  for (const auto& row : rows) {
    auto order = object(whole_order);
    order["displayFinancialStatus"] = row.paid;
    order["displayFulfillmentStatus"] = row.sent;
    EXPECT_EQ(shopify_status(order), row.ours) << row.paid << " " << row.sent;
    order["cancelledAt"] = "2026-07-02T10:00:00Z";
    EXPECT_EQ(shopify_status(order), "cancelled");
  }
}

TEST(ShopifyRecords, AnOrderIsDeliveredIfEveryFulfillmentIs) {
  auto order = object(whole_order);
  order["displayFulfillmentStatus"] = "FULFILLED";
  const auto status = [&](std::string_view fulfillments) {
    order["fulfillments"] = json::parse(fulfillments);
    return shopify_status(order);
  };
  constexpr auto delivered = R"({"status":"SUCCESS","displayStatus":"DELIVERED"})";
  constexpr auto under_way = R"({"status":"SUCCESS","displayStatus":"IN_TRANSIT"})";
  constexpr auto cancelled = R"({"status":"CANCELLED","displayStatus":"CANCELED"})";
  const auto list = [](std::initializer_list<std::string> all) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "[" : ",") + one;
    return text + "]";
  };
  EXPECT_EQ(status(list({delivered, delivered})), "delivered");
  EXPECT_EQ(status(list({delivered, cancelled})), "delivered");
  EXPECT_EQ(status(list({delivered, under_way})), "shipped");
  EXPECT_EQ(status(list({cancelled})), "shipped");
}

TEST(ShopifyRecords, ReadAProductWithoutVariantsAsOne) {
  StorePage<StoreProduct> page;
  add_shopify_product(object(R"({"id":"gid://shopify/Product/7","title":"Tea","description":"Green",
      "updatedAt":"2026-07-01T10:05:00Z","hasOnlyDefaultVariant":true,"variants":{"nodes":[
      {"title":"Default Title","sku":"TEA-1","barcode":"4006381333931","price":"12.45",
       "inventoryItem":{"harmonizedSystemCode":"090210","countryCodeOfOrigin":"JP",
                        "measurement":{"weight":{"unit":"GRAMS","value":250.0}}}}]}})"),
                      page);
  ASSERT_EQ(page.records.size(), 1U);
  const auto& product = page.records[0];
  EXPECT_EQ(product.external_id, "7");
  EXPECT_EQ(product.name, "Tea");
  EXPECT_EQ(product.description, "Green");
  EXPECT_EQ(product.sku, "TEA-1");
  EXPECT_EQ(product.barcode, "4006381333931");
  EXPECT_EQ(product.price, "12.45");
  EXPECT_EQ(product.weight, "0.25");
  EXPECT_EQ(product.hs_code, "090210");
  EXPECT_EQ(product.origin_country, "JP");
  EXPECT_TRUE(product.variants.empty());
}

TEST(ShopifyRecords, ReadAProductWithVariants) {
  StorePage<StoreProduct> page;
  add_shopify_product(object(R"({"id":"gid://shopify/Product/7","title":"Tea","description":"",
      "updatedAt":"2026-07-01T10:05:00Z","hasOnlyDefaultVariant":false,"variants":{"nodes":[
      {"id":"gid://shopify/ProductVariant/8","title":"100 g","sku":"TEA-100","barcode":null,"price":"6.00",
       "inventoryItem":{"harmonizedSystemCode":null,"countryCodeOfOrigin":"CN","measurement":{"weight":null}}},
      {"title":"1 lb","sku":null,"barcode":null,"price":"20.00",
       "inventoryItem":{"measurement":{"weight":{"unit":"POUNDS","value":1}}}}]}})"),
                      page);
  ASSERT_EQ(page.records.size(), 1U);
  const auto& product = page.records[0];
  EXPECT_FALSE(product.sku);
  EXPECT_FALSE(product.description);
  ASSERT_EQ(product.variants.size(), 2U);
  EXPECT_TRUE(product.has_all_variants);
  EXPECT_EQ(product.variants[0].external_id, "8");
  EXPECT_EQ(product.variants[1].external_id, "");
  EXPECT_EQ(product.variants[0].name, "100 g");
  EXPECT_EQ(product.variants[0].sku, "TEA-100");
  EXPECT_FALSE(product.variants[0].weight);
  EXPECT_FALSE(product.variants[0].hs_code);
  EXPECT_EQ(product.variants[0].origin_country, "CN");
  EXPECT_FALSE(product.origin_country);
  EXPECT_EQ(product.variants[1].weight, "0.453592");
}

TEST(ShopifyRecords, AProductWhoseListOfVariantsIsCutLacksVariants) {
  for (const auto* const variants : {R"({"nodes":[{"title":"S"}],"pageInfo":{"hasNextPage":true}})",
                                     R"({"nodes":[{"title":"S"},null]})", R"({"nodes":[]})"}) {
    StorePage<StoreProduct> page;
    add_shopify_product(object(R"({"id":"gid://shopify/Product/7","title":"Tea",
        "updatedAt":"2026-07-01T10:05:00Z","hasOnlyDefaultVariant":false,"variants":)" +
                               std::string(variants) + "}"),
                        page);
    ASSERT_EQ(page.records.size(), 1U);
    EXPECT_FALSE(page.records[0].has_all_variants) << variants;
  }
}

TEST(ShopifyRecords, WeightsAreKilograms) {
  const auto kilograms = [](std::string_view unit, double value) {
    return shopify_kilograms({{"unit", unit}, {"value", value}});
  };
  EXPECT_EQ(kilograms("KILOGRAMS", 1.5), "1.5");
  EXPECT_EQ(kilograms("GRAMS", 1), "0.001");
  EXPECT_EQ(kilograms("OUNCES", 16), "0.453592");
  EXPECT_FALSE(kilograms("GRAMS", 0));
  EXPECT_FALSE(kilograms("STONES", 1));
}

TEST(ShopifyRecords, IdsAreTheNumbersOfGids) {
  const auto id = [](const json::value& gid) { return shopify_id(&gid); };
  EXPECT_EQ(id("gid://shopify/Order/820982911946154508"), "820982911946154508");
  EXPECT_EQ(id("gid://shopify/Fulfillment/1?x=2"), "1");
  for (const auto* const other :
       {"", "1", "gid://shopify/Order/", "gid://shopify/Order/1x", "gid://else/Order/1"}) {
    EXPECT_FALSE(id(other)) << other;
  }
  EXPECT_FALSE(id(1));
  EXPECT_EQ(shopify_gid("Order", "7"), "gid://shopify/Order/7");
}

TEST(ShopifyTracking, CompaniesAreSpeltAsShopifyDoes) {
  EXPECT_EQ(shopify_tracking_company("dhl_express", "dhl express"), "DHL Express");
  EXPECT_EQ(shopify_tracking_company("dhl_parcel", "DHL Parcel"), "DHL");
  EXPECT_EQ(shopify_tracking_company("usps", "United States Postal Service"), "USPS");
  EXPECT_EQ(shopify_tracking_company("fedex", ""), "FedEx");
  EXPECT_EQ(shopify_tracking_company("hermes", "x"), "Hermes");
  EXPECT_EQ(shopify_tracking_company("stuart", "Stuart"), "Stuart");
  EXPECT_EQ(shopify_tracking_company("", ""), "");
}

}  // namespace
}  // namespace waybill::connectors
