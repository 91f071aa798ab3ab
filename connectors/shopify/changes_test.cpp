#include "connectors/shopify/changes.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

using std::chrono::seconds;

const Time start = *parse_timestamp("2026-07-01T10:00:00Z");

// A list sorted by time of change whose cursors count rows, so that they can skip rows.
struct List {
  std::map<std::string, Time> rows;
  std::size_t page_size = 3;

  std::vector<ShopifyChanges::Row> sorted(const ShopifyChanges& changes) const {
    std::vector<ShopifyChanges::Row> all;
    const std::string filter = changes.filter();
    const Time from = filter.empty() ? Time::min() : *parse_timestamp(filter.substr(14, 20));
    for (const auto& [id, changed_at] : rows) {
      if (changed_at >= from) all.push_back({id, changed_at});
    }
    std::ranges::sort(all, {}, [](const auto& row) { return std::pair(*row.changed_at, row.id); });
    return all;
  }

  // Returns the new ids.
  std::vector<std::string> read(ShopifyChanges& changes) const {
    const auto all = sorted(changes);
    const std::size_t from = std::min(all.size(), changes.after() ? std::stoul(*changes.after()) : 0UL);
    const std::size_t to = std::min(all.size(), from + page_size);
    const std::vector<ShopifyChanges::Row> page(all.begin() + static_cast<std::ptrdiff_t>(from),
                                                all.begin() + static_cast<std::ptrdiff_t>(to));
    const auto fresh = changes.take(page, to < all.size() ? std::optional(std::to_string(to)) : std::nullopt);
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (fresh[i]) ids.push_back(page[i].id);
    }
    return ids;
  }
};

std::vector<std::string> read_all(const List& list, ShopifyChanges& changes) {
  std::vector<std::string> all;
  while (!changes.ended()) {
    for (auto& id : list.read(changes)) all.push_back(std::move(id));
  }
  return all;
}

TEST(SecondReadings, AreTheSameOnceTwoHaveTheSameRows) {
  SecondReadings readings;
  readings.add("a");
  EXPECT_TRUE(readings.differ()) << "there is no reading before";
  readings.read_again();
  readings.add("a");
  readings.add("b");
  EXPECT_TRUE(readings.differ());
  readings.read_again();
  readings.add("b");
  readings.add("a");
  EXPECT_FALSE(readings.differ());
  readings.clear();
  readings.add("a");
  EXPECT_TRUE(readings.differ());
}

TEST(SecondReadings, DifferUntilOneBeginsAfterTheEndOfTheSecond) {
  SecondReadings readings;
  readings.add("a");
  readings.read_again();
  readings.add("a");
  readings.end();
  EXPECT_TRUE(readings.differ());
  EXPECT_FALSE(readings.was_over());
  readings.read_again();
  readings.add("a");
  EXPECT_FALSE(readings.differ());
  EXPECT_TRUE(readings.was_over());
}

TEST(ShopifyChanges, FiltersByTheQuotedSecond) {
  EXPECT_EQ(ShopifyChanges(std::nullopt).filter(), "");
  EXPECT_EQ(ShopifyChanges(start + std::chrono::milliseconds(900)).filter(),
            "updated_at:>='2026-07-01T10:00:00Z'");
}

TEST(ShopifyChanges, AnEmptyListEndsAtOnce) {
  ShopifyChanges changes(std::nullopt);
  EXPECT_TRUE(read_all({}, changes).empty());
  EXPECT_FALSE(changes.reached());
}

TEST(ShopifyChanges, ReturnsEachRowOnce) {
  List list;
  for (int i = 0; i < 10; ++i) list.rows["o" + std::to_string(i)] = start + seconds(i);
  ShopifyChanges changes(std::nullopt);
  EXPECT_EQ(read_all(list, changes).size(), 10U);
  EXPECT_EQ(changes.reached(), start + seconds(9));
}

TEST(ShopifyChanges, ReadsASecondWithMoreRowsThanAPage) {
  List list;
  for (int i = 0; i < 20; ++i) list.rows["o" + std::to_string(i)] = start + seconds(i < 15 ? 1 : 2);
  ShopifyChanges changes(start);
  auto ids = read_all(list, changes);
  std::ranges::sort(ids);
  EXPECT_EQ(ids.size(), 20U);
  EXPECT_EQ(std::ranges::unique(ids).size(), 0U);
  EXPECT_EQ(changes.reached(), start + seconds(2));
}

TEST(ShopifyChanges, ReachedIsNoLaterThanTheReturnedRows) {
  List list;
  for (int i = 0; i < 30; ++i) list.rows["o" + std::to_string(i)] = start + seconds(i / 5);
  ShopifyChanges changes(std::nullopt);
  std::map<std::string, bool> given;
  while (!changes.ended()) {
    for (const auto& id : list.read(changes)) given[id] = true;
    for (const auto& [id, changed_at] : list.rows) {
      if (changes.reached() && changed_at < *changes.reached()) EXPECT_TRUE(given.contains(id)) << id;
    }
  }
}

TEST(ShopifyChanges, EndOnAStoreThatChangesWithoutPause) {
  List list;
  list.rows["o"] = start;
  ShopifyChanges changes(std::nullopt);
  int steps = 0;
  while (!changes.ended() && ++steps < 100) {
    list.rows["o"] += seconds(1);
    list.read(changes);
  }
  EXPECT_LT(steps, 100);
}

// No row is left out, whatever changes during the sweep.
TEST(ShopifyChanges, LeavesNothingOutWhileRowsMove) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    List list;
    list.page_size = static_cast<std::size_t>(draw(1, 6));
    const int rows = draw(1, 40);
    for (int i = 0; i < rows; ++i) list.rows["o" + std::to_string(i)] = start + seconds(draw(0, 8));
    Time now = start + seconds(9);
    std::map<std::string, Time> given;
    ShopifyChanges changes(draw(0, 1) == 0 ? std::nullopt : std::optional(start));
    for (int page = 0; !changes.ended(); ++page) {
      for (const auto& id : list.read(changes)) given[id] = list.rows.at(id);
      for (const auto& [id, changed_at] : list.rows) {
        if (changes.reached() && changed_at < *changes.reached()) {
          EXPECT_EQ(given[id], changed_at) << "seed " << seed;
        }
      }
      for (int moved = page < 40 ? draw(0, 2) : 0; moved > 0; --moved) {
        list.rows["o" + std::to_string(draw(0, rows - 1))] = now;
        if (draw(0, 1) == 0) now += seconds(1);
      }
    }
    EXPECT_EQ(given.size(), list.rows.size()) << "seed " << seed;
  }
}

TEST(ShopifyChanges, RowsWithoutATimeAreReturnedOnce) {
  ShopifyChanges changes(std::nullopt);
  EXPECT_EQ(changes.take({{"a", {}}, {"b", {}}}, "2"), (std::vector<bool>{true, true}));
  EXPECT_EQ(changes.after(), "2");
  EXPECT_EQ(changes.take({{"c", {}}}, std::nullopt), (std::vector<bool>{true}));
  EXPECT_FALSE(changes.ended());
  EXPECT_EQ(changes.take({{"a", {}}, {"b", {}}}, "2"), (std::vector<bool>{false, false}));
  changes.take({{"c", {}}}, std::nullopt);
  EXPECT_TRUE(changes.ended());
}

}  // namespace
}  // namespace waybill::connectors
