#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time_shares.hpp"

namespace waybill {

/// A queue that serves the owner first that has lately used the least time; the values of one owner keep
/// their order. A value that is taken counts with its expected time until the user reports the real one
/// (TimeShares::ended), so a batch has values of several owners. While all values take equally long, owners
/// take turns. Taking a value costs time in proportion to the number of owners. Not thread-safe.
template <typename Owner, typename Value>
class TimeShareQueue {
 public:
  using Shares = TimeShares<Owner>;
  using Moment = Shares::Moment;

  /// `shares` may belong to several queues and outlives them.
  explicit TimeShareQueue(Shares& shares) : shares_(shares) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t size_of(const Owner& owner) const {
    const auto found = owners_.find(owner);
    return found == owners_.end() ? 0 : found->second.values.size();
  }
  /// The number of owners with values.
  std::size_t owners() const { return owners_.size(); }

  void push(const Owner& owner, Value value) {
    Waiting& waiting = owners_[owner];
    if (waiting.values.empty()) waiting.turn = ++last_turn_;
    waiting.values.push_back(std::move(value));
    ++size_;
  }

  /// The owner of the next value. The queue must not be empty.
  const Owner& next() const { return find_next(any_owner)->first; }

  /// The queue must not be empty.
  Value pop(Moment now) { return *pop_if(any_owner, now); }

  /// The next value of an owner for which `may_go` is true; nullopt if there is none.
  template <typename MayGo>
  std::optional<Value> pop_if(const MayGo& may_go, Moment now) {
    const auto found = find_next(may_go);
    if (found == owners_.end()) return std::nullopt;
    const auto entry = owners_.find(found->first);
    Waiting& waiting = entry->second;
    Value value = std::move(waiting.values.front());
    waiting.values.pop_front();
    --size_;
    shares_.began(entry->first, now);
    if (waiting.values.empty()) {
      owners_.erase(entry);
    } else {
      waiting.turn = ++last_turn_;
    }
    return value;
  }

  /// Removes and returns each owner's values up to its first value for which `wanted` is false.
  template <typename Wanted>
  std::vector<Value> take_fronts(const Wanted& wanted) {
    std::vector<Value> taken;
    for (auto& [owner, waiting] : owners_) {
      std::deque<Value>& values = waiting.values;
      while (!values.empty() && wanted(std::as_const(values.front()))) {
        taken.push_back(std::move(values.front()));
        values.pop_front();
      }
    }
    std::erase_if(owners_, [](const auto& entry) { return entry.second.values.empty(); });
    size_ -= taken.size();
    return taken;
  }

  void clear() {
    owners_.clear();
    size_ = 0;
  }

 private:
  struct Waiting {
    std::deque<Value> values;
    std::uint64_t turn = 0;  // decides between owners that have used equally much
  };
  using Owners = std::unordered_map<Owner, Waiting>;

  static bool any_owner(const Owner& /*owner*/) { return true; }

  template <typename MayGo>
  Owners::const_iterator find_next(const MayGo& may_go) const {
    auto best = owners_.end();
    double least = 0;
    for (auto entry = owners_.begin(); entry != owners_.end(); ++entry) {
      const double score = shares_.score(entry->first);
      const bool is_first =
          best == owners_.end() || std::tie(score, entry->second.turn) < std::tie(least, best->second.turn);
      if (!is_first || !may_go(entry->first)) continue;
      best = entry;
      least = score;
    }
    return best;
  }

  Shares& shares_;
  Owners owners_;  // without empty queues
  std::uint64_t last_turn_ = 0;
  std::size_t size_ = 0;
};

}  // namespace waybill
