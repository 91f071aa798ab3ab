#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"

namespace waybill::worker {

/// Divides a capacity (places in flight, runs or bytes in memory) among businesses. A business may take more
/// while it holds less than three times what is free. A lone business gets three quarters of the capacity,
/// and n businesses that want all they can get leave 1/(3n + 1) of it: a newcomer always finds something
/// free, and nothing is set aside for those who want nothing. (This is the dynamic threshold of shared-memory
/// switches: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.) Pure; one thread at a
/// time.
class Shares {
 public:
  explicit Shares(std::size_t capacity) : capacity_(capacity) {}

  /// True when the business may take more. It may then take any amount: what is taken in one piece is small
  /// beside the capacity.
  bool may_take(const Guid& business) const { return held(business) < 3 * free(); }

  void take(const Guid& business, std::size_t amount = 1);
  /// Gives back what was taken.
  void give(const Guid& business, std::size_t amount = 1);

  std::size_t held(const Guid& business) const;
  /// Businesses that may take no more.
  std::vector<Guid> beyond_share() const;
  std::size_t taken() const { return taken_; }
  std::size_t free() const { return taken_ < capacity_ ? capacity_ - taken_ : 0; }

 private:
  const std::size_t capacity_;
  std::size_t taken_ = 0;
  std::unordered_map<Guid, std::size_t> held_;  // of businesses that hold anything
};

}  // namespace waybill::worker
