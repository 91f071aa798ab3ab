#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/guid.hpp"

namespace waybill::api {

/// Limits the bytes of large answers that the clients of a business have not taken yet, so that clients that
/// read slowly or not at all cannot fill the memory. Used by all io threads.
class AnswerBytes {
 public:
  explicit AnswerBytes(std::size_t most_of_one) : state_(std::make_shared<State>(most_of_one)) {}

  /// Counts the bytes until the last copy of the result is gone. Null if the business would hold too many;
  /// its only large answer may have any size.
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

}  // namespace waybill::api
