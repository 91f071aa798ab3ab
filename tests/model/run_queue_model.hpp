#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::tests {

/// The states of a run in the queue.
enum class QueuedStatus : std::uint8_t { waiting, queued, running, retrying, held };

/// A row of run_queue, as far as the rule reads or writes it.
struct QueuedRow {
  Guid guid;
  Guid business;
  Guid workflow;
  Guid record;
  std::int64_t event = 0;  // negative: the run has no event
  QueuedStatus status = QueuedStatus::queued;
  Time due_at{};                                  // of a running row: the end of its lease
  std::string destination;                        // ends with the guid of the business, or is empty
  bool ordered = false;                           // waits for the earlier runs of its workflow for its record
  std::optional<std::int64_t> ordered_from = {};  // no run of an earlier event is waited for
  bool changes_record = false;                    // its current action changes a record
  bool is_replay = false;
  std::optional<Time> workflow_created_at = Time{};  // nullopt: the row of the workflow is gone
  Time created_at{};
  std::optional<Time> postponed_until = {};
  std::optional<Guid> lease_owner = {};
  std::size_t bytes = 0;  // size of request, body and tries
};

/// A look for due runs: the parameters of claim.sql and next_due.sql.
struct QueueLook {
  Time now{};
  std::map<std::string, Time> floors = {};  // by destination
  std::set<std::string> blocked_destinations = {};
  std::set<std::string> blocked_businesses = {};  // guids as texts
};

/// The bounds of a claim.
struct ClaimBounds {
  Guid worker;
  Duration lease{};
  std::size_t per_destination = 32;
  std::size_t runs = 256;
  std::size_t bytes = 8UL * 1024 * 1024;  // the last run may exceed it
};

/// An ordered run that ended, for `unblock`.
struct EndedRun {
  Guid guid;
  Guid business;
  Guid workflow;
  Guid record;
  std::int64_t event = 0;
  bool is_replay = false;
};

/// The queue of runs in memory, with the rule that says which run may go now: an independent form of the
/// statements of storage/sql/queue and of docs/design/queue.md. It is simple and slow. Each method is one
/// statement: it judges all rows by the queue as it was before. No row is locked by others. Pure; one thread
/// at a time.
class RunQueueModel {
 public:
  /// A look examines this many due runs of a destination.
  static constexpr std::size_t examined = 1000;

  void put(QueuedRow row);
  void remove(const Guid& run) { rows_.erase(run); }
  const std::map<Guid, QueuedRow>& rows() const { return rows_; }
  /// The row must exist.
  QueuedRow& row(const Guid& run) { return rows_.at(run); }

  /// True if no earlier run or change of its record keeps the run waiting. Says nothing about its due time.
  bool may_go(const QueuedRow& run) const;

  /// The destinations at which runs that are not held wait, with the empty one and those of the floors, in
  /// order.
  std::vector<std::string> destinations(const QueueLook& look) const;

  /// The runs that a claim without bounds on the total takes of a destination, the first due one first.
  std::vector<Guid> claimable(const QueueLook& look, const std::string& destination,
                              std::size_t per_destination) const;

  /// Claims runs as claim.sql does, which serves the destinations in random order: here in the order given,
  /// which must have each destination once. Returns the claimed runs in the order in which they were found.
  std::vector<Guid> claim(const QueueLook& look, const ClaimBounds& bounds,
                          std::span<const std::string> destinations);

  /// When the first run that may go became due, or the next one becomes due within `within`, as next_due.sql.
  std::optional<Time> next_due(const QueueLook& look, Duration within) const;

  /// Makes the next run after each ordered run that ended due, as unblock.sql; the runs that ended are not in
  /// the queue. Among runs of the same event, the one of the lowest guid counts as the next.
  void unblock(std::span<const EndedRun> ended, Time now);

  /// The blocked runs to postpone, as find_blocked.sql. `tolerated` is the number for each business.
  std::vector<Guid> blocked(const QueueLook& look, std::size_t tolerated) const;
  /// Postpones these blocked runs, as postpone_blocked.sql.
  void postpone(std::span<const Guid> runs, Time now);

 private:
  bool waits_for_run(const QueuedRow& run) const;
  bool waits_for_change(const QueuedRow& run) const;
  std::vector<const QueuedRow*> first_of(const std::string& destination, const QueueLook& look, Time before,
                                         std::size_t count) const;
  static bool is_blocked(const QueueLook& look, const std::string& destination);

  std::map<Guid, QueuedRow> rows_;
};

}  // namespace waybill::tests
