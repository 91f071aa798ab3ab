#pragma once

#include <chrono>
#include <thread>
#include <utility>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Polls `predicate` until it is true or the deadline passes, for state that sends no signal (a row of a
/// database, a response of the API). Otherwise tests wait for signals. Apart from this, only the crash and
/// cluster tests sleep, between changes and attempts.
template <class Predicate>
bool eventually(Predicate predicate, Deadline deadline = default_deadline) {
  constexpr auto step = std::chrono::milliseconds(5);
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (true) {
    if (predicate()) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(step);
  }
}

/// True if `predicate` stays true for the whole `period`: for events that must not happen.
template <class Predicate>
bool throughout(Predicate predicate, Deadline period) {
  return !eventually([&] { return !predicate(); }, period);
}

}  // namespace waybill::tests
