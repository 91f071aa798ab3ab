#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "domain/retry.hpp"
#include "net/circuit_breaker.hpp"
#include "storage/run_store.hpp"
#include "worker/catalogue.hpp"
#include "worker/matcher.hpp"
#include "worker/recorder.hpp"

namespace prometheus {
class Histogram;
}

namespace waybill::worker {

/// Performs runs: many at once, businesses in turn, each destination within the limit its health allows. What
/// cannot be finished soon goes to the queue, so that memory holds only what moves. Outcomes go to the
/// recorder. Any thread may call any method. A crash loses nothing: what was not recorded is matched or
/// claimed again.
class Runner {
 public:
  struct Options {
    std::size_t max_in_flight = 1024;
    Duration patience =
        std::chrono::seconds(1);  // how long an event may wait for its runs before they are queued
    Duration destination_patience = std::chrono::milliseconds(250);  // how long a run may wait for a place
    Duration claim_patience =
        std::chrono::seconds(4);  // how long a claimed run may wait; with its try within the claim's lease
    Duration lease = std::chrono::seconds(30);  // of a try in flight; no try takes more than 25 s
    net::CircuitBreaker::Options breaker;
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
  /// Puts runs back into the queue as they were taken from it.
  void give_back(std::vector<storage::ClaimedRun> runs);

  /// Queues the runs of events of these shards, which go to another worker.
  void hand_over(std::span<const std::int16_t> shards);

  /// Queues what has waited too long. To be called every 100 ms or so while anything is held.
  void spill();
  /// Starts no more tries and waits for those in flight; false when they take longer.
  bool drain(Duration limit);
  /// Starts no more tries and queues everything; a try still in flight is this worker's until its lease ends
  /// or it finishes, which `drain` waits for.
  void stop();

  std::size_t held() const;       // runs in memory
  std::size_t in_flight() const;  // of them being tried
  /// Destinations that take no more at the moment: full ones, and broken ones whose time has not come.
  std::vector<std::string> blocked_destinations() const;

 private:
  struct Ticket;  // an event whose runs are not all over
  struct Task;    // a run in memory
  struct Parked;  // the runs that wait for one destination
  /// Whose run failed last at a broken destination. It may be a path of its own that is broken, not the host:
  /// for a while only others' runs are tried.
  struct Probe {
    Guid workflow;
    Time not_before;
  };
  using TaskPtr = std::shared_ptr<Task>;
  using Moment = std::chrono::steady_clock::time_point;

  void enqueue(TaskPtr task);
  TaskPtr task_of(storage::ClaimedRun claimed);
  TaskPtr next_task();
  void start_all();
  void perform(const TaskPtr& task);
  void finished(const TaskPtr& task, const actions::TryResult& result);
  void conclude(const TaskPtr& task, storage::RunState state);
  void put_off(const TaskPtr& task, Time until);
  void put_off_destination(const std::string& destination, std::deque<TaskPtr>& tasks);
  void spill_ticket(const std::shared_ptr<Ticket>& ticket);
  void spill_ready(Moment now);
  void has_place(const std::string& destination);
  bool may_probe(const Task& task, Time now) const;
  void note_health(const Task& task, bool failed, Time now);
  bool admit(const TaskPtr& task);
  void note_try(const Task& task, const actions::TryResult& result);

  const Options options_;
  const Catalogue& catalogue_;
  actions::Effects effects_;
  Recorder& recorder_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;  // nothing in flight
  net::CircuitBreaker breaker_;
  std::unordered_map<Guid, std::deque<TaskPtr>> ready_;  // by business
  std::deque<Guid> turns_;                               // businesses with ready runs
  std::unordered_map<std::string, Parked> parked_;       // by destination that is full
  std::deque<std::string> freed_;                        // destinations with parked runs and a place again
  std::list<std::shared_ptr<Ticket>> tickets_;           // oldest first
  std::unordered_map<std::string, Probe> open_;          // destinations whose breaker is open
  std::unordered_map<const actions::Action*, prometheus::Histogram*> try_seconds_;
  Moment next_sweep_{};  // of ready_
  std::size_t held_ = 0;
  std::size_t in_flight_ = 0;
  bool stopping_ = false;
};

}  // namespace waybill::worker
