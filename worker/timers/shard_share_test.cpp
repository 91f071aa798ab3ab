#include "worker/timers/shard_share.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

TEST(ShardShare, GrowsWhileClaimsTakeMoreThanHalfAsLongAsFiring) {
  ShardShare share;
  share.used(2ms, 3ms);
  EXPECT_EQ(share.get(), 32U);
  share.used(2ms, 5ms);
  EXPECT_EQ(share.get(), 32U);
}

TEST(ShardShare, HasAMaximum) {
  ShardShare share;
  for (int i = 0; i < 10; ++i) share.used(1s, 1ms);
  EXPECT_EQ(share.get(), 256U);
}

TEST(ShardShare, ShrinksToTheUsualSizeOnceClaimsAreQuick) {
  ShardShare share;
  for (int i = 0; i < 2; ++i) share.used(3ms, 2ms);
  share.used(1ms, 9ms);
  EXPECT_EQ(share.get(), 32U);
  for (int i = 0; i < 2; ++i) share.used(1ms, 9ms);
  EXPECT_EQ(share.get(), 16U);
}

TEST(ShardShare, HasTheUsualSizeOnceItSuffices) {
  ShardShare share;
  share.used(3ms, 2ms);
  share.sufficed();
  EXPECT_EQ(share.get(), 16U);
}

TEST(ShardShare, IsSmallAfterLargeRecordsAndGrowsBackToTheUsualSize) {
  ShardShare share;
  share.limited_to(0);
  EXPECT_EQ(share.get(), 1U);
  share.limited_to(10);
  share.used(1ms, 9ms);
  EXPECT_EQ(share.get(), 16U);
}

}  // namespace
}  // namespace waybill::worker
