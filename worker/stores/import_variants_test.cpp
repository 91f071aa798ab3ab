#include "worker/stores/import_variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using connectors::StoreProduct;
using connectors::StoreVariant;
using testing::ElementsAre;
using testing::IsEmpty;

json::object own_variant(std::string_view guid, std::string_view name, std::string_view sku = {}) {
  return {{"guid", guid},
          {"name", name},
          {"sku", sku.empty() ? json::value() : json::value(sku)},
          {"weight", 0.25},
          {"dimensions", nullptr}};
}

StoreVariant store_variant(std::string id, std::string name, std::optional<std::string> sku = {}) {
  return {.name = std::move(name), .sku = std::move(sku), .external_id = std::move(id)};
}

StoreProduct shirt(std::vector<StoreVariant> variants) {
  return {.external_id = "1", .name = "Shirt", .variants = std::move(variants)};
}

/// The variants that the import writes.
MergedVariants merged(const OwnProduct& own, StoreProduct product) {
  const auto gone = gone_variants(own, product);
  return merge_variants(own, product, {gone.begin(), gone.end()});
}

/// "g1 Red R"
std::vector<std::string> texts(const MergedVariants& merged) {
  std::vector<std::string> texts;
  for (const auto& variant : merged.variants) {
    std::string text;
    for (const char* const key : {"guid", "name", "sku"}) {
      const auto& value = variant.at(key);
      if (value.is_string()) text += (text.empty() ? "" : " ") + std::string(value.get_string());
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(ImportVariants, AVariantWithANewSkuAndNameInTheStoreIsTheSameVariant) {
  const OwnProduct own{.variants = {own_variant("g1", "Red", "R"), own_variant("g2", "Blue", "B")},
                       .ids = {{"1", "g1"}, {"2", "g2"}}};
  const auto after =
      merged(own, shirt({store_variant("1", "Crimson", "C"), store_variant("2", "Blue", "R")}));
  EXPECT_THAT(texts(after), ElementsAre("g1 Crimson C", "g2 Blue R"));
  EXPECT_EQ(after.ids, own.ids);
  EXPECT_THAT(after.remarks, IsEmpty());
}

TEST(ImportVariants, VariantsThatTheStoreRemovedAreRemovedAndThoseOfPeopleStay) {
  const OwnProduct own{.variants = {own_variant("g1", "Red", "R"), own_variant("own", "Gift", "G"),
                                    own_variant("g2", "Blue", "B")},
                       .ids = {{"1", "g1"}, {"2", "g2"}}};
  const auto after = merged(own, shirt({store_variant("1", "Red", "R")}));
  EXPECT_THAT(texts(after), ElementsAre("g1 Red R", "own Gift G"));
  EXPECT_EQ(after.ids, (VariantIds{{"1", "g1"}}));
  EXPECT_THAT(texts(merged(own, shirt({}))), ElementsAre("own Gift G")) << "a product without variants now";
}

TEST(ImportVariants, NothingIsRemovedBecauseOfAListThatMayBeIncomplete) {
  const OwnProduct own{.variants = {own_variant("g1", "Red", "R"), own_variant("g2", "Blue", "B")},
                       .ids = {{"1", "g1"}, {"2", "g2"}}};
  auto product = shirt({store_variant("1", "Red", "R")});
  product.has_all_variants = false;
  const auto after = merged(own, product);
  EXPECT_THAT(texts(after), ElementsAre("g1 Red R", "g2 Blue B"));
  EXPECT_EQ(after.ids, own.ids);
}

TEST(ImportVariants, VariantsOfEarlierReleasesAreMatchedBySkuThenByName) {
  const OwnProduct own{.variants = {own_variant("g1", "Red", "R"), own_variant("g2", "Blue", "B"),
                                    own_variant("g3", "Old", "O")},
                       .has_ids = false};
  const auto after = merged(own, shirt({store_variant("1", "Blue", "R"), store_variant("2", "Red", "N"),
                                        store_variant("3", "Blue", "B-2")}));
  EXPECT_THAT(texts(after), ElementsAre("g1 Blue R", "g2 Blue B-2", "g3 Old O", testing::HasSubstr("Red N")));
  EXPECT_EQ(after.ids.at("1"), "g1");
  EXPECT_EQ(after.ids.at("3"), "g2");
}

TEST(ImportVariants, AVariantOfPeopleWithTheNameOfAnotherSkuIsAnother) {
  const OwnProduct own{.variants = {own_variant("own", "Red", "MINE")}};
  EXPECT_THAT(texts(merged(own, shirt({store_variant("1", "Red", "R")}))),
              ElementsAre("own Red MINE", testing::EndsWith("Red R")));
  EXPECT_THAT(texts(merged(own, shirt({store_variant("1", "Red")}))), ElementsAre("own Red MINE"));
}

TEST(ImportVariants, ASkuThatWouldOccurTwiceIsLeftOutAndNamed) {
  const OwnProduct own{.sku = "S",
                       .variants = {own_variant("g1", "Red", "R"), own_variant("g2", "Blue", "B"),
                                    own_variant("own", "Gift", "G")},
                       .ids = {{"1", "g1"}, {"2", "g2"}}};
  // Red keeps its SKU, so Blue cannot have it.
  const auto after = merged(own, shirt({store_variant("1", "Red", "G"), store_variant("2", "Blue", "R")}));
  EXPECT_THAT(texts(after), ElementsAre("g1 Red R", "g2 Blue B", "own Gift G"));
  EXPECT_THAT(after.remarks,
              ElementsAre("the SKU G of its variant Red is that of its variant Gift. It is left out, because "
                          "SKUs are unique here.",
                          "the SKU R of its variant Blue is that of its variant Red. It is left out, because "
                          "SKUs are unique here."));
  EXPECT_THAT(merged(own, shirt({store_variant("1", "Red", "S")})).remarks,
              ElementsAre(testing::StartsWith("the SKU S of its variant Red is that of the product.")));
}

TEST(ImportVariants, TheSkuOfARemovedVariantCanBeThatOfItsProduct) {
  const OwnProduct own{.sku = "S", .variants = {own_variant("g1", "Red", "R")}, .ids = {{"1", "g1"}}};
  auto product = shirt({});
  product.sku = "R";
  const auto gone = gone_variants(own, product);
  EXPECT_THAT(merge_variants(own, product, {gone.begin(), gone.end()}).remarks, IsEmpty());
  EXPECT_EQ(product.sku, "R");
}

TEST(ImportVariants, VariantsBeyondTheThousandthAreNamed) {
  std::vector<StoreVariant> variants;
  for (int i = 0; i < 1002; ++i) variants.push_back(store_variant(std::to_string(i), std::to_string(i)));
  const auto after = merged({}, shirt(variants));
  EXPECT_EQ(after.variants.size(), 1000U);
  EXPECT_THAT(after.remarks,
              ElementsAre("2 of its 1002 variants are left out, because a product has at most 1000."));
}

TEST(ImportVariants, AVariantHasItsDifferenceAndItsDimensions) {
  auto cheap = store_variant("1", "S"), dear = store_variant("2", "L"), same = store_variant("3", "M");
  cheap.price = same.price = "10";
  dear.price = "12.50";
  dear.length = "30";
  dear.height = "9,5";
  auto product = shirt({cheap, dear, same});
  product.price = "10.00";
  OwnProduct own{.variants = {own_variant("g2", "L")}, .ids = {{"2", "g2"}}};
  own.variants[0].get_object()["dimensions"] = {{"length", 1}, {"width", 2}, {"height", nullptr}};
  const auto after = merged(own, product).variants;
  EXPECT_EQ(after[0].at("priceDifference").to_number<double>(), 2.5);
  EXPECT_EQ(after[0].at("dimensions"), json::parse(R"({"length": 30.0, "width": 2, "height": null})"));
  EXPECT_EQ(after[0].at("weight").to_number<double>(), 0.25) << "what the store does not have stays";
  EXPECT_EQ(after[1].at("priceDifference").to_number<double>(), 0);
  EXPECT_TRUE(after[1].at("dimensions").is_null());
  EXPECT_EQ(after[2].at("priceDifference").to_number<double>(), 0);
}

TEST(ImportVariants, TheStoredIdsAreReadBack) {
  const VariantIds ids{{"1", "g1"}, {"gid", "g2"}};
  EXPECT_EQ(variant_ids(variant_ids_json(ids)), ids);
  EXPECT_TRUE(variant_ids("").empty());
  EXPECT_TRUE(variant_ids("[1]").empty());
}

}  // namespace
}  // namespace waybill::worker
