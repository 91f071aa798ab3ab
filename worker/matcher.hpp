#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "storage/outbox.hpp"
#include "storage/record_columns.hpp"
#include "storage/run_store.hpp"
#include "worker/catalogue.hpp"

namespace waybill::worker {

/// A run to be made: what is stored of it, and what its action needs.
struct PlannedRun {
  storage::Run run;
  json::object request;
  bool is_paused = false;  // its workflow
};

/// An event and the runs it causes; none at all is usual.
struct MatchedEvent {
  std::int16_t shard;
  storage::EventKey key;
  std::vector<PlannedRun> runs;
  bool orphan =
      false;  // a worker may have been lost over it: its runs are tried by way of the queue, which counts
};

/// Turns events into runs: which triggers fired, whose conditions hold, what will be sent. Changes nothing;
/// the same event and workflow always give the same run guid. One thread.
class Matcher {
 public:
  Matcher(const Catalogue& catalogue, const Clock& clock) : catalogue_(catalogue), clock_(clock) {}

  /// Reads the events' relatives and the rows that are not among `rows` through `session` and matches them,
  /// in the order given. Once they cause more runs than a batch may hold, the later events are left out.
  /// Throws DatabaseUnavailable or StatementError, or ColumnsChanged when a migration ran meanwhile: call it
  /// again.
  std::vector<MatchedEvent> match(storage::Session& session, std::span<const storage::PendingEvent> events,
                                  std::vector<storage::StoredEvent> rows);

  /// Looks again at runs whose delay is over: calls off those whose record is gone or no longer meets its
  /// workflow's conditions as it now is. Others stay as they are. Throws like `match`.
  void check_again(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

 private:
  struct Candidate;
  bool still_holds(const domain::Conditions& conditions, const storage::StoredEvent& event,
                   const storage::StoredEvent& current, storage::Outbox& outbox);
  std::map<Guid, matching::Rule> earlier_rules(storage::Session& session,
                                               const std::vector<storage::ClaimedRun>& runs) const;

  std::vector<MatchedEvent> match_all(storage::Session& session,
                                      std::span<const storage::PendingEvent> events,
                                      std::vector<storage::StoredEvent> rows);
  std::optional<Candidate> candidate(const storage::StoredEvent& event, const json::storage_ptr& memory);
  PlannedRun plan(const Candidate& candidate, const WorkflowPtr& workflow) const;

  const Catalogue& catalogue_;
  const Clock& clock_;
  std::optional<storage::RecordColumns> columns_;
};

}  // namespace waybill::worker
