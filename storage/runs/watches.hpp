#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// A record with a business.
struct WatchedRecord {
  Guid business_id;
  Guid entity_id;
  bool operator==(const WatchedRecord&) const = default;
};

/// The open runs of a version of a workflow for a record, whose later events concern them.
struct Watch {
  WatchedRecord record;
  Guid workflow_id;
  int version;
  int step;  // the step in which the runs wait for an event; 0 while they do not
  bool operator==(const Watch&) const = default;
};

/// An event that concerns the runs of a watch which began before it.
struct WatchEnd {
  Watch watch;
  bool cancels;  // false: it ends the wait of the step
  std::uint64_t event_id;
  std::optional<Guid> causing_run;  // the run that caused the event, which does not concern it
  /// The event is the move of a shipment's label. It makes the runs due that wait for its purchase, whatever
  /// their record; of `watch` only the shipment is set.
  bool moves_label = false;
};

/// Returns the watches of some records, each once. Throws DatabaseUnavailable or StatementError, like the
/// following functions.
std::vector<Watch> watches_of(Session& session, std::span<const WatchedRecord> records);

/// Ends the open runs that events cancel, as skipped with the code CANCELLED_BY_EVENT. Part of the
/// transaction that takes the events off the outbox, before any change of records that these runs request.
void cancel_watching(Session& session, std::span<const WatchEnd> ends);

/// Makes the runs due whose waits events end. Part of the same transaction.
void wake_watching(Session& session, std::span<const WatchEnd> ends);

}  // namespace waybill::storage
