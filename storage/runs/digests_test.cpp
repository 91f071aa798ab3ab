#include "storage/runs/digests.hpp"

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using namespace std::chrono_literals;

const Time start = parse_timestamp("2026-11-20T08:00:00Z").value();
const Guid business = Guid::from_name(namespace_url, "business");
const Guid workflow = Guid::from_name(namespace_url, "workflow");

CollectedItem item_at(std::uint64_t id, Time at, std::string value = "null", std::string item = "{}") {
  return {.business_id = business,
          .workflow_id = workflow,
          .version = 1,
          .terms = {.every = 1h, .max = 3},
          .value = std::move(value),
          .event = {id, at},
          .entity_id = Guid::from_name(namespace_url, std::to_string(id)),
          .item = std::move(item)};
}

/// The ids of the events of each digest, in the order in which the digests began.
std::vector<std::vector<std::uint64_t>> digests_of(const PlacedItems& placed) {
  std::vector<Guid> order;
  std::map<Guid, std::vector<std::uint64_t>> events;
  for (const PlacedItem& each : placed.items) {
    auto& list = events[each.digest];
    if (list.empty()) order.push_back(each.digest);
    list.push_back(each.item->event.id);
    EXPECT_EQ(each.position, static_cast<int>(list.size()));
  }
  std::vector<std::vector<std::uint64_t>> all;
  all.reserve(order.size());
  for (const Guid& digest : order) all.push_back(events[digest]);
  return all;
}

using Lists = std::vector<std::vector<std::uint64_t>>;

TEST(PlacedItems, OfEachValueGoToTheirDigest) {
  const std::vector<CollectedItem> items{item_at(1, start, "\"a\""), item_at(2, start, "\"b\""),
                                         item_at(3, start + 1s, "\"a\"")};
  EXPECT_EQ(digests_of(place_items({}, items)), (Lists{{1, 3}, {2}}));
}

TEST(PlacedItems, BeginTheNextDigestAtItsNumberItsTimeAndItsBytes) {
  std::vector<CollectedItem> items;
  for (std::uint64_t id = 1; id <= 4; ++id) items.push_back(item_at(id, start));
  items.push_back(item_at(5, start + 1h));
  EXPECT_EQ(digests_of(place_items({}, items)), (Lists{{1, 2, 3}, {4}, {5}}));
  const std::string large(domain::largest_digest / 2, ' ');
  const std::vector<CollectedItem> two{item_at(1, start, "null", large), item_at(2, start, "null", large)};
  const PlacedItems placed = place_items({}, two);
  EXPECT_EQ(digests_of(placed), (Lists{{1}, {2}}));
  for (const OpenDigest& digest : placed.digests) EXPECT_LE(digest.extent.bytes, domain::largest_digest);
  EXPECT_TRUE(placed.digests[0].extent.is_full);
  EXPECT_FALSE(placed.digests[1].extent.is_full);
}

TEST(PlacedItems, OfAnotherVersionBeginADigest) {
  std::vector<CollectedItem> items{item_at(1, start), item_at(2, start)};
  items[1].version = 2;
  EXPECT_EQ(digests_of(place_items({}, items)), (Lists{{1}, {2}}));
}

TEST(PlacedItems, HaveTheDigestThatFollowsFromItsFirstEvent) {
  const std::vector<CollectedItem> items{item_at(1, start), item_at(2, start + 1s)};
  EXPECT_EQ(place_items({}, items).items[1].digest, Guid::timed_hash(to_unix_ms(start), workflow, 1));
}

// However the events are divided into batches, each is in exactly one digest, in the order of matching, and
// no digest exceeds its number or its time.
TEST(PlacedItems, DoNotDependOnTheBatches) {
  std::mt19937 random(77);
  for (int round = 0; round < 300; ++round) {
    std::vector<CollectedItem> items;
    Time at = start;
    for (std::uint64_t id = 1; id <= 40; ++id) {
      at += std::chrono::minutes(random() % 30);
      const Time jittered = at - std::chrono::minutes(random() % 20 == 0 ? 45 : 0);
      items.push_back(item_at(id, jittered, random() % 2 == 0 ? "\"a\"" : "\"b\""));
    }
    const Lists whole = digests_of(place_items({}, items));
    std::map<Guid, OpenDigest> stored;
    PlacedItems all;
    for (std::size_t begin = 0; begin < items.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 7, items.size() - begin);
      std::vector<OpenDigest> open;
      for (const auto& [guid, digest] : stored) {
        if (!digest.extent.is_full) open.push_back(digest);
      }
      std::ranges::sort(open, {}, [](const OpenDigest& digest) { return digest.extent.began_at; });
      PlacedItems placed = place_items(open, std::span(items).subspan(begin, size));
      for (OpenDigest& digest : placed.digests) stored[digest.guid] = digest;
      all.items.insert(all.items.end(), placed.items.begin(), placed.items.end());
      begin += size;
    }
    EXPECT_EQ(digests_of(all), whole) << "round " << round;
    std::size_t count = 0;
    for (const auto& list : whole) {
      EXPECT_LE(list.size(), 3U);
      EXPECT_TRUE(std::ranges::is_sorted(list));
      count += list.size();
    }
    EXPECT_EQ(count, items.size());
  }
}

}  // namespace
}  // namespace waybill::storage
