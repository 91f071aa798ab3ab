#include "api/workflows/merged_destinations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace waybill::api {
namespace {

constexpr std::size_t most_workflows = 20;

BreakerState state_of(const DestinationReport& report, Time now) {
  if (!report.next_probe) return BreakerState::closed;
  return *report.next_probe > now ? BreakerState::open : BreakerState::half_open;
}

void add_workflows(std::vector<Guid>& workflows, const std::vector<Guid>& more) {
  for (const Guid& workflow : more) {
    if (workflows.size() < most_workflows && std::ranges::find(workflows, workflow) == workflows.end())
      workflows.push_back(workflow);
  }
}

void add(MergedDestination& merged, const DestinationReport& report, Time now) {
  if (report.is_live) {
    const BreakerState state = state_of(report, now);
    merged.state = std::max(merged.state, state);
    merged.places = merged.places.value_or(0) + report.places;
    if (report.next_probe)
      merged.next_probe = std::min(merged.next_probe.value_or(*report.next_probe), *report.next_probe);
  }
  merged.succeeded += report.succeeded;
  merged.failed += report.failed;
  for (std::size_t i = 0; i < report.durations.size(); ++i)
    merged.durations[i % net::duration_classes] += report.durations[i];
  add_workflows(merged.workflows, report.workflows);
  merged.as_of = std::max(merged.as_of, report.published_at);
}

void add(MergedDestination& others, const MergedDestination& one) {
  others.state = std::max(others.state, one.state);
  if (one.places) others.places = others.places.value_or(0) + *one.places;
  if (one.next_probe)
    others.next_probe = std::min(others.next_probe.value_or(*one.next_probe), *one.next_probe);
  others.succeeded += one.succeeded;
  others.failed += one.failed;
  for (std::size_t i = 0; i < one.durations.size(); ++i) others.durations[i] += one.durations[i];
  add_workflows(others.workflows, one.workflows);
  if (one.kind == text(net::DestinationKind::webhook)) others.other_names.push_back(one.name);
  others.as_of = std::max(others.as_of, one.as_of);
}

}  // namespace

std::vector<MergedDestination> merge_reports(const std::vector<DestinationReport>& reports, Time now,
                                             std::size_t most) {
  std::map<std::pair<std::string, std::string>, MergedDestination> by_name;
  for (const DestinationReport& report : reports) {
    MergedDestination& merged = by_name[{report.kind, report.name}];
    merged.kind = report.kind;
    merged.name = report.name;
    add(merged, report, now);
  }
  std::vector<MergedDestination> all;
  std::optional<MergedDestination> others;
  for (auto& [name, merged] : by_name) {
    if (merged.is_others()) {
      others = std::move(merged);
    } else {
      all.push_back(std::move(merged));
    }
  }
  std::ranges::sort(all, [](const MergedDestination& a, const MergedDestination& b) {
    return std::tuple(b.state, b.succeeded + b.failed, std::tie(a.name, a.kind)) <
           std::tuple(a.state, a.succeeded + a.failed, std::tie(b.name, b.kind));
  });
  if (all.size() > most && !others) {
    others.emplace();
    others->kind = others->name = net::other_destinations;
  }
  for (std::size_t i = most; i < all.size(); ++i) add(*others, all[i]);
  if (all.size() > most) all.resize(most);
  if (others) all.push_back(std::move(*others));
  return all;
}

std::optional<std::int64_t> p95_ms(const std::array<std::int64_t, net::duration_classes>& durations) {
  const auto attempts = std::accumulate(durations.begin(), durations.end(), std::int64_t{0});
  if (attempts == 0) return std::nullopt;
  const auto within = static_cast<std::int64_t>(std::ceil(0.95 * static_cast<double>(attempts)));
  std::int64_t before = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    before += durations[i];
    // The middle of the class, on its logarithmic scale.
    if (before >= within)
      return std::max<std::int64_t>(std::llround(net::upper_bound_ms(i) / std::exp2(0.25)), 1);
  }
  return std::nullopt;
}

}  // namespace waybill::api
