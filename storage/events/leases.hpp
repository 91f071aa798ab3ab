#pragma once

#include <cstdint>
#include <map>
#include <memory>
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
/// the length of the lease. An interface, because tests/simulate has a model of it. All methods throw
/// DatabaseUnavailable or StatementError; after the former the object is unusable. One thread.
class Leases {
 public:
  virtual ~Leases() = default;

  /// Registers the worker with its session and notifies `waybill_leases`; called once for each session.
  /// Returns false while an older session of this worker exists because the server has not noticed that it
  /// ended.
  virtual bool enter() = 0;

  /// Frees what other workers that are lost have claimed (runs, imports, purchases, lanes of pulls): those
  /// whose session has ended or, unless `kept_after_lease` is nullopt, whose lease ended longer ago than
  /// that.
  virtual void free_lost(std::optional<Duration> kept_after_lease) = 0;

  /// Renews the leases and returns the held shards. `lag` is how long the oldest unmatched event of these
  /// shards has waited; readiness checks and the search for passed-over events use it.
  virtual HeldShards renew(Duration lag) = 0;

  /// Takes at most `limit` free shards and returns them; shards of lost workers only if `of_lost`.
  virtual HeldShards take(std::size_t limit, bool of_lost) = 0;

  /// Returns how many shards this worker should hold at most: an even share among the living workers.
  virtual std::size_t fair_share() = 0;

  /// Releases shards and notifies `waybill_leases`.
  virtual void release(const std::vector<std::int16_t>& shards) = 0;

  /// Unregisters the worker, which frees all its shards, and notifies `waybill_leases`.
  virtual void leave() = 0;

  /// True if `waybill_leases` was notified since the last call. Throws if the session has ended.
  virtual bool notified() = 0;
  /// A file descriptor that is readable when a notification may have arrived.
  virtual int socket() const = 0;
};

/// The leases in the database, through a session of their own.
class ServerLeases final : public Leases {
 public:
  /// Connects. `lease` is the length of a lease.
  ServerLeases(const std::string& url, const Guid& worker, std::string name, Duration lease);
  ~ServerLeases() override;

  bool enter() override;
  void free_lost(std::optional<Duration> kept_after_lease) override;
  HeldShards renew(Duration lag) override;
  HeldShards take(std::size_t limit, bool of_lost) override;
  std::size_t fair_share() override;
  void release(const std::vector<std::int16_t>& shards) override;
  void leave() override;
  bool notified() override;
  int socket() const override;

 private:
  std::unique_ptr<blocking::Connection> session_;
  const Guid worker_;
  const std::string name_;
  const Duration lease_;
};

}  // namespace waybill::storage
