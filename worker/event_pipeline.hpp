#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/outcomes/recorder.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/pump.hpp"
#include "worker/queue/preparation.hpp"
#include "worker/shards/lease_keeper.hpp"
#include "worker/worker.hpp"

namespace waybill::worker {

/// The path of an event through a worker: the pump matches it, the preparation and the runner perform its
/// runs, and the recorder writes them. Owns these parts and stops them in this order.
class EventPipeline final : public Service, public ShardHolder, private Upstream {
 public:
  /// Everything referred to outlives it. The clients in `effects` stop after `drain`, which ends the attempts
  /// in flight. No attempt begins until `leases_last` is called.
  EventPipeline(const Worker::Options& options, const storage::Sessions& sessions, const Guid& worker,
                Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors, net::DestinationCounts* counts,
                const actions::Effects& effects);

  void start() override;

  void hold(const storage::HeldShards& held) override { pump_.hold(held); }
  bool is_busy(std::int16_t shard) const override { return pump_.is_busy(shard); }
  void hand_over(const std::vector<std::int16_t>& shards) override { runner_.hand_over(shards); }
  void leases_last(std::chrono::steady_clock::time_point until) override;
  void leases_expired() override { pump_.leases_expired(); }
  Time matched_until() const override { return pump_.matched_until(); }
  bool can_match() override { return pump_.can_match(); }

  /// Takes no more events, begins no more runs, and writes the outcomes so far.
  void stop_accepting() override;
  /// Waits for the attempts in flight.
  void drain(Moment until) override;
  /// Writes the remaining outcomes. While the database is unavailable, it tries until `until`, and at least
  /// for a second. The attempts in flight must have ended.
  void stop(Moment until) override;

  /// The time since the last turn of the thread that turned least recently, with or without a database. Any
  /// thread.
  std::chrono::steady_clock::duration silence() const {
    return std::max(pump_.silence(), preparation_.heartbeat().age());
  }
  /// The time at which the outbox was last read. Any thread.
  Time last_look() const { return pump_.last_look(); }

 private:
  Upstream& upstream() { return *this; }
  void settled(const std::vector<storage::EventKey>& events, const NextDue& next_due) override {
    pump_.settled(events, next_due);
  }
  bool go_on(storage::ClaimedRun run) override { return preparation_.go_on(std::move(run)); }
  void note_room() override { pump_.note_room(); }

  std::unique_ptr<Recorder> recorder_;
  Runner runner_;
  Preparation preparation_;
  BlastGuard guard_;  // used by the pump's thread only
  Pump pump_;
};

}  // namespace waybill::worker
