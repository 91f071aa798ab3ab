#include "base/database_clock.hpp"

#include <algorithm>

namespace waybill {
namespace {

Duration since_start(DatabaseClock::SteadyTime moment) {
  return std::chrono::duration_cast<Duration>(moment.time_since_epoch());
}

constexpr int readings_of_step = 3;

}  // namespace

Time DatabaseClock::now(SteadyTime moment) const {
  const auto offset = offset_.load(std::memory_order_relaxed);
  if (offset == unknown) return system_clock().now();
  return Time(since_start(moment) + Duration(offset));
}

void DatabaseClock::learn(Time reading, SteadyTime before, SteadyTime after) {
  const std::int64_t lowest = (reading.time_since_epoch() - since_start(after)).count();
  const std::int64_t highest = (reading.time_since_epoch() - since_start(before)).count();
  const auto known = offset_.load(std::memory_order_relaxed);
  const auto right = known == unknown ? lowest + (highest - lowest) / 2 : std::clamp(known, lowest, highest);
  const bool is_step =
      known != unknown && std::chrono::abs(Duration(right - known)) > std::chrono::seconds(1);
  steps_ = is_step ? steps_ + 1 : 0;
  if (is_step && steps_ < readings_of_step) return;
  steps_ = 0;
  offset_.store(right, std::memory_order_relaxed);
}

DatabaseClock& database_clock() {
  static DatabaseClock clock;
  return clock;
}

}  // namespace waybill
