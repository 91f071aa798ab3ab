#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace waybill::domain {

/// The numbers of firings of one workflow, and of the matched events of its business, by the hours of the
/// business's wall clock. The last element of each list is the present hour, which is not over; the lists
/// have equal lengths.
struct FiringHistory {
  std::vector<std::int64_t> firings;
  std::vector<std::int64_t> events;        // of the entity type of the workflow
  std::vector<std::int64_t> other_events;  // of the other entity types
  double present = 0;                      // the part of the present hour that is over
  std::optional<double> since_last;        // hours since the last firing; nullopt: none is known
  double active = 0;                       // hours since the workflow was switched on
  std::size_t learned = 0;                 // hours since the conditions or triggers last changed
  bool is_scheduled = false;               // fires at times, and perhaps many times at once
};

/// The hours of a history that are used: the present week and the 8 weeks before it.
inline constexpr std::size_t hours_of_history = std::size_t{57} * 24;

/// A number of firings that is usual for a time, with a probability of about 95 %.
struct ExpectedFirings {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// A time in which a workflow fired so seldom that chance explains it in less than one case of 10 000.
struct Silence {
  double hours = 0;  // until now
  std::int64_t count = 0;
  ExpectedFirings expected;
};

struct FiringJudgement {
  /// The usual number of firings of the present hour and the 24 before it; nullopt for a workflow that is not
  /// judged, because it has learned for less than 14 days or 20 firings, or fires less than once a day.
  std::optional<ExpectedFirings> last_day;
  std::optional<Silence> silence;
  bool is_usual = false;  // the latest firings are as many as expected, so an earlier silence is over
  /// The hours, at most 6, in which the workflow cannot become silent, even if it does not fire.
  double next_look = 6;
};

/// Compares the latest firings of a workflow with those at the same weekdays and hours of the last 8 weeks.
/// With fewer events of its entity type, fewer firings are expected, unless these events stop while others go
/// on.
FiringJudgement judge_firings(const FiringHistory& history);

}  // namespace waybill::domain
