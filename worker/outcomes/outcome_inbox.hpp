#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"
#include "storage/runs/batch.hpp"
#include "worker/outcomes/outcome_queue.hpp"

namespace waybill::worker {

/// The entries on their way to the database: any thread adds them, and the recorder's thread takes them in
/// batches. Adds a lock, the waits for a batch and for an empty queue, and the stop to a OutcomeQueue. No
/// other lock is taken under its own, and nothing is called back. A crash loses the entries: their events and
/// runs are matched or attempted again.
class OutcomeInbox {
 public:
  struct Options {
    std::size_t batch_size = 500;
    Duration batch_delay{};  // the longest wait for further entries
    /// After a batch of at most this size, an entry that is awaited ends the wait (`is_awaited`). Under load
    /// the larger batches save more than the wait costs.
    std::size_t small_batch = 16;
  };

  explicit OutcomeInbox(const Options& options) : options_(options) {}

  // Any thread may call the following methods.

  void add(storage::SettledEvent event);
  void add(std::vector<storage::SettledEvent> events);
  void add(storage::QueuedOutcome outcome);
  /// Waits until all earlier entries are written. Returns false if that takes longer than `limit`.
  bool flush(Duration limit);
  /// Ends all waits. The remaining entries can still be taken.
  void stop();

  // Only the recorder's thread may call the following methods.

  /// Notes that the last batch is written, and waits for the next one. After `stop` it does not wait; returns
  /// false once nothing is left.
  bool wait_for_batch(storage::Batch& batch);
  /// Sets aside batches of one entry that met a lock. They are taken again a little later.
  void set_aside(std::vector<storage::Batch> singles);
  void set_aside(storage::Batch single);
  /// See OutcomeQueue::follow.
  bool follow(storage::Batch& single);
  bool any_set_aside() const;
  bool is_stopping() const;
  /// Waits before another attempt. Returns false, without a wait, if the inbox was stopped before.
  bool pause(Duration length);

 private:
  template <typename Add>
  void add_with(bool awaited, Add add_to);

  const Options options_;
  mutable Mutex mutex_;
  Condition changed_;
  OutcomeQueue queue_ GUARDED_BY(mutex_);
  bool writing_ GUARDED_BY(mutex_) = false;  // a batch is taken and not written
  bool urgent_ GUARDED_BY(mutex_) = false;   // a caller waits in `flush`
  bool awaited_ GUARDED_BY(mutex_) = false;  // an entry of queue_ is awaited, and the last batch was small
  bool last_was_small_ GUARDED_BY(mutex_) = true;
  bool stopping_ GUARDED_BY(mutex_) = false;
  // The last batch had been set aside; a new one comes next.
  bool last_was_set_aside_ GUARDED_BY(mutex_) = false;
};

}  // namespace waybill::worker
