#pragma once

#include <chrono>
#include <thread>
#include <utility>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// Asks `predicate` until it is true or the deadline passes, for state that nobody can signal (a row of a
/// database, an answer of the API). The only place of the tests that lets time pass; everything else waits
/// for a signal.
template <class Predicate>
bool eventually(Predicate predicate, Deadline deadline = patience) {
  constexpr auto step = std::chrono::milliseconds(5);
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (true) {
    if (predicate()) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(step);
  }
}

/// True when `predicate` stays true until `period` has passed: for what must not happen.
template <class Predicate>
bool throughout(Predicate predicate, Deadline period) {
  return !eventually([&] { return !predicate(); }, period);
}

}  // namespace waybill::tests
