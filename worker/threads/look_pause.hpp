#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.hpp"

namespace waybill::worker {

/// Leaves the matching thread at least half of its time while looks for due runs or events are slow: one for
/// runs reads every destination in the queue, which takes 7 µs each; one for events reads again what lies
/// above the watermarks, which stay where they are while a transaction is open. After a slow look that found
/// little, the next one waits for as long as that one took, at most a second. Pure; one thread.
class LookPause {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Notes a look that found `found` runs or events.
  void looked(SteadyTime began, SteadyTime ended, std::size_t found) {
    const auto wasted = ended - began - found * time_of_each;
    until_ = wasted < tolerated ? ended : ended + std::min<SteadyTime::duration>(wasted, longest);
  }

  /// The time until the next look may begin.
  Duration left(SteadyTime now) const {
    return std::max(Duration::zero(), std::chrono::ceil<Duration>(until_ - now));
  }

 private:
  static constexpr std::chrono::microseconds time_of_each{100};  // to claim a run or match an event
  static constexpr std::chrono::milliseconds tolerated{5};
  static constexpr std::chrono::seconds longest{1};

  SteadyTime until_{};
};

}  // namespace waybill::worker
