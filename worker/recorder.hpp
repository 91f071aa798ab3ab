#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/run_store.hpp"

namespace waybill::worker {

/// Writes outcomes to the database in batches, in the order they came, on a thread of its own. A batch that
/// the database does not take is kept and tried again until it does. What was not written when the process
/// dies is matched or tried again, under the same ids.
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
  using Written = std::function<void(const std::vector<std::uint64_t>& events, std::optional<Time> next_due)>;

  Recorder(Options options, Written written);
  /// Writes what is left, unless the database is away, and joins.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// From any thread.
  void settle(storage::SettledEvent event);
  void settle(std::vector<storage::SettledEvent> events);
  void finish(storage::QueuedOutcome outcome);
  void pause(storage::PauseRequest request);

  /// Waits until all that was handed over before is written; false when that takes longer.
  bool flush(Duration limit);

 private:
  void run();
  bool wait_for_batch(storage::Batch& batch);
  template <typename Add>
  void add(Add add_to);
  /// False when it was given up, because the worker stops.
  bool write(storage::Batch batch);
  void report(const storage::Batch& batch, const storage::Recorded& recorded) const;

  Options options_;
  Written written_;
  std::unique_ptr<storage::Session> session_;  // the thread's
  std::mutex mutex_;
  std::condition_variable changed_;
  storage::Batch waiting_;
  bool writing_ = false;
  bool urgent_ = false;  // somebody waits in flush
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace waybill::worker
