#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guid.hpp"
#include "matching/awaited_events.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/watches.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Finds out what events do to the open runs of their records: which they cancel, and which waits they end.
/// The move of a shipment's label ends the waits for its purchase, also of runs for the shipment's order.
/// Changes nothing. A run that begins a wait later looks at the events itself (later_events.hpp). One thread.
class WatchMatcher {
 public:
  /// The ends of one event.
  struct EndsOfEvent {
    std::vector<storage::WatchEnd> ends;
    bool are_of_queued =
        false;  // an end is for runs in the queue; the others are for runs that may come to it
  };
  using Ends = std::unordered_map<storage::EventKey, EndsOfEvent, storage::EventKeyHash>;

  explicit WatchMatcher(const Catalogue& catalogue) : catalogue_(catalogue) {}

  /// Returns the ends of the events that have any. Only runs of `workflow` count if it is not null. The runs
  /// of events before `unrecorded_since` and before these events are in the queue. Throws
  /// DatabaseUnavailable, StatementError, or ColumnsChanged if a migration changed the tables.
  Ends match(storage::Session& session, storage::RecordColumns& columns,
             std::span<const storage::StoredEvent> events, const Guid* workflow = nullptr,
             Time unrecorded_since = Time::max());

  /// Forgets the earlier versions of workflows: a server that lost changes can give their numbers again.
  void reconnected() { rules_.clear(); }

 private:
  /// The events that concern the runs of one version.
  struct Rules {
    std::optional<matching::AwaitedEvents> cancel_on;
    std::map<int, matching::AwaitedEvents> awaited;  // by step
    bool reads_relatives() const;
  };
  using RulesPtr = std::shared_ptr<const Rules>;
  using Version = std::pair<Guid, int>;

  std::vector<storage::WatchEnd> ends_of(storage::Session& session, storage::RecordColumns& columns,
                                         const storage::StoredEvent& event,
                                         const std::vector<storage::Watch>& watches);
  bool moves_label(storage::RecordColumns& columns, const storage::StoredEvent& event) const;
  std::vector<storage::Watch> possible_watches(const storage::StoredEvent& event,
                                               Time unrecorded_since) const;
  RulesPtr find_rules(storage::Session& session, const storage::Watch& watch);
  static RulesPtr rules_of(const std::vector<matching::Step>& steps,
                           std::optional<matching::AwaitedEvents> cancel_on);
  RulesPtr read_rules(storage::Session& session, const storage::Watch& watch) const;

  const Catalogue& catalogue_;
  std::map<Version, RulesPtr> rules_;  // of earlier versions; null if this binary cannot read one
};

}  // namespace waybill::worker
