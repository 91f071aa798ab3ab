#pragma once

#include <vector>

#include "base/clock.hpp"
#include "domain/conditions/conditions.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Checks claimed runs whose delay, or whose wait for their window, is over. Reads the database and changes
/// nothing. A run is checked with the version of its workflow that caused it. One thread.
class DelayedCheck {
 public:
  DelayedCheck(const Catalogue& catalogue, const Clock& clock) : catalogue_(catalogue), clock_(clock) {}

  /// Marks the runs whose record is gone or no longer meets the conditions of the workflow, and those whose
  /// version of the workflow this binary cannot read. A run whose record, or event, cannot be read is dead.
  /// Other runs stay as they are. Large records, or
  /// conditions that take long, end it early, after at least one record: the runs that were not reached are
  /// removed and returned. Throws DatabaseUnavailable, StatementError, or ColumnsChanged if a migration
  /// changed the tables; it may then be called again.
  std::vector<storage::ClaimedRun> check(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

  /// True for a run whose delay, or whose wait for its window, is over, not for one at the end of a step that
  /// waits.
  static bool is_wanted(const storage::ClaimedRun& claimed);

 private:
  struct Records;
  struct Turn;

  std::vector<bool> check_some(storage::Session& session, std::vector<storage::ClaimedRun>& runs);
  bool check_run(storage::ClaimedRun& claimed, Records& records, Turn& turn);
  domain::Verdict judge(const domain::Conditions& conditions, Records& records, Turn& turn);

  const Catalogue& catalogue_;
  const Clock& clock_;
  storage::CachedColumns columns_;
};

}  // namespace waybill::worker
