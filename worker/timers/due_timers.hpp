#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/session/session.hpp"
#include "worker/events/event_intake.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/timers/noted_due.hpp"
#include "worker/timers/timer_claims.hpp"
#include "worker/timers/timer_scan.hpp"

namespace waybill::worker {

/// Fires the timers of this worker's shards when they are due: a transaction locks some of them, judges them
/// by their records as these now are, queues the runs and deletes the timers. So each fires once, however
/// many workers there are and whenever one is killed or stopped. Also sets the timers of the records that
/// exist when a workflow is made (TimerScan). The database's clock decides what is due. Does nothing while no
/// workflow has a timer.
///
/// `note_due` may be called by any thread, the others on the pump thread only. `work` throws
/// DatabaseUnavailable, StatementError or ColumnsChanged, after which nothing is half done.
class DueTimers {
 public:
  struct Options {
    Guid worker;
    std::size_t of_scan = 200;  // records in one transaction
  };

  DueTimers(const Options& options, const EventIntake& intake, const Catalogue& catalogue,
            WorkflowFollower& workflows, BlastGuard& guard, const Clock& clock);

  /// Notes when a timer may be due. Returns true if that is earlier than known and within a second.
  bool note_due(std::optional<Time> due);
  /// Fires timers, or sets some, if any may be due. Returns true if there may be more.
  bool work(storage::Session& session);
  /// True if `work` has queued runs since the last call.
  bool has_queued() { return std::exchange(has_queued_, false); }
  /// The latest time of the next look.
  Time next_look() const;

 private:
  struct Decided;
  struct OpenTimer;
  struct Entity;

  bool fire(storage::Session& session, const std::vector<std::int16_t>& shards);
  bool scan(storage::Session& session, const std::vector<std::int16_t>& shards);
  bool may_decide(const ClaimedTimer& claimed) const;
  Decided decide(const ClaimedTimer& timer, WorkflowPtr& workflow) const;
  void judge(storage::Session& session, std::vector<Decided>& decided, Time now);
  static void follow_calendars(storage::Session& session, std::span<const OpenTimer> open, Time now);
  std::vector<Entity> read_entities(std::vector<storage::StoredEvent>& records,
                                    storage::RelativesWanted& wanted);
  void judge_conditions(std::span<const OpenTimer> open, std::span<const Entity> entities, Time now);
  void hold_excess(storage::Session& session, std::vector<Decided>& decided);
  void write(storage::Session& session, const std::vector<Decided>& decided);

  const Options options_;
  const EventIntake& intake_;
  const Catalogue& catalogue_;
  WorkflowFollower& workflows_;
  BlastGuard& guard_;
  const Clock& clock_;
  storage::CachedColumns columns_;
  TimerClaims claims_;
  TimerScan scan_;
  Time next_look_{};
  bool has_queued_ = false;
  NotedDue noted_due_;
};

}  // namespace waybill::worker
