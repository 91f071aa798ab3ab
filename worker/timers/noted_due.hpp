#pragma once

#include <atomic>
#include <limits>
#include <optional>

#include "base/clock.hpp"

namespace waybill::worker {

/// The earliest due time that was noted since the last look. Any thread.
class NotedDue {
 public:
  /// Returns true if the time is earlier than all that were noted.
  bool note(std::optional<Time> due) {
    if (!due) return false;
    const Time::rep at = due->time_since_epoch().count();
    Time::rep known = earliest_.load();
    while (at < known && !earliest_.compare_exchange_weak(known, at)) continue;
    return at < known;
  }
  /// Begins a look, which finds what was noted before.
  void begin_look() { earliest_ = never; }
  /// Time::max() if none was noted.
  Time earliest() const { return Time(Time::duration(earliest_.load())); }

 private:
  static constexpr Time::rep never = std::numeric_limits<Time::rep>::max();

  std::atomic<Time::rep> earliest_ = never;
};

}  // namespace waybill::worker
