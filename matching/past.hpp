#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/change.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/unreadable.hpp"
#include "storage/events/past_events.hpp"
#include "storage/events/record_columns.hpp"

namespace waybill::matching {

/// A past event as the matcher saw it.
struct PastChange {
  const storage::StoredEvent* event;
  domain::Change change;
  domain::TriggerSet fired;
  domain::Subject subject() const { return {change.entity, change.previous, change.created}; }
};

/// A past event that cannot be read as a change, and the reason.
struct UnreadableEvent {
  const storage::StoredEvent* event;
  Unreadable problem;
  /// The triggers that it may have met.
  domain::TriggerSet possible() const;
};

/// Reads past events as changes. One thread. Throws DatabaseUnavailable, StatementError, or ColumnsChanged
/// if a migration changed the tables.
class PastReader {
 public:
  explicit PastReader(storage::Session& session) : events_(session), columns_(session) {}

  storage::PastEvents& events() { return events_; }

  /// The changes of those events, in the same order, without relatives. Unreadable events are left out, and
  /// appended to `unreadable` unless it is null. The events must outlive the results.
  std::vector<PastChange> changes(std::span<const storage::StoredEvent> events,
                                  const json::storage_ptr& memory = {},
                                  std::vector<UnreadableEvent>* unreadable = nullptr);

  /// The record before an event that changed it, without relatives.
  json::object entity_before(const storage::StoredEvent& event);

  /// Fills in the relatives as they were at the time of each event.
  void fill_relatives(std::span<PastChange* const> changes);
  /// Completes the old values of a change as `fill_relatives` does, and leaves its record as it is.
  void fill_previous(PastChange& change);

 private:
  storage::PastEvents events_;
  storage::RecordColumns columns_;
};

/// The last event of a record, and its change. The record of the change is without relatives.
struct LastChange {
  std::uint64_t event_id = 0;  // 0 if there is no readable event
  Time at = {};
  domain::Change change = {};
};
LastChange last_change(storage::Session& session, const Guid& business, const Guid& entity);

}  // namespace waybill::matching
