#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/timers/shard_share.hpp"

namespace waybill::worker {

/// A locked timer and the state of its workflow, from one snapshot.
struct ClaimedTimer {
  DueTimer timer;
  bool was_on;  // when the timer came due
  bool is_deleted;
};

/// Chooses the due timers of a transaction. Each shard has a share of the transaction, and the timers that
/// have been due longest come first. While a shard has more due timers than its share, every second
/// transaction takes a few timers of each of its next businesses, so that a business with very many timers
/// delays the others little. One thread.
class TimerClaims {
 public:
  struct Batch {
    std::vector<ClaimedTimer> timers;
    std::uint64_t epoch = 0;  // of the workflows; 0 without timers
  };
  /// Locks due timers of these shards that no other worker has locked, in the transaction of `session`.
  /// Throws DatabaseUnavailable or StatementError.
  Batch take(storage::Session& session, const std::vector<std::int16_t>& shards);

  /// Notes that the transaction of the batch was committed: how many timers were decided, and how many were
  /// left for the next one.
  void worked(std::size_t done, std::size_t left, std::size_t shards);

 private:
  Batch claim(storage::Session& session, const std::vector<std::int16_t>& shards);
  Batch take_in_turn(storage::Session& session);

  ShardShare share_;
  std::chrono::steady_clock::time_point began_, claimed_;  // the last claim
  // Shards with more timers than their share, and the last business of each that had a turn.
  std::map<std::int16_t, Guid> crowded_;
  std::int16_t last_shard_ = -1;  // the crowded shard of the last turn
  bool was_turn_ = false;
};

}  // namespace waybill::worker
