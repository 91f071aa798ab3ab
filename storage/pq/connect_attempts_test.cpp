#include "storage/pq/connect_attempts.hpp"

#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

using std::chrono::milliseconds;

const SteadyTime start = SteadyTime(std::chrono::hours(1));

struct Attempts {
  explicit Attempts(std::size_t hosts = 1) : attempts(hosts, last) {}

  std::shared_ptr<LastConnection> last = std::make_shared<LastConnection>();
  ConnectAttempts attempts;
};

TEST(ConnectAttempts, UseEachHostOnceBeginningWithTheOneOfTheLastConnection) {
  Attempts it(3);
  it.last->host = 1;
  for (int round = 0; round < 2; ++round) {
    it.attempts.begin(start);
    EXPECT_EQ(it.attempts.host(), 1U);
    ASSERT_TRUE(it.attempts.try_next_host());
    EXPECT_EQ(it.attempts.host(), 2U);
    ASSERT_TRUE(it.attempts.try_next_host());
    EXPECT_EQ(it.attempts.host(), 0U);
    EXPECT_FALSE(it.attempts.try_next_host()) << "round " << round;
  }
}

TEST(ConnectAttempts, AConnectionTellsOthersItsHost) {
  Attempts it(2);
  it.attempts.begin(start);
  ASSERT_TRUE(it.attempts.try_next_host());
  it.attempts.connected();
  EXPECT_EQ(it.last->host.load(), 1U);
  EXPECT_TRUE(it.attempts.has_several_hosts());
}

TEST(ConnectAttempts, PauseAfterEachFailureTwiceAsLongUpToASecond) {
  Attempts it;
  SteadyTime now = start;
  EXPECT_TRUE(it.attempts.may_begin(now));
  for (const milliseconds longest :
       {milliseconds(25), milliseconds(50), milliseconds(100), milliseconds(200), milliseconds(400),
        milliseconds(800), milliseconds(1000), milliseconds(1000)}) {
    it.attempts.begin(now);
    ASSERT_TRUE(it.attempts.lost(true, now));
    EXPECT_FALSE(it.attempts.may_begin(now + longest / 2 - milliseconds(1))) << longest.count();
    EXPECT_TRUE(it.attempts.may_begin(now + longest)) << longest.count();
    now += longest;
  }
}

TEST(ConnectAttempts, AnAnswerEndsThePausesOfOtherChannels) {
  Attempts it;
  it.attempts.begin(start);
  ASSERT_TRUE(it.attempts.lost(true, start));
  ConnectAttempts other(1, it.last);
  other.begin(start);
  other.connected();
  other.answered(start);
  EXPECT_FALSE(it.attempts.may_begin(start)) << "the answer is not later than the attempt";
  other.closed();
  other.answered(start + milliseconds(1));
  EXPECT_TRUE(it.attempts.may_begin(start));
}

TEST(ConnectAttempts, OnlyTheFirstAnswerOfAConnectionIsReported) {
  Attempts it;
  it.attempts.answered(start);
  it.attempts.answered(start + milliseconds(1));
  EXPECT_EQ(it.last->worked_at.load(), start);
}

TEST(ConnectAttempts, AConnectionThatWorkedMayBeReopenedAtOnce) {
  Attempts it;
  it.attempts.begin(start);
  it.attempts.connected();
  it.attempts.answered(start);
  EXPECT_FALSE(it.attempts.lost(false, start));
  EXPECT_TRUE(it.attempts.may_begin(start));
}

TEST(ConnectAttempts, ConnectionsWithoutAnAnswerCountAsFailedFromTheSecond) {
  Attempts it;
  for (const bool fails : {false, true, true}) {
    it.attempts.begin(start);
    it.attempts.connected();
    EXPECT_EQ(it.attempts.lost(false, start), fails);
    it.attempts.closed();
  }
  EXPECT_FALSE(it.attempts.may_begin(start));
}

TEST(ConnectAttempts, OnlyTheFirstConnectionAfterALossEndsIt) {
  Attempts it;
  EXPECT_FALSE(it.attempts.connected()) << "nothing was lost yet";
  it.attempts.lost(false, start);
  EXPECT_TRUE(it.attempts.connected());
  EXPECT_FALSE(it.attempts.connected());
}

}  // namespace
}  // namespace waybill::storage::pq
