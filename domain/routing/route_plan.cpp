#include "domain/routing/route_plan.hpp"

#include <cmath>
#include <optional>

namespace waybill::domain {
namespace {

// An index into the distances; empty for an unknown place.
using Place = std::optional<std::size_t>;

class Planner {
 public:
  explicit Planner(const RouteProblem& problem) : problem_(problem) {
    if (problem.has_origin) origin_ = 0;
    std::size_t next = problem.has_origin ? 1 : 0;
    for (const auto& stop : problem.stops) places_.push_back(stop.is_located ? Place(next++) : Place());
  }

  RoutePlan plan() {
    Place start = origin_;
    std::vector<std::size_t> open;
    std::vector<std::size_t> unlocated;
    for (std::size_t index = 0; index < places_.size(); ++index) {
      if (problem_.stops[index].is_done) {
        plan_.order.push_back(index);
        if (places_[index]) start = places_[index];
      } else {
        (places_[index] ? open : unlocated).push_back(index);
      }
    }
    append_shortest(start, open);
    plan_.order.insert(plan_.order.end(), unlocated.begin(), unlocated.end());
    compute_times();
    return std::move(plan_);
  }

 private:
  double distance(const Place& from, const Place& to) const {
    return from && to ? problem_.distances(*from, *to) : 0;
  }

  void append_shortest(const Place& start, const std::vector<std::size_t>& open) {
    const bool is_tour = start == origin_;
    std::vector<Place> nodes{start};
    for (const auto stop : open) nodes.push_back(places_[stop]);
    if (!is_tour) nodes.push_back(origin_);
    Distances between(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (i != j) between(i, j) = distance(nodes[i], nodes[j]);
      }
    }
    for (const auto node : is_tour ? shortest_tour(between) : shortest_path(between)) {
      if (node >= 1 && node <= open.size()) plan_.order.push_back(open[node - 1]);
    }
  }

  static std::chrono::seconds driving_time(double kilometres) {
    constexpr double seconds_per_hour = 3600;
    return std::chrono::seconds(std::llround(kilometres / speed_kmh * seconds_per_hour));
  }

  void compute_times() {
    Place at = origin_;
    std::size_t served = 0;
    for (const auto stop : plan_.order) {
      if (!places_[stop]) {
        plan_.arrivals.emplace_back();
        continue;
      }
      plan_.kilometres += distance(at, places_[stop]);
      at = places_[stop];
      plan_.arrivals.emplace_back(driving_time(plan_.kilometres) + service_time * served++);
    }
    plan_.kilometres += distance(at, origin_);
    plan_.duration = driving_time(plan_.kilometres) + service_time * served;
  }

  const RouteProblem& problem_;
  Place origin_;
  std::vector<Place> places_;  // by stop
  RoutePlan plan_;
};

}  // namespace

RoutePlan plan_route(const RouteProblem& problem) { return Planner(problem).plan(); }

}  // namespace waybill::domain
