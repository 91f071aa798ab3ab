#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace waybill {

/// A queue that serves its owners in turn, one value each; the values of one owner keep their order. An owner
/// with one value waits for at most one value of each other owner. Not thread-safe.
template <typename Owner, typename Value>
class FairQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t size_of(const Owner& owner) const {
    const auto found = values_.find(owner);
    return found == values_.end() ? 0 : found->second.size();
  }
  /// The number of owners with values.
  std::size_t owners() const { return values_.size(); }

  void push(const Owner& owner, Value value) {
    std::deque<Value>& values = values_[owner];
    if (values.empty()) turns_.push_back(owner);
    values.push_back(std::move(value));
    ++size_;
  }

  /// The queue must not be empty.
  Value pop() {
    Owner owner = std::move(turns_.front());
    turns_.pop_front();
    const auto entry = values_.find(owner);
    Value value = std::move(entry->second.front());
    entry->second.pop_front();
    --size_;
    if (entry->second.empty()) {
      values_.erase(entry);
    } else {
      turns_.push_back(std::move(owner));
    }
    return value;
  }

  /// Removes and returns each owner's values up to its first value for which `wanted` is false.
  template <typename Wanted>
  std::vector<Value> take_fronts(const Wanted& wanted) {
    std::vector<Value> taken;
    std::erase_if(turns_, [&](const Owner& owner) {
      const auto entry = values_.find(owner);
      std::deque<Value>& values = entry->second;
      while (!values.empty() && wanted(std::as_const(values.front()))) {
        taken.push_back(std::move(values.front()));
        values.pop_front();
      }
      if (!values.empty()) return false;
      values_.erase(entry);
      return true;
    });
    size_ -= taken.size();
    return taken;
  }

 private:
  std::unordered_map<Owner, std::deque<Value>> values_;  // without empty queues
  std::deque<Owner> turns_;                              // owners that have values
  std::size_t size_ = 0;
};

}  // namespace waybill
