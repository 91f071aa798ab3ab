#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "net/destination/destination_counts.hpp"

namespace waybill::api {

/// The last report of one worker about a destination.
struct DestinationReport {
  std::string kind, name;
  bool is_live = false;  // the worker runs, so that its breaker and its places count
  std::int64_t places = 0;
  std::optional<Time> next_probe;  // of an open breaker
  std::int64_t succeeded = 0, failed = 0;
  std::vector<std::int64_t> durations;  // by class, for one or two half hours
  std::vector<Guid> workflows;
  Time published_at;
};

/// The states of a circuit breaker, the worst last. It is half open while a probe is due or under way.
enum class BreakerState : std::uint8_t { closed, half_open, open };

/// A destination of a business, as all workers report it.
struct MergedDestination {
  std::string kind, name;
  BreakerState state = BreakerState::closed;  // the worst of the workers that run
  std::optional<std::int64_t> places;         // of all workers; nullopt if none that runs has used it
  std::optional<Time> next_probe;             // the first one
  std::int64_t succeeded = 0, failed = 0;
  std::array<std::int64_t, net::duration_classes> durations{};
  std::vector<Guid> workflows;           // each once
  std::vector<std::string> other_names;  // of `others`: the webhooks' hosts that were merged into it
  Time as_of;

  bool is_others() const { return kind == net::other_destinations; }
};

/// Merges the reports by destination: those whose breaker is not closed first, then those with the most
/// attempts. Destinations beyond `most`, and those that the workers have counted together, become one, which
/// is the last. Pure.
std::vector<MergedDestination> merge_reports(const std::vector<DestinationReport>& reports, Time now,
                                             std::size_t most);

/// The duration in milliseconds within which 95 of 100 attempts ended, at most a fifth too long or too short;
/// nullopt without attempts. Pure.
std::optional<std::int64_t> p95_ms(const std::array<std::int64_t, net::duration_classes>& durations);

}  // namespace waybill::api
