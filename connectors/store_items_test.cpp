#include "connectors/store_items.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "domain/values/limits.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::Pair;

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

TEST(StoreItems, AFractionIsOnePieceAtThePriceOfTheLine) {
  const auto pieces = [](double quantity, std::optional<std::string> price) {
    StoreItem item{.description = "Cloth"};
    set_pieces(item, quantity, std::move(price));
    return item.description + "|" + std::to_string(item.quantity) + "|" + item.price.value_or("none");
  };
  EXPECT_EQ(pieces(2, "19.990"), "Cloth|2|19.990") << "as the store has it";
  EXPECT_EQ(pieces(0.5, "10"), "Cloth × 0.5|1|5");
  EXPECT_EQ(pieces(2.5, "3.999"), "Cloth × 2.5|1|9.9975");
  EXPECT_EQ(pieces(1.0000004, "3"), "Cloth × 1|1|3");
  EXPECT_EQ(pieces(0.5, std::nullopt), "Cloth × 0.5|1|none") << "never 0 for what cannot be read";
  EXPECT_EQ(pieces(1, "-3"), "Cloth|1|0") << "a discount as a line";
  EXPECT_EQ(pieces(0.5, "-3"), "Cloth × 0.5|1|0");
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

/// A parcel of chosen items, none as yet, of an order whose items here are those of the store.
StoreTracking part_of_order() {
  StoreTracking tracking{.order_id = "7", .tracking_number = "WB1", .order = Guid::random(), .is_part = true};
  const auto guids = item_guids(tracking.order, store_items);
  for (std::size_t i = 0; i < guids.size(); ++i)
    tracking.items.push_back({.guid = guids[i],
                              .description = store_items[i].description,
                              .sku = store_items[i].sku,
                              .quantity = store_items[i].quantity});
  return tracking;
}

/// A parcel of all items of the order.
StoreTracking whole_order() {
  auto tracking = part_of_order();
  tracking.is_part = false;
  for (auto& item : tracking.items) item.in_parcel = item.quantity;
  return tracking;
}

/// The store's items after it has added one.
std::vector<StoreItem> with_book() {
  auto items = store_items;
  items.push_back({.description = "Book"});
  return items;
}

std::vector<std::int64_t> pieces(const StoreTracking& tracking,
                                 const std::vector<StoreItem>& items = store_items) {
  return pieces_in_parcel(tracking, items).pieces;
}
bool is_last(const StoreTracking& tracking, const std::vector<StoreItem>& items = store_items) {
  return pieces_in_parcel(tracking, items).is_last;
}

TEST(StoreItems, AParcelOfUnknownItemsHasAll) {
  EXPECT_THAT(pieces({}), ElementsAre(3, 1, 2));
  EXPECT_TRUE(is_last({}));
}

TEST(StoreItems, AParcelHasItsItemsAlone) {
  auto tracking = part_of_order();
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 0, 0));
  tracking.items[2].in_parcel = 2;
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 0, 2));
  tracking.items[0].in_parcel = 2;
  EXPECT_THAT(pieces(tracking), ElementsAre(2, 0, 2));
  tracking.items[0].in_parcel = 20;
  tracking.items[0].description = "Blue mug";
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 0, 2)) << "the guid tells which it is";
}

TEST(StoreItems, AnItemThatWasEnteredAgainIsFoundByItsSkuOrDescription) {
  auto tracking = part_of_order();
  for (auto& item : tracking.items) item.guid = Guid::random();
  tracking.items[0].in_parcel = 3;
  tracking.items[2].in_parcel = 2;
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 0)) << "the first free one";
  tracking.items[0].sku.reset();
  tracking.items[2].description = "Cup";
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 0, 0));
}

TEST(StoreItems, SeveralItemsThatWereEnteredAgainMayBeOneOfTheStore) {
  auto tracking = part_of_order();
  tracking.items[0].guid = Guid::random();
  tracking.items[0].quantity = tracking.items[0].sent = 2;
  tracking.items.push_back(tracking.items[0]);
  tracking.items.back().quantity = tracking.items.back().in_parcel = 1;
  tracking.items.back().sent = 0;
  tracking.items[1].sent = 1;
  EXPECT_THAT(pieces(tracking), ElementsAre(1, 0, 0));
  EXPECT_FALSE(is_last(tracking));
  tracking.items[2].sent = 2;
  EXPECT_TRUE(is_last(tracking));
}

TEST(StoreItems, AnItemNeverStandsForAnotherOneOfTheOrder) {
  auto tracking = part_of_order();
  tracking.items[1].guid = Guid::random();
  tracking.items[1].in_parcel = 1;
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 1, 0));
  tracking.items[1].sku = "M";
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 0, 0)) << "the mug is another item";
}

