#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "tests/simulate/random.hpp"

namespace waybill::simulate {

/// The owner of a fiber: a worker, or the world around the workers.
using Owner = int;
inline constexpr Owner world = -1;

/// Runs the threads of a simulation as fibers of one thread, in an order that follows from the seed, under a
/// clock that moves only when all of them wait. While a scheduler exists, the functions for threads and time
/// of the C library (threads.cpp) create fibers, switch between them and read this clock, so that the code of
/// the workers runs as it is. A fiber gives way where it waits: for another fiber, for time, for a lock that
/// another one holds, and at each statement of the database.
class Scheduler {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using FiberId = std::uint64_t;  // from 1
  using Key = const void*;        // what fibers wait for

  explicit Scheduler(std::uint64_t seed);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The scheduler of the running simulation; null outside a fiber.
  static Scheduler* active();

  Moment now() const { return now_; }
  /// The time of the database's clock.
  Time time() const;
  /// Sets how far the clock of an owner is ahead of the database's.
  void set_skew(Owner owner, Duration skew) { skews_[owner] = skew; }
  Duration skew() const;
  Random& random() { return random_; }
  Owner owner() const;

  FiberId start(Owner owner, std::function<void()> body);
  /// Runs the fibers until `body`, a fiber of the world, has ended. Throws std::runtime_error if all fibers
  /// wait without an end, or if the steps are used up.
  void run(std::function<void()> body, std::size_t most_steps);

  /// A stopped owner's fibers do not run.
  void stop(Owner owner) { stopped_.insert(owner); }
  void go_on(Owner owner) { stopped_.erase(owner); }

  // Fibers call the following methods.

  void sleep(Duration length);
  /// Waits for `wake`, or until `deadline`. Returns false if the deadline came first.
  bool wait(Key key, std::optional<Moment> deadline = std::nullopt);
  void join(FiberId fiber);
  void wake_all(Key key);
  void wake_one(Key key);

  /// A descriptor that becomes readable by `signal`, in place of an eventfd.
  int open_signal();
  static bool is_signal(int descriptor) { return descriptor >= first_signal; }
  void close_signal(int descriptor) { signals_.erase(descriptor); }
  void signal(int descriptor);
  /// True if it was signalled; it is not afterwards.
  bool take_signal(int descriptor);
  /// Waits until one of the descriptors is readable.
  void wait_for_signals(const std::vector<int>& descriptors, Moment deadline);
  bool is_signalled(int descriptor) const;

  std::size_t steps() const { return steps_; }

 private:
  static constexpr int first_signal = 1 << 20;

  struct Fiber;
  struct Stacks;
  /// The part of a fiber that the scheduler looks at in each step.
  struct Slot {
    std::unique_ptr<Fiber> fiber;
    Owner owner;
    bool is_waiting = false;
    Key key = nullptr;  // of a waiting fiber
    Moment deadline = Moment::max();
  };
  static void enter();
  void step_to(Fiber& fiber);
  void give_way();
  static void wake(Slot& slot);
  std::optional<std::size_t> choose();

  Random random_;
  Moment now_;
  const Moment began_;
  std::vector<Slot> slots_;         // of the fibers that have not ended, in the order of their start
  std::vector<std::size_t> ready_;  // in `choose`
  FiberId last_id_ = 0;
  Fiber* current_ = nullptr;
  std::size_t current_place_ = 0;  // in slots_
  std::unique_ptr<Fiber> loop_;    // the fiber of `run`
  std::map<Owner, Duration> skews_;
  std::set<Owner> stopped_;
  std::map<int, bool> signals_;
  int next_signal_ = first_signal;
  std::size_t steps_ = 0;
};

}  // namespace waybill::simulate
