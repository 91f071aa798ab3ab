#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "matching/awaited_events.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::worker {

/// The events for which the later events of a record are searched.
struct WantedEvents {
  const matching::AwaitedEvents* cancel_on = nullptr;  // those that cancel the run; null: none
  const matching::AwaitedEvents* awaited = nullptr;    // those that end its wait; null: none
  Time until = Time::max();                            // a later event does not end the wait
};

/// The effect that the later events of its record have on a run.
struct LaterEvents {
  bool is_cancelled = false;
  std::optional<std::uint64_t> ended_by = {};  // the event that ends the wait
  std::uint64_t looked_to = 0;                 // the last event that was looked at
  bool has_more = false;                       // the search is to be continued after `looked_to`
};

/// Searches the events of a run's record after the event `after`, in their order, for the first one that
/// cancels the run or ends its wait. Events that the run itself has caused, and those that cannot be read,
/// are passed over. An event that does both cancels. The conditions see the record as of the event, with its
/// present relatives. A call looks at a bounded number of events. Throws DatabaseUnavailable, StatementError,
/// or ColumnsChanged if a migration changed the tables.
LaterEvents look_at_later_events(storage::Session& session, storage::RecordColumns& columns,
                                 const storage::RunKey& run, std::uint64_t after, const WantedEvents& wanted);

}  // namespace waybill::worker
