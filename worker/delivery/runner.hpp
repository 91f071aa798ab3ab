#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/thread/mutex.hpp"
#include "domain/workflows/retry.hpp"
#include "net/destination/destination_counts.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/delivery/claimed_run.hpp"
#include "worker/delivery/destination_queues.hpp"
#include "worker/delivery/open_events.hpp"
#include "worker/delivery/record_chains.hpp"
#include "worker/delivery/run_room.hpp"
#include "worker/delivery/unrecorded_records.hpp"
#include "worker/outcomes/outcomes.hpp"
#include "worker/outcomes/upstream.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"

namespace prometheus {
class Histogram;
}

namespace waybill::worker {

/// Performs runs: many at once, in the order of DestinationQueues. Runs and bytes in memory are shared by
/// business (RunRoom), so that one whose destinations are slow leaves room to others. A run that cannot be
/// finished soon goes to the database's queue, so that slow runs do not fill the memory. Any thread may call
/// any method. A crash loses nothing: an event that was not recorded is matched again, and a run that was not
/// recorded is claimed again.
///
/// Ordered runs of a record are attempted one event after the other. The next event has its turn once the
/// ordered runs of the one before have succeeded and that event is settled, recorded or not. So a crash
/// repeats the last events of a record, in their order. If an ordered run does not succeed, its event and
/// those behind it go to the queue.
///
/// Order of locks: that of DueRuns, then that of the runner or of the preparation's queues, then one of those
/// under which no other is taken: of the Outcomes (recorder, pause writer), of the Catalogue, of
/// Memory, or of UnrecordedRecords. An action and `Upstream` are called without a lock, because an attempt
/// that ends at once calls the runner back.
class Runner {
 public:
  struct Options {
    std::size_t max_in_flight = 1024;
    std::size_t max_held = 4000;                 // runs in memory
    std::size_t max_bytes = 32UL * 1024 * 1024;  // size of their requests and bodies, until they are recorded
    Duration patience =
        std::chrono::seconds(1);  // the longest wait of an event for its runs; then they are queued
    Duration patience_behind =
        std::chrono::seconds(4);  // the longest wait of an event behind earlier events of its record
    Duration destination_patience = std::chrono::milliseconds(250);  // longest wait of a run for a place
    Duration claim_patience = worker::claim_patience;
    net::CircuitBreaker::Options breaker = {};
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
    Duration retention = std::chrono::days(30);  // of events
    net::DestinationCounts* counts = nullptr;    // counts the attempts; outlives the runner
    std::string mail_server = {};                // under whose name those of mails are counted
  };

  Runner(Options options, const Catalogue& catalogue, actions::Effects effects, Outcomes& outcomes,
         Upstream& upstream);
  /// Every attempt must be over: stop the HTTP client first.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Takes over events fresh from the matcher, with their runs.
  void submit(std::vector<MatchedEvent> events);
  /// Must be called before the queue is searched for the runs before the ordered ones of events
  /// (`MatchedEvent::may_begin`). The thread that submits the events calls it.
  void forget_recorded();
  /// True if events of the business with ordered runs are in memory or not recorded yet, as of the last
  /// `forget_recorded`.
  bool has_ordered(const Guid& business) const { return unrecorded_.contains_any_of(business); }
  /// Takes over runs that this worker claimed from the database's queue.
  void submit(std::vector<storage::ClaimedRun> runs);
  /// Puts claimed runs back into the queue unchanged, due at `due`.
  void give_back(std::vector<storage::ClaimedRun> runs, Time due);
  /// Puts back claimed runs whose workflow, or whose version of it, this binary cannot read.
  void hold_unreadable(std::vector<storage::ClaimedRun> runs);

  /// Queues the runs of events of these shards, which go to another worker.
  void hand_over(std::span<const std::int16_t> shards);
  /// Begins no attempt from `until` on. Without a call, attempts may begin at any time.
  void allow_until(std::chrono::steady_clock::time_point until);
  /// Queues everything that is not in flight, because other workers may perform it by now. Runs that were
  /// claimed before go back to the queue, too, when they are submitted later.
  void give_up();

