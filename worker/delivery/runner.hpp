#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "domain/retry.hpp"
#include "storage/run_store.hpp"
#include "worker/delivery/destinations.hpp"
#include "worker/delivery/memory.hpp"
#include "worker/delivery/recorder.hpp"
#include "worker/delivery/shares.hpp"
#include "worker/pipeline/matcher.hpp"
#include "worker/planning/catalogue.hpp"

namespace prometheus {
class Histogram;
}

namespace waybill::worker {

/// Performs runs: many at once, businesses in turn, each destination within the limit its health allows.
/// Places in flight, runs and bytes in memory are shared by business (Shares), so that one whose receivers
/// are slow leaves places to others. Within a business, destinations take turns. What cannot be finished soon
/// goes to the queue, so that memory holds only what moves. Outcomes go to the recorder. Any thread may call
/// any method. A crash loses nothing: what was not recorded is matched or claimed again.
class Runner {
 public:
  struct Options {
    std::size_t max_in_flight = 1024;
    std::size_t max_held = 4000;                 // runs in memory
    std::size_t max_bytes = 32UL * 1024 * 1024;  // of their requests and bodies, until they are recorded
    Duration patience =
        std::chrono::seconds(1);  // how long an event may wait for its runs before they are queued
    Duration destination_patience = std::chrono::milliseconds(250);  // how long a run may wait for a place
    Duration claim_patience =
        std::chrono::seconds(4);  // how long a claimed run may wait; with its try within the claim's lease
    Duration lease = std::chrono::seconds(30);  // of a try in flight; no try takes more than 25 s
    net::CircuitBreaker::Options breaker = {};
    domain::RetrySchedule schedule = domain::RetrySchedule::standard();
  };

  Runner(Options options, const Catalogue& catalogue, actions::Effects effects, Recorder& recorder);
  /// Every try must be over: destroy the HTTP client before.
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Events fresh from the matcher, with their runs.
  void submit(std::vector<MatchedEvent> events);
  /// Runs this worker took from the queue.
  void submit(std::vector<storage::ClaimedRun> runs);
  /// Puts runs back into the queue as they were taken from it, due at `due`.
  void give_back(std::vector<storage::ClaimedRun> runs, Time due);

  /// Queues the runs of events of these shards, which go to another worker.
  void hand_over(std::span<const std::int16_t> shards);

  /// Queues what has waited too long. To be called every 100 ms or so while anything is held.
  void spill();
  /// Starts no more tries and waits for those in flight; false when they take longer.
  bool drain(Duration limit);
  /// Starts no more tries and queues everything; a try still in flight is this worker's until its lease ends
  /// or it finishes, which `drain` waits for.
  void stop();

  std::size_t held() const;        // runs in memory
  std::size_t in_flight() const;   // of them being tried
  std::size_t free_bytes() const;  // of texts that may still be in memory
  /// True when there is room for further runs in memory, of whatever business.
  bool has_room() const;
  /// True when the business may hold more runs and bytes in memory.
  bool has_memory(const Guid& business) const;
  /// Destinations that take no more at the moment: full ones, and broken ones whose time has not come.
  std::vector<std::string> blocked_destinations() const;
  /// Businesses that have all of their share of places, runs or bytes.
  std::vector<Guid> blocked_businesses() const;

 private:
  struct Ticket;  // an event whose runs are not all over
  struct Task;    // a run in memory
  struct Parked;  // the runs that wait for one destination
  struct Queue;   // what a business may start next
  using TaskPtr = std::shared_ptr<Task>;
  using Moment = std::chrono::steady_clock::time_point;

  bool may_hold(const Guid& business) const;
  void enqueue(TaskPtr task);
  TaskPtr task_of(storage::ClaimedRun claimed);
  TaskPtr next_task();
  TaskPtr next_of(Queue& queue, Time now);
  TaskPtr next_parked(Queue& queue, Time now);
  TaskPtr next_ready(Queue& queue, Time now);
  void give_turn(const Guid& business, Queue& queue);
  void wait_for_share(const Guid& business, Queue& queue);
  void place_freed(const TaskPtr& task);
  void forget_if_idle(const Guid& business);
  void start_all();
  void perform(const TaskPtr& task);
  void finished(const TaskPtr& task, const actions::TryResult& result);
  void conclude(const TaskPtr& task, storage::RunState state);
  void put_off(const TaskPtr& task, Time until);
  void put_off_tasks(std::deque<TaskPtr>& tasks);
  void spill_ticket(const std::shared_ptr<Ticket>& ticket);
  void spill_ready(Moment now);
  void has_place(const std::string& destination);
  bool admit(const TaskPtr& task);
  void note_try(const Task& task, const actions::TryResult& result);

  const Options options_;
  const Catalogue& catalogue_;
  actions::Effects effects_;
  Recorder& recorder_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;  // nothing in flight
  Destinations destinations_;
  Shares places_;  // of attempts in flight
  Shares held_;    // runs in memory
  Memory memory_;
  std::unordered_map<Guid, Queue> queues_;           // of businesses that may start something
  std::deque<Guid> turns_;                           // businesses with a turn to come
  std::set<std::pair<std::size_t, Guid>> at_share_;  // businesses that wait for places, by those they hold
  std::unordered_map<std::string, Parked> parked_;   // by destination that is full
  std::list<std::shared_ptr<Ticket>> tickets_;       // oldest first
  std::unordered_map<const actions::Action*, prometheus::Histogram*> try_seconds_;
  Moment next_sweep_{};  // of what is ready
  bool stopping_ = false;
};

}  // namespace waybill::worker
