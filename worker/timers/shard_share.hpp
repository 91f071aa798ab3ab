#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace waybill::worker {

/// The largest number of timers of a shard in one transaction. It is small, so that events and the timers of
/// other shards wait little. It grows while claiming the timers takes more than half as long as firing them:
/// during an open transaction or snapshot, each claim reads the rows of all timers that fired. Pure. One
/// thread.
class ShardShare {
 public:
  static constexpr std::size_t usual = 16;
  static constexpr std::size_t most = 256;

  std::size_t get() const { return share_; }

  /// Notes that a transaction had the whole share of a shard.
  void used(std::chrono::nanoseconds to_claim, std::chrono::nanoseconds to_fire) {
    if (share_ < usual) {
      share_ = std::min(2 * share_, usual);
    } else if (2 * to_claim > to_fire) {
      share_ = std::min(2 * share_, most);
    } else if (8 * to_claim < to_fire) {
      share_ = std::max(share_ / 2, usual);
    }
  }
  /// Notes that no shard had more timers than its share.
  void sufficed() { share_ = usual; }
  /// Notes that the records of more timers exceed the bytes of a transaction.
  void limited_to(std::size_t count) { share_ = std::max<std::size_t>(count, 1); }

 private:
  std::size_t share_ = usual;
};

}  // namespace waybill::worker
