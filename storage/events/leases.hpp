#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::storage {

namespace blocking {
class Connection;
}

inline constexpr std::size_t shard_count = 16;

struct HeldShard {
  std::uint64_t epoch;  // grows with each owner
  bool orphaned;  // the previous owner did not release it: one of its events may have killed that worker
  bool operator==(const HeldShard&) const = default;
};

/// The shards a worker holds.
using HeldShards = std::map<std::int16_t, HeldShard>;

/// A worker's leases on shards: renewals with an expiry, and the worker's session, which other
/// workers look for. The shards of a killed worker are therefore free at once, those of a hung worker after
/// `lease`. All methods throw DatabaseUnavailable or StatementError.
class Leases {
 public:
  Leases(blocking::Connection& session, Guid worker, std::string name, Duration lease)
      : session_(session), worker_(worker), name_(std::move(name)), lease_(lease) {}

  /// Registers the worker with its session and notifies `waybill_leases`; called once for each session.
  /// Returns false while an older session of this worker exists because the server has not noticed that it
  /// ended.
  bool enter();

  /// Frees the runs and imports of other workers that are lost: those whose session has ended or, unless
  /// `kept_after_lease` is nullopt, whose lease ended longer ago than that.
  void free_lost(std::optional<Duration> kept_after_lease);

  /// Renews the leases and returns the held shards. `lag` is how long the oldest unmatched event of these
  /// shards has waited; readiness checks and the search for passed-over events use it.
  HeldShards renew(Duration lag);

  /// Takes at most `limit` free shards and returns them; shards of lost workers only if `of_lost`.
  HeldShards take(std::size_t limit, bool of_lost);

  /// Returns how many shards this worker should hold at most: an even share among the living workers.
  std::size_t fair_share();

  /// Releases shards and notifies `waybill_leases`.
  void release(const std::vector<std::int16_t>& shards);

  /// Unregisters the worker, which frees all its shards, and notifies `waybill_leases`.
  void leave();

 private:
  blocking::Connection& session_;
  Guid worker_;
  std::string name_;
  Duration lease_;
};

}  // namespace waybill::storage
