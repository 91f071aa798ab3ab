#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "base/thread/work_thread.hpp"
#include "storage/events/leases.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/events/event_intake.hpp"
#include "worker/events/event_matching.hpp"
#include "worker/events/workflow_follower.hpp"
#include "worker/events/workflow_loader.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/outcomes/outcome_queue.hpp"
#include "worker/queue/due_runs.hpp"
#include "worker/threads/thread_session.hpp"
#include "worker/timers/due_digests.hpp"
#include "worker/timers/due_timers.hpp"

namespace waybill::worker {

/// The worker's main thread. NOTIFY, workflows that were read, room in memory, a due run, timer or
/// digest, or the clock (once a second) wake it; a turn then reads the outbox, matches events, fires timers,
/// closes digests and claims due runs. It reconnects by itself.
class Pump final : public Service {
 public:
  struct Options {
    storage::Sessions sessions;
    Guid worker;
    std::string public_url;  // URL of the service, for links to tracking pages; may be empty
    Duration retention = std::chrono::days(30);  // retention of events
  };

  /// Everything referred to outlives it.
  Pump(const Options& options, Catalogue& catalogue, BlastGuard& guard, PauseWriter& pauses, Runner& runner,
       Preparation& preparation, DueFloors& floors, const Clock& clock);
  ~Pump() override { stop_at_once(); }

  void start() override;
  /// Takes no more events and runs, and joins the thread.
  void stop_accepting() override;
  void stop(Moment /*until*/) override { stop_accepting(); }

  // Any thread may call the following methods.

  void hold(const storage::HeldShards& shards);
  void settled(const std::vector<storage::EventKey>& events, const NextDue& next_due);
  /// Claims again if only the room for claimed runs was missing.
  void note_room();
  bool is_busy(std::int16_t shard) const { return intake_.is_busy(shard); }
  Time last_look() const { return intake_.last_look(); }
  /// The time since the last turn of the thread that turned least recently, with or without a database.
  std::chrono::steady_clock::duration silence() const {
    return std::max(thread_.heartbeat().age(), loader_.heartbeat().age());
  }
  /// True while it is connected and has read the workflows. Otherwise the call wakes the pump to try again at
  /// once, because the caller has reached the database.
  bool can_match();
  /// See EventIntake::matched_until.
  Time matched_until() const { return intake_.matched_until(); }

  /// The leases ended before they were renewed, so other workers may have the events that were matched since.
  /// Called after `hold`, by any thread. The next turn queues what is not in flight.
  void leases_expired() {
    ++expiries_;
    thread_.wake();
  }
  /// True until that turn.
  bool has_expired_leases() const { return expiries_ != followed_expiries_; }

 private:
  void run(const std::stop_token& stop);
  void connect();
  void recover(const std::exception& error);
  void turn(const std::stop_token& stop);
  bool read_notifications();
  bool match_events();
  template <std::invocable Work>
  bool unless_locked(Moment& waits_until, Work work);
  void wait(const std::stop_token& stop);
  void store_firings();

  BlastGuard& guard_;
  Runner& runner_;
  const Clock& clock_;
  WorkflowLoader loader_;
  WorkflowFollower workflows_;
  EventIntake intake_;
  EventMatching matching_;
  DueTimers timers_;
  DueDigests digests_;
  DueRuns runs_;
  ThreadSession session_;
  Moment matching_waits_{};  // until when work waits for a locked table; empty if its last try was made
  Moment timers_wait_{};
  Moment digests_wait_{};
  Moment late_matching_waits_{};
  std::atomic<bool> can_match_ = false;
  std::atomic<std::uint64_t> expiries_ = 0;           // of the leases, as the keeper noted
  std::atomic<std::uint64_t> followed_expiries_ = 0;  // after which the pump has followed the leases
  WorkThread thread_{ThreadKind::pump};
};

}  // namespace waybill::worker
