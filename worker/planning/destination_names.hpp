#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::worker {

/// The destinations of one business that have a place of their own in the queue. Each look for due runs reads
/// every destination in the queue, so that a business with thousands of them would delay all others; beyond
/// `most` its destinations share a few places, and with them the limits of attempts and the circuit breaker.
/// Thread-safe. A crash loses the names, which only gives further destinations places of their own.
class DestinationNames {
 public:
  /// Longer than a run is repeated, so that the queue holds no run under a forgotten name.
  static constexpr Duration memory = std::chrono::hours(36);

  explicit DestinationNames(std::size_t most = 200) : most_(most) {}

  /// True if the destination ("host:port/business") has a place of its own, or gets one. It loses the place
  /// if it was not used within `memory` and another destination needs it.
  bool has_place(std::string_view destination, Time now);

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::unordered_map<std::string, Time> last_use_ GUARDED_BY(mutex_);
  Time last_removal_ GUARDED_BY(mutex_){};
};

/// The place that `destination` shares with others of the business. It ends with the business's guid.
std::string shared_place(std::string_view destination, const Guid& business);

}  // namespace waybill::worker
