#pragma once

#include <functional>
#include <stop_token>

#include "base/clock.hpp"
#include "base/heartbeat.hpp"
#include "base/thread/thread.hpp"
#include "base/thread/wake_up.hpp"

namespace waybill {

/// A thread whose waits end by a call from another thread, and always at its stop. The owner calls `start`,
/// `request_stop` and `stop`, the thread calls `wait` and `beat`, and any thread may call the others.
class WorkThread {
 public:
  explicit WorkThread(ThreadKind kind) : thread_(kind) {}
  ~WorkThread() { stop(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// Calls `run` on the thread, which returns soon after the stop is requested. It must not throw.
  void start(std::function<void(const std::stop_token&)> run) { thread_.start(std::move(run)); }
  /// Requests the stop and ends the wait.
  void request_stop() {
    thread_.request_stop();
    wake_up_.wake();
  }
  /// Requests the stop, ends the wait and joins the thread. Has no effect without a thread.
  void stop() {
    request_stop();
    thread_.join();
  }
  bool is_started() const { return thread_.is_started(); }

  /// Makes the current or the next wait return.
  void wake() { wake_up_.wake(); }
  /// WakeUp::wait.
  void wait(int socket, Duration limit) { wake_up_.wait(socket, limit); }

  void beat() { heartbeat_.beat(); }
  const Heartbeat& heartbeat() const { return heartbeat_; }

 private:
  WakeUp wake_up_;
  Heartbeat heartbeat_;
  Thread thread_;
};

}  // namespace waybill
