#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "storage/outbox.hpp"
#include "storage/record_columns.hpp"
#include "storage/run_store.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// Turns events into runs: which triggers fired, whose conditions hold, what will be sent. Changes nothing;
/// the same event and workflow always give the same run guid. One thread.
class Matcher {
 public:
  /// Bounds of planning. The runs of one event are rendered up to a number, a size and a time; those
  /// beyond are queued without their texts, if `may_defer`, and rendered when they are claimed.
  struct Limits {
    std::function<bool(const Guid& business)> has_memory;  // false: all its runs are queued without texts
    bool may_defer = true;
  };

  Matcher(const Catalogue& catalogue, const Clock& clock) : catalogue_(catalogue), clock_(clock) {}

  /// Reads the events' relatives and the rows that are not among `rows` through `session` and matches them,
  /// in the order given. Once a batch holds as many runs or bytes as it may, or has taken its time, the later
  /// events are left out; the first is always matched. Throws DatabaseUnavailable or StatementError, or
  /// ColumnsChanged when a migration ran meanwhile: call it again.
  std::vector<MatchedEvent> match(storage::Session& session, std::span<const storage::PendingEvent> events,
                                  std::vector<storage::StoredEvent> rows, const Limits& limits);

  /// Matches events with one workflow that is readable now. The runs come without their texts. Throws like
  /// `match`.
  std::vector<storage::Run> match_postponed(storage::Session& session, const Workflow& workflow,
                                            std::span<const storage::PostponedMatch> matches);

 private:
  struct Candidate;
  using Moment = std::chrono::steady_clock::time_point;

  template <typename Work>
  auto with_columns(storage::Session& session, Work work);
  std::vector<MatchedEvent> match_all(storage::Session& session,
                                      std::span<const storage::PendingEvent> events,
                                      std::vector<storage::StoredEvent> rows, const Limits& limits);
  std::optional<Candidate> candidate(const storage::StoredEvent& event, std::vector<WorkflowPtr> workflows,
                                     const json::storage_ptr& memory);
  std::vector<PlannedRun> plan(const Candidate& candidate, const Limits& limits) const;
  std::vector<storage::PostponedMatch> postponed(const storage::StoredEvent& event) const;

  const Catalogue& catalogue_;
  const Clock& clock_;
  std::optional<storage::RecordColumns> columns_;
};

}  // namespace waybill::worker