// Later changes of the order

TEST(StoreItems, AParcelHasNothingThatTheStoreAddedLater) {
  auto tracking = whole_order();
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2));
  EXPECT_TRUE(is_last(tracking));
  EXPECT_THAT(pieces(tracking, with_book()), ElementsAre(3, 1, 2, 0)) << "before it is imported";
  EXPECT_FALSE(is_last(tracking, with_book()));
  tracking.items.push_back({.guid = item_guids(tracking.order, with_book())[3], .description = "Book"});
  EXPECT_THAT(pieces(tracking, with_book()), ElementsAre(3, 1, 2, 0)) << "after it is imported";
  EXPECT_FALSE(is_last(tracking, with_book()));
}

TEST(StoreItems, AParcelHasThePiecesThatItWasMadeWith) {
  auto tracking = whole_order();
  tracking.items[0].in_parcel = 2;
  EXPECT_THAT(pieces(tracking), ElementsAre(2, 1, 2)) << "the quantity was raised later";
  EXPECT_FALSE(is_last(tracking));
  tracking.items[0].sent = 1;
  EXPECT_TRUE(is_last(tracking));
  tracking.items[0].in_parcel = 9;
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2)) << "the quantity was lowered later";
}

TEST(StoreItems, WhatWasRemovedHereIsLeftInTheStore) {
  auto tracking = whole_order();
  tracking.items.pop_back();
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 0));
  EXPECT_FALSE(is_last(tracking));
}

TEST(StoreItems, AnItemThatTheOrderHasNoMoreStaysInTheParcel) {
  auto tracking = whole_order();
  for (auto& item : tracking.items) {
    item.quantity = 0;
    item.description.clear();
    item.sku.reset();
  }
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2));
  tracking.items.push_back({.guid = Guid::random(), .description = "Mug", .sku = "M", .quantity = 3});
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2)) << "entered again after the parcel was made";
  EXPECT_TRUE(is_last(tracking));
}

TEST(StoreItems, AnItemThatTheStoreReplacedIsNotItsReplacement) {
  auto tracking = whole_order();
  tracking.items[2] = {.guid = Guid::random(), .description = {}, .sku = {}, .quantity = 0, .in_parcel = 2};
  tracking.items.push_back({.guid = item_guids(tracking.order, with_book())[3], .description = "Book"});
  std::vector<StoreItem> items = with_book();
  items[2].quantity = 0;
  EXPECT_THAT(pieces(tracking, items), ElementsAre(3, 1, 0, 0));
  EXPECT_FALSE(is_last(tracking, items));
}

TEST(StoreItems, AWholeOrderWhoseItemsCannotBeFoundHasAll) {
  auto tracking = whole_order();
  for (auto& item : tracking.items) {
    item.guid = Guid::random();
    item.sku = "other";
  }
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2));
  EXPECT_TRUE(is_last(tracking));
  tracking.is_part = true;
  EXPECT_THAT(pieces(tracking), ElementsAre(0, 0, 0));
  EXPECT_TRUE(is_last(tracking)) << "all items of the order here are sent";
  tracking.items[1].in_parcel = 0;
  EXPECT_FALSE(is_last(tracking));
}

TEST(StoreItems, AnItemOfAWholeOrderThatCannotBeFoundIsWhatNoOtherItemIs) {
  auto tracking = whole_order();
  tracking.items[1] = {
      .guid = Guid::random(), .description = "Dish", .sku = {}, .quantity = 1, .in_parcel = 1};
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 2)) << "the description was changed here";
  EXPECT_TRUE(is_last(tracking));
  tracking.items[2].in_parcel = 0;
  EXPECT_THAT(pieces(tracking), ElementsAre(3, 1, 0));
  EXPECT_FALSE(is_last(tracking));
}

TEST(StoreItems, TheLinesOfAParcelTellWhetherItHasAll) {
  auto tracking = whole_order();
  std::vector<StoreLine> lines;
  for (std::size_t i = 0; i < store_items.size(); ++i) lines.push_back({std::to_string(i), store_items[i]});
  EXPECT_TRUE(lines_in_parcel(tracking, lines).has_all);
  tracking.items[2].in_parcel = 1;
  const auto parcel = lines_in_parcel(tracking, lines);
  EXPECT_FALSE(parcel.has_all);
  EXPECT_FALSE(parcel.is_last);
  EXPECT_THAT(parcel.pieces, ElementsAre(Pair("0", 3), Pair("1", 1), Pair("2", 1)));
}

}  // namespace
}  // namespace waybill::connectors
