#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "domain/routing/tour.hpp"

namespace waybill::domain {

inline constexpr double speed_kmh = 40;
inline constexpr std::chrono::seconds service_time = std::chrono::minutes(5);

struct RouteStop {
  bool is_located = false;
  bool is_done = false;
};

/// A route before planning: its stops in their present order and the distances between the known places.
/// `distances` has the origin first, if there is one, then the located stops in order.
struct RouteProblem {
  bool has_origin = false;
  std::span<const RouteStop> stops;
  const Distances& distances;
};

struct RoutePlan {
  std::vector<std::size_t> order;                             // indexes of the stops
  std::vector<std::optional<std::chrono::seconds>> arrivals;  // in that order, counted from the departure
  double kilometres = 0;                                      // including the way back to the origin
  std::chrono::seconds duration{};                            // driving at 40 km/h, and five minutes a stop
};

/// Plans the order of the stops. Done stops stay first, in their order. The others follow in the shortest
/// order found that ends at the origin. Stops without a location come last; they have no arrival, and
/// kilometres and duration leave them out.
RoutePlan plan_route(const RouteProblem& problem);

}  // namespace waybill::domain
