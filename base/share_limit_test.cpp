#include "base/share_limit.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace waybill
