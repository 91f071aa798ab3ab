#include "api/gate/held_bytes.hpp"

namespace waybill::api {

std::shared_ptr<void> HeldBytes::take(const Guid& business, std::size_t bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto entry = state_->held.try_emplace(business, 0).first;
    if (entry->second > 0 && entry->second + bytes > state_->most_of_one) return nullptr;
    entry->second += bytes;
  }
  return {state_.get(), [state = state_, business, bytes](void*) {
            const std::lock_guard lock(state->mutex);
            const auto entry = state->held.find(business);
            if ((entry->second -= bytes) == 0) state->held.erase(entry);
          }};
}

}  // namespace waybill::api
