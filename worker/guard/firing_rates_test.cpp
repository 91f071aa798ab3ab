#include "worker/guard/firing_rates.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

const Time start = Time(std::chrono::seconds(1'800'000'000));

std::int64_t add(MinuteCount& minute, Time at, int times) {
  std::int64_t count = 0;
  for (int i = 0; i < times; ++i) count = minute.add(at);
  return count;
}

TEST(MinuteCount, CountsEventsWithinSixtySeconds) {
  MinuteCount minute;
  EXPECT_EQ(add(minute, start, 600), 600);
  EXPECT_EQ(add(minute, start + 59s, 400), 1000);
  EXPECT_EQ(add(minute, start + 60s, 1), 401);
  EXPECT_EQ(add(minute, start + 119s, 1), 2);
}

TEST(MinuteCount, CountsLateEventsOfTheMinuteButNoOlderOnes) {
  MinuteCount minute;
  add(minute, start + 59s, 10);
  EXPECT_EQ(minute.add(start), 11);
  EXPECT_EQ(minute.add(start - 1s), 11);
  EXPECT_EQ(minute.add(start + 60s), 11);
}

TEST(MinuteCount, StartsAtZeroAfterALongPause) {
  MinuteCount minute;
  add(minute, start, 5000);
  EXPECT_EQ(minute.add(start + 24h), 1);
}

TEST(MinuteCount, IsOverAMinuteAfterTheLatestEvent) {
  MinuteCount minute;
  minute.add(start);
  EXPECT_FALSE(minute.is_over(start + 59s));
  EXPECT_TRUE(minute.is_over(start + 60s));
}

TEST(FiringRates, CountsWorkflowsSeparately) {
  const Guid one = Guid::random();
  const Guid other = Guid::random();
  FiringRates rates;
  rates.fired(one, start);
  rates.fired(one, start);
  rates.fired(other, start);
  EXPECT_EQ(rates.of(one).total(), 2);
  EXPECT_EQ(rates.of(other).total(), 1);
  rates.forget(one);
  EXPECT_EQ(rates.of(one).total(), 0);
  rates.forget_idle(start + 60s);
  EXPECT_EQ(rates.of(other).total(), 0);
}

}  // namespace
}  // namespace waybill::worker
