#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/run_store.hpp"
#include "worker/guard/pause_writer.hpp"

namespace waybill::worker {

/// Writes outcomes to the database in batches, in the order they came, on a thread of its own. A batch that
/// the database does not take is kept and tried again until it does; what another session's lock keeps from
/// being written is set aside meanwhile. What was not written when the process dies is matched or tried
/// again, under the same ids.
class Recorder {
 public:
  struct Options {
    std::string database_url;
    Guid worker;
    std::size_t batch_size = 500;
    Duration batch_delay = std::chrono::milliseconds(5);  // the longest an outcome waits for company
    const Clock* clock = &system_clock();
  };
  /// Called on the recorder's thread after a batch was written: the events that are settled now (by this
  /// worker or, before, by another), and the earliest time a run it queued is due.
  using Written =
      std::function<void(const std::vector<storage::EventKey>& events, std::optional<Time> next_due)>;

  Recorder(Options options, PauseWriter& pauses, Written written);
  /// Writes what is left, unless the database is away, and joins.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// From any thread.
  void settle(storage::SettledEvent event);
  void settle(std::vector<storage::SettledEvent> events);
  void finish(storage::QueuedOutcome outcome);
  void pause(PauseRequest request) { pauses_.pause(std::move(request)); }
  /// PauseWriter::is_pausing.
  bool is_pausing(const Guid& workflow) const { return pauses_.is_pausing(workflow); }

  /// Waits until all that was handed over before is written; false when that takes longer.
  bool flush(Duration limit);

 private:
  void run();
  void connect();
  bool wait_for_batch(storage::Batch& batch);
  template <typename Add>
  void add(Add add_to);
  /// False when it was given up, because the worker stops.
  bool write(storage::Batch batch);
  void report(const storage::Batch& batch, const storage::Recorded& recorded) const;

  Options options_;
  PauseWriter& pauses_;
  Written written_;
  std::unique_ptr<storage::Session> session_;  // the thread's
  bool short_locks_ = false;                   // of the session
  std::mutex mutex_;
  std::condition_variable changed_;
  storage::Batch waiting_;
  std::deque<storage::Batch> in_the_way_;  // the thread's: one entry each, another session's lock
  std::chrono::steady_clock::time_point next_retry_{};  // of the first of these
  bool writing_ = false;
  bool urgent_ = false;  // somebody waits in flush
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
