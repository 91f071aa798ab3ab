#include "worker/events/rate_mode.hpp"

#include <algorithm>

namespace waybill::worker {
namespace {

constexpr Duration window = std::chrono::milliseconds(200);
// Per window. NOTIFY limits all writers together to a few times the upper rate, so it must stop before that.
constexpr std::size_t busy_transactions = 60;
constexpr std::size_t idle_transactions = 20;
constexpr Duration busy_wait = std::chrono::milliseconds(1);
constexpr Duration shortest_settling_wait = std::chrono::milliseconds(2);
constexpr int settling_share = 200;

}  // namespace

std::optional<bool> RateMode::setting_to_announce() const {
  if (announced_ == idle_) return std::nullopt;
  return idle_;
}

void RateMode::announced(bool idle) {
  announced_ = idle;
  settling_ = idle;
  settling_since_.reset();
  settling_wait_ = shortest_settling_wait;
  first_informed_xid_.reset();
}

void RateMode::scanned(Time now, std::size_t transactions, std::uint64_t xmin,
                       std::optional<std::uint64_t> xid) {
  if (settling_) {
    if (!first_informed_xid_) first_informed_xid_ = xid;
    if (first_informed_xid_ && xmin >= *first_informed_xid_) settling_ = false;
    if (!settling_since_) settling_since_ = now;
    settling_wait_ = std::max(shortest_settling_wait, (now - *settling_since_) / settling_share);
  }
  window_transactions_ += transactions;
  if (window_transactions_ >= busy_transactions) idle_ = false;
  if (now - window_start_ < window) return;
  if (window_transactions_ <= idle_transactions) idle_ = true;
  window_start_ = now;
  window_transactions_ = 0;
}

Duration RateMode::max_wait(Duration poll) const {
  if (!idle_) return busy_wait;
  if (announced_ != true) return shortest_settling_wait;
  return settling_ ? std::min(settling_wait_, poll) : poll;
}

}  // namespace waybill::worker
