#include "domain/routing/travel.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;

constexpr double degrees_per_metre = 1 / 111'195.0;

/// `metres` north of some place at `seconds`.
Fix fix(double seconds, double metres) { return {seconds, {38.7 + metres * degrees_per_metre, -9.1}}; }

constexpr double seconds_of_day = 86'400;

/// The days of `fixes`, which begin at `offset` and are 24 hours long.
std::vector<TravelDay> days(const std::vector<Fix>& fixes, double offset = 0) {
  Travel travel;
  for (std::size_t begin = 0; begin < fixes.size();) {
    const double starts = offset + std::floor((fixes[begin].at - offset) / seconds_of_day) * seconds_of_day;
    std::size_t end = begin;
    while (end < fixes.size() && fixes[end].at < starts + seconds_of_day) ++end;
    travel.add(starts, starts + seconds_of_day, std::span(fixes).subspan(begin, end - begin));
    begin = end;
  }
  return travel.finish();
}

TravelDay day(const std::vector<Fix>& fixes) { return days(fixes).front(); }

TEST(Travel, SumsTheDistancesBetweenFixes) {
  const auto travel = day({fix(0, 0), fix(60, 1000), fix(120, 500)});
  EXPECT_NEAR(travel.kilometres, 1.5, 0.001);
  EXPECT_EQ(travel.moving, 120s);
  EXPECT_EQ(travel.stops, 0);
}

TEST(Travel, AStopIsFiveMinutesOrMoreWithin100Metres) {
  EXPECT_EQ(day({fix(0, 0), fix(299, 0), fix(400, 5000)}).stops, 0);
  EXPECT_EQ(day({fix(0, 0), fix(300, 0), fix(400, 5000)}).stops, 1);
  EXPECT_EQ(day({fix(0, 0), fix(300, 99), fix(400, 5000)}).stops, 1);
  EXPECT_EQ(day({fix(0, 0), fix(300, 101), fix(400, 5000)}).stops, 0);
  EXPECT_EQ(day({fix(0, 0), fix(200, 50), fix(250, 200), fix(300, 0)}).stops, 0) << "left in between";
}

TEST(Travel, StandingIsNotTravel) {
  const auto travel = day({fix(0, 0), fix(100, 5000), fix(300, 5010), fix(700, 4990), fix(800, 10'000)});
  EXPECT_EQ(travel.stops, 1);
  EXPECT_EQ(travel.moving, 200s);
  EXPECT_NEAR(travel.kilometres, 10.01, 0.001) << "without the wobble";
}

TEST(Travel, ADayMayEndInAStop) {
  const auto travel = day({fix(0, 0), fix(60, 1000), fix(1000, 1000), fix(2000, 1000)});
  EXPECT_EQ(travel.stops, 1);
  EXPECT_EQ(travel.moving, 60s);
  EXPECT_EQ(travel.end, fix(0, 1000).point);
}

TEST(Travel, OneFixIsNotTravel) {
  const auto travel = day({fix(0, 0)});
  EXPECT_EQ(travel.stops, 0);
  EXPECT_EQ(travel.kilometres, 0);
  EXPECT_EQ(travel.moving, 0s);
}

TEST(Travel, TheWayOverMidnightIsDividedByTime) {
  const auto both = days({fix(86'300, 0), fix(86'380, 800), fix(86'420, 4800), fix(86'500, 5600)});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0].kilometres, 2.8, 0.001);
  EXPECT_EQ(both[0].moving, 100s);
  EXPECT_NEAR(both[1].kilometres, 2.8, 0.001);
  EXPECT_EQ(both[1].moving, 100s);
  EXPECT_EQ(both[0].end, fix(0, 800).point) << "a real position";
}

TEST(Travel, TheSumOfTheDaysDoesNotDependOnWhereTheyBegin) {
  std::vector<Fix> fixes;
  double at = 1000, metres = 0;
  for (int i = 0; i < 600; ++i) {
    fixes.push_back(fix(at, metres));
    at += i % 50 == 7 ? 1800 : 97 + i % 13;          // a long way without a position
    if (i % 90 < 80) metres += 150.0 + i % 7 * 400;  // else it stands for a quarter of an hour
  }
  const auto sum = [&](double offset) {
    TravelDay all;
    for (const TravelDay& each : days(fixes, offset)) {
      all.kilometres += each.kilometres;
      all.moving += each.moving;
    }
    return all;
  };
  const auto first = sum(0);
  EXPECT_GT(first.kilometres, 500);
  for (double offset = -40'000; offset < 40'000; offset += 1111) {
    const auto other = sum(offset);
    EXPECT_NEAR(other.kilometres, first.kilometres, 1e-6) << offset;
    EXPECT_LE(std::abs((other.moving - first.moving).count()), 2) << offset;
  }
}

TEST(Travel, AStopOverMidnightCountsWhereItBeginsAndWhereItLastsFiveMinutes) {
  const auto stops = [](double from, double until) {
    const auto both = days({fix(80'000, 0), fix(from, 50'000), fix(until, 50'010), fix(until + 900, 60'000)});
    EXPECT_EQ(both.size(), 2U);
    EXPECT_NEAR(both[0].kilometres + both[1].kilometres, 60, 0.02);
    EXPECT_EQ(both[0].moving + both[1].moving, std::chrono::seconds(std::int64_t(from) - 80'000 + 900));
    return std::pair(both[0].stops, both[1].stops);
  };
  EXPECT_EQ(stops(86'220, 86'580), std::pair(1, 0)) << "three minutes on each side";
  EXPECT_EQ(stops(86'350, 90'000), std::pair(1, 1));
  EXPECT_EQ(stops(86'000, 86'460), std::pair(1, 0));
}

TEST(Travel, ADayMayHave23Or25Hours) {
  Travel travel;
  travel.add(0, 82'800, std::vector{fix(82'700, 0)});
  travel.add(82'800, 172'800, std::vector{fix(82'900, 4000)});
  const auto both = travel.finish();
  EXPECT_NEAR(both[0].kilometres, 2, 0.001);
  EXPECT_NEAR(both[1].kilometres, 2, 0.001);
}

TEST(Travel, NothingIsKnownOfMoreThanADayWithoutAPosition) {
  const auto apart = days({fix(0, 0), fix(90'000, 50'000)});
  EXPECT_EQ(apart[0].kilometres + apart[1].kilometres, 0);
  const auto overnight = days({fix(50'000, 0), fix(130'000, 50'000)});
  EXPECT_NEAR(overnight[0].kilometres + overnight[1].kilometres, 50, 0.02);
}

TEST(Travel, DurationsAreHoursAndMinutes) {
  EXPECT_EQ(hours_and_minutes(3h + 45min), "3h 45m");
  EXPECT_EQ(hours_and_minutes(59s), "0h 0m");
  EXPECT_EQ(hours_and_minutes(60s), "0h 1m");
  EXPECT_EQ(hours_and_minutes(100h), "100h 0m");
}

}  // namespace
}  // namespace waybill::domain
