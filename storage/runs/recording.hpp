#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"
#include "storage/changes/record_change.hpp"
#include "storage/runs/batch.hpp"
#include "storage/runs/ended_runs.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// A change of records that a run of a batch requested, and its result.
struct MadeChange {
  const RunState* state = nullptr;  // state of the run before the change
  ChangeResult result;
  RunState next;  // the state of the run after the change; the caller sets it
};

/// The result of a Recording. An event whose shard this worker has lost is not recorded, nor are its runs.
struct Recorded {
  std::size_t events = 0;
  std::optional<Time> digest_due = {};  // when the first of the changed digests is due
  // New states of the runs that requested a change of records, and of those that are repeated.
  std::vector<RunState> changed;
};

/// Records a batch in one transaction: all of it or nothing. The transaction is rolled back without `commit`.
///
///   Recording recording(session, worker, batch, ended);
///   while (MadeChange* change = recording.make_next_change()) change->next = …;
///   recording.commit();
///
/// All methods throw DatabaseUnavailable or StatementError. After DatabaseUnavailable it is unknown whether
/// the batch was recorded; it can be recorded again on a new session, which skips what is already recorded.
class Recording {
 public:
  /// Begins the transaction, deletes the events from the outbox, ends the runs that they cancel and locks the
  /// queued runs that request changes. `batch` and `ended` must outlive the object. `ended` holds the runs
  /// that were recorded before on this session, and `commit` adds those of the batch.
  Recording(Session& session, const Guid& worker, const Batch& batch, EndedRuns& ended);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Makes the next requested change and returns it, null after the last one. The changes of an event are in
  /// order of the creation of their workflows; after a lock conflict its later changes are not made and have
  /// the result `locked`. The pointer is valid until `commit`.
  MadeChange* make_next_change();

  /// Writes the runs, those that requested a change with its `next` state, and commits. All changes must be
  /// made.
  Recorded commit();

 private:
  struct Request {
    const SettledEvent* event;  // null for a queued run
    const Guid* business;
    MadeChange made;
  };

  void take_events();
  void request_changes_of(const SettledEvent& event);
  void hold_runs();
  void request_change(const SettledEvent* event, const Guid& business, const RunState& state);
  void limit_locks();
  void make_moves();
  ChangeResult make(const Guid& business, const RecordChange& change);
  ChangeResult make_with_savepoint(const Guid& business, const RecordChange& change);
  void reopen_preceded();
  const RunState* next_of(const RunState& state) const;
  void write_events();
  void note_addresses();
  void await_purchases();
  void count_failures();
  template <typename S>
  std::optional<ResultOf<S>> finish(bool are_final);
  std::optional<std::uint64_t> ordered_from(const RunKey& key);
  void go_on();

  Session& session_;
  const Guid worker_;
  const Batch& batch_;
  EndedRuns& ended_;
  Work work_;
  std::vector<const SettledEvent*> events_;  // those of shards that this worker owns
  std::vector<WatchEnd> watch_ends_;         // of these events
  std::vector<Request> requests_;
  std::unordered_map<const RunState*, std::size_t> places_;  // of the states in requests_
  std::size_t made_ = 0;                                     // number of requests made and returned
  std::size_t moved_ = 0;                                    // number of requests made, if it is more
  const SettledEvent* locked_event_ = nullptr;               // the last event with a lock conflict
  bool is_lock_limited_ = false;
  std::map<const RunState*, RunState> reopened_;  // the next states of ordered runs that are repeated
  std::vector<const RunKey*> ended_in_memory_;    // ordered runs that ended before they were in the queue
  std::optional<Time> digest_due_;
};

}  // namespace waybill::storage
