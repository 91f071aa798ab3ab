#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "base/clock.hpp"
#include "base/heartbeat.hpp"
#include "worker/threads/wake_up.hpp"

namespace waybill::worker {

/// A thread whose waits end by a call from another thread, and always at its stop. The owner calls `start`
/// and `stop`, the thread calls `wait` and `beat`, and any thread may call the others.
class WorkThread {
 public:
  WorkThread() = default;
  ~WorkThread() { stop(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// Calls `run` on the thread, which returns soon after the stop is requested. It must not throw.
  void start(std::function<void(const std::stop_token&)> run);
  /// Requests the stop, ends the wait and joins the thread. Has no effect without a thread.
  void stop();

  /// Makes the current or the next wait return.
  void wake() { wake_up_.wake(); }
  /// WakeUp::wait.
  void wait(int socket, Duration limit) { wake_up_.wait(socket, limit); }

  void beat() { heartbeat_.beat(); }
  const Heartbeat& heartbeat() const { return heartbeat_; }

 private:
  WakeUp wake_up_;
  Heartbeat heartbeat_;
  std::jthread thread_;
};

}  // namespace waybill::worker
