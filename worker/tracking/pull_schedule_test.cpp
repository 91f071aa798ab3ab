#include "worker/tracking/pull_schedule.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using Problem = connectors::GatewayError::Problem;

const Time now = *parse_timestamp("2026-07-10T12:00:00Z");

TrackedShipment shipment(std::string_view status, Duration age) {
  return {.status = status, .created_at = now - age, .moved_at = {}, .scanned_at = {}};
}

TEST(PullSchedule, AsksUntilTheShipmentIsFinal) {
  for (const auto* const status : {"created", "collected", "in_transit", "out_for_delivery", "exception"})
    EXPECT_TRUE(must_ask(shipment(status, 24h), false, now)) << status;
  for (const auto* const status : {"delivered", "returned", "cancelled"})
    EXPECT_FALSE(must_ask(shipment(status, 24h), false, now)) << status;
}

TEST(PullSchedule, GivesUpAfterSixtyDaysWithoutNews) {
  EXPECT_TRUE(must_ask(shipment("created", 60 * 24h - 1s), false, now));
  EXPECT_FALSE(must_ask(shipment("created", 60 * 24h), false, now));
  auto slow = shipment("in_transit", 90 * 24h);
  EXPECT_FALSE(must_ask(slow, false, now));
  slow.moved_at = now - 59 * 24h;
  EXPECT_TRUE(must_ask(slow, false, now));
  slow.moved_at = now - 61 * 24h;
  slow.scanned_at = now - 1h;
  EXPECT_TRUE(must_ask(slow, false, now));
}

TEST(PullSchedule, AHintAsksForAParcelThatMayStillMove) {
  EXPECT_TRUE(must_ask(shipment("in_transit", 90 * 24h), true, now));
  EXPECT_TRUE(must_ask(shipment("delivered", 24h), true, now));
  EXPECT_FALSE(must_ask(shipment("returned", 24h), true, now));
  EXPECT_FALSE(must_ask(shipment("cancelled", 24h), true, now));
}

TEST(PullSchedule, AsksEveryTwoHoursUnderwayAndEverySixUnscannedAtTheLatest) {
  for (const double spread : {0.0, 0.3, 1.0}) {
    for (const auto* const status : {"collected", "in_transit", "out_for_delivery", "exception"}) {
      EXPECT_LE(pause_after_answer(status, spread), 2h);
      EXPECT_GE(pause_after_answer(status, spread), 108min);
    }
    EXPECT_LE(pause_after_answer("created", spread), 6h);
    EXPECT_GE(pause_after_answer("created", spread), 324min);
  }
  EXPECT_NE(pause_after_answer("created", 0.1), pause_after_answer("created", 0.2));
}

TEST(PullSchedule, SpreadsParcelsEvenly) {
  std::array<int, 10> counts{};
  const Guid shipment = Guid::random();
  for (int i = 0; i < 10'000; ++i) {
    const double spread = spread_of(shipment, std::to_string(i));
    ASSERT_GE(spread, 0);
    ASSERT_LE(spread, 1);
    ++counts[std::min<std::size_t>(9, static_cast<std::size_t>(spread * 10))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 200);
  EXPECT_EQ(spread_of(shipment, "1Z"), spread_of(shipment, "1Z"));
}

TEST(PullSchedule, AFailedPullComesSoonerThanTheUsualOneAndThenLater) {
  EXPECT_EQ(pause_after_failure(1, "in_transit", 0), 5min);
  EXPECT_EQ(pause_after_failure(2, "in_transit", 0), 10min);
  EXPECT_EQ(pause_after_failure(6, "in_transit", 0), 2h);
  EXPECT_EQ(pause_after_failure(1000, "in_transit", 0), 2h);
  EXPECT_EQ(pause_after_failure(1000, "created", 0), 6h);
}

TEST(PullSchedule, ABusyGatewayPausesAtTheThirdFailureOrAsItAsksFor) {
  for (const Problem problem : {Problem::busy, Problem::unreachable}) {
    EXPECT_FALSE(after_failure(problem, std::nullopt, 0).pause);
    EXPECT_FALSE(after_failure(problem, std::nullopt, 1).pause);
    EXPECT_EQ(after_failure(problem, std::nullopt, 2).pause, 1min);
    EXPECT_EQ(after_failure(problem, std::nullopt, 4).pause, 4min);
    EXPECT_EQ(after_failure(problem, std::nullopt, 1'000'000).pause, 15min);
    EXPECT_EQ(after_failure(problem, 30s, 0).pause, 30s);
    EXPECT_EQ(after_failure(problem, 0s, 0).pause, 1s);
    EXPECT_EQ(after_failure(problem, 100h, 0).pause, 1h);
    EXPECT_FALSE(after_failure(problem, std::nullopt, 99).is_failing);
  }
}

TEST(PullSchedule, RefusedCredentialsPauseAtOnceAndAreShownAtTheThirdTime) {
  for (const Problem problem :
       {Problem::credentials, Problem::carrier_credentials, Problem::mode, Problem::account}) {
    const auto first = after_failure(problem, std::nullopt, 0);
    EXPECT_EQ(first.failures, 1);
    EXPECT_EQ(first.pause, 1min);
    EXPECT_FALSE(first.is_failing);
    EXPECT_FALSE(after_failure(problem, std::nullopt, 1).is_failing);
    EXPECT_TRUE(after_failure(problem, std::nullopt, 2).is_failing);
    EXPECT_EQ(after_failure(problem, std::nullopt, 99).pause, 1h);
  }
}

TEST(PullSchedule, UsesHalfOfTheGatewaysLimit) {
  EXPECT_EQ(gap_between_calls(600), 200ms);
  EXPECT_EQ(gap_between_calls(300), 400ms);
  EXPECT_EQ(pulls_of_turn(600, 10s), 50);
  EXPECT_EQ(pulls_of_turn(300, 10s), 25);
  EXPECT_EQ(pulls_of_turn(1, 10s), 1);
}

}  // namespace
}  // namespace waybill::worker
