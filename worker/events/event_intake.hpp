#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "storage/events/leases.hpp"
#include "storage/events/outbox.hpp"
#include "storage/session/session.hpp"
#include "worker/events/backlog.hpp"
#include "worker/events/rate_mode.hpp"
#include "worker/events/watermarks.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/threads/look_pause.hpp"

namespace waybill::worker {

/// Reads the outbox of the shards that this worker holds, and keeps the events that are not recorded yet. It
/// reads far ahead, because an event costs little before it is matched. A crash loses nothing: the next owner
/// of the shards reads the events again.
///
/// `hold`, `settled`, `is_busy`, `last_look` and `matched_until` may be called by any thread, the others on
/// the pump thread only. Methods with a session throw DatabaseUnavailable or StatementError.
class EventIntake {
 public:
  struct Options {
    Guid worker;
    std::size_t shard_batch = 1000;       // events of one shard in one look
    std::size_t events_known = 100'000;   // read and not matched
    std::size_t events_in_memory = 2000;  // matched and not recorded, shared by business
  };

  EventIntake(const Options& options, Time now);

  /// Sets the shards that this worker holds, from the next `follow_leases` on.
  void hold(const storage::HeldShards& shards);
  /// Notes that events are recorded or given up. Returns true if the pump must look again.
  bool settled(std::span<const storage::EventKey> events);
  /// The shards whose events this worker reads. On the pump thread only.
  std::vector<std::int16_t> shards() const;
  /// The epoch of the lease under which the events of a shard are read; 0 if it is not held. On the pump
  /// thread only.
  std::uint64_t epoch(std::int16_t shard) const;
  /// True while events of a shard are in flight.
  bool is_busy(std::int16_t shard) const;
  Time last_look() const { return Time(Time::duration(last_look_.load())); }
  /// Every event of the held shards that was committed before this time is matched and recorded, as far as
  /// the last look saw.
  Time matched_until() const { return Time(Time::duration(matched_until_.load())); }

  /// Forgets the events that are not matched: a new connection reads them again.
  void connected();
  /// Starts and stops reading shards as set by `hold`, and announces whether writers notify (RateMode).
  /// Returns true if the shards changed.
  bool follow_leases(storage::Session& session);
  bool has_new_leases() const;
  /// False if too many events are in flight, or if the runner has no room; `settled` then wakes the pump.
  bool has_room(bool runner_has_room);
  /// Looks for new events, unless enough are known. Returns the rows that were read with the events.
  std::vector<storage::StoredEvent> look(storage::Session& session, WorkflowFollower& workflows, Time now);
  /// Looks only for changes of workflows, if the last look was a while ago, because a pause or a deletion
  /// also applies to the runs in memory.
  void look_at_workflows(storage::Session& session, WorkflowFollower& workflows, Time now);
  /// Takes the next events to be matched, `most` at most, businesses in turn. An event is taken once the
  /// catalogue has the workflows of its business as of the event, or newer ones.
  std::vector<storage::PendingEvent> take(std::size_t most, const WorkflowFollower& workflows);
  /// Puts events back that were taken and not matched.
  void put_back(std::span<const storage::PendingEvent> events);
  /// The time of the oldest event that was taken and is not recorded; Time::max() if there is none.
  Time oldest_taken() const;
  /// Notes that the events that `take` returned are matched.
  void matched();
  /// The longest wait for a notification, `poll` at most.
  Duration patience(Duration poll) const;

 private:
  struct Look {
    storage::ScanBounds bounds;
    bool draws_xid = false;
    bool knows_enough = false;
    bool wants_rows = false;
    bool leaves_out = false;  // some of the shards or businesses
  };
  Look next_look(const WorkflowFollower& workflows, Time now);
  void separate_crowding() REQUIRES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  Watermarks watermarks_ GUARDED_BY(mutex_);
  Backlog backlog_ GUARDED_BY(mutex_);
  std::optional<storage::HeldShards> new_leases_ GUARDED_BY(mutex_);  // to be followed
  bool waits_for_room_ GUARDED_BY(mutex_) = false;
  // Used by the pump thread only.
  storage::HeldShards read_;  // shards that watermarks_ has
  RateMode rate_;
  Time last_xid_{};
  bool saw_all_ = true;  // the last look saw every shard to its end
  LookPause pause_;      // while events wait
  std::atomic<Time::rep> last_look_{0};
  std::atomic<Time::rep> matched_until_;
};

}  // namespace waybill::worker
