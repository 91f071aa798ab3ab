#include "base/database_clock.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

class DatabaseClockTest : public testing::Test {
 protected:
  using Steady = DatabaseClock::SteadyTime;
  static Steady at(std::chrono::steady_clock::duration time) { return Steady(100s + time); }

  DatabaseClock clock;
  const Time server{1'800'000'000s};  // at the steady time 0
};

TEST_F(DatabaseClockTest, IsTheMachinesClockBeforeTheFirstReading) {
  const Time before = system_clock().now();
  const Time now = clock.now();
  EXPECT_GE(now, before);
  EXPECT_LE(now, system_clock().now());
}

TEST_F(DatabaseClockTest, CountsOnFromTheReadingByTheSteadyClock) {
  clock.learn(server, at(0s), at(0s));
  EXPECT_EQ(clock.now(at(0s)), server);
  EXPECT_EQ(clock.now(at(90min)), server + 90min);
}

TEST_F(DatabaseClockTest, TheFirstReadingCountsForTheMiddleOfItsRoundTrip) {
  clock.learn(server + 40ms, at(0ms), at(80ms));
  EXPECT_EQ(clock.now(at(0s)), server);
}

TEST_F(DatabaseClockTest, SlowReadingsThatAllowTheKnownTimeChangeNothing) {
  clock.learn(server, at(0s), at(0s));
  clock.learn(server + 2s, at(2s), at(2s + 500ms));
  clock.learn(server + 4s + 500ms, at(4s), at(4s + 500ms));
  EXPECT_EQ(clock.now(at(5s)), server + 5s);
}

TEST_F(DatabaseClockTest, AQuickReadingCorrectsASlowOne) {
  clock.learn(server, at(0s), at(1800ms));
  EXPECT_EQ(clock.now(at(900ms)), server);
  clock.learn(server + 20s, at(20s), at(20s + 1ms));
  EXPECT_LE(clock.now(at(20s)), server + 20s);
  EXPECT_GE(clock.now(at(20s)), server + 20s - 1ms);
}

TEST_F(DatabaseClockTest, FollowsAServerWhoseClockIsSet) {
  clock.learn(server, at(0s), at(0s));
  for (const auto shift : {1h, -1h, 0h}) {
    for (const auto turn : {2s, 4s, 6s}) clock.learn(server + shift + turn, at(turn), at(turn));
    EXPECT_EQ(clock.now(at(6s)), server + shift + 6s);
  }
}

TEST_F(DatabaseClockTest, AServersClockThatIsWrongForAMomentMovesNothing) {
  clock.learn(server, at(0s), at(0s));
  for (int turn = 0; turn < 20; ++turn) {
    const auto moment = turn * 10s;
    clock.learn(server + moment + 1h, at(moment), at(moment));
    clock.learn(server + moment + 2s - 1h, at(moment + 2s), at(moment + 2s));
    clock.learn(server + moment + 4s, at(moment + 4s), at(moment + 4s));
    EXPECT_EQ(clock.now(at(moment)), server + moment) << turn;
  }
}

TEST_F(DatabaseClockTest, AServersClockThatDriftsIsFollowedAtOnce) {
  clock.learn(server, at(0s), at(0s));
  clock.learn(server + 2s + 900ms, at(2s), at(2s));
  EXPECT_EQ(clock.now(at(2s)), server + 2s + 900ms);
}

TEST_F(DatabaseClockTest, ReadingsOfOneServerLeaveItWithinTheRoundTripOfTheQuickest) {
  // Round trips from 1 to 997 ms, whose answer the server gives after any part of them.
  auto quickest = 1s + 0ms;
  for (int turn = 0; turn < 500; ++turn) {
    const auto begun = at(turn * 2s);
    const auto round_trip = std::chrono::milliseconds(1 + turn * 379 % 997);
    const auto answered = round_trip * (turn * 53 % 101) / 100;
    quickest = std::min<std::chrono::milliseconds>(quickest, round_trip);
    clock.learn(server + turn * 2s + std::chrono::duration_cast<Duration>(answered), begun,
                begun + round_trip);
    const Duration error = clock.now(begun) - (server + turn * 2s);
    EXPECT_LE(std::chrono::abs(error), quickest) << turn;
  }
}

}  // namespace
}  // namespace waybill
