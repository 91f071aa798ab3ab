#include "storage/database/locked_writes.hpp"

#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

using Admission = LockedWrites::Admission;

constexpr SteadyTime start{std::chrono::hours(1)};
constexpr auto moment = std::chrono::milliseconds(1);

TEST(LockedWrites, OneTransactionTriesAStatementThatIsHeld) {
  LockedWrites writes(2);
  EXPECT_EQ(writes.admit("orders.create", start), Admission::free);
  EXPECT_TRUE(writes.hold("orders.create", start));
  EXPECT_EQ(writes.admit("orders.create", start), Admission::trial);
  EXPECT_EQ(writes.admit("orders.create", start), Admission::wait);
  EXPECT_EQ(writes.admit("carriers.create", start), Admission::free) << "only that statement is held";
}

TEST(LockedWrites, ASecondLaterTheOthersAreRefused) {
  LockedWrites writes(2);
  writes.hold("orders.create", start);
  writes.admit("orders.create", start);
  EXPECT_EQ(writes.admit("orders.create", start + LockedWrites::patience - moment), Admission::wait);
  EXPECT_EQ(writes.admit("orders.create", start + LockedWrites::patience), Admission::refuse);
  EXPECT_TRUE(writes.hold("orders.create", start + LockedWrites::patience - moment));
  EXPECT_FALSE(writes.hold("orders.create", start + LockedWrites::patience));
}

TEST(LockedWrites, ATrialThatGetsItsLocksFreesTheStatement) {
  LockedWrites writes(2);
  writes.hold("orders.create", start);
  writes.admit("orders.create", start);
  writes.tried("orders.create", true);
  EXPECT_EQ(writes.admit("orders.create", start), Admission::wait) << "others have their turn";
  EXPECT_EQ(writes.admit("orders.create", start + LockedWrites::trial_pause), Admission::trial);
  writes.tried("orders.create", false);
  EXPECT_EQ(writes.admit("orders.create", start), Admission::free);
  EXPECT_TRUE(writes.empty());
}

TEST(LockedWrites, FewStatementsAreTriedAtATime) {
  LockedWrites writes(2);
  for (const char* const statement : {"orders.create", "orders.update", "shipments.create"})
    writes.hold(statement, start);
  EXPECT_EQ(writes.admit("orders.create", start), Admission::trial);
  EXPECT_EQ(writes.admit("orders.update", start), Admission::trial);
  EXPECT_EQ(writes.admit("shipments.create", start), Admission::wait);
  writes.tried("orders.create", true);
  EXPECT_EQ(writes.admit("shipments.create", start), Admission::trial);
}

}  // namespace
}  // namespace waybill::storage::pq
