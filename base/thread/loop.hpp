#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/clock.hpp"
#include "base/thread/work_thread.hpp"

namespace waybill {

/// A thread that repeats a turn until its stop: it waits between two turns, continues after exceptions, and
/// beats. The owner calls `start`, `request_stop` and `stop`; any thread may call the others.
class Loop {
 public:
  /// The wait before the next turn. `wake` and the stop end it early, and so does `socket` when it becomes
  /// readable (-1: no socket).
  struct Wait {
    Duration length{};
    int socket = -1;
  };
  /// A wait that only `wake` and the stop end.
  static constexpr Duration until_woken = std::chrono::days(1);

  /// Does what is due.
  using Turn = std::function<Wait()>;
  /// Reports what a turn has thrown. Returns the wait before the next one.
  using Failed = std::function<Duration(const std::exception& error)>;

  /// Without `failed`, a turn must not throw.
  Loop(ThreadKind kind, Turn turn, Failed failed = nullptr)
      : turn_(std::move(turn)), failed_(std::move(failed)), thread_(kind) {}

  void start();
  /// Begins no further turn.
  void request_stop() { thread_.request_stop(); }
  /// Joins the thread after its present turn. Has no effect without a thread.
  void stop() { thread_.stop(); }
  bool is_started() const { return thread_.is_started(); }

  /// Begins the next turn at once, or after the present one.
  void wake() { thread_.wake(); }
  const Heartbeat& heartbeat() const { return thread_.heartbeat(); }

 private:
  void run(const std::stop_token& stop);

  const Turn turn_;
  const Failed failed_;
  WorkThread thread_;
};

}  // namespace waybill
