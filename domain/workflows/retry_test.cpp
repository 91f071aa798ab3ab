#include "domain/workflows/retry.hpp"

#include <set>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using namespace std::chrono;

const Time now = sys_days(year(2026) / 11 / 20) + 8h + 49min + 37s;

RetrySchedule must_parse(std::string_view text) {
  auto parsed = RetrySchedule::parse(text);
  if (const auto* error = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << *error;
    return RetrySchedule({});
  }
  return std::get<RetrySchedule>(parsed);
}

TEST(RetrySchedule, NDelaysAllowNPlusOneAttempts) {
  EXPECT_EQ(RetrySchedule::standard().max_attempts(), 8U);
  EXPECT_EQ(must_parse("").max_attempts(), 1U);
  EXPECT_EQ(must_parse("5s, 5m,30m,2h,1d").max_attempts(), 6U);
  EXPECT_FALSE(must_parse("").next_attempt(1, now, {}));
  EXPECT_TRUE(RetrySchedule::standard().next_attempt(7, now, {}));
  EXPECT_FALSE(RetrySchedule::standard().next_attempt(8, now, {}));
}

TEST(RetrySchedule, EachDelayIsVariedByUpToAFifth) {
  const Duration expected[] = {5s, 5min, 30min, 2h, 5h, 10h, 14h};
  const RetrySchedule schedule = RetrySchedule::standard();
  for (std::size_t attempts = 1; attempts <= 7; ++attempts) {
    const Duration delay = expected[attempts - 1];
    Duration least = Duration::max();
    Duration most = Duration::zero();
    for (std::uint64_t run = 0; run < 1000; ++run) {
      const Duration chosen = *schedule.next_attempt(attempts, now, Guid::timed_hash(1, {}, run)) - now;
      least = std::min(least, chosen);
      most = std::max(most, chosen);
    }
    EXPECT_GE(least, delay * 8 / 10);
    EXPECT_LE(most, delay * 12 / 10);
    EXPECT_LT(least, delay * 81 / 100) << "hardly varied";
    EXPECT_GT(most, delay * 119 / 100) << "hardly varied";
  }
}

TEST(RetrySchedule, TheVariationDependsOnlyOnRunAndAttempt) {
  const RetrySchedule schedule({1h, 1h, 1h});
  const Guid run = Guid::timed_hash(1, {}, 1);
  EXPECT_EQ(schedule.next_attempt(1, now, run), schedule.next_attempt(1, now, run));
  EXPECT_EQ(*schedule.next_attempt(1, now, run) - now,
            *schedule.next_attempt(1, now + 1min, run) - (now + 1min));
  EXPECT_NE(schedule.next_attempt(1, now, run), schedule.next_attempt(2, now, run));
  EXPECT_NE(schedule.next_attempt(1, now, run), schedule.next_attempt(1, now, Guid::timed_hash(1, {}, 2)));
}

TEST(RetrySchedule, RetryAfterIsALowerBoundUpToADay) {
  const RetrySchedule schedule({1h});
  const Guid run = Guid::timed_hash(1, {}, 1);
  const Time without = *schedule.next_attempt(1, now, run);
  EXPECT_EQ(schedule.next_attempt(1, now, run, 10s), without);
  EXPECT_EQ(schedule.next_attempt(1, now, run, 3h), now + 3h);
  EXPECT_EQ(schedule.next_attempt(1, now, run, 72h), now + 24h);
}

TEST(RetrySchedule, RefusesOtherTexts) {
  for (const std::string_view text : {"5", "5x", "s", "-5s", "5 s", "5s,", ",5s", "5s,,5m", "1.5h", "5ss",
                                      "31d", "99999999999999999999s", "721h", "+5s"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(RetrySchedule::parse(text))) << text;
  }
  EXPECT_EQ(must_parse("30d,720h,0s").max_attempts(), 4U);
  std::string fifty = "1s";
  for (int i = 1; i < 50; ++i) fifty += ",1s";
  EXPECT_EQ(must_parse(fifty).max_attempts(), 51U);
  EXPECT_EQ(std::get<std::string>(RetrySchedule::parse(fifty + ",1s")), "it has more than 50 delays");
}

TEST(RetrySchedule, EqualSchedulesHaveOneTextWhichIsReadAsThem) {
  for (const std::string_view text : {"5s,5m,30m,2h,5h,10h,14h", "60s, 24h,0m,90s", "30d,720h", "0s", ""}) {
    const RetrySchedule schedule = must_parse(text);
    EXPECT_EQ(must_parse(schedule.text()).delays(), schedule.delays()) << text;
  }
  EXPECT_EQ(must_parse("60s, 24h,0m,90s").text(), "1m,1d,0s,90s");
  EXPECT_EQ(RetrySchedule::standard().text(), "5s,5m,30m,2h,5h,10h,14h");
}

TEST(RetryAfter, IsSecondsOrADateAndAtMostADay) {
  struct Case {
    std::string_view value;
    std::optional<Duration> expected;
  };
  for (const auto& [value, expected] : {
           Case{"120", 120s},
           Case{" 120 ", 120s},
           Case{"0", 0s},
           Case{"86400", 24h},
           Case{"86401", 24h},
           Case{"99999999999999999999999", 24h},
           Case{"Fri, 20 Nov 2026 08:50:37 GMT", 1min},
           Case{"Friday, 20-Nov-26 09:49:37 GMT", 1h},
           Case{"Fri Nov 20 08:49:38 2026", 1s},
           Case{"Fri, 20 Nov 2026 08:49:37 GMT", 0s},
           Case{"Sun, 20 Dec 2026 08:49:37 GMT", 24h},
           Case{"Fri, 20 Nov 2026 08:49:36 GMT", std::nullopt},
           Case{"Sun, 06 Nov 1994 08:49:37 GMT", std::nullopt},
           Case{"", std::nullopt},
           Case{"-5", std::nullopt},
           Case{"1.5", std::nullopt},
           Case{"soon", std::nullopt},
           Case{"Fri, 31 Nov 2026 08:49:37 GMT", std::nullopt},
           Case{"Fri, 20 Nov 2026 08:50:37 CET", std::nullopt},
           Case{"Fri, 20 Nov 2026 08:50:37 GMT; x", std::nullopt},
           Case{std::string_view("120\0", 4), std::nullopt},
       }) {
    EXPECT_EQ(parse_retry_after(value, now), expected) << value;
  }
}

}  // namespace
}  // namespace waybill::domain
