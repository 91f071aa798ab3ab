#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "base/time_shares.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/queue/claimed_run_queue.hpp"

namespace waybill::worker {

/// The runs that wait for their preparation, by kind, with their lock and the wait of the thread that takes
/// them. Any thread may call any method. No other lock is taken under its own, and nothing is called back. A
/// crash loses nothing: claims end with their lease.
class PreparationQueues {
 public:
  using Runs = std::vector<storage::ClaimedRun>;
  enum class Kind : std::uint8_t {
    render,  // claimed, to get their texts
    begin,   // claimed, of several steps, of which one is to begin
    go_on,   // of several steps, of which one has just ended; taken over from the runner
  };

  PreparationQueues();

  /// Adds claimed runs, even without room.
  void add(Runs to_render, Runs to_begin, Time now);
  /// Adds a run that continues. False after `close`, if there is no room, or if the business has too many.
  bool go_on(storage::ClaimedRun run, Time now);
  /// False if no more runs should be claimed.
  bool has_room() const;
  /// Businesses of which no more runs should be claimed.
  std::vector<Guid> full_businesses() const;

  /// Waits until there is a run, for `limit` at most or until the stop. Returns false if there is none.
  bool wait(const std::stop_token& stop, Duration limit);
  /// Waits for `length` or until the stop.
  void pause(const std::stop_token& stop, Duration length);

  struct Taken {
    Runs runs;
    Runs late;
  };
  /// Takes out the runs of one kind that came before `since`, as `late`, and at most `most` of the others, as
  /// `runs`: those of the businesses that have lately used the least time. All kinds share the time.
  Taken take(Kind kind, std::size_t most, Time since);
  /// The runs that were taken out for a business, and the time that they took.
  struct Spent {
    std::size_t runs = 0;
    TimeShares<Guid>::Length time{};
  };
  /// Notes the time that the runs taken last have taken.
  void spent(const std::unordered_map<Guid, Spent>& by_business);

  /// Makes all later calls of `go_on` return false.
  void close();
  Runs take_all();

 private:
  ClaimedRunQueue& queue(Kind kind) REQUIRES(mutex_);

  mutable Mutex mutex_;
  TimeShares<Guid> shares_ GUARDED_BY(mutex_);
  StopCondition changed_;
  ClaimedRunQueue to_render_ GUARDED_BY(mutex_);
  ClaimedRunQueue to_begin_ GUARDED_BY(mutex_);
  ClaimedRunQueue to_go_on_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace waybill::worker
