#pragma once

#include <atomic>
#include <chrono>

namespace waybill {

/// The time at which a loop last turned. Any thread.
class Heartbeat {
 public:
  void beat() { last_.store(Steady::now(), std::memory_order_relaxed); }
  /// The time since the last beat, at first since construction.
  std::chrono::steady_clock::duration age() const {
    return Steady::now() - last_.load(std::memory_order_relaxed);
  }

 private:
  using Steady = std::chrono::steady_clock;
  std::atomic<Steady::time_point> last_ = Steady::now();
};

}  // namespace waybill
