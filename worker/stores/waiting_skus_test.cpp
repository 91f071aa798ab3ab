#include "worker/stores/waiting_skus.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using connectors::StoreProduct;

OwnProduct own_product() {
  return {.sku = "P",
          .variants = {json::object{{"guid", "g1"}, {"name", "Red"}, {"sku", "R"}},
                       json::object{{"guid", "g2"}, {"name", "Gift"}, {"sku", nullptr}}},
          .ids = {{"1", "g1"}, {"2", "g2"}, {"3", "gone"}}};
}

TEST(WaitingSkus, APartOfAProductHasTheSkuOfTheProductOrOfItsVariant) {
  const auto own = own_product();
  EXPECT_EQ(sku_of_part(own, ""), "P");
  EXPECT_EQ(sku_of_part(own, "1"), "R");
  for (const auto* const part : {"2", "3", "4"}) EXPECT_EQ(sku_of_part(own, part), std::nullopt) << part;
}

TEST(WaitingSkus, APartGetsAnotherSkuOrNone) {
  auto own = own_product();
  EXPECT_TRUE(set_sku_of_part(own, "", std::nullopt));
  EXPECT_TRUE(set_sku_of_part(own, "1", std::nullopt));
  EXPECT_TRUE(set_sku_of_part(own, "2", "P"));
  EXPECT_FALSE(set_sku_of_part(own, "3", "Q")) << "a variant that is not here";
  EXPECT_EQ(own.sku, std::nullopt);
  EXPECT_TRUE(own.variants.at(0).at("sku").is_null());
  EXPECT_EQ(own.variants.at(1).at("sku"), "P");
}

TEST(WaitingSkus, AllSkusOfAProductThatIsGoneAreOutdatedButThoseOfPeople) {
  auto own = own_product();
  own.variants.push_back(json::object{{"guid", "g4"}, {"name", "Of a person"}, {"sku", "OURS"}});
  EXPECT_EQ(outdated_skus(own), (WantedSkus{{"", std::nullopt}, {"1", std::nullopt}}));
  own.sku.reset();
  EXPECT_EQ(outdated_skus(own), (WantedSkus{{"1", std::nullopt}}));
}

TEST(WaitingSkus, ASkuThatMovedWithinAProductIsTakenFromThePartThatHadIt) {
  StoreProduct product{.external_id = "9", .name = "Mug"};
  product.variants = {{.name = "Red", .sku = "P", .external_id = "1"}};
  auto own = own_product();
  drop_outdated_skus(own, product, {{"", std::nullopt}});
  EXPECT_EQ(own.sku, std::nullopt);
  EXPECT_EQ(sku_of_part(own, "1"), "R");
  own = own_product();
  drop_outdated_skus(own, product, {{"1", "X"}});
  EXPECT_EQ(own.sku, "P") << "the store gives it this SKU";
  EXPECT_EQ(sku_of_part(own, "1"), "R") << "no other part needs it";
}

}  // namespace
}  // namespace waybill::worker
