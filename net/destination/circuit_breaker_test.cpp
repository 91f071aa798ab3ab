#include "net/destination/circuit_breaker.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = CircuitBreaker::State;

constexpr Time start{seconds(1'000'000)};
constexpr std::string_view host = "a.example:443";

// The number of requests that the destination accepts at once; gives their places back.
std::size_t capacity(CircuitBreaker& breaker, Time now) {
  std::size_t count = 0;
  while (breaker.try_start(host, now)) ++count;
  for (std::size_t i = 0; i < count; ++i) breaker.released(host, now);
  return count;
}

void fail_once(CircuitBreaker& breaker, Time now) {
  ASSERT_TRUE(breaker.try_start(host, now));
  breaker.failed(host, now);
}

CircuitBreaker opened(Time now) {
  CircuitBreaker breaker({});
  for (int i = 0; i < 5; ++i) fail_once(breaker, now);
  return breaker;
}

TEST(CircuitBreaker, HealthHasThePlacesAndTheNextProbe) {
  CircuitBreaker breaker({.max_in_flight = 8});
  EXPECT_EQ(breaker.health(host).places, 8U);
  fail_once(breaker, start);
  EXPECT_EQ(breaker.health(host).places, 4U);
  EXPECT_EQ(breaker.health(host).state, State::closed);
  for (int i = 0; i < 4; ++i) fail_once(breaker, start);
  EXPECT_EQ(breaker.health(host).state, State::open);
  EXPECT_EQ(breaker.health(host).places, 1U);
  EXPECT_EQ(breaker.health(host).next_probe, start + seconds(1));
}

TEST(CircuitBreaker, AHealthyDestinationAcceptsItsLimit) {
  CircuitBreaker breaker({.max_in_flight = 3});
  EXPECT_EQ(capacity(breaker, start), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(breaker.try_start(host, start));
  EXPECT_FALSE(breaker.try_start(host, start));
  EXPECT_GT(breaker.retry_at(host, start), start);
  breaker.succeeded(host, start);
  EXPECT_EQ(breaker.retry_at(host, start), start);
  EXPECT_TRUE(breaker.try_start(host, start));
}

TEST(CircuitBreaker, TheCallersLimitMayBeLower) {
  CircuitBreaker breaker({.max_in_flight = 3});
  EXPECT_TRUE(breaker.try_start(host, start, 1));
  EXPECT_FALSE(breaker.try_start(host, start, 1));
  EXPECT_TRUE(breaker.try_start(host, start));
}

TEST(CircuitBreaker, FailuresHalveTheLimitAndSuccessesDoubleIt) {
  CircuitBreaker breaker({.max_in_flight = 64, .open_after = 100});
  for (const std::size_t expected : {32U, 16U, 8U, 4U, 2U, 1U, 1U}) {
    fail_once(breaker, start);
    EXPECT_EQ(capacity(breaker, start), expected);
  }
  for (const std::size_t expected : {2U, 4U, 8U, 16U, 32U, 64U, 64U}) {
    ASSERT_TRUE(breaker.try_start(host, start));
    breaker.succeeded(host, start);
    EXPECT_EQ(capacity(breaker, start), expected);
  }
}

TEST(CircuitBreaker, OpensAfterFiveFailuresInARow) {
  CircuitBreaker breaker({});
  for (int i = 0; i < 4; ++i) fail_once(breaker, start);
  ASSERT_TRUE(breaker.try_start(host, start));
  breaker.succeeded(host, start);
  for (int i = 0; i < 4; ++i) fail_once(breaker, start);
  EXPECT_EQ(breaker.state(host), State::closed);
  fail_once(breaker, start);
  EXPECT_EQ(breaker.state(host), State::open);
  EXPECT_EQ(breaker.open_count(), 1U);
  EXPECT_FALSE(breaker.try_start(host, start));
  EXPECT_EQ(breaker.retry_at(host, start), start + seconds(1));
}

TEST(CircuitBreaker, AnOpenDestinationIsProbedOneAtATimeAtGrowingIntervals) {
  CircuitBreaker breaker = opened(start);
  Time now = start;
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_FALSE(breaker.try_start(host, now + seconds(pause) - milliseconds(1))) << pause;
    now += seconds(pause);
    EXPECT_TRUE(breaker.try_start(host, now)) << pause;
    EXPECT_FALSE(breaker.try_start(host, now)) << "a second probe";
    EXPECT_GT(breaker.retry_at(host, now), now);
    breaker.failed(host, now);
  }
}

TEST(CircuitBreaker, OneSuccessClosesIt) {
  CircuitBreaker breaker = opened(start);
  ASSERT_TRUE(breaker.try_start(host, start + seconds(1)));
  breaker.succeeded(host, start + seconds(1));
  EXPECT_EQ(breaker.state(host), State::closed);
  EXPECT_EQ(breaker.open_count(), 0U);
  EXPECT_EQ(capacity(breaker, start + seconds(1)), 4U) << "from 2 after five halvings of 64";
}

TEST(CircuitBreaker, RequestsInFlightWhenItOpensDoNotLengthenThePause) {
  CircuitBreaker breaker({});
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(breaker.try_start(host, start));
  for (int i = 0; i < 64; ++i) breaker.failed(host, start);
  EXPECT_EQ(breaker.retry_at(host, start), start + seconds(1));
}

TEST(CircuitBreaker, AReleasedProbeLeavesItOpen) {
  CircuitBreaker breaker = opened(start);
  ASSERT_TRUE(breaker.try_start(host, start + seconds(1)));
  breaker.released(host, start + seconds(1));
  EXPECT_EQ(breaker.state(host), State::open);
  EXPECT_TRUE(breaker.try_start(host, start + seconds(1)));
}

TEST(CircuitBreaker, DestinationsDoNotSlowEachOther) {
  CircuitBreaker breaker = opened(start);
  EXPECT_TRUE(breaker.try_start("b.example:443", start));
  EXPECT_TRUE(breaker.try_start("a.example:444", start));
}

TEST(CircuitBreaker, BeyondTheLimitIdleHealthyDestinationsAreForgottenFirst) {
  CircuitBreaker breaker({.open_after = 1, .max_destinations = 10});
  breaker.try_start("failing", start);
  breaker.failed("failing", start);
  breaker.try_start("busy", start);
  for (int i = 0; i < 1000; ++i) {
    const Time now = start + milliseconds(i);
    ASSERT_TRUE(breaker.try_start("h" + std::to_string(i), now));
    breaker.succeeded("h" + std::to_string(i), now);
  }
  EXPECT_EQ(breaker.state("failing"), State::open);
  EXPECT_EQ(breaker.open_count(), 1U);
}

TEST(CircuitBreaker, MemoryIsBoundedEvenWhenAllFail) {
  CircuitBreaker breaker({.open_after = 1, .max_destinations = 10});
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "h" + std::to_string(i);
    breaker.try_start(name, start + milliseconds(i));
    breaker.failed(name, start + milliseconds(i));
  }
  EXPECT_LE(breaker.open_count(), 10U);
}

}  // namespace
}  // namespace waybill::net
