#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.hpp"

namespace waybill::worker {

/// The result of a look for due runs.
struct LookResult {
  Time now;                      // when the look began
  bool any_found = false;        // it claimed runs, or some waited for their check
  bool left_out = false;         // runs of some businesses, because others wait for their check
  std::optional<Time> next_due;  // when the next run that may go became or becomes due
  Time next_unblocked{};         // when a rate blocks no more
  Time next_probe{};             // the first probe of a destination whose breaker is open
};

/// The times of looks for due runs: one a second, and one at the next known due time. Pure; one thread at a
/// time.
class LookTimes {
 public:
  static constexpr Duration look_every = std::chrono::seconds(1);

  /// Notes when a run is due. Returns true if that is before the due time that is known.
  bool note_due(Time due);
  /// Makes the next look due at once.
  void look_again() { next_look_ = {}; }
  bool is_due(Time now) const { return now >= next_look_ || (next_due_ && now >= *next_due_); }
  /// Begins a look: due times that are noted from now on count, whatever it finds.
  void begin() { next_due_.reset(); }
  void end(const LookResult& look);
  /// The time of the next look.
  Time next() const { return next_due_ ? std::min(next_look_, *next_due_) : next_look_; }

 private:
  Time next_look_{};
  std::optional<Time> next_due_;
};

}  // namespace waybill::worker
