#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/time_share_queue.hpp"
#include "storage/runs/run_store.hpp"

namespace waybill::worker {

/// Claimed runs that wait for their check, their texts or their next step. The business that has lately used
/// the least time comes first. Pure; one thread at a time.
class ClaimedRunQueue {
 public:
  using Shares = TimeShares<Guid>;

  /// `most_of_a_business` is the number of waiting runs with which a business is full. `shares` outlives the
  /// queue.
  ClaimedRunQueue(std::size_t most_of_a_business, Shares& shares)
      : most_of_a_business_(most_of_a_business), runs_(shares) {}

  bool empty() const { return runs_.empty(); }
  /// False if no more runs should be claimed.
  bool has_room() const { return runs_.size() < most_runs; }
  bool is_full(const Guid& business) const;
  /// Businesses of which no more runs should be claimed.
  std::vector<Guid> full_businesses() const;

  void push(storage::ClaimedRun run, Time now);
  /// Takes out the next run. The queue must not be empty.
  storage::ClaimedRun pop(Shares::Moment now);
  /// Takes out the runs that came before `since`.
  std::vector<storage::ClaimedRun> take_older(Time since);

 private:
  static constexpr std::size_t most_runs = 256;

  struct Entry {
    storage::ClaimedRun run;
    Time since;
  };
  storage::ClaimedRun taken(Entry entry);

  std::size_t most_of_a_business_;
  TimeShareQueue<Guid, Entry> runs_;
  std::unordered_map<Guid, std::size_t> count_;  // by business
};

}  // namespace waybill::worker
