#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace waybill {

/// The clock of the database's server. It counts on from the last reading by the machine's steady clock, so
/// that a wrong or moving clock of this machine changes no time that is stored. Until the first reading, it
/// is the machine's clock.
class DatabaseClock final : public Clock {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  Time now() const override { return now(std::chrono::steady_clock::now()); }
  /// The time at a moment of the steady clock.
  Time now(SteadyTime moment) const;

  /// Notes that the server's clock was at `reading` at some moment between `before` and `after`. The clock
  /// moves only if this is impossible by the earlier readings, and then no farther than needed. A move of
  /// more than a second needs three such readings in succession, so that a server's clock that is wrong for a
  /// moment moves nothing. One thread.
  void learn(Time reading, SteadyTime before, SteadyTime after);

 private:
  static constexpr std::int64_t unknown = INT64_MIN;
  std::atomic<std::int64_t> offset_ = unknown;  // microseconds from the steady clock to the server's
  int steps_ = 0;                               // successive readings that need a move of more than a second
};

/// The clock of this process's database, which `app::Presence` reads every two seconds. Every time that is
/// stored, compared with a stored one, or sent to others comes from it; `system_clock` is for the log and for
/// the comparison of the two.
DatabaseClock& database_clock();

}  // namespace waybill
