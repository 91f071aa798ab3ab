#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"
#include "storage/runs/queue_floors.hpp"
#include "storage/runs/run_store.hpp"

namespace waybill::worker {

/// The floors of busy destinations. While a transaction or a snapshot is open, PostgreSQL keeps the rows that
/// are deleted, and without floors each look reads the rows of all earlier runs again. A run can appear below
/// its floor, because its transaction took long or the clock of its worker is behind. The duty
/// `check_floors` finds it there and lowers the floor. Pure. Any thread.
class DueFloors {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Counts the claimed runs of each destination.
  void claimed(std::span<const storage::ClaimedRun> runs);
  /// The floors of the destinations with at least 25 claimed runs since `clear`; of more than a thousand,
  /// those with the most.
  storage::QueueFloors get() const;
  /// Replaces the floors `old` by `times`, except those that were lowered since `old` was read.
  void raise(const storage::QueueFloors& old, const std::vector<Time>& times);
  /// The floors to check for runs below them; empty during the pause after a check.
  storage::QueueFloors to_check(SteadyTime now) const;
  /// Notes a check of `floors`, which found the first run of each destination in `below`: their floors are
  /// lowered to these. After a quick check that found none, all floors are forgotten, because few deleted
  /// rows are left. The next check waits for 20 times as long as this one took.
  void checked(const storage::QueueFloors& floors, const storage::QueueFloors& below, SteadyTime began,
               SteadyTime ended);
  /// Forgets all floors and counts.
  void clear();
  /// Forgets them if the last check shows that a look without floors takes little time.
  void clear_if_cheap();

 private:
  struct Destination {
    std::size_t claimed = 0;
    Time floor{};
  };

  mutable Mutex mutex_;
  std::unordered_map<std::string, Destination> destinations_ GUARDED_BY(mutex_);
  SteadyTime next_check_ GUARDED_BY(mutex_){};
  SteadyTime::duration last_check_ GUARDED_BY(mutex_){};
};

}  // namespace waybill::worker
