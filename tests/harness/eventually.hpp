#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Polls `predicate` until it is true or the deadline passes, every 5 ms at first. From then on, a pause
/// takes a tenth of the time waited, up to `longest_pause`.
template <class Predicate>
bool poll(Predicate& predicate, Deadline deadline, std::chrono::milliseconds longest_pause) {
  using Pause = std::chrono::duration<double>;
  constexpr Pause shortest_pause = std::chrono::milliseconds(5);
  const auto begun = std::chrono::steady_clock::now();
  while (true) {
    if (predicate()) return true;
    const auto waited = std::chrono::steady_clock::now() - begun;
    if (waited >= deadline) return false;
    std::this_thread::sleep_for(std::clamp<Pause>(waited / 10., shortest_pause, longest_pause));
  }
}

/// Polls `predicate` until it is true or the deadline passes, for state that sends no signal (a row of a
/// database, a response of the API). Otherwise tests wait for signals. Apart from this, only the crash and
/// cluster tests sleep, between changes and attempts. The longer it waits, the longer it pauses: each look
/// takes processor time from what it waits for.
template <class Predicate>
bool eventually(Predicate predicate, Deadline deadline = default_deadline) {
  return poll(predicate, deadline, std::chrono::milliseconds(25));
}

/// True if `predicate` stays true for the whole `period`: for events that must not happen.
template <class Predicate>
bool throughout(Predicate predicate, Deadline period) {
  const auto is_broken = [&] { return !predicate(); };
  return !poll(is_broken, period, std::chrono::milliseconds(5));
}

}  // namespace waybill::tests
