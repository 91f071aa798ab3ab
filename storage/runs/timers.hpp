#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// The timer of a workflow for a record, as an event or a scan of the records (timer_scans) set it.
struct TimerChange {
  struct Setting {
    Time value;  // value of the timer's field
    Time due;    // unless it counts working days
    int working_days = 0;
    Time since{};  // a working day that is not after this time is not set
  };
  Guid business_id;
  Guid workflow_id;
  Guid entity_id;
  int plan = 0;                      // the version of the workflow that last changed the timer
  std::uint64_t event_id = 0;        // 0 for a scan
  int depth = 0;                     // the number of changes by workflows that led to the value
  std::optional<Setting> setting{};  // nullopt: no time is still to come, so a waiting timer is dropped
};

/// Sets, moves and drops timers; of several changes of one timer, the one with the newest plan and event
/// counts. A timer that a newer plan or event has set stays, and a value that has fired is not set again.
/// Those that count working days come due by the present calendar of the business; if it has no such day, at
/// the end of the search (domain::farthest_working_day). A scan also moves those that an event has set for
/// the same value. Returns when the first of the set ones is due. Throws DatabaseUnavailable or
/// StatementError.
std::optional<Time> change_timers(Session& session, std::span<const TimerChange> changes);

}  // namespace waybill::storage
