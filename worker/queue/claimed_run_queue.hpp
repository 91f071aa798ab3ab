#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "storage/runs/run_store.hpp"

namespace waybill::worker {

/// Claimed runs that wait for their check, their texts or their next step. Businesses take turns. Pure; one
/// thread at a time.
class ClaimedRunQueue {
 public:
  /// `most_of_a_business` is the number of waiting runs with which a business is full.
  explicit ClaimedRunQueue(std::size_t most_of_a_business) : most_of_a_business_(most_of_a_business) {}

  bool empty() const { return runs_.empty(); }
  /// False if no more runs should be claimed.
  bool has_room() const { return runs_.size() < most_runs; }
  bool is_full(const Guid& business) const;
  /// Businesses of which no more runs should be claimed.
  std::vector<Guid> full_businesses() const;

  void push(storage::ClaimedRun run, Time now);
  /// Takes out the next run. The queue must not be empty.
  storage::ClaimedRun pop();
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
  FairQueue<Guid, Entry> runs_;
  std::unordered_map<Guid, std::size_t> count_;  // by business
};

}  // namespace waybill::worker
