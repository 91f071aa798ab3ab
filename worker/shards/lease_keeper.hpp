#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "storage/events/leases.hpp"
#include "storage/session/session.hpp"
#include "worker/shards/renewals.hpp"
#include "worker/shards/surplus_shards.hpp"

namespace waybill::worker {

/// The part of a worker that matches the events of its shards. Called on the keeper's thread.
class ShardHolder {
 public:
  virtual ~ShardHolder() = default;
  /// The held shards have changed.
  virtual void hold(const storage::HeldShards& held) = 0;
  /// True while a surplus shard has events in flight.
  virtual bool is_busy(std::int16_t shard) const = 0;
  /// Puts the events in flight of these shards into the queue.
  virtual void hand_over(const std::vector<std::int16_t>& shards) = 0;
  /// The leases last until a moment. Called after `hold` and `leases_expired`.
  virtual void leases_last(std::chrono::steady_clock::time_point until) = 0;
  /// The worker did not renew its leases in time, because it was stopped or had no database. Other workers
  /// may have taken its shards and runs. Called after `hold`.
  virtual void leases_expired() = 0;
  /// The time up to which all committed events are matched.
  virtual Time matched_until() const = 0;
  /// True if the worker has read the workflows and could match events at once. Until then it takes no shards,
  /// so the others keep matching theirs while it starts.
  virtual bool can_match() = 0;
};

/// Keeps a worker's share of the shards, on a dedicated thread and session. It renews the leases, takes free
/// shards, releases shards beyond its share, and frees the shards of lost workers. NOTIFY announces workers
/// that start or stop and shards that become free. While the database is unavailable, it holds no shards.
class LeaseKeeper final : public Service {
 public:
  struct Options {
    storage::Sessions sessions;  // for the release of the runs
    Guid worker;
    Duration lease = std::chrono::seconds(3);
    Duration renewal_interval = std::chrono::milliseconds(500);
    // A worker loses its shards at the end of its lease, and its runs in flight this long after it. (An event
    // matched by two workers causes one run, but a run attempted by both counts twice.)
    Duration runs_kept_after_lease = std::chrono::seconds(4);
    // The longest wait for the events in flight of a surplus shard.
    Duration hand_over_after = std::chrono::milliseconds(100);
  };

  /// Connects. `lease` is the length of the leases. Throws DatabaseUnavailable or StatementError.
  using Open = std::function<std::unique_ptr<storage::Leases>(Duration lease)>;

  /// `open` is called on the keeper's thread. `holder` outlives it.
  LeaseKeeper(Options options, Open open, ShardHolder& holder);
  ~LeaseKeeper() override { stop_at_once(); }

  void start() override;
  /// Releases all shards and takes no more. Runs in flight belong to this worker until `stop`.
  void stop_accepting() override;
  /// Releases the runs that this worker has not finished.
  void stop(Moment until) override;

 private:
  Loop::Wait turn();
  Duration keep();
  Duration failed(const std::exception& error);
  bool is_renewal_due();
  void renew();
  bool enter();
  void release_idle_surplus(Moment now);
  void publish(storage::HeldShards held);

  const Options options_;
  const Open open_;
  ShardHolder& holder_;
  std::unique_ptr<storage::Leases>
      leases_;  // null without a session; used by loop_ only, as are the next seven
  Backoff backoff_;
  storage::HeldShards held_;  // published
  SurplusShards surplus_;     // held but no longer published; released when idle
  Renewals renewals_;
  Moment lasts_until_ = Moment::max();  // the leases
  bool has_entered_ = false;            // in this session
  bool lost_database_ = false;
  bool may_have_runs_ = false;  // from `start` to `stop`
  Loop loop_;
};

}  // namespace waybill::worker
