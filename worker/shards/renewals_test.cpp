#include "worker/shards/renewals.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr Renewals::Moment start{24h};

TEST(Renewals, OneIsDueAtTheEntryAndThenAtEachInterval) {
  Renewals renewals(500ms);
  renewals.entered(start);
  EXPECT_TRUE(renewals.is_due(start));
  EXPECT_EQ(renewals.until_next(start), Duration::zero());
  renewals.renewed(start);
  EXPECT_FALSE(renewals.is_due(start + 499ms));
  EXPECT_EQ(renewals.until_next(start + 200ms), 300ms);
  EXPECT_TRUE(renewals.is_due(start + 500ms));
}

TEST(Renewals, AWorkerThatRenewsTooLateWasNotAwake) {
  Renewals renewals(500ms);
  renewals.entered(start);
  EXPECT_FALSE(renewals.renewed(start)) << "there was none before";
  EXPECT_TRUE(renewals.renewed(start + 999ms));
  EXPECT_FALSE(renewals.renewed(start + 1999ms));
}

TEST(Renewals, OthersHaveTwoSecondsToReconnect) {
  Renewals renewals(500ms);
  renewals.entered(start);
  EXPECT_TRUE(renewals.others_are_back(start)) << "this worker has just started";
  renewals.entered(start + 1s);
  EXPECT_FALSE(renewals.others_are_back(start + 2999ms));
  EXPECT_TRUE(renewals.others_are_back(start + 3s));
}

TEST(Renewals, ARenewalIsDueAgainAfterAReconnection) {
  Renewals renewals(500ms);
  renewals.entered(start);
  renewals.renewed(start);
  renewals.entered(start + 10ms);
  EXPECT_TRUE(renewals.is_due(start + 10ms));
  EXPECT_FALSE(renewals.renewed(start + 10ms));
}

}  // namespace
}  // namespace waybill::worker
