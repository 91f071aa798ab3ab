#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "matching/rule.hpp"
#include "storage/events/past_events.hpp"

namespace waybill::matching {

struct Backtest {
  /// A comparison, how often it was evaluated, and how often it held. It is evaluated for each event that
  /// meets the triggers, and for a timer each time that it comes due.
  struct ConditionCount {
    std::string path, op;
    json::value expected;
    std::uint64_t held = 0, evaluated = 0;
  };
  struct Match {
    Guid entity_id;
    std::optional<std::uint64_t> event_id;  // nullopt for a schedule
    Time at;
  };
  std::uint64_t events = 0;  // events of the entity type
  std::uint64_t matches = 0;
  std::uint64_t too_much_work = 0;               // events for which the conditions need too much of it
  std::map<std::string, std::uint64_t> per_day;  // matches by UTC date; days without matches are left out
  std::vector<Match> sample;                     // the latest matches, newest first
  bool complete = true;                          // false if the deadline ended the search
  std::vector<ConditionCount> conditions;        // only if wanted
  std::vector<Match> all;                        // all events that match, in the order found; only if wanted
};

/// The further results that a backtest has. A schedule has neither of them.
struct BacktestWanted {
  bool conditions = false;
  bool all = false;
};

/// The matches of two backtests of the same period that the other does not have.
struct BacktestDifference {
  struct Only {
    Backtest::Match match;
    bool of_first;
  };
  std::uint64_t only_first = 0, only_second = 0;
  std::vector<Only> sample;  // the latest, newest first
};
BacktestDifference compare(const Backtest& first, const Backtest& second);

inline constexpr std::size_t backtest_sample = 20;

/// Finds the stored events for which the rule would have fired, with relatives as they were at the time. For
/// an unchanged workflow these are exactly its runs. For a timer, finds the times at which it would have come
/// due with its conditions met, according to the stored events; a match then names the last event before it.
/// For a digest, counts the digests that it would have had, each a match at its first event. For a schedule,
/// see backtest_schedule. Throws DatabaseUnavailable or StatementError.
Backtest backtest(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range,
                  std::chrono::steady_clock::time_point deadline, BacktestWanted wanted = {});

}  // namespace waybill::matching
