#include "worker/outcomes/lock_limit.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

TEST(LockLimit, ANewSessionHasTheUsualLimit) {
  LockLimit limit;
  limit.connected();
  EXPECT_EQ(limit.next_statement(false, false), nullptr);
}

TEST(LockLimit, ABatchWaitsForAShortTimeWhileEntriesAreSetAside) {
  LockLimit limit;
  limit.connected();
  EXPECT_STREQ(limit.next_statement(false, true), "set lock_timeout = '50ms'");
  EXPECT_EQ(limit.next_statement(false, true), nullptr) << "the session has it";
  EXPECT_STREQ(limit.next_statement(false, false), "reset lock_timeout");
}

TEST(LockLimit, EntriesAfterOneThatMetALockHardlyWait) {
  LockLimit limit;
  limit.connected();
  limit.begin_batch();
  EXPECT_STREQ(limit.next_statement(true, false), "set lock_timeout = '100ms'");
  limit.met_lock();
  EXPECT_STREQ(limit.next_statement(true, true), "set lock_timeout = '1ms'");
  EXPECT_EQ(limit.next_statement(true, true), nullptr);
}

TEST(LockLimit, ALockOfTheLastBatchDoesNotShortenTheNext) {
  LockLimit limit;
  limit.connected();
  limit.met_lock();
  limit.begin_batch();
  EXPECT_STREQ(limit.next_statement(true, true), "set lock_timeout = '100ms'");
}

TEST(LockLimit, ALimitIsSetAgainOnANewSession) {
  LockLimit limit;
  limit.connected();
  EXPECT_STREQ(limit.next_statement(true, false), "set lock_timeout = '100ms'");
  limit.connected();
  EXPECT_STREQ(limit.next_statement(true, false), "set lock_timeout = '100ms'");
}

}  // namespace
}  // namespace waybill::worker
