#include "connectors/woocommerce/products.hpp"

#include <gtest/gtest.h>

#include "connectors/store_text.hpp"

namespace waybill::connectors::woo {
namespace {

const Units metric{.kilograms = 1, .centimetres = 1};

json::object plain_product() {
  return json::parse(R"({
    "id": 93, "name": "Tröja &amp; mer", "type": "simple", "status": "publish",
    "description": "<p>Mjuk &amp; <b>varm</b></p>", "sku": "TEE", "global_unique_id": "4006381333931",
    "price": "19.90", "regular_price": "25", "weight": "0.25",
    "dimensions": {"length": "30", "width": "20.5", "height": ""}, "variations": [],
    "date_created_gmt": "2026-07-01T10:00:00", "date_modified_gmt": "2026-07-02T10:00:00"
  })")
      .as_object();
}

StorePage<StoreProduct> page_of(const json::value& row, const Units& units = metric) {
  StorePage<StoreProduct> page;
  read_product(row, units, page);
  return page;
}

StoreProduct product_of(const json::value& row, const Units& units = metric) {
  auto page = page_of(row, units);
  EXPECT_EQ(page.records.size(), 1U);
  return page.records.empty() ? StoreProduct{} : page.records[0];
}

Units units(std::string_view weight, std::string_view length) {
  return units_of(json::array{{{"id", "woocommerce_weight_unit"}, {"value", weight}},
                              {{"id", "woocommerce_dimension_unit"}, {"value", length}},
                              {{"id", "other"}, {"value", "kg"}}});
}

TEST(WooCommerceProducts, FieldsAreMapped) {
  const auto product = product_of(plain_product());
  EXPECT_EQ(product.external_id, "93");
  EXPECT_EQ(product.name, "Tröja & mer");
  EXPECT_EQ(product.description, "Mjuk & varm");
  EXPECT_EQ(product.sku, "TEE");
  EXPECT_EQ(product.barcode, "4006381333931");
  EXPECT_EQ(product.price, "19.90");
  EXPECT_EQ(product.weight, "0.25");
  EXPECT_EQ(product.length, "30");
  EXPECT_EQ(product.width, "20.5");
  EXPECT_EQ(product.height, std::nullopt);
  EXPECT_EQ(format_timestamp(product.changed_at), "2026-07-02T10:00:00.000Z");
  EXPECT_FALSE(has_variations(plain_product()));
}

TEST(WooCommerceProducts, TheStoresUnitsBecomeKilogramsAndCentimetres) {
  const std::vector<std::array<std::string_view, 4>> table = {
      {"kg", "cm", "0.25", "30"},         {"g", "mm", "0.00025", "3"}, {"lbs", "in", "0.113398", "76.2"},
      {"oz", "yd", "0.007087", "2743.2"}, {"kg", "m", "0.25", "3000"},
  };
  for (const auto& [weight_unit, length_unit, weight, length] : table) {
    const auto product = product_of(plain_product(), units(weight_unit, length_unit));
    EXPECT_EQ(product.weight, weight) << weight_unit;
    EXPECT_EQ(product.length, length) << length_unit;
  }
}

TEST(WooCommerceProducts, AnUnknownUnitGivesNoMeasure) {
  const auto product = product_of(plain_product(), units("stone", "furlong"));
  EXPECT_EQ(product.weight, std::nullopt);
  EXPECT_EQ(product.length, std::nullopt);
  EXPECT_EQ(product_of(plain_product(), units_of(json::object())).weight, std::nullopt);
}

TEST(WooCommerceProducts, AnEmptyPriceIsReplacedByTheRegularPrice) {
  auto row = plain_product();
  row["price"] = "";
  EXPECT_EQ(product_of(row).price, "25");
  row["regular_price"] = "";
  EXPECT_EQ(product_of(row).price, std::nullopt);
}

TEST(WooCommerceProducts, APriceOrMeasureThatCannotBeReadIsTheStoresText) {
  for (const json::value& bad : {json::value("9,90"), json::value("12.00 EUR"), json::value("call us"),
                                 json::value("-5"), json::value("1e3"), json::value(" 9,90\u00a0")}) {
    auto row = plain_product();
    row["price"] = row["weight"] = bad;
    row["dimensions"].as_object()["height"] = bad;
    const auto product = product_of(row);
    const auto text = clean_line(&bad);
    EXPECT_EQ(product.price, text) << "and not the regular price, which may be another one";
    EXPECT_EQ(product.weight, text);
    EXPECT_EQ(product.height, text);
  }
  for (const json::value& none : {json::value(), json::value(""), json::value(" "), json::value(false),
                                  json::value(json::array()), json::value(json::object())}) {
    auto row = plain_product();
    row["price"] = row["weight"] = none;
    EXPECT_EQ(product_of(row).price, "25") << serialize(none);
    EXPECT_EQ(product_of(row).weight, std::nullopt) << serialize(none);
  }
}

TEST(WooCommerceProducts, DraftsAndProductsWithoutAParcelAreLeftOut) {
  for (const auto* const status : {"draft", "auto-draft", "pending", "trash"}) {
    auto row = plain_product();
    row["status"] = status;
    EXPECT_TRUE(page_of(row).records.empty() && page_of(row).unreadable.empty()) << status;
  }
  for (const auto* const type : {"grouped", "external"}) {
    auto row = plain_product();
    row["type"] = type;
    EXPECT_TRUE(page_of(row).records.empty()) << type;
  }
  auto row = plain_product();
  row["status"] = "private";
  EXPECT_EQ(page_of(row).records.size(), 1U);
}

TEST(WooCommerceProducts, AVariantHasItsOptionsAsNameAndInheritsItsWeight) {
  auto product = product_of(plain_product());
  add_variant(json::parse(R"({"id": 94, "name": "x", "status": "publish", "sku": "TEE-BLUE", "price": "22",
                              "weight": "", "dimensions": {"length": "10", "width": "", "height": "2.5"},
                              "attributes": [{"option": "Blå"}, {"option": "XL"}]})"),
              units("kg", "mm"), product);
  add_variant(
      json::parse(R"({"id": 95, "name": "Red", "status": "publish", "sku": "TEE", "regular_price": "23",
                              "weight": "1.5", "attributes": []})"),
      metric, product);
  ASSERT_EQ(product.variants.size(), 2U);
  EXPECT_EQ(product.variants[0].external_id, "94");
  EXPECT_EQ(product.variants[0].length, "1");
  EXPECT_EQ(product.variants[0].width, std::nullopt) << "that of the product";
  EXPECT_EQ(product.variants[0].height, "0.25");
  EXPECT_EQ(product.variants[1].length, std::nullopt);
  EXPECT_EQ(product.variants[0].name, "Blå, XL");
  EXPECT_EQ(product.variants[0].sku, "TEE-BLUE");
  EXPECT_EQ(product.variants[0].price, "22");
  EXPECT_EQ(product.variants[0].weight, "0.25");
  EXPECT_EQ(product.variants[1].name, "Red");
  EXPECT_EQ(product.variants[1].sku, std::nullopt) << "it shows its product's";
  EXPECT_EQ(product.variants[1].price, "23");
  EXPECT_EQ(product.variants[1].weight, "1.5");
}

TEST(WooCommerceProducts, UnreadableProductsHaveAReason) {
  auto row = plain_product();
  row["name"] = "";
  ASSERT_EQ(page_of(row).unreadable.size(), 1U);
  EXPECT_EQ(page_of(row).unreadable[0].reason, "It has no name.");
  EXPECT_EQ(page_of(json::value()).unreadable[0].reason, "It has no id.");
}

}  // namespace
}  // namespace waybill::connectors::woo
