#include "net/destination/destination_counts.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time first_time{minutes(28'000'020)};  // the begin of a half hour

Guid business(std::uint8_t number) {
  Guid guid;
  guid.bytes.back() = number;
  return guid;
}

EndedAttempt attempt(std::string_view destination, Time at = first_time, bool succeeded = true,
                     std::uint8_t number = 1) {
  return {.business = business(number),
          .kind = DestinationKind::webhook,
          .destination = destination,
          .succeeded = succeeded,
          .duration = milliseconds(20),
          .at = at,
          .health = {.places = 64}};
}

std::multiset<std::string> names(const std::vector<DestinationCounts::Report>& reports) {
  std::multiset<std::string> names;
  for (const auto& report : reports) names.insert(report.destination);
  return names;
}

TEST(DestinationCounts, CountsTheAttemptsOfTheLastHourByFiveMinutes) {
  DestinationCounts counts;
  counts.note(attempt("a:443"));
  counts.note(attempt("a:443", first_time + minutes(4)));
  counts.note(attempt("a:443", first_time + minutes(5), false));
  counts.note(attempt("a:443", first_time + minutes(55)));
  const auto reports = counts.take_changed(10);
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].interval, first_time + minutes(55));
  EXPECT_THAT(reports[0].succeeded, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2));
  EXPECT_THAT(reports[0].failed, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0));
  counts.note(attempt("a:443", first_time + minutes(60)));
  EXPECT_EQ(counts.take_changed(10)[0].succeeded.back(), 0U);
}

TEST(DestinationCounts, CountsDurationsOfTwoHalfHours) {
  DestinationCounts counts;
  const std::size_t place = duration_class(milliseconds(20));
  counts.note(attempt("a:443", first_time + minutes(29)));
  counts.note(attempt("a:443", first_time + minutes(30)));
  auto report = counts.take_changed(10)[0];
  EXPECT_EQ(report.durations[place], 1U);
  EXPECT_EQ(report.durations[duration_classes + place], 1U);
  counts.note(attempt("a:443", first_time + minutes(90)));
  report = counts.take_changed(10)[0];
  EXPECT_EQ(report.durations[place], 1U);
  EXPECT_EQ(report.durations[duration_classes + place], 0U);
}

TEST(DestinationCounts, ATimeBeforeTheNewestCountsThere) {
  DestinationCounts counts;
  counts.note(attempt("a:443", first_time + minutes(20)));
  counts.note(attempt("a:443", first_time));
  EXPECT_EQ(counts.take_changed(10)[0].succeeded.front(), 2U);
}

TEST(DestinationCounts, TheClassOfADurationHasItAtMostAtItsUpperBound) {
  for (const int ms : {1, 2, 3, 5, 8, 100, 999, 5'000, 46'000}) {
    const std::size_t place = duration_class(milliseconds(ms));
    EXPECT_LE(ms, upper_bound_ms(place) + 1e-6) << ms;
    if (place > 0) EXPECT_GT(ms, upper_bound_ms(place - 1)) << ms;
  }
  EXPECT_EQ(duration_class(std::chrono::hours(1)), duration_classes - 1);
  EXPECT_EQ(duration_class(Duration(-1)), 0U);
}

TEST(DestinationCounts, OnlyChangedDestinationsAreTakenAndTheFirstChangedFirst) {
  DestinationCounts counts;
  for (const char* name : {"a:1", "b:1", "c:1"}) counts.note(attempt(name));
  counts.note(attempt("a:1"));
  const auto first = counts.take_changed(2);
  EXPECT_THAT(names(first), ElementsAre("a:1", "b:1"));
  EXPECT_THAT(names(counts.take_changed(2)), ElementsAre("c:1"));
  EXPECT_THAT(counts.take_changed(2), IsEmpty());
  counts.not_published(first);
  counts.note(attempt("b:1"));
  const auto again = counts.take_changed(10);
  EXPECT_THAT(names(again), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(again[1].succeeded.front(), 2U);
}

TEST(DestinationCounts, FurtherDestinationsOfABusinessAreCountedTogether) {
  DestinationCounts counts({.most_of_business = 200});
  for (int i = 0; i < 201; ++i) counts.note(attempt("h" + std::to_string(i) + ":1"));
  counts.note(attempt("one-more:1"));
  counts.note(attempt("h0:1"));
  counts.note(attempt("a:1", first_time, true, 2));
  const auto reports = counts.take_changed(1000);
  EXPECT_THAT(reports, SizeIs(202));
  for (const auto& report : reports) {
    if (report.kind) continue;
    EXPECT_EQ(report.destination, "others");
    EXPECT_EQ(report.succeeded.front(), 2U);
  }
  EXPECT_EQ(names(reports).count("others"), 1U);
}

TEST(DestinationCounts, TheUnpublishedAreKeptAndThePublishedForgottenBeyondTheLimit) {
  DestinationCounts counts({.most_of_business = 10, .most = 20});
  for (std::uint8_t number = 0; number < 20; ++number) counts.note(attempt("a:1", first_time, true, number));
  counts.note(attempt("a:1", first_time, true, 99));
  EXPECT_THAT(counts.take_changed(100), SizeIs(20));
  counts.note(attempt("a:1", first_time + minutes(5), true, 7));
  counts.note(attempt("a:1", first_time, true, 99));
  for (std::uint8_t number = 100; number < 200; ++number)
    counts.note(attempt("a:1", first_time, true, number));
  const auto reports = counts.take_changed(1000);
  EXPECT_LE(reports.size(), 20U);
  EXPECT_EQ(reports[0].business, business(7));
  EXPECT_EQ(reports[0].succeeded[1], 1U) << "one that was in use was forgotten";
}

TEST(DestinationCounts, AnAttemptWithoutABreakerLeavesTheState) {
  DestinationCounts counts;
  auto import = attempt("a:1");
  import.health = {};
  counts.note(import);
  EXPECT_EQ(counts.take_changed(1)[0].health.places, 1U);
  auto broken = attempt("a:1", first_time, false);
  broken.health = {.state = CircuitBreaker::State::open, .places = 1, .next_probe = first_time + minutes(1)};
  counts.note(broken);
  counts.note(import);
  EXPECT_EQ(counts.take_changed(1)[0].health.state, CircuitBreaker::State::open);
}

TEST(DestinationCounts, TheWorkflowsThatCameLastAreKept) {
  DestinationCounts counts({.most_workflows = 2});
  for (const std::uint8_t number : {1, 2, 1, 3}) {
    auto one = attempt("a:1");
    one.workflow = business(number);
    counts.note(one);
  }
  EXPECT_THAT(counts.take_changed(1)[0].workflows, ElementsAre(business(3), business(1)));
}

}  // namespace
}  // namespace waybill::net
