#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

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
class EventPipeline final : public Service {
 public:
  /// Everything referred to outlives it. The clients in `effects` stop after `drain`, which ends the attempts
  /// in flight.
  EventPipeline(const Worker::Options& options, const storage::Sessions& sessions, const Guid& worker,
                Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors,
                const actions::Effects& effects);

  void start() override;

  /// The callbacks for the lease keeper, whose thread must end before this pipeline is destroyed. From then
  /// on no attempt begins until `renewed` is called.
  LeaseKeeper::Callbacks lease_callbacks();

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
  std::unique_ptr<Recorder> recorder_;
  Runner runner_;
  Preparation preparation_;
  BlastGuard guard_;  // used by the pump's thread only
  Pump pump_;
};

}  // namespace waybill::worker
