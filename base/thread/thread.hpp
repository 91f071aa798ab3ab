#pragma once

#include <functional>
#include <signal.h>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/thread/threads.hpp"

namespace waybill {

/// A thread with a row in threads.cpp. Its name, which `top -H` and gdb show, is that of the row. The owner
/// calls the methods.
class Thread {
 public:
  explicit Thread(ThreadKind kind) : kind_(kind) {}
  /// Begins at once.
  Thread(ThreadKind kind, std::function<void(const std::stop_token&)> run) : Thread(kind) {
    start(std::move(run));
  }
  ~Thread() { stop(); }
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&&) = delete;

  /// Calls `run` on the thread; it must not throw. Throws std::system_error if there is no room for a thread.
  void start(std::function<void(const std::stop_token&)> run);
  /// Requests the stop. `run` notices it by its token.
  void request_stop() { thread_.request_stop(); }
  /// Waits for the end of `run`. Has no effect without a thread.
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void stop() {
    request_stop();
    join();
  }
  /// Leaves the thread to itself; `run` then refers to nothing that others own.
  void detach() { thread_.detach(); }
  /// Sends a signal to the thread, which must not have ended.
  void signal(int number) { pthread_kill(thread_.native_handle(), number); }
  /// True from `start` to `join`.
  bool is_started() const { return thread_.joinable(); }

 private:
  ThreadKind kind_;
  std::jthread thread_;
};

}  // namespace waybill
