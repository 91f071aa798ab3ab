#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

inline constexpr std::size_t shard_count = 16;

struct HeldShard {
  std::uint64_t epoch;  // grows with each owner
  bool orphaned;        // the owner before did not give it back: an event of it may have killed that worker
  bool operator==(const HeldShard&) const = default;
};

/// The shards a worker holds.
using HeldShards = std::map<std::int16_t, HeldShard>;

/// A worker's claim on shards: beats with an expiry, and an advisory lock of the worker's name that ends with
/// its session, so that what a killed worker held is free at once and what a stopped one held is free after
/// `lease`. All methods throw DatabaseUnavailable or StatementError.
class Leases {
 public:
  Leases(Session& session, Guid worker, std::string name, Duration lease)
      : session_(session), worker_(worker), name_(std::move(name)), lease_(lease) {}

  /// Enters the worker, takes its lock and notifies `waybill_leases`; once for each session. False while an
  /// older session of this worker, which the server has not noticed to be gone, still has the lock.
  bool enter();

  /// Frees the runs and imports of other workers that are lost: whose session has ended, or who are silent
  /// for longer than `silence` after the end of their lease, unless it is nullopt.
  void free_lost(std::optional<Duration> silence);

  /// Prolongs what is held and answers it. `lag` is for how long the oldest event of it that is not matched
  /// has waited: whether events are matched in time is judged by it.
  HeldShards renew(Duration lag);

  /// Takes free shards, at most `most`, and answers them; those of lost workers only if `of_lost`.
  HeldShards take(std::size_t most, bool of_lost);

  /// How many shards this worker should hold at most: an even share among those that live.
  std::size_t fair_share();

  /// Notifies `waybill_leases`, like `leave`.
  void release(const std::vector<std::int16_t>& shards);

  /// Whether writers shall NOTIFY `waybill_events`.
  void set_idle(bool idle);

  /// The worker stops: everything is free.
  void leave();

 private:
  Session& session_;
  Guid worker_;
  std::string name_;
  Duration lease_;
};

}  // namespace waybill::storage
