#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guid.hpp"
#include "base/share_limit.hpp"

namespace waybill::api {

/// Shares a few places, such as threads or connections, between businesses. A business uses all places but
/// one, so that its long work leaves one to others. A free place goes to the business that uses the fewest,
/// and of those to the one that has been without a place for longest. So while a business waits without a
/// place, each other one begins at most one piece of work.
///
/// The work that waits or runs is limited for each business, and in total (base/share_limit.hpp).
///
/// The nil guid is one business, with all places and only the limit in total. Not thread-safe.
template <typename Work>
class SharedPlaces {
 public:
  struct Limits {
    std::size_t places = 1;
    std::size_t most = 64;         // waiting or running
    std::size_t most_of_one = 32;  // waiting or running, of one business
  };
  enum class Entry : std::uint8_t { refused, runs, waits };

  explicit SharedPlaces(const Limits& limits)
      : limits_(limits), share_(std::max<std::size_t>(limits.places, 2) - 1) {}

  /// Counts a piece of work unless it is refused. The caller begins it if it runs, or else passes it to
  /// `wait`.
  Entry enter(const Guid& business) {
    const auto [entry, is_new] = holders_.try_emplace(business);
    Holder& holder = entry->second;
    if (is_new) holder.last_turn = ++turns_;
    if (is_too_much(business, holder)) {
      forget_if_idle(entry);
      return Entry::refused;
    }
    ++total_;
    if (running_ < limits_.places && may_run(business, holder)) {
      begin(holder);
      return Entry::runs;
    }
    ++holder.expected;
    return Entry::waits;
  }

  /// Call `next` afterwards, because a place may have become free since `enter`.
  void wait(const Guid& business, Work work) {
    Holder& holder = holders_.find(business)->second;
    --holder.expected;
    holder.waiting.push_back(std::move(work));
    ++waiting_;
  }

  /// Returns the work that has a place now; nullopt if none has. Call it until it returns nullopt.
  std::optional<Work> next() {
    if (running_ >= limits_.places) return std::nullopt;
    Holder* first = nullptr;
    for (auto& [business, holder] : holders_) {
      if (holder.waiting.empty() || !may_run(business, holder)) continue;
      const auto rank = [](const Holder& each) { return std::pair(each.running, each.last_turn); };
      if (first == nullptr || rank(holder) < rank(*first)) first = &holder;
    }
    if (first == nullptr) return std::nullopt;
    begin(*first);
    --waiting_;
    Work work = std::move(first->waiting.front());
    first->waiting.pop_front();
    return work;
  }

  /// Ends a piece of work that ran. Call `next` afterwards.
  void end(const Guid& business) {
    const auto entry = holders_.find(business);
    entry->second.last_turn = ++turns_;
    --entry->second.running;
    --running_;
    --total_;
    forget_if_idle(entry);
  }

  /// Removes and returns the waiting work of each business up to the first for which `wanted` is false.
  template <typename Wanted>
  std::vector<Work> take_fronts(const Wanted& wanted) {
    std::vector<Work> taken;
    for (auto& [business, holder] : holders_) {
      while (!holder.waiting.empty() && wanted(std::as_const(holder.waiting.front()))) {
        taken.push_back(std::move(holder.waiting.front()));
        holder.waiting.pop_front();
      }
    }
    std::erase_if(holders_, [](const auto& entry) { return entry.second.size() == 0; });
    waiting_ -= taken.size();
    total_ -= taken.size();
    return taken;
  }

  bool has_waiting() const { return waiting_ > 0; }

 private:
  struct Holder {
    std::size_t size() const { return running + expected + waiting.size(); }

    std::size_t running = 0;
    std::size_t expected = 0;     // between `enter` and `wait`
    std::uint64_t last_turn = 0;  // of its arrival, or the last begin or end of its work
    std::deque<Work> waiting;
  };
  using Holders = std::unordered_map<Guid, Holder>;

  bool is_too_much(const Guid& business, const Holder& holder) const {
    if (!business.is_nil() && holder.size() >= limits_.most_of_one) return true;
    return ShareLimit{.most = limits_.most}.refuses(holder.size(), total_, holders_.size());
  }

  bool may_run(const Guid& business, const Holder& holder) const {
    return business.is_nil() || holder.running < share_;
  }

  void begin(Holder& holder) {
    holder.last_turn = ++turns_;
    ++holder.running;
    ++running_;
  }

  void forget_if_idle(Holders::iterator entry) {
    if (entry->second.size() == 0) holders_.erase(entry);
  }

  const Limits limits_;
  const std::size_t share_;  // places that a business may use
  Holders holders_;          // those with work
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
  std::size_t total_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace waybill::api
