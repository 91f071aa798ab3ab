#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matching/rule.hpp"
#include "storage/past_events.hpp"

namespace waybill::matching {

struct Backtest {
  struct Match {
    Guid entity_id;
    std::uint64_t event_id;
    Time at;
  };
  std::uint64_t events = 0;  // of the entity type
  std::uint64_t matches = 0;
  std::map<std::string, std::uint64_t> per_day;  // matches by UTC date, days without any left out
  std::vector<Match> sample;                     // the latest, newest first
  bool complete = true;                          // false: the deadline came first
};

inline constexpr std::size_t backtest_sample = 20;

/// Which of the events that are kept the rule would have fired for, with relatives as they were at the time:
/// of an unchanged workflow exactly its runs. Throws DatabaseUnavailable or StatementError.
Backtest backtest(storage::Session& session, const Rule& rule, const storage::PastEvents::Range& range,
                  std::chrono::steady_clock::time_point deadline);

}  // namespace waybill::matching
