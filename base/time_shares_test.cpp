#include "base/time_shares.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/time_share_queue.hpp"

namespace waybill {
namespace {

using namespace std::chrono_literals;
using Shares = TimeShares<std::string>;
using Queue = TimeShareQueue<std::string, int>;
using Owners = std::vector<std::string>;

constexpr Shares::Moment start(1000h);

/// Within a microsecond.
void expect_used(const Shares& shares, const std::string& owner, Shares::Length used, Shares::Moment now) {
  EXPECT_NEAR(std::chrono::duration<double>(shares.used(owner, now)).count(),
              std::chrono::duration<double>(used).count(), 1e-6);
}

TEST(TimeShares, ATimeCountsHalfAfterEachHalfLife) {
  Shares shares(1min);
  shares.add("a", 8s, start);
  expect_used(shares, "a", 8s, start);
  expect_used(shares, "a", 4s, start + 1min);
  expect_used(shares, "a", 1s, start + 3min);
  shares.add("a", 1s, start + 3min);
  expect_used(shares, "a", 2s, start + 3min);
  expect_used(shares, "b", 0s, start);
}

TEST(TimeShares, NamesThoseAboveATimeWithTheLeastFirst) {
  Shares shares(1min);
  shares.add("much", 10s, start);
  shares.add("some", 2s, start);
  shares.add("little", 100ms, start);
  EXPECT_EQ(shares.above(1s, start), (Owners{"some", "much"}));
  EXPECT_EQ(shares.above(1s, start + 2min), Owners{"much"});
  EXPECT_EQ(shares.above(1s, start + 5min), Owners{});
}

TEST(TimeShares, StayExactOverYearsAndForgetWhoIsIdle) {
  Shares shares(1s);
  Shares::Moment now = start;
  shares.add("idle", 1s, now);
  for (int i = 0; i < 100; ++i) {
    now += 24h * 30;
    shares.add("busy", 1s, now);
    expect_used(shares, "busy", 1s, now);
  }
  EXPECT_EQ(shares.score("idle"), 0);
}

TEST(TimeShares, TheRealTimeReplacesTheExpectedOne) {
  Shares shares(1min);
  for (int i = 0; i < 4; ++i) shares.began("a", start);
  expect_used(shares, "a", 4 * shares.expected("a"), start);
  shares.ended("a", 4, 200ms, start);
  expect_used(shares, "a", 200ms, start);
  const auto expected = shares.expected("a");
  EXPECT_GT(expected, 10ms);
  EXPECT_LT(expected, 50ms) << "an average";
  shares.ended("a", 0, 0ms, start);
  EXPECT_EQ(shares.expected("a"), expected);
}

TEST(TimeShareQueue, OwnersTakeTurnsWhileTheirValuesTakeEquallyLong) {
  Shares shares(1min);
  Queue queue(shares);
  EXPECT_TRUE(queue.empty());
  for (const int value : {1, 2, 3}) queue.push("loud", value);
  EXPECT_EQ(queue.pop(start), 1);
  queue.push("quiet", 10);
  queue.push("other", 20);
  EXPECT_EQ(queue.next(), "quiet");
  EXPECT_EQ(queue.pop(start), 10);
  EXPECT_EQ(queue.pop(start), 20);
  EXPECT_EQ(queue.pop(start), 2);
  EXPECT_EQ(queue.pop(start), 3);
  EXPECT_TRUE(queue.empty());
}

TEST(TimeShareQueue, AnOwnerWithSlowValuesGetsNoMoreTimeThanTheOthers) {
  Shares shares(10s);
  Queue queue(shares);
  const std::map<std::string, Shares::Length> costs{{"slow", 300ms}, {"quick", 1ms}, {"usual", 5ms}};
  std::map<std::string, Shares::Length> used;
  Shares::Moment now = start;
  while (now < start + 60s) {
    std::map<std::string, std::size_t> batch;
    for (int i = 0; i < 8; ++i) {
      for (const auto& [owner, cost] : costs) queue.push(owner, 0);  // all always wait
      const std::string owner = queue.next();
      queue.pop(now);
      ++batch[owner];
    }
    for (const auto& [owner, count] : batch) {
      const auto took = costs.at(owner) * static_cast<int>(count);
      now += took;
      used[owner] += took;
      shares.ended(owner, count, took, now);
    }
  }
  for (const auto& [owner, time] : used)
    EXPECT_NEAR(std::chrono::duration<double>(time).count(), 20, 5) << owner;
}

TEST(TimeShareQueue, ABusinessThatComesWaitsForOneValueOfEachOtherAtMost) {
  Shares shares(10s);
  Queue queue(shares);
  for (int i = 0; i < 100; ++i) {
    queue.push("slow", i);
    shares.began("slow", start);
    shares.ended("slow", 1, 1s, start);
  }
  queue.push("new", 1000);
  EXPECT_EQ(queue.pop(start), 1000);
}

TEST(TimeShareQueue, CountsTheValuesOfEachOwner) {
  Shares shares(1min);
  Queue queue(shares);
  for (const int value : {1, 2}) queue.push("a", value);
  queue.push("b", 1);
  EXPECT_EQ(queue.size_of("a"), 2U);
  EXPECT_EQ(queue.size_of("c"), 0U);
  EXPECT_EQ(queue.owners(), 2U);
}

TEST(TimeShareQueue, TakesTheWantedFrontsOfEachOwner) {
  Shares shares(1min);
  Queue queue(shares);
  for (const int value : {1, 2, 9, 3}) queue.push("a", value);
  queue.push("b", 1);
  EXPECT_EQ(queue.take_fronts([](int value) { return value < 5; }).size(), 3U);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop(start), 9);
  EXPECT_EQ(queue.pop(start), 3);
  queue.push("a", 1);
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace waybill
