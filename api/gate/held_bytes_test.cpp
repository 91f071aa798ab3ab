#include "api/gate/held_bytes.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(HeldBytes, ABusinessHoldsAtMostItsShareAndOthersTheirs) {
  HeldBytes<Guid> bytes(100);
  const Guid one = Guid::random(), other = Guid::random();
  auto first = bytes.take(one, 60);
  EXPECT_TRUE(first);
  EXPECT_FALSE(bytes.take(one, 41));
  EXPECT_TRUE(bytes.take(one, 40)) << "released at once";
  EXPECT_TRUE(bytes.take(other, 100));
  auto copy = first;
  first.reset();
  EXPECT_FALSE(bytes.take(one, 41));
  copy.reset();
  EXPECT_TRUE(bytes.take(one, 41));
}

TEST(HeldBytes, TheOnlyClaimMayHaveAnySize) {
  HeldBytes<Guid> bytes(100);
  const Guid business = Guid::random();
  const auto large = bytes.take(business, 1'000);
  EXPECT_TRUE(large);
  EXPECT_FALSE(bytes.take(business, 1));
}

}  // namespace
}  // namespace waybill::api
