#pragma once

#include <chrono>
#include <vector>

#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "base/time_shares.hpp"

namespace waybill::worker {

/// The time that the schedules of each business have lately used in this worker, and the businesses that are
/// slow because of it. A crash forgets it. Any thread.
class ScheduleShares {
 public:
  using Shares = TimeShares<Guid>;

  /// A business is slow while this much time counts.
  static constexpr std::chrono::milliseconds slow_from{500};
  static constexpr std::chrono::minutes half_life{1};

  void used(const Guid& business, Shares::Length time, Shares::Moment now) {
    const Lock lock(mutex_);
    shares_.add(business, time, now);
  }
  /// Makes a business slow for at least a half-life.
  void make_slow(const Guid& business, Shares::Moment now) {
    const Lock lock(mutex_);
    shares_.add(business, 2 * slow_from, now);
  }
  /// The slow businesses, the one that has used the least time first.
  std::vector<Guid> slow(Shares::Moment now) const {
    const Lock lock(mutex_);
    return shares_.above(slow_from, now);
  }

 private:
  mutable Mutex mutex_;
  Shares shares_ GUARDED_BY(mutex_){half_life};
};

}  // namespace waybill::worker