  /// Queues runs that have waited too long. Call it every 100 ms or so while anything is held.
  void spill();
  /// Starts no more attempts and waits for those in flight. False if they take longer than `limit`.
  bool drain(Duration limit);
  /// Starts no more attempts and queues everything. An attempt still in flight belongs to this worker until
  /// its lease ends or it finishes, which `drain` waits for.
  void stop();

  std::size_t held() const;        // runs in memory
  std::size_t in_flight() const;   // runs with an attempt in flight
  std::size_t free_bytes() const;  // bytes that texts may still take
  /// True if there is room for further runs in memory, of any business.
  bool has_room() const;
  /// True if the business may hold more runs and bytes in memory.
  bool has_memory(const Guid& business) const;
  /// Destinations that take no more at the moment: full ones, and broken ones whose next probe is not due.
  std::vector<std::string> blocked_destinations() const;
  /// The time of the first probe of a broken destination; Time::max() if there is none.
  Time next_probe() const;
  /// Businesses that have used up their share of places, runs or bytes.
  std::vector<Guid> blocked_businesses() const;

 private:
  using Moment = Task::Moment;

  void add(MatchedEvent event, Moment now, std::vector<storage::SettledEvent>& settled) REQUIRES(mutex_);
  std::shared_ptr<const void> hold_texts(const Guid& business, const MatchedEvent& event);
  bool may_stay(const MatchedEvent& event, const Guid& business,
                const std::optional<RecordName>& ordered) const REQUIRES(mutex_);
  void enqueue(TaskPtr task, Moment now) REQUIRES(mutex_);
  void start_all() EXCLUDES(mutex_);
  bool admit(const TaskPtr& task) REQUIRES(mutex_);
  void perform(const TaskPtr& task) EXCLUDES(mutex_);
  void finished(const TaskPtr& task, const actions::AttemptResult& result) EXCLUDES(mutex_);
  void go_on(storage::Run run) EXCLUDES(mutex_);
  void leave(const TaskPtr& task) REQUIRES(mutex_);
  void conclude(const TaskPtr& task, storage::RunState state) REQUIRES(mutex_);
  void conclude_of_event(const TaskPtr& task) REQUIRES(mutex_);
  void requeue(const TaskPtr& task, Time due) REQUIRES(mutex_);
  void settle(OpenEvents::Queued queued) REQUIRES(mutex_);
  void pass_turn(const RecordName& record) REQUIRES(mutex_);
  void queue_chain(const RecordName& record) REQUIRES(mutex_);
  void queue_everything() REQUIRES(mutex_);
  void count(const Task& task, const actions::AttemptResult& result, Time now) REQUIRES(mutex_);
  void measure(const Task& task, const actions::AttemptResult& result) REQUIRES(mutex_);
  Time lease_end() const { return effects_.clock.now() + claim_lease; }

  const Options options_;
  const Catalogue& catalogue_;
  actions::Effects effects_;
  Upstream& upstream_;
  Outcomes& outcomes_;  // may be called under mutex_

  mutable Mutex mutex_;
  Condition idle_;  // nothing in flight
  DestinationQueues queues_ GUARDED_BY(mutex_);
  OpenEvents events_ GUARDED_BY(mutex_);
  RecordChains chains_ GUARDED_BY(mutex_);
  UnrecordedRecords unrecorded_;  // with ordered runs; has a lock of its own, like the next two
  UnrecordedRecords queued_;      // of those, with ordered runs that go to the queue
  Memory memory_;
  RunRoom room_ GUARDED_BY(mutex_);
  std::unordered_map<const actions::Action*, prometheus::Histogram*> attempt_seconds_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  Moment allowed_until_ GUARDED_BY(mutex_) = Moment::max();
  Moment gave_up_at_ GUARDED_BY(mutex_){};
};

}  // namespace waybill::worker
