#pragma once

#include <algorithm>
#include <cstddef>

namespace waybill::connectors {

/// The number of records to request at once from a store that may be unable to answer many: a quarter after a
/// failure, and slowly more again, each time later if the larger size fails. Pure.
class PageSize {
 public:
  explicit PageSize(std::size_t largest) : largest_(largest), size_(largest) {}

  std::size_t value() const { return size_; }

  /// After a page of this size failed. Returns false if it was one record already.
  bool shrink() {
    if (size_ == 1) return false;
    // A size that failed after it grew is too large, and the one before it works.
    size_ = std::max<std::size_t>(1, has_grown_ && answered_ == 0 ? size_ / 2 : size_ / 4);
    patience_ = std::min(2 * patience_, most_patience);
    answered_ = 0;
    has_grown_ = false;
    return true;
  }

  /// After a page of this size was answered.
  void grow() {
    if (size_ == largest_ || ++answered_ < patience_) return;
    size_ = std::min(largest_, 2 * size_);
    answered_ = 0;
    has_grown_ = true;
  }

  /// After the cause of the failures turned out to be a single record: grows without patience.
  void trust() {
    patience_ = 1;
    answered_ = 0;
  }

  /// Never requests more than `most` from now on.
  void limit(std::size_t most) {
    largest_ = std::max<std::size_t>(1, std::min(largest_, most));
    size_ = std::min(size_, largest_);
  }

 private:
  static constexpr std::size_t most_patience = 64;  // pages

  std::size_t largest_;
  std::size_t size_;
  std::size_t patience_ = 1;  // answered pages before the next growth
  std::size_t answered_ = 0;  // pages of this size
  bool has_grown_ = false;    // to this size
};

}  // namespace waybill::connectors
