#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/guid.hpp"

namespace waybill::worker {

/// Counts the bytes of the runs in memory and divides them among businesses (Shares). The result of `hold` is
/// kept with the texts until they are written or dropped. Any thread may call any method.
class Memory {
 public:
  explicit Memory(std::size_t capacity);

  /// Counts `bytes` for a business until the last copy of the result is gone; it may outlive this object.
  std::shared_ptr<const void> hold(const Guid& business, std::size_t bytes);

  /// True if the business may hold more.
  bool may_take(const Guid& business) const;
  std::size_t free() const;
  /// Businesses that may hold no more.
  std::vector<Guid> beyond_share() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::worker
