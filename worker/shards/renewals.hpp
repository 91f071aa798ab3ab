#pragma once

#include <chrono>

#include "base/clock.hpp"

namespace waybill::worker {

/// Decides when a worker renews its leases, and when the silence of other workers proves that they are lost.
/// It proves nothing after this worker was stalled, or soon after it reconnected, because the others may
/// still be reconnecting. Pure; one thread. Times are passed in.
class Renewals {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  explicit Renewals(Duration interval) : interval_(interval) {}

  /// Notes that the worker entered with a new session. A renewal is then due.
  void entered(Moment now);
  bool is_due(Moment now) const { return now - last_ >= interval_; }
  /// Notes a renewal. True if the last one was less than two intervals ago, so that this worker was not
  /// stalled.
  bool renewed(Moment now);
  /// True once other workers have had the time to reconnect.
  bool others_are_back(Moment now) const { return now >= others_return_until_; }
  /// The time until the next renewal; zero if it is due.
  Duration until_next(Moment now) const;

 private:
  Duration interval_;
  Moment last_{};
  Moment others_return_until_{};  // after a reconnection
  bool has_entered_before_ = false;
};

}  // namespace waybill::worker
