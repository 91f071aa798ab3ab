#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "matching/rule.hpp"
#include "storage/events/past_events.hpp"

namespace waybill::matching {

/// The condition that explains why a workflow fires less, with values of past events.
struct FailingCondition {
  /// The most frequent values of some events, at most three, shortened.
  struct Values {
    struct Value {
      std::string text;  // JSON; a long one is cut off, with an ellipsis
      std::int64_t count = 0;
    };
    std::vector<Value> values;
    std::int64_t events = 0;  // that have been read
  };
  std::string path, op;
  std::string expected;     // as the values
  std::int64_t failed = 0;  // of the events since then
  std::int64_t evaluated = 0;
  Values before;  // of the events before for which the workflow fired
  Values now;     // of the events since then for which the condition failed
};

/// Compares a sample of the events in a time with a sample of those before it: the latest thousand of each,
/// and at most 4 MiB. Returns the comparison that fails most often among the events that meet the triggers,
/// compared with the events before; nullopt if none fails more often than before, if there are no such
/// events, or if `deadline` passes first. For a timer or a schedule, all events count. Throws
/// DatabaseUnavailable, StatementError, or ColumnsChanged.
std::optional<FailingCondition> failing_condition(storage::Session& session, const Rule& rule,
                                                  const Guid& business, Time since, Time until,
                                                  std::chrono::steady_clock::time_point deadline);

/// A value as JSON of at most about 80 bytes.
std::string shown_value(const json::value& value);

}  // namespace waybill::matching
