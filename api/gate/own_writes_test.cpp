#include "api/gate/own_writes.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using namespace std::chrono_literals;
using storage::CommitPosition;

class OwnWritesTest : public testing::Test {
 protected:
  OwnWrites writes;
  const Guid token = Guid::random();
  const OwnWrites::SteadyTime now = std::chrono::steady_clock::now();
};

TEST_F(OwnWritesTest, AreRequiredByTheReadsOfTheirToken) {
  EXPECT_EQ(writes.required(token, now), CommitPosition());
  writes.add(token, {.position = {1, 70}}, now);
  EXPECT_EQ(writes.required(token, now), (CommitPosition{1, 70}));
}

TEST_F(OwnWritesTest, NeverGoBack) {
  writes.add(token, {.position = {1, 70}}, now);
  writes.add(token, {.position = {1, 60}}, now);
  EXPECT_EQ(writes.required(token, now), (CommitPosition{1, 70}));
  writes.add(token, {.position = {2, 10}}, now);
  EXPECT_EQ(writes.required(token, now), (CommitPosition{2, 10}));
}

TEST_F(OwnWritesTest, AnUnclearCommitBindsItsTokenToThePrimaryForAWhile) {
  writes.add(token, {.position = {}, .is_unclear = true}, now);
  EXPECT_EQ(writes.required(token, now + 14s), std::nullopt);
  EXPECT_EQ(writes.required(token, now + 16s), CommitPosition());
}

TEST_F(OwnWritesTest, AnyNumberOfTokensIsKept) {
  for (std::uint64_t lsn = 1; lsn <= 3 * OwnWrites::slots; ++lsn) {
    const Guid each = Guid::random();
    writes.add(each, {.position = {1, lsn}}, now);
    EXPECT_GE(writes.required(each, now), (CommitPosition{1, lsn}));
  }
}

}  // namespace
}  // namespace waybill::api
