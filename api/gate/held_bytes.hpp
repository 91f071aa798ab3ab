#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/guid.hpp"

namespace waybill::api {

/// Limits the bytes that clients of a business keep in memory. Used by all io threads.
class HeldBytes {
 public:
  explicit HeldBytes(std::size_t most_of_one) : state_(std::make_shared<State>(most_of_one)) {}

  /// Counts the bytes until the last copy of the result is gone. Null if the business would hold too many;
  /// its only claim may have any size.
  std::shared_ptr<void> take(const Guid& business, std::size_t bytes);

 private:
  struct State {
    explicit State(std::size_t most) : most_of_one(most) {}
    const std::size_t most_of_one;
    std::mutex mutex;
    std::unordered_map<Guid, std::size_t> held;  // by business, without zeros; guarded by mutex
  };
  std::shared_ptr<State> state_;  // shared with the results
};

/// Clients that send or read slowly cannot fill the memory. Small bodies and answers do not count.
struct ByteLimits {
  HeldBytes bodies{128UL * 1024 * 1024};  // of requests that are being sent or answered
  HeldBytes answers{64UL * 1024 * 1024};  // not taken by their clients yet
};

}  // namespace waybill::api
