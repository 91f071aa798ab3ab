#include "connectors/store_items.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "domain/values/limits.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;

std::string text_of(std::size_t characters) {
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) text += "é";
  return text;
}

/// The characters of description, details and our description, with the limits applied.
std::vector<std::size_t> lengths(std::size_t description, std::size_t details) {
  StoreItem item{.description = text_of(description)};
  if (details > 0) item.details = text_of(details);
  limit_texts(item);
  return {count_characters(item.description), item.details ? count_characters(*item.details) : 0,
          count_characters(description_of(item))};
}

TEST(StoreItems, DescriptionAndDetailsShareTheLimitOfTheApi) {
  ASSERT_EQ(domain::longest_text, 10'000U);
  EXPECT_THAT(lengths(10'001, 0), ElementsAre(10'000, 0, 10'000));
  EXPECT_THAT(lengths(9'000, 20), ElementsAre(9'000, 20, 9'023));
  EXPECT_THAT(lengths(20, 9'977), ElementsAre(20, 9'977, 10'000));
  EXPECT_THAT(lengths(20, 20'000), ElementsAre(20, 9'977, 10'000));
  EXPECT_THAT(lengths(20'000, 20), ElementsAre(9'977, 20, 10'000));
  EXPECT_THAT(lengths(20'000, 20'000), ElementsAre(4'998, 4'999, 10'000)) << "each has half";
}

// Shipments name the items of orders that earlier versions imported.
TEST(StoreItems, GuidsNeverChange) {
  const Guid order = Guid::parse("00000000-0000-4000-8000-000000000001").value();
  const std::vector<StoreItem> items{{.description = "Shirt", .sku = "S", .details = "Size: L"},
                                     {.description = "Hat"},
                                     {.description = "Hat", .quantity = 0},
                                     {.description = "Hat"}};
  EXPECT_THAT(item_guids(order, items),
              ElementsAre(Guid::from_name(order, "Shirt (Size: L)\nS\n1"), Guid::from_name(order, "Hat\n\n1"),
                          Guid(), Guid::from_name(order, "Hat\n\n2")));
}

// Parcels

const std::vector<StoreItem> store_items{{.description = "Mug", .sku = "M", .quantity = 3},
                                         {.description = "Plate", .quantity = 1},
                                         {.description = "Plate", .quantity = 2}};

/// An order whose items here are those of the store.
StoreTracking parcel_of_order() {
  StoreTracking tracking{.order_id = "7", .tracking_number = "WB1", .order = Guid::random()};
  const auto guids = item_guids(tracking.order, store_items);
  for (std::size_t i = 0; i < guids.size(); ++i)
    tracking.items.push_back({.guid = guids[i],
                              .description = store_items[i].description,
                              .sku = store_items[i].sku,
                              .quantity = store_items[i].quantity});
  return tracking;
}

TEST(StoreItems, AParcelWithoutItemsHasAll) {
  EXPECT_THAT(pieces_in_parcel({}, store_items), ElementsAre(3, 1, 2));
}

TEST(StoreItems, AParcelHasItsItemsAlone) {
  auto tracking = parcel_of_order();
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(0, 0, 0));
  tracking.items[2].is_in_parcel = true;
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(0, 0, 2));
  tracking.items[0].is_in_parcel = true;
  tracking.items[0].quantity = 2;
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(2, 0, 2));
  tracking.items[0].quantity = 20;
  tracking.items[0].description = "Blue mug";
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(3, 0, 2)) << "the guid tells which it is";
}

TEST(StoreItems, AnItemThatWasEnteredAgainIsFoundByItsSkuOrDescription) {
  auto tracking = parcel_of_order();
  for (auto& item : tracking.items) item.guid = Guid::random();
  tracking.items[0].is_in_parcel = tracking.items[2].is_in_parcel = true;
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(3, 1, 0)) << "the first free one";
  tracking.items[0].sku.reset();
  tracking.items[2].description = "Cup";
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(0, 0, 0));
}

TEST(StoreItems, AnItemNeverStandsForAnotherOneOfTheOrder) {
  auto tracking = parcel_of_order();
  tracking.items[1].guid = Guid::random();
  tracking.items[1].is_in_parcel = true;
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(0, 1, 0));
  tracking.items[1].sku = "M";
  EXPECT_THAT(pieces_in_parcel(tracking, store_items), ElementsAre(0, 0, 0)) << "the mug is another item";
}

}  // namespace
}  // namespace waybill::connectors
