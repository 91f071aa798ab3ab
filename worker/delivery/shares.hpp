#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"

namespace waybill::worker {

/// Divides a capacity (attempts in flight, events or bytes in memory) among businesses. A business may take
/// more while it holds less than three times the free amount. A lone business gets three quarters of the
/// capacity; n businesses of unlimited demand leave 1/(3n + 1) of it free. So a further business always
/// finds free capacity, and none is reserved for businesses that need none. (This is the dynamic threshold of
/// shared-memory switches: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.) Pure. One
/// thread at a time.
class Shares {
 public:
  explicit Shares(std::size_t capacity) : capacity_(capacity) {}

  /// True if the business may take more. It may then take any amount, because a single amount is small
  /// compared with the capacity.
  bool may_take(const Guid& business) const { return held(business) < 3 * free(); }

  void take(const Guid& business, std::size_t amount = 1);
  /// Returns an amount that was taken.
  void release(const Guid& business, std::size_t amount = 1);

  std::size_t held(const Guid& business) const;
  /// Businesses that may take no more.
  std::vector<Guid> beyond_share() const;
  std::size_t taken() const { return taken_; }
  std::size_t free() const { return taken_ < capacity_ ? capacity_ - taken_ : 0; }

 private:
  const std::size_t capacity_;
  std::size_t taken_ = 0;
  std::unordered_map<Guid, std::size_t> held_;  // by business; without zeros
};

}  // namespace waybill::worker
