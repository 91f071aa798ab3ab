#pragma once

#include <chrono>

#include "base/clock.hpp"

namespace waybill::worker {

/// Calls `portion` until it returns false, because nothing is left, or until the time is over. Returns true
/// if something may be left. A portion is one transaction of a fraction of a second.
template <typename Portion>
bool repeat_for(Duration time, Portion portion) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (portion()) {
    if (std::chrono::steady_clock::now() >= end) return true;
  }
  return false;
}

}  // namespace waybill::worker
