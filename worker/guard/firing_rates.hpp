#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::worker {

/// Counts events of the last minute, to the second. Pure.
class MinuteCount {
 public:
  /// Counts an event at `at`, unless it is older than 60 s, and returns the count of the 60 s that end with
  /// the latest event.
  std::int64_t add(Time at);
  std::int64_t total() const { return total_; }
  /// True if no counted event is within the minute before `now`.
  bool is_over(Time now) const;

 private:
  std::array<std::uint32_t, 60> seconds_{};
  std::int64_t latest_ = 0;  // Unix seconds
  std::int64_t total_ = 0;
};

/// A MinuteCount for each workflow that fires. Pure. One thread.
class FiringRates {
 public:
  void fired(const Guid& workflow, Time at) { minutes_[workflow].add(at); }
  /// The count of the workflow; zero if it has not fired within the last minute.
  MinuteCount of(const Guid& workflow) const;
  void forget(const Guid& workflow) { minutes_.erase(workflow); }
  /// Forgets the workflows that have not fired for a minute.
  void forget_idle(Time now);

 private:
  std::unordered_map<Guid, MinuteCount> minutes_;
};

}  // namespace waybill::worker
