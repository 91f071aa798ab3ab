#include "base/share_limit.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/fair_queue.hpp"

namespace waybill {
namespace {

constexpr ShareLimit limit{.most = 12};

TEST(ShareLimit, RefusesNothingBelowTheLimit) {
  EXPECT_FALSE(limit.refuses(11, 11, 1));
  EXPECT_TRUE(limit.refuses(12, 12, 1));
}

TEST(ShareLimit, RefusesOnlyAnOwnerThatHasItsShare) {
  EXPECT_TRUE(limit.refuses(4, 12, 3));
  EXPECT_FALSE(limit.refuses(3, 12, 3));
  EXPECT_FALSE(limit.refuses(0, 20, 3));
}

TEST(ShareLimit, LeavesOnePieceToEachOfMoreOwnersThanTheLimit) {
  EXPECT_FALSE(limit.refuses(0, 13, 14));
  EXPECT_TRUE(limit.refuses(1, 14, 14));
}

TEST(ShareLimit, RefusesFurtherOwnersIfTheLeastIsNone) {
  constexpr ShareLimit strict{.most = 12, .least = 0};
  EXPECT_FALSE(strict.refuses(0, 12, 12));
  EXPECT_TRUE(strict.refuses(0, 12, 13));
}

TEST(ShareLimit, CountsAnOwnerThatHasNothingInTheQueueYet) {
  constexpr ShareLimit small{.most = 3, .least = 0};
  FairQueue<std::string, int> queue;
  for (const int value : {1, 2}) queue.push("a", value);
  queue.push("b", 3);
  EXPECT_TRUE(small.refuses(queue, "a"));
  EXPECT_TRUE(small.refuses(queue, "b"));
  EXPECT_FALSE(small.refuses(queue, "c")) << "the share of one of three is one";
  queue.push("c", 4);
  EXPECT_TRUE(small.refuses(queue, "d")) << "the share of one of four is nothing";
}

}  // namespace
}  // namespace waybill
