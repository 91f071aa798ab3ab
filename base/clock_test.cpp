#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

using namespace std::chrono;

Time at(int y, unsigned m, unsigned d, Duration since_midnight = {}) {
  return sys_days(year(y) / month(m) / day(d)) + since_midnight;
}

TEST(Timestamp, IsWrittenInMillisecondsUtc) {
  EXPECT_EQ(format_timestamp(at(2026, 11, 20, 5h + 45min + 12s + 345678us)), "2026-11-20T05:45:12.345Z");
  EXPECT_EQ(format_timestamp(at(1, 1, 1)), "0001-01-01T00:00:00.000Z");
  EXPECT_EQ(format_timestamp(at(1969, 12, 31, 23h + 59min + 59s + 999999us)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(format_timestamp(at(9999, 12, 31, 24h - 1us)), "9999-12-31T23:59:59.999Z");
}

TEST(Timestamp, ReadsRfc3339) {
  struct Case {
    std::string_view text;
    Time time;
  };
  for (const auto& [text, time] : {
           Case{"2026-11-20T05:45:12.345Z", at(2026, 11, 20, 5h + 45min + 12s + 345ms)},
           Case{"2026-11-20T05:45Z", at(2026, 11, 20, 5h + 45min)},
           Case{"2026-11-20T05:45+02:00", at(2026, 11, 20, 3h + 45min)},
           Case{"2026-11-20t05:45:12z", at(2026, 11, 20, 5h + 45min + 12s)},
           Case{"2026-11-20 05:45:12Z", at(2026, 11, 20, 5h + 45min + 12s)},
           Case{"2026-11-20T05:45:12.123456789Z", at(2026, 11, 20, 5h + 45min + 12s + 123456us)},
           Case{"2026-11-20T05:45:12.1+05:30", at(2026, 11, 20, 15min + 12s + 100ms)},
           Case{"2026-01-01T00:00:00+14:00", at(2025, 12, 31, 10h)},
           Case{"2026-12-31T23:59:00-00:01", at(2027, 1, 1)},
           Case{"2024-02-29T00:00:00Z", at(2024, 2, 29)},
           Case{"2016-12-31T23:59:60Z", at(2017, 1, 1)},
           Case{"2016-12-31T23:59:60.5Z", at(2017, 1, 1, 500ms)},
           Case{"2017-01-01T00:59:60+01:00", at(2017, 1, 1)},
           Case{"0001-01-01T00:00:00Z", at(1, 1, 1)},
           Case{"9999-12-31T23:59:59.999Z", at(9999, 12, 31, 24h - 1ms)},
           Case{"9999-12-31T23:59:59.9991Z", at(9999, 12, 31, 24h - 1ms)},
           Case{"9999-12-31T23:59:59.9999999Z", at(9999, 12, 31, 24h - 1ms)},
       }) {
    EXPECT_EQ(parse_timestamp(text), time) << text;
  }
}

TEST(Timestamp, ReadsTheReducedFormWithoutSeconds) {
  EXPECT_EQ(parse_timestamp("2026-11-20T05:45Z"), at(2026, 11, 20, 5h + 45min));
  EXPECT_EQ(parse_timestamp("2026-11-20t05:45z"), at(2026, 11, 20, 5h + 45min));
  EXPECT_EQ(parse_timestamp("2026-11-20 05:45+05:30"), at(2026, 11, 20, 15min));
  EXPECT_EQ(parse_timestamp("2026-12-31T23:59-00:01"), at(2027, 1, 1));
  for (const std::string_view text :
       {"2026-11-20T05:45", "2026-11-20T05Z", "2026-11-20T05:4Z", "2026-11-20T05:60Z", "2026-11-20T24:00Z",
        "2026-11-20T05:45:Z", "2026-11-20T05:45.5Z"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
  EXPECT_FALSE(parse_sql_timestamp("2026-11-20 05:45+00"));
}

TEST(Timestamp, RefusesMalformedTexts) {
  for (const std::string_view text : {"",
                                      "2026-11-20",
                                      "2026-11-20T05:45:12",
                                      "2026-11-20T05:4Z",
                                      "2026-11-20T05:45:12.Z",
                                      "2026-11-20T05:45:12.1234567890Z",
                                      "2026-11-20T24:00:00Z",
                                      "2026-11-20T05:60:00Z",
                                      "2026-11-20T05:45:61Z",
                                      "2026-11-20T05:45:60Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-11-31T00:00:00Z",
                                      "0000-01-01T00:00:00Z",
                                      "0001-01-01T00:00:00+00:01",
                                      "9999-12-31T23:59:59-00:01",
                                      "9999-12-31T23:59:60Z",
                                      "2026-11-20T05:45:12+24:00",
                                      "2026-11-20T05:45:12+01:60",
                                      "2026-11-20T05:45:12+0100",
                                      "2026-11-20T05:45:12Z ",
                                      " 2026-11-20T05:45:12Z",
                                      "+026-11-20T05:45:12Z",
                                      "2026-11-20T05:45:12,5Z",
                                      "2026-1-20T05:45:12Z",
                                      "2026-11-20X05:45:12Z",
                                      "99999-11-20T05:45:12Z"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Date, MustExistInTheCalendar) {
  EXPECT_EQ(parse_date("2024-02-29"), at(2024, 2, 29));
  for (const std::string_view text :
       {"", "2023-02-29", "2026-04-31", "2026-4-01", "2026-04-01Z", "20260401", "0000-01-01"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(SqlTimestamp, IsReadAsPostgresPrintsItInUtc) {
  EXPECT_EQ(parse_sql_timestamp("2026-11-20 05:45:12.345678+00"),
            at(2026, 11, 20, 5h + 45min + 12s + 345678us));
  EXPECT_EQ(parse_sql_timestamp("2026-11-20 05:45:12.5+00"), at(2026, 11, 20, 5h + 45min + 12s + 500ms));
  EXPECT_EQ(parse_sql_timestamp("2026-11-20 05:45:12+00"), at(2026, 11, 20, 5h + 45min + 12s));
  for (const std::string_view text :
       {"infinity", "2026-11-20 05:45:12+01", "2026-11-20 05:45:12", "2026-11-20T05:45:12+00",
        "2026-11-20 05:45:12.1234567+00", "2026-11-20 05:45:12+00 BC", "12026-11-20 05:45:12+00"}) {
    EXPECT_FALSE(parse_sql_timestamp(text)) << text;
  }
}

TEST(SqlTimestamp, IsReadBackAsWritten) {
  for (const Time time : {at(2026, 11, 20, 1us), at(1, 1, 1), at(9999, 12, 31, 24h - 1us)}) {
    EXPECT_EQ(parse_sql_timestamp(format_sql_timestamp(time)), time);
  }
}

TEST(ShiftedTime, StaysWithinTheYearsThatCanBeWritten) {
  const auto shifted_text = [](std::string_view start, Duration by) {
    return format_timestamp(shifted(parse_timestamp(start).value(), by));
  };
  EXPECT_EQ(shifted_text("2026-11-20T05:45:00Z", std::chrono::hours(24)), "2026-11-21T05:45:00.000Z");
  EXPECT_EQ(shifted_text("9999-12-31T12:00:00Z", std::chrono::hours(24)), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(shifted_text("0001-01-01T12:00:00Z", -std::chrono::hours(24)), "0001-01-01T00:00:00.000Z");
}

TEST(TimeOfDay, IsHoursAndMinutes) {
  for (const std::string_view text : {"00:00", "09:30", "23:59"}) EXPECT_TRUE(is_time_of_day(text)) << text;
  for (const std::string_view text : {"", "24:00", "23:60", "9:30", "09:30:00", "0930", "a9:30", "09:3"}) {
    EXPECT_FALSE(is_time_of_day(text)) << text;
  }
}

TEST(DurationText, ReadsWeeksToSeconds) {
  struct Case {
    std::string_view text;
    Duration duration;
    std::string_view normal;
  };
  for (const auto& [text, duration, normal] : {
           Case{"PT2H", 2h, "PT2H"},
           Case{"PT90S", 90s, "PT1M30S"},
           Case{"PT90M", 90min, "PT1H30M"},
           Case{"P1DT30M", 24h + 30min, "P1DT30M"},
           Case{"PT24H", 24h, "P1D"},
           Case{"P1W", weeks(1), "P1W"},
           Case{"P14D", weeks(2), "P2W"},
           Case{"P1W1DT1S", days(8) + 1s, "P8DT1S"},
           Case{"P0D", 0s, "PT0S"},
           Case{"PT0S", 0s, "PT0S"},
           Case{"PT0.5S", 500ms, "PT0.5S"},
           Case{"PT1M1.000001S", 61s + 1us, "PT1M1.000001S"},
           Case{"P366D", longest_duration, "P366D"},
       }) {
    EXPECT_EQ(parse_duration(text), duration) << text;
    EXPECT_EQ(format_duration(duration), normal);
    EXPECT_EQ(parse_duration(format_duration(duration)), duration) << text;
  }
}

TEST(DurationText, RefusesMonthsSignsAndMoreThanAYear) {
  for (const std::string_view text : {"",
                                      "P",
                                      "PT",
                                      "P1DT",
                                      "2H",
                                      "PT2",
                                      "P2H",
                                      "PT2D",
                                      "P1Y",
                                      "P1M",
                                      "-PT2H",
                                      "P-1D",
                                      "+PT2H",
                                      "PT1S1M",
                                      "PT1H1H",
                                      "PT1.5H",
                                      "PT1.S",
                                      "PT1.0000001S",
                                      "pt2h",
                                      "PT2H ",
                                      "P367D",
                                      "P366DT1S",
                                      "PT99999999999S",
                                      "PT0.5S1S",
                                      "P1WT",
                                      "PTT1S"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(UnixTime, IsRoundedDown) {
  EXPECT_EQ(to_unix_ms(at(1970, 1, 1, 1999us)), 1);
  EXPECT_EQ(to_unix_ms(at(1970, 1, 1, -1us)), -1);
  EXPECT_EQ(to_unix_seconds(at(1970, 1, 2, 999ms)), 86'400);
}

TEST(Clock, ReturnsTheTimeOfTheMachine) {
  const Time before = time_point_cast<Duration>(std::chrono::system_clock::now());
  const Time now = waybill::system_clock().now();
  EXPECT_LE(before, now);
  EXPECT_LT(now - before, 1min);
}

}  // namespace
}  // namespace waybill
