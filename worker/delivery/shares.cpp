#include "worker/delivery/shares.hpp"

#include "base/check.hpp"

namespace waybill::worker {

void Shares::take(const Guid& business, std::size_t amount) {
  if (amount == 0) return;
  held_[business] += amount;
  taken_ += amount;
}

void Shares::release(const Guid& business, std::size_t amount) {
  if (amount == 0) return;
  const auto found = held_.find(business);
  if (!check(found != held_.end() && found->second >= amount && taken_ >= amount,
             "a business releases no more than it has taken"))
    return;
  found->second -= amount;
  if (found->second == 0) held_.erase(found);
  taken_ -= amount;
}

std::size_t Shares::held(const Guid& business) const {
  const auto found = held_.find(business);
  return found == held_.end() ? 0 : found->second;
}

std::vector<Guid> Shares::beyond_share() const {
  std::vector<Guid> businesses;
  for (const auto& [business, amount] : held_) {
    if (amount >= 3 * free()) businesses.push_back(business);
  }
  return businesses;
}

}  // namespace waybill::worker
