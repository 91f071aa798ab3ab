#include "worker/pipeline/rate_mode.hpp"

#include <algorithm>

namespace waybill::worker {
namespace {

constexpr Duration window = std::chrono::milliseconds(200);
// Of a window. NOTIFY alone holds all writers down to a few times the upper one, so it must go before that.
constexpr std::size_t busy_transactions = 60;
constexpr std::size_t idle_transactions = 20;
constexpr Duration busy_patience = std::chrono::milliseconds(1);
constexpr Duration settling_patience = std::chrono::milliseconds(2);

}  // namespace

std::optional<bool> RateMode::to_say() const {
  if (said_ == idle_) return std::nullopt;
  return idle_;
}

void RateMode::said(bool idle) {
  said_ = idle;
  settling_ = idle;
  until_.reset();
}

void RateMode::looked(Time now, std::size_t transactions, std::uint64_t xmin,
                      std::optional<std::uint64_t> xid) {
  if (settling_) {
    if (!until_) until_ = xid;
    if (until_ && xmin >= *until_) settling_ = false;
  }
  window_transactions_ += transactions;
  if (window_transactions_ >= busy_transactions) idle_ = false;
  if (now - window_start_ < window) return;
  if (window_transactions_ <= idle_transactions) idle_ = true;
  window_start_ = now;
  window_transactions_ = 0;
}

Duration RateMode::patience(Duration poll) const {
  if (!idle_) return busy_patience;
  return settling_ || said_ != true ? settling_patience : poll;
}

}  // namespace waybill::worker
