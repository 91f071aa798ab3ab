#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/guid.hpp"

namespace waybill::api {

/// Limits the bytes that clients with the same key keep in memory. Used by all io threads.
template <typename Key>
class HeldBytes {
 public:
  explicit HeldBytes(std::size_t most_of_one) : state_(std::make_shared<State>(most_of_one)) {}

  /// Counts the bytes, at least one, until the last copy of the result is gone. Returns null if the clients
  /// would hold too many. A claim of any size is granted while they hold nothing.
  std::shared_ptr<void> take(const Key& key, std::size_t bytes) {
    {
      const std::lock_guard lock(state_->mutex);
      const auto entry = state_->held.try_emplace(key, 0).first;
      if (entry->second > 0 && entry->second + bytes > state_->most_of_one) return nullptr;
      entry->second += bytes;
    }
    return {state_.get(), [state = state_, key, bytes](void*) {
              const std::lock_guard lock(state->mutex);
              const auto entry = state->held.find(key);
              entry->second -= bytes;
              if (entry->second == 0) state->held.erase(entry);
            }};
  }

 private:
  struct State {
    explicit State(std::size_t most) : most_of_one(most) {}
    const std::size_t most_of_one;
    std::mutex mutex;
    std::unordered_map<Key, std::size_t> held;  // without zeros; guarded by mutex
  };
  std::shared_ptr<State> state_;  // shared with the results
};

/// Limits of the memory that clients can fill by sending or reading slowly. Small bodies and answers do not
/// count.
struct ByteLimits {
  HeldBytes<Guid> bodies{128UL * 1024 * 1024};  // of a business: requests that are being sent or answered
  HeldBytes<std::string> bodies_of_network{16UL * 1024 * 1024};  // of clients without a business
  HeldBytes<Guid> answers{64UL * 1024 * 1024};                   // not taken by the business's clients yet
};

}  // namespace waybill::api
