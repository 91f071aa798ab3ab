#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waybill::domain {

/// The counts of a workflow, a store or a carrier, by the hours of the business's wall clock: firings,
/// orders, scans. The last element of each list is the present hour, which is not over; the lists have equal
/// lengths.
struct CountHistory {
  std::vector<std::int64_t> counts;
  /// The numbers that tell how much the business has to do: those that are nearest to the counts, and others.
  /// Both are empty if nothing tells it. The demand is then taken as usual.
  std::vector<std::int64_t> events, other_events;
  std::vector<bool> closed;          // the hours in which nothing is expected; empty: none
  std::size_t hour_of_day = 0;       // of the present hour
  double present = 0;                // the part of the present hour that is over
  std::optional<double> since_last;  // hours since the last count; nullopt: none is known
  double active = 0;                 // hours since it could begin to bring something
  std::size_t learned = 0;           // hours since the counts mean the same
  bool is_scheduled = false;         // counts come at times, and perhaps many at once
};

/// The hours of a history that are used: the present week and the 8 weeks before it.
inline constexpr std::size_t hours_of_history = std::size_t{57} * 24;

/// A number that is usual for a time, with a probability of about 95 %.
struct ExpectedCount {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// A time in which so little came that chance explains it in less than one case of 10 000.
struct Silence {
  double hours = 0;  // until now
  std::int64_t count = 0;
  ExpectedCount expected;
  /// The nearest events in this time, and the least and the most in the same hours of the weeks before.
  std::int64_t events = 0;
  ExpectedCount expected_events;
};

struct SilenceJudgement {
  /// The usual number of the present hour and the 24 before it; nullopt for what is not judged, because it
  /// has learned for less than 14 days or a count of 20, or brings less than one a day.
  std::optional<ExpectedCount> last_day;
  std::optional<Silence> silence;
  bool is_usual = false;  // the latest counts are as many as expected, so an earlier silence is over
  /// The hours, at most 6, in which it cannot become silent, even if nothing comes.
  double next_look = 6;
};

/// True if there are enough of these numbers to tell how much a business has to do.
bool tells_demand(std::span<const std::int64_t> events);

/// Compares the latest counts with those at the same weekdays and hours of the last 8 weeks. With fewer
/// events, fewer counts are expected, unless the nearest events stop and others do not.
SilenceJudgement judge_silence(const CountHistory& history);

}  // namespace waybill::domain
