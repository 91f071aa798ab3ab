#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

#include "base/clock.hpp"
#include "storage/events/leases.hpp"

namespace waybill::worker {

/// The held shards beyond a worker's share: it reads them no more, and releases them once their events in
/// flight are recorded. Pure; one thread. Times are passed in.
class SurplusShards {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// Removes the shards beyond `share` from `held`, the list of all shards of the worker. Surplus shards stay
  /// so, unless the worker holds no more than its share, or no longer holds them.
  void choose(storage::HeldShards& held, std::size_t share, Moment now);
  /// Forgets shards that were released.
  void released(std::span<const std::int16_t> shards);
  /// Forgets all, after the leases were lost.
  void clear() { shards_.clear(); }

  bool empty() const { return shards_.empty(); }
  const std::set<std::int16_t>& shards() const { return shards_; }
  /// True if there has been a surplus without interruption for `limit` or longer.
  bool lasts(Moment now, Duration limit) const { return !empty() && now - since_ >= limit; }

 private:
  std::set<std::int16_t> shards_;
  Moment since_{};
};

}  // namespace waybill::worker
