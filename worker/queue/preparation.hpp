#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/heartbeat.hpp"
#include "base/thread/service.hpp"
#include "base/thread/thread.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/outcomes/upstream.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_preparer.hpp"
#include "worker/queue/preparation_queues.hpp"
#include "worker/threads/batch_size.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// The thread that prepares runs which this worker holds for their attempt: it renders those that were queued
/// without their texts, begins the next step of those that have several, and hands them to the runner.
/// Businesses share the time of the thread: the one that has lately used the least comes first. It reconnects
/// by itself; runs that it could not prepare go back to the database's queue. A crash loses nothing: claims
/// end with their lease.
class Preparation final : public Service {
 public:
  struct Options {
    storage::Sessions sessions;
    Guid worker;
    std::string public_url;  // URL of the service, for links to tracking pages; may be empty
    Duration retention = std::chrono::days(30);  // retention of events
  };
  /// Notes room at `upstream` after each batch. Everything referred to outlives it.
  Preparation(Options options, const Catalogue& catalogue, Runner& runner, const Clock& clock,
              Upstream& upstream);
  ~Preparation() override { stop_at_once(); }

  void start() override;
  /// Takes no more runs, joins the thread and puts the runs that are not prepared back into the queue.
  void stop_accepting() override;
  void stop(Moment /*until*/) override { stop_accepting(); }

  // Any thread may call the following methods.

  /// Takes claimed runs that have no texts.
  void add(std::vector<storage::ClaimedRun> runs);
  /// Takes a run to begin its next step before the end of its last step is stored. Returns false if there is
  /// no room, or none for the business, or if the run must be held or paced.
  bool go_on(storage::ClaimedRun run);
  /// False if no more runs should be claimed.
  bool has_room() const { return queues_.has_room(); }
  /// Businesses of which no more runs should be claimed.
  std::vector<Guid> full_businesses() const { return queues_.full_businesses(); }
  /// Beats at each turn, also while the database is unavailable.
  const Heartbeat& heartbeat() const { return heartbeat_; }

 private:
  using Runs = PreparationQueues::Runs;

  void run(const std::stop_token& stop);
  void render_some();
  void begin_some();
  void take(PreparationQueues::Kind kind, std::size_t most, Runs& runs);
  void prepare(Runs claimed, BatchSize& batch);
  void prepare_all(Runs claimed, BatchSize& batch);
  void count_time(std::span<const SpentTimes::Part> parts, SpentTimes::Length time);
  void pace_steps(Runs& runs) const;
  void put_back_unreadable(Runs& runs, Runs& claimed);
  void put_back_unbegun(Runs& runs, Runs& claimed);

  const Options options_;
  const Catalogue& catalogue_;
  Runner& runner_;
  const Clock& clock_;
  Upstream& upstream_;
  RunPreparer preparer_;  // used by the thread, like the next three
  ThreadSession session_;
  BatchSize render_batch_;
  BatchSize begin_batch_;
  Heartbeat heartbeat_;
  PreparationQueues queues_;
  Thread thread_{ThreadKind::preparation};
};

}  // namespace waybill::worker
