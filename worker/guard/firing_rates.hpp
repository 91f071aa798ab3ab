#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::worker {

/// How often something happened within the last minute, to the second. Pure.
class MinuteCount {
 public:
  /// Counts one at `at` and answers how many there are in the 60 seconds that end with the latest. What is
  /// older than those is not counted.
  std::int64_t add(Time at);
  std::int64_t total() const { return total_; }
  /// Whether nothing of it is left at `now`.
  bool is_over(Time now) const;

 private:
  std::array<std::uint32_t, 60> seconds_{};
  std::int64_t latest_ = 0;  // Unix seconds
  std::int64_t total_ = 0;
};

/// A MinuteCount for each workflow that fires. Pure; one thread.
class FiringRates {
 public:
  void fired(const Guid& workflow, Time at) { minutes_[workflow].add(at); }
  /// Nothing when it has not fired lately.
  MinuteCount of(const Guid& workflow) const;
  void forget(const Guid& workflow) { minutes_.erase(workflow); }
  /// Forgets those that have been silent for a minute.
  void sweep(Time now);

 private:
  std::unordered_map<Guid, MinuteCount> minutes_;
};

}  // namespace waybill::worker
