#include "worker/shards/renewals.hpp"

#include <algorithm>
#include <utility>

namespace waybill::worker {
namespace {

// The time for other workers to reconnect after a restart or fail-over of the server ended all sessions.
constexpr Duration return_time = std::chrono::seconds(2);

}  // namespace

void Renewals::entered(Moment now) {
  last_ = {};
  if (std::exchange(has_entered_before_, true)) others_return_until_ = now + return_time;
}

bool Renewals::renewed(Moment now) { return now - std::exchange(last_, now) < 2 * interval_; }

Duration Renewals::until_next(Moment now) const {
  return std::max(std::chrono::duration_cast<Duration>(last_ + interval_ - now), Duration::zero());
}

}  // namespace waybill::worker
