#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "net/circuit_breaker.hpp"
#include "storage/run.hpp"

namespace waybill::worker {

/// The health of destinations as the runner needs it: the circuit breaker, and which workflow may probe a
/// destination whose breaker is open. The workflow whose run failed last waits half a pause longer than the
/// others, for its path may be broken and not the host (decision 20). Pure; one thread at a time.
class Destinations {
 public:
  explicit Destinations(net::CircuitBreaker::Options options) : breaker_(options) {}

  /// Takes a place at the run's destination, one of `most` at best. Every place is given back by `ended` or
  /// `released`. False when there is none or it is not this workflow's turn.
  bool try_start(const storage::RunKey& run, std::size_t most, Time now);
  /// An attempt is over; `failed` counts against the destination's health.
  void ended(const storage::RunKey& run, bool failed, Time now);
  /// The attempt was not made, or says nothing of the destination.
  void released(const std::string& destination, Time now) { breaker_.released(destination, now); }

  bool may_probe(const storage::RunKey& run, Time now) const;
  bool is_open(const std::string& destination) const;
  /// When a run that was refused is worth trying again: of an open breaker its next probe, else `otherwise`.
  Time again_at(const storage::RunKey& run, Time now, Time otherwise) const;
  /// Destinations whose breaker is open and whose next probe is not due.
  std::vector<std::string> resting(Time now) const;

 private:
  struct Probe {
    Guid workflow;    // of the run that failed last
    Time not_before;  // for this workflow
  };

  net::CircuitBreaker breaker_;
  std::unordered_map<std::string, Probe> open_;  // destinations whose breaker is open
};

}  // namespace waybill::worker
