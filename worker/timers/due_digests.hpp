#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"
#include "worker/events/event_intake.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/digest_plan.hpp"
#include "worker/timers/noted_due.hpp"

namespace waybill::worker {

/// Closes the digests of this worker's shards when they are due: a transaction locks some of them, stores
/// their lists, queues their runs and deletes them. So each has one run, however many workers there are and
/// whenever one is killed or stopped. Digests of a deleted workflow are dropped; those of an earlier version
/// are due at once. The database's clock decides what is due. Businesses take turns.
///
/// `note_due` may be called by any thread, the others on the pump thread only. `work` throws
/// DatabaseUnavailable or StatementError, after which nothing is half done.
class DueDigests {
 public:
  DueDigests(const Guid& worker, const EventIntake& intake, const Catalogue& catalogue,
             WorkflowFollower& workflows, BlastGuard& guard, const Clock& clock);

  /// Notes when a digest may be due. The next look is then within a second, so that a new version of its
  /// workflow closes it at once. Returns true if the look is earlier than known.
  bool note_due(std::optional<Time> due);
  /// Closes digests if any may be due. Returns true if there may be more.
  bool work(storage::Session& session);
  /// True if `work` has queued runs since the last call.
  bool has_queued() { return std::exchange(has_queued_, false); }
  /// The latest time of the next look.
  Time next_look() const;

 private:
  struct Claimed;
  struct Keys;
  struct Plan;

  bool close_some(storage::Session& session, const std::vector<std::int16_t>& shards);
  bool close_changed(storage::Session& session, const std::vector<std::int16_t>& shards);
  std::vector<Claimed> claim(storage::Session& session, const std::vector<std::int16_t>& shards,
                             const std::vector<Guid>& businesses);
  bool may_decide(const Claimed& claimed) const;
  Plan decide(storage::Session& session, const std::vector<Claimed>& claimed) const;
  void write(storage::Session& session, const Plan& plan);

  const Guid worker_;
  const EventIntake& intake_;
  const Catalogue& catalogue_;
  WorkflowFollower& workflows_;
  BlastGuard& guard_;
  const Clock& clock_;
  std::vector<Guid> had_turn_;  // businesses, in the present round
  bool has_closed_ = false;     // digests, in the present round
  bool has_changed_ = true;     // digests of changed workflows may have to be closed
  Time next_look_{};
  bool has_queued_ = false;
  NotedDue noted_due_;
};

}  // namespace waybill::worker
