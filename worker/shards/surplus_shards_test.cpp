#include "worker/shards/surplus_shards.hpp"

#include <vector>

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Moment = SurplusShards::Moment;

constexpr Moment looked_from{};

storage::HeldShards shards(const std::vector<std::int16_t>& numbers) {
  storage::HeldShards held;
  for (const std::int16_t number : numbers) held[number] = {.epoch = 1, .orphaned = false};
  return held;
}

TEST(SurplusShards, AWorkerWithItsShareHasNone) {
  SurplusShards surplus;
  auto held = shards({1, 2});
  surplus.choose(held, 2, looked_from);
  EXPECT_EQ(held, shards({1, 2}));
  EXPECT_TRUE(surplus.empty());
}

TEST(SurplusShards, TheLastShardsBeyondTheShareAreNoLongerHeld) {
  SurplusShards surplus;
  auto held = shards({1, 2, 3, 4});
  surplus.choose(held, 2, looked_from);
  EXPECT_EQ(held, shards({1, 2}));
  EXPECT_THAT(surplus.shards(), ElementsAre(3, 4));
}

TEST(SurplusShards, AShardThatWasChosenStaysSoWhileTheWorkerHoldsTooMany) {
  SurplusShards surplus;
  auto held = shards({1, 2, 3});
  surplus.choose(held, 2, looked_from);
  held = shards({1, 2, 3, 4});
  surplus.choose(held, 3, looked_from);
  EXPECT_EQ(held, shards({1, 2, 4}));
  EXPECT_THAT(surplus.shards(), ElementsAre(3));
}

TEST(SurplusShards, AWorkerKeepsItsShardsOnceItsShareHasGrown) {
  SurplusShards surplus;
  auto held = shards({1, 2, 3});
  surplus.choose(held, 2, looked_from);
  held = shards({1, 2, 3});
  surplus.choose(held, 3, looked_from);
  EXPECT_EQ(held, shards({1, 2, 3}));
  EXPECT_TRUE(surplus.empty());
}

TEST(SurplusShards, ReleasedAndLostShardsAreForgotten) {
  SurplusShards surplus;
  auto held = shards({1, 2, 3, 4});
  surplus.choose(held, 1, looked_from);
  surplus.released(std::vector<std::int16_t>{4});
  EXPECT_THAT(surplus.shards(), ElementsAre(2, 3));
  held = shards({1, 2});
  surplus.choose(held, 1, looked_from);
  EXPECT_THAT(surplus.shards(), ElementsAre(2)) << "another worker has taken shard 3";
  surplus.clear();
  EXPECT_THAT(surplus.shards(), IsEmpty());
}

TEST(SurplusShards, TheTimeOfASurplusBeginsWithItsFirstShard) {
  SurplusShards surplus;
  EXPECT_FALSE(surplus.lasts(looked_from + 1h, 100ms));
  auto held = shards({1, 2});
  surplus.choose(held, 1, looked_from);
  held = shards({1, 2, 3});
  surplus.choose(held, 1, looked_from + 80ms);
  EXPECT_FALSE(surplus.lasts(looked_from + 99ms, 100ms));
  EXPECT_TRUE(surplus.lasts(looked_from + 100ms, 100ms));
  surplus.released(std::vector<std::int16_t>{2, 3});
  held = shards({1, 2});
  surplus.choose(held, 1, looked_from + 100ms);
  EXPECT_FALSE(surplus.lasts(looked_from + 199ms, 100ms));
}

}  // namespace
}  // namespace waybill::worker
