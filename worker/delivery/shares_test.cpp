#include "worker/delivery/shares.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

void take_all(Shares& shares, const std::vector<Guid>& businesses) {
  for (bool any = true; any;) {
    any = false;
    for (const Guid& business : businesses) {
      if (!shares.may_take(business)) continue;
      shares.take(business);
      any = true;
    }
  }
}

TEST(Shares, ALoneBusinessGetsThreeQuarters) {
  Shares shares(1024);
  const Guid alone = Guid::random();
  take_all(shares, {alone});
  EXPECT_EQ(shares.held(alone), 768U);
}

TEST(Shares, AFurtherBusinessAlwaysFindsFreeCapacity) {
  for (const std::size_t count : {1U, 2U, 10U, 100U}) {
    Shares shares(1024);
    std::vector<Guid> greedy(count);
    for (Guid& business : greedy) business = Guid::random();
    take_all(shares, greedy);
    EXPECT_GE(shares.free(), 1024 / (3 * count + 1) - 1) << count;
    EXPECT_TRUE(shares.may_take(Guid::random())) << count;
  }
}

TEST(Shares, BusinessesOfUnlimitedDemandHoldTheSame) {
  Shares shares(700);
  const Guid one = Guid::random(), other = Guid::random();
  take_all(shares, {one});
  EXPECT_EQ(shares.held(one), 525U);
  // The first returns capacity as its attempts end, and from then on takes only its share.
  for (int round = 0; round < 700; ++round) {
    if (shares.may_take(other)) shares.take(other);
    shares.release(one);
    if (shares.may_take(one)) shares.take(one);
  }
  EXPECT_EQ(shares.held(one), 300U);
  EXPECT_EQ(shares.held(other), 300U);
}

TEST(Shares, MayBeExceededByASingleAmount) {
  Shares shares(100);
  const Guid business = Guid::random();
  shares.take(business, 99);
  shares.take(Guid::random(), 50);
  EXPECT_EQ(shares.free(), 0U);
  EXPECT_FALSE(shares.may_take(Guid::random()));
  shares.release(business, 99);
  EXPECT_EQ(shares.free(), 50U);
  EXPECT_EQ(shares.held(business), 0U);
}

}  // namespace
}  // namespace waybill::worker
