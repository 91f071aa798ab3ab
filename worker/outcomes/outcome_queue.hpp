#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/batch.hpp"
#include "storage/runs/recording.hpp"

namespace waybill::worker {

/// The entries that wait to be recorded: events and outcomes in the order they came, and entries that a lock
/// conflict delays. Pure; one thread at a time.
class OutcomeQueue {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  void add(storage::SettledEvent event) { waiting_.events.push_back(std::move(event)); }
  void add(storage::QueuedOutcome outcome) { waiting_.outcomes.push_back(std::move(outcome)); }
  /// Sets aside a batch of one entry that could not be written. All set-aside batches are tried again from
  /// `retry_at` on. Set-aside events of the same record stay behind it.
  void set_aside(storage::Batch single, Moment retry_at);
  /// Sets the event of a batch aside if an earlier event of its record is set aside, so that the runs of a
  /// record are queued in the order of its changes. Returns false if none is.
  bool follow(storage::Batch& single);

  /// True if nothing waits, apart from batches set aside.
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.events.size() + waiting_.outcomes.size(); }
  /// The time to try the set-aside batches again; null if there are none.
  std::optional<Moment> retry_at() const;

  /// Takes out the next batch, with `limit` events or outcomes at most, and about 4 MiB of texts. Events go
  /// before outcomes: an outcome may belong to a run that a waiting event queues. Events that follow one that
  /// is set aside are left out, so that the batch may be empty.
  storage::Batch take(std::size_t limit);
  /// Takes out the first set-aside batch. There must be one.
  storage::Batch take_set_aside();

 private:
  void push_aside(storage::Batch single);

  storage::Batch waiting_;
  std::deque<storage::Batch> set_aside_;
  std::map<std::pair<Guid, Guid>, std::size_t> records_aside_;  // set-aside events by business and record
  Moment retry_at_{};
};

/// Splits a batch into batches of one entry, each with savepoints around its changes of records.
std::vector<storage::Batch> split(storage::Batch batch);

/// Makes the runs of a batch that the database refused dead, and drops their texts, which may be the reason.
void drop_refused_texts(storage::Batch& batch, std::string_view error);

/// True if something can begin once the entry is recorded: an ordered run that it queues, the next one after
/// an ordered run that ended, or what follows a change of a record.
bool is_awaited(const storage::SettledEvent& event);
bool is_awaited(const storage::QueuedOutcome& outcome);

/// When the next run is due in the database's queue, the next timer and the next digest; null without one.
struct NextDue {
  std::optional<Time> run;
  std::optional<Time> timer;
  std::optional<Time> digest = {};

  bool operator==(const NextDue&) const = default;
};

/// The earliest times of the runs that a recorded batch left in the queue, or made due there, and of the
/// timers and digests that it set.
NextDue next_due(const storage::Batch& batch, const storage::Recorded& recorded);

}  // namespace waybill::worker
