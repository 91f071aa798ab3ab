#pragma once

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "worker/delivery/recorder.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/guard/blast_guard.hpp"
#include "worker/guard/pause_writer.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/pump.hpp"
#include "worker/queue/preparation.hpp"
#include "worker/shards/lease_keeper.hpp"
#include "worker/worker.hpp"

namespace waybill::worker {

/// The path of an event through a worker: the pump matches it, the preparation and the runner perform its
/// runs, and the recorder writes them. Owns these parts and stops them in this order.
class EventPipeline {
 public:
  /// Everything referred to outlives it, except the objects in `effects`: they may be destroyed after
  /// `drain`, and their destruction ends the attempts in flight.
  EventPipeline(const Worker::Options& options, const Guid& worker, Catalogue& catalogue, PauseWriter& pauses,
                DueFloors& floors, const actions::Effects& effects);
  ~EventPipeline() = default;
  EventPipeline(const EventPipeline&) = delete;
  EventPipeline& operator=(const EventPipeline&) = delete;

  void start();

  /// The callbacks for the lease keeper, whose thread must end before this pipeline is destroyed. Call it
  /// after `start`.
  LeaseKeeper::Callbacks lease_callbacks();

  /// Takes no more events, begins no more runs, and writes the outcomes so far. To stop the pipeline, call
  /// `stop` and `drain`, end the attempts in flight, and call `finish`, each once.
  void stop();
  /// Waits up to `limit` for the attempts in flight.
  void drain(Duration limit) { runner_.drain(limit); }
  /// Writes the remaining outcomes; waits for that up to `limit`, and longer unless the database is
  /// unavailable.
  void finish(Duration limit);

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
