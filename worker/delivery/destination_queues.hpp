#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "worker/delivery/destinations.hpp"
#include "worker/delivery/shares.hpp"
#include "worker/delivery/task.hpp"

namespace waybill::worker {

/// The runs that wait in memory for an attempt, and the order in which they start.
///
/// - Businesses take turns, one run a turn. A business may start more while the places allow it (Shares).
/// - Within a business, runs whose destination has a place again and runs that just arrived take turns, and
///   so do the destinations of the former.
/// - A destination has no more in flight than its action and its health allow (Destinations). Runs beyond
///   that are blocked: they start when a place comes back.
///
/// Pure; one thread at a time. Tasks of a run without a destination are never blocked.
class DestinationQueues {
 public:
  struct Options {
    std::size_t places = 1024;  // attempts in flight, of all businesses
    net::CircuitBreaker::Options breaker = {};
  };

  explicit DestinationQueues(const Options& options)
      : destinations_(options.breaker), places_(options.places) {}

  /// Adds a task at the end of its business's arrivals.
  void add(TaskPtr task);

  /// Takes out the next task that may start, with a place for it. Null if none may.
  TaskPtr next(Time now);

  /// Returns the place of a task after an attempt; `failed` counts against its destination's health. True if
  /// the attempt opened the destination's breaker.
  bool ended(const Task& task, bool failed, Time now);
  /// Returns the place of a task that made no attempt, or whose attempt says nothing about its destination.
  void released(const Task& task, Time now);

  /// A task that is to wait in the database's queue, until `due`.
  struct Overdue {
    TaskPtr task;
    Time due;
  };
  /// Takes out the blocked tasks of destinations whose breaker is open, unless a probe is in flight, and of
  /// destinations whose oldest blocked task came before `since`. They are due at the next probe, or at
  /// `otherwise` if the breaker is closed.
  std::vector<Overdue> take_blocked(Task::Moment since, Time now, Time otherwise);
  /// Takes out the arrived tasks from the database's queue that have waited longer than `patience` at
  /// `current`, and drops those that are gone. Does so at most four times a second, because it examines all
  /// arrived tasks.
  std::vector<TaskPtr> take_arrived(Task::Moment current, Duration patience);
  /// Takes out all.
  std::vector<TaskPtr> take_all();

  net::CircuitBreaker::Health health(const Task& task) const {
    return destinations_.health(task.destination());
  }
  std::size_t in_flight() const { return places_.taken(); }
  /// Destinations that take no more at the moment: they have blocked tasks, or their next probe is not due.
  std::vector<std::string> blocked_destinations(Time now) const;
  /// The time of the first probe of a destination whose breaker is open; Time::max() if there is none.
  Time next_probe(Time now) const { return destinations_.next_probe(now); }
  /// Businesses that have used up their share of places.
  std::vector<Guid> blocked_businesses() const { return places_.beyond_share(); }

 private:
  /// The tasks that wait for one destination.
  struct BlockedTasks {
    std::deque<TaskPtr> tasks;
    bool has_place = false;  // the destination is among its business's `freed`
  };
  /// The tasks of a business that may start, as far as their destinations are concerned.
  struct Business {
    std::deque<TaskPtr> arrived;
    std::deque<std::string> freed;        // destinations with blocked tasks and a place again
    bool blocked_next = true;             // blocked and arrived tasks alternate
    bool has_turn = false;                // in turns_
    std::optional<std::size_t> waits_at;  // in at_share_ under this number
  };

  TaskPtr next_of(Business& business, Time now);
  TaskPtr next_blocked(Business& business, Time now);
  TaskPtr next_arrived(Business& business, Time now);
  void give_turn(const Guid& guid, Business& business);
  void wait_for_share(const Guid& guid, Business& business);
  void forget_if_idle(const Guid& guid);
  void place_freed(const Task& task);

  Destinations destinations_;
  Shares places_;
  std::unordered_map<Guid, Business> businesses_;    // those that may start something
  std::deque<Guid> turns_;                           // businesses with a turn to come
  std::set<std::pair<std::size_t, Guid>> at_share_;  // businesses at their share, by the places they hold
  std::unordered_map<std::string, BlockedTasks> blocked_;  // by destination
  Task::Moment next_look_{};                               // of `take_arrived`
};

}  // namespace waybill::worker
