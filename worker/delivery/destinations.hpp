#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "net/destination/circuit_breaker.hpp"
#include "storage/runs/run.hpp"

namespace waybill::worker {

/// The health of destinations: their circuit breakers, and which workflow may probe a destination whose
/// breaker is open. The workflow whose run failed last waits half a pause longer than the others, because its
/// path may be broken rather than the server (decision 20). Pure. One thread at a time.
class Destinations {
 public:
  explicit Destinations(net::CircuitBreaker::Options options) : breaker_(options) {}

  /// Takes a slot at the run's destination, where at most `limit` may be in use. `ended` or `released` must
  /// return it. False if no slot is free or another workflow may probe first.
  bool try_start(const storage::RunKey& run, std::size_t limit, Time now);
  /// Returns the slot after an attempt; `failed` counts against the destination's health. True if the attempt
  /// opened the destination's breaker.
  bool ended(const storage::RunKey& run, bool failed, Time now);
  /// Returns the slot of an attempt that was not made or says nothing about the destination.
  void released(const std::string& destination, Time now) { breaker_.released(destination, now); }

  bool may_probe(const storage::RunKey& run, Time now) const;
  bool is_open(const std::string& destination) const;
  net::CircuitBreaker::Health health(const std::string& destination) const {
    return breaker_.health(destination);
  }
  bool is_probing(const std::string& destination, Time now) const {
    return breaker_.is_probing(destination, now);
  }
  /// The time to attempt a refused run again: the next probe if the breaker is open, else `otherwise`.
  Time next_attempt_at(const storage::RunKey& run, Time now, Time otherwise) const;
  /// Destinations whose breaker is open and whose next probe is not due.
  std::vector<std::string> awaiting_probe(Time now) const;
  /// The time of the first of these probes; Time::max() if no destination awaits one.
  Time next_probe(Time now) const;

 private:
  struct Probe {
    Guid workflow;    // the workflow whose run failed last
    Time not_before;  // the earliest probe by this workflow
  };

  net::CircuitBreaker breaker_;
  std::unordered_map<std::string, Probe> open_;  // destinations whose breaker is open
};

}  // namespace waybill::worker
