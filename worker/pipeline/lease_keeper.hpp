#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/leases.hpp"
#include "worker/pipeline/wake_up.hpp"

namespace waybill::worker {

/// Keeps a worker's share of the shards, on a thread and session of its own: renews, takes what is free,
/// gives back what is more than its share, and frees what lost workers held. Workers that come and go, and
/// shards that become free, are notified. When the database is away it holds nothing.
class LeaseKeeper {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::string name;
    Duration lease = std::chrono::seconds(3);
    Duration beat = std::chrono::milliseconds(500);
    // Beyond its lease a worker that is silent loses its runs in flight. Shards go at the end of the lease:
    // an event that two workers match is one run, but a run that two workers try counts twice.
    Duration silence = std::chrono::seconds(4);
    Duration hand_over_after =
        std::chrono::milliseconds(100);  // of events in flight of a shard to be given back
  };
  /// Called on the keeper's thread.
  struct Callbacks {
    /// Whenever what is held has changed.
    std::function<void(const storage::HeldShards& held)> changed;
    /// True while a shard that is to be given back has events in flight.
    std::function<bool(std::int16_t shard)> busy;
    /// Their events in flight are to go to the queue.
    std::function<void(const std::vector<std::int16_t>& shards)> hand_over;
    /// Up to when all that was committed is matched.
    std::function<Time()> matched_until;
  };

  LeaseKeeper(Options options, Callbacks callbacks);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  /// Gives everything back and takes nothing more. Runs in flight stay this worker's until the destructor.
  void leave();

 private:
  using Moment = std::chrono::steady_clock::time_point;

  void run();
  Duration keep();
  bool is_beat_due();
  void beat();
  void connect();
  void choose_leaving(storage::HeldShards& held, std::size_t share);
  void give_back_leaving(Moment now);
  void publish(storage::HeldShards held);

  Options options_;
  Callbacks callbacks_;
  std::unique_ptr<storage::Session> session_;
  storage::HeldShards held_;        // published
  std::set<std::int16_t> leaving_;  // held, no longer published, to be released when idle
  Moment leaving_since_{};
  Moment last_beat_{};
  Moment others_return_until_{};  // after a reconnection
  bool was_connected_ = false;
  bool lost_database_ = false;
  std::atomic<bool> stopping_ = false;
  WakeUp wake_up_;
  std::thread thread_;
};

}  // namespace waybill::worker
