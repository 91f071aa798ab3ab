#include "api/workflows/merged_destinations.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::SizeIs;

constexpr Time now{minutes(28'000'000)};

DestinationReport report(std::string name, std::int64_t succeeded = 1) {
  return {.kind = "webhook",
          .name = std::move(name),
          .is_live = true,
          .places = 64,
          .next_probe = {},
          .succeeded = succeeded,
          .failed = 0,
          .durations = {},
          .workflows = {},
          .published_at = now - seconds(5)};
}

TEST(MergedDestinations, TheWorstStateOfTheWorkersCountsAndTheirAttemptsAreAdded) {
  DestinationReport open = report("a:443", 2);
  open.places = 1;
  open.failed = 3;
  open.next_probe = now + seconds(10);
  open.published_at = now;
  DestinationReport half_open = report("a:443", 0);
  half_open.places = 1;
  half_open.next_probe = now;
  const auto merged = merge_reports({report("a:443"), half_open, open}, now, 200);
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_EQ(merged[0].state, BreakerState::open);
  EXPECT_EQ(merged[0].places, 66);
  EXPECT_EQ(merged[0].next_probe, now);
  EXPECT_EQ(merged[0].succeeded, 3);
  EXPECT_EQ(merged[0].failed, 3);
  EXPECT_EQ(merged[0].as_of, now);
  EXPECT_EQ(merge_reports({report("a:443"), half_open}, now, 200)[0].state, BreakerState::half_open);
}

TEST(MergedDestinations, AWorkerThatEndedHasCountsButNeitherStateNorPlaces) {
  DestinationReport dead = report("a:443", 7);
  dead.is_live = false;
  dead.next_probe = now + seconds(10);
  const auto merged = merge_reports({dead}, now, 200);
  EXPECT_EQ(merged[0].state, BreakerState::closed);
  EXPECT_EQ(merged[0].places, std::nullopt);
  EXPECT_EQ(merged[0].next_probe, std::nullopt);
  EXPECT_EQ(merged[0].succeeded, 7);
}

TEST(MergedDestinations, The201stBecomesOneWithTheOthersAndTheLast) {
  std::vector<DestinationReport> reports;
  for (int i = 0; i < 202; ++i) reports.push_back(report("h" + std::to_string(i) + ":1", 1 + i));
  reports[0].next_probe = now + seconds(1);  // the fewest attempts, but open
  DestinationReport others = report("others", 5);
  others.kind = "others";
  reports.push_back(others);
  const auto merged = merge_reports(reports, now, 200);
  ASSERT_THAT(merged, SizeIs(201));
  EXPECT_EQ(merged[0].name, "h0:1");
  EXPECT_EQ(merged[1].name, "h201:1");
  EXPECT_TRUE(merged[200].is_others());
  EXPECT_EQ(merged[200].succeeded, 5 + 2 + 3);
  EXPECT_THAT(merged[200].other_names, testing::UnorderedElementsAre("h1:1", "h2:1"));
  reports.resize(200);
  EXPECT_THAT(merge_reports(reports, now, 200), SizeIs(200));
}

TEST(MergedDestinations, OneHostOfTwoKindsIsTwoDestinations) {
  DestinationReport store = report("a:443");
  store.kind = "store";
  EXPECT_THAT(merge_reports({report("a:443"), store}, now, 200), SizeIs(2));
}

TEST(MergedDestinations, P95IsWithinAFifthOfTheDurationOfTheSlowestFiveInAHundred) {
  std::array<std::int64_t, net::duration_classes> durations{};
  EXPECT_EQ(p95_ms(durations), std::nullopt);
  durations[net::duration_class(std::chrono::milliseconds(20))] = 95;
  durations[net::duration_class(std::chrono::milliseconds(900))] = 5;
  EXPECT_NEAR(static_cast<double>(p95_ms(durations).value()), 20, 4);
  durations[net::duration_class(std::chrono::milliseconds(900))] = 6;
  EXPECT_NEAR(static_cast<double>(p95_ms(durations).value()), 900, 180);
}

TEST(MergedDestinations, TheHalfHoursOfAllWorkersMakeOneDistribution) {
  DestinationReport one = report("a:443");
  one.durations.assign(2 * net::duration_classes, 0);
  one.durations[3] = 1;
  one.durations[net::duration_classes + 3] = 2;
  DestinationReport two = report("a:443");
  two.durations.assign(net::duration_classes, 0);
  two.durations[3] = 4;
  EXPECT_EQ(merge_reports({one, two}, now, 200)[0].durations[3], 7);
}

}  // namespace
}  // namespace waybill::api
