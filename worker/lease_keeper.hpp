#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/leases.hpp"

namespace waybill::worker {

/// Keeps a worker's share of the shards, on a thread and session of its own: renews, takes what is free,
/// gives back what is more than its share once nothing of it is in flight. When the database is away it holds
/// nothing.
class LeaseKeeper {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::string name;
    Duration lease = std::chrono::seconds(3);
    Duration beat = std::chrono::milliseconds(700);
  };
  /// Called on the keeper's thread with what is held now, whenever that has changed.
  using Changed = std::function<void(const storage::HeldShards& held)>;
  /// Whether a shard that is to be given back still has events in flight; any thread.
  using Busy = std::function<bool(std::int16_t shard)>;

  /// Up to when all that was committed is matched; any thread.
  using MatchedUntil = std::function<Time()>;

  LeaseKeeper(Options options, Changed changed, Busy busy, MatchedUntil matched_until);
  /// Gives everything back and joins.
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  /// The database answered again, or another worker has gone: look now.
  void wake();

 private:
  void run();
  void beat();
  void give_back_surplus(storage::Leases& leases, std::size_t share);
  void publish(storage::HeldShards held);

  Options options_;
  Changed changed_;
  Busy busy_;
  MatchedUntil matched_until_;
  std::unique_ptr<storage::Session> session_;
  storage::HeldShards held_;        // published
  std::set<std::int16_t> leaving_;  // held, no longer published, to be released when idle
  bool lost_database_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
