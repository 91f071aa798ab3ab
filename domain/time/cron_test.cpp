#include "domain/time/cron.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

Cron parsed(std::string_view text) {
  const auto result = parse_cron(text);
  const auto* const problem = std::get_if<std::string>(&result);
  EXPECT_EQ(problem, nullptr) << text << ' ' << (problem == nullptr ? "" : *problem);
  return problem == nullptr ? std::get<Cron>(result) : Cron();
}

bool is_refused(std::string_view text) { return std::holds_alternative<std::string>(parse_cron(text)); }

TEST(Crons, EachNumberMeansItself) {
  for (unsigned value = 0; value < 60; ++value) {
    const Cron cron = parsed(std::to_string(value) + " * * * *");
    EXPECT_EQ(cron.minutes.count(), 1U);
    EXPECT_TRUE(cron.minutes.test(value));
  }
  for (unsigned value = 0; value < 24; ++value)
    EXPECT_TRUE(parsed("0 " + std::to_string(value) + " * * *").hours.test(value));
  for (unsigned value = 1; value < 32; ++value)
    EXPECT_TRUE(parsed("0 0 " + std::to_string(value) + " * *").days.test(value));
  for (unsigned value = 1; value < 13; ++value)
    EXPECT_TRUE(parsed("0 0 * " + std::to_string(value) + " *").months.test(value));
  for (unsigned value = 0; value < 8; ++value)
    EXPECT_TRUE(parsed("0 0 * * " + std::to_string(value)).weekdays.test(value % 7)) << "Sunday is 0 or 7";
}

TEST(Crons, EachRangeAndStepMeansItsNumbers) {
  for (unsigned first = 0; first < 60; ++first) {
    for (unsigned last = first; last < 60; ++last) {
      for (const unsigned step : {1U, 2U, 7U, 59U, 100U}) {
        const Cron cron = parsed(std::to_string(first) + "-" + std::to_string(last) + "/" +
                                 std::to_string(step) + " * * * *");
        for (unsigned minute = 0; minute < 60; ++minute) {
          ASSERT_EQ(cron.minutes.test(minute),
                    minute >= first && minute <= last && (minute - first) % step == 0)
              << first << '-' << last << '/' << step << ' ' << minute;
        }
      }
    }
  }
  EXPECT_EQ(parsed("*/15 8-18 * * mon-fri").minutes, parsed("0,15,30,45 * * * *").minutes);
  EXPECT_EQ(parsed("*/15 8-18 * * mon-fri").weekdays, parsed("0 0 * * 1,2,3,4,5").weekdays);
  EXPECT_EQ(parsed("0 0 * JAN,Dec *").months, parsed("0 0 * 1,12 *").months);
  EXPECT_EQ(parsed("0 0 * * 5-7").weekdays, parsed("0 0 * * 0,5,6").weekdays);
}

TEST(Crons, SundayEndsARangeOfDays) {
  EXPECT_EQ(parsed("0 0 * * sat-sun").weekdays, parsed("0 0 * * 0,6").weekdays);
  EXPECT_EQ(parsed("0 0 * * mon-sun").weekdays, parsed("0 0 * * *").weekdays);
  EXPECT_EQ(parsed("0 0 * * Fri-SUN").weekdays, parsed("0 0 * * 0,5,6").weekdays);
  EXPECT_EQ(parsed("0 0 * * mon-sun/3").weekdays, parsed("0 0 * * 1,4,7").weekdays);
  EXPECT_EQ(parsed("0 0 * * 6-sun").weekdays, parsed("0 0 * * 6,7").weekdays);
  EXPECT_EQ(parsed("0 0 * * sun-tue").weekdays, parsed("0 0 * * 0-2").weekdays);
  EXPECT_EQ(parsed("0 0 * * sun-sun").weekdays, parsed("0 0 * * 0").weekdays);
  EXPECT_TRUE(is_refused("0 0 * * sat-mon"));
  EXPECT_TRUE(is_refused("0 0 * * 6-0"));
}

TEST(Crons, OneOfTwoRestrictedDaysIsEnough) {
  EXPECT_TRUE(parsed("0 8 13 * 5").either_day);
  EXPECT_FALSE(parsed("0 8 * * 5").either_day);
  EXPECT_FALSE(parsed("0 8 13 * *").either_day);
  EXPECT_FALSE(parsed("0 8 */2 * 5").either_day);
}

TEST(Crons, TheDatabaseTakesTheNumbersOfEachField) {
  const CronNumbers numbers = numbers_of(parsed("0,30 8 1-3 jan sat-sun"));
  EXPECT_EQ(numbers.minutes, (std::vector<std::int64_t>{0, 30}));
  EXPECT_EQ(numbers.hours, std::vector<std::int64_t>{8});
  EXPECT_EQ(numbers.days, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(numbers.months, std::vector<std::int64_t>{1});
  EXPECT_EQ(numbers.weekdays, (std::vector<std::int64_t>{0, 6}));
}

TEST(Crons, AnExpressionThatNeverComesDueIsRefused) {
  for (const char* const never : {"0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6,9,11 *"}) {
    const auto result = parse_cron(never);
    ASSERT_TRUE(std::holds_alternative<std::string>(result)) << never;
    EXPECT_EQ(std::get<std::string>(result), "never comes due");
  }
  parsed("0 0 29 2 *");
  parsed("0 0 30 2 1");  // each Monday of February
}

TEST(Crons, MalformedExpressionsAreRefused) {
  for (const char* const bad : {"",
                                "* * * *",
                                "* * * * * *",
                                "60 * * * *",
                                "* 24 * * *",
                                "* * 0 * *",
                                "* * 32 * *",
                                "* * * 0 *",
                                "* * * 13 *",
                                "* * * * 8",
                                "5-1 * * * *",
                                "*/0 * * * *",
                                "*/x * * * *",
                                "1,, * * * *",
                                "-1 * * * *",
                                "a * * * *",
                                "5/15 * * * *",
                                "1-2-3 * * * *",
                                "* * * * funday",
                                "@daily",
                                "+1 * * * *",
                                "1.5 * * * *"})
    EXPECT_TRUE(is_refused(bad)) << bad;
}

}  // namespace
}  // namespace waybill::domain
