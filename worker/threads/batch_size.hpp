#pragma once

#include <algorithm>
#include <cstddef>

#include "base/clock.hpp"

namespace waybill::worker {

/// The number of items in a batch, so that a batch takes about `target`: it shrinks in proportion after a
/// slow batch and doubles after a full one that was fast enough. Pure; one thread.
class BatchSize {
 public:
  BatchSize(std::size_t first, std::size_t most, Duration target)
      : size_(first), most_(most), target_(target) {}

  std::size_t get() const { return size_; }

  /// Notes that a batch of `count` items took `took`.
  void measured(std::size_t count, Duration took) {
    if (took > target_) {
      const auto fitting = count * static_cast<std::size_t>(target_ / Duration(1)) /
                           static_cast<std::size_t>(took / Duration(1));
      size_ = std::max<std::size_t>(fitting, 1);
    } else if (count >= size_) {
      size_ = std::min(2 * size_, most_);
    }
  }

  /// Notes that only `count` items of a batch were processed. The next batch has no more than that.
  void limited_to(std::size_t count) { size_ = std::max<std::size_t>(count, 1); }

 private:
  std::size_t size_;
  std::size_t most_;
  Duration target_;
};

}  // namespace waybill::worker
