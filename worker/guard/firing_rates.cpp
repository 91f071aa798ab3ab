#include "worker/guard/firing_rates.hpp"

#include <algorithm>

namespace waybill::worker {
namespace {

constexpr std::int64_t window_seconds = 60;

std::size_t slot(std::int64_t second) { return static_cast<std::size_t>(second % window_seconds); }

}  // namespace

std::int64_t MinuteCount::add(Time at) {
  const std::int64_t second = std::max<std::int64_t>(to_unix_seconds(at), 0);
  if (second <= latest_ - window_seconds) return total_;
  if (second > latest_) {
    for (std::int64_t expired = std::max(latest_ + 1, second - window_seconds + 1); expired <= second;
         ++expired) {
      total_ -= seconds_[slot(expired)];
      seconds_[slot(expired)] = 0;
    }
    latest_ = second;
  }
  ++seconds_[slot(second)];
  return ++total_;
}

bool MinuteCount::is_over(Time now) const { return to_unix_seconds(now) >= latest_ + window_seconds; }

MinuteCount FiringRates::of(const Guid& workflow) const {
  const auto found = minutes_.find(workflow);
  return found == minutes_.end() ? MinuteCount{} : found->second;
}

void FiringRates::forget_idle(Time now) {
  std::erase_if(minutes_, [&](const auto& entry) { return entry.second.is_over(now); });
}

}  // namespace waybill::worker
