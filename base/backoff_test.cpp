#include "base/backoff.hpp"

#include <set>

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, PausesDoubleUpToTheLimitAndRestartAfterASuccess) {
  Backoff backoff(100ms, 1s);
  for (const Duration longest : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    const Duration pause = backoff.next();
    EXPECT_GE(pause, longest / 2);
    EXPECT_LE(pause, longest);
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), 100ms);
}

TEST(Backoff, PausesOfEqualLengthAreSpread) {
  std::set<Duration> pauses;
  for (int i = 0; i < 100; ++i) pauses.insert(spread(1s));
  EXPECT_GT(pauses.size(), 90U);
}

}  // namespace
}  // namespace waybill
