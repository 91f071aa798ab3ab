#pragma once

#include <algorithm>
#include <cstddef>

namespace waybill {

/// A limited number of units of work. One thread.
class WorkBudget {
 public:
  explicit WorkBudget(std::size_t units) : left_(units) {}

  /// Takes `units`. Returns false if fewer were left; the budget is then exceeded for good.
  bool take(std::size_t units) {
    is_exceeded_ = is_exceeded_ || units > left_;
    left_ -= std::min(units, left_);
    return !is_exceeded_;
  }

  bool is_exceeded() const { return is_exceeded_; }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
  bool is_exceeded_ = false;
};

}  // namespace waybill
