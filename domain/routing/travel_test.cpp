#include "domain/routing/travel.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;

constexpr double degrees_per_metre = 1 / 111'195.0;

/// `metres` north of some place at `seconds`.
Fix fix(double seconds, double metres) { return {seconds, {38.7 + metres * degrees_per_metre, -9.1}}; }

TravelDay day(const std::vector<Fix>& fixes) { return summarise_day(fixes); }

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

TEST(Travel, DurationsAreHoursAndMinutes) {
  EXPECT_EQ(hours_and_minutes(3h + 45min), "3h 45m");
  EXPECT_EQ(hours_and_minutes(59s), "0h 0m");
  EXPECT_EQ(hours_and_minutes(60s), "0h 1m");
  EXPECT_EQ(hours_and_minutes(100h), "100h 0m");
}

}  // namespace
}  // namespace waybill::domain
