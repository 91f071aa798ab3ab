#include "domain/routing/route_plan.hpp"

#include <cmath>
#include <optional>

#include <gmock/gmock.h>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// Places on a line, at these kilometres.
Distances line(const std::vector<double>& places) {
  Distances distances(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) distances(i, j) = std::abs(places[i] - places[j]);
  }
  return distances;
}

constexpr RouteStop open{.is_located = true, .is_done = false};
constexpr RouteStop done{.is_located = true, .is_done = true};
constexpr RouteStop lost{.is_located = false, .is_done = false};

TEST(RoutePlan, DrivesAt40AndTakesFiveMinutesAStop) {
  const std::vector<RouteStop> stops{open, open};
  const auto distances = line({0, 20, 10});  // the business, then the stops
  const auto plan = plan_route({.has_origin = true, .stops = stops, .distances = distances});
  ASSERT_EQ(plan.order.size(), 2U);
  EXPECT_EQ(plan.kilometres, 40) << "there and back";
  EXPECT_EQ(plan.duration, 60min + 10min);
  const bool near_first = plan.order.front() == 1;
  EXPECT_EQ(plan.arrivals.front(), near_first ? 15min : 30min);
  EXPECT_EQ(plan.arrivals.back(), near_first ? 35min : 50min);
}

TEST(RoutePlan, DoneStopsStayFirstAndTheRestContinuesFromTheLast) {
  const std::vector<RouteStop> stops{open, done, open, done, open};
  const auto distances = line({0, 1, 5, 9, 10, 11});
  const auto plan = plan_route({.has_origin = true, .stops = stops, .distances = distances});
  EXPECT_THAT(plan.order, ElementsAre(1, 3, 4, 2, 0));
  EXPECT_EQ(plan.kilometres, 5 + 5 + 1 + 2 + 8 + 1);
}

TEST(RoutePlan, StopsWithoutALocationComeLastAndAreNotPlanned) {
  const std::vector<RouteStop> stops{lost, open, lost};
  const auto distances = line({0, 4});
  const auto plan = plan_route({.has_origin = true, .stops = stops, .distances = distances});
  EXPECT_THAT(plan.order, ElementsAre(1, 0, 2));
  EXPECT_EQ(plan.kilometres, 8);
  EXPECT_EQ(plan.duration, 12min + 5min) << "without the lost ones";
  EXPECT_THAT(plan.arrivals, ElementsAre(6min, std::nullopt, std::nullopt));
}

TEST(RoutePlan, ADoneStopWithoutALocationIsNotPlannedEither) {
  const std::vector<RouteStop> stops{{.is_located = false, .is_done = true}, open};
  const auto distances = line({0, 4});
  const auto plan = plan_route({.has_origin = true, .stops = stops, .distances = distances});
  EXPECT_THAT(plan.order, ElementsAre(0, 1));
  EXPECT_THAT(plan.arrivals, ElementsAre(std::nullopt, 6min));
}

TEST(RoutePlan, WithoutAnyLocationAllIsUnknown) {
  const std::vector<RouteStop> stops{lost, lost};
  const auto plan = plan_route({.has_origin = true, .stops = stops, .distances = Distances(1)});
  EXPECT_THAT(plan.order, ElementsAre(0, 1));
  EXPECT_THAT(plan.arrivals, ElementsAre(std::nullopt, std::nullopt));
  EXPECT_EQ(plan.kilometres, 0);
  EXPECT_EQ(plan.duration, 0min);
}

TEST(RoutePlan, WithoutAnOriginItBeginsAndEndsWhereItIsShortest) {
  const std::vector<RouteStop> stops{open, open, open};
  const auto distances = line({5, 0, 10});
  const auto plan = plan_route({.has_origin = false, .stops = stops, .distances = distances});
  EXPECT_EQ(plan.kilometres, 10);
  EXPECT_EQ(plan.order[1], 0U);
  EXPECT_EQ(plan.arrivals.front(), 0min);
}

TEST(RoutePlan, WithoutAnOriginTheRestContinuesFromTheLastDone) {
  const std::vector<RouteStop> stops{done, open, open, open};
  const auto distances = line({5, 20, 6, 10});
  const auto plan = plan_route({.has_origin = false, .stops = stops, .distances = distances});
  EXPECT_THAT(plan.order, ElementsAre(0, 2, 3, 1));
  EXPECT_EQ(plan.kilometres, 15);
}

TEST(RoutePlan, NoStopsGiveAnEmptyRoute) {
  const auto plan = plan_route({.has_origin = true, .stops = {}, .distances = Distances(1)});
  EXPECT_TRUE(plan.order.empty());
  EXPECT_EQ(plan.kilometres, 0);
  EXPECT_EQ(plan.duration, 0min);
}

}  // namespace
}  // namespace waybill::domain
