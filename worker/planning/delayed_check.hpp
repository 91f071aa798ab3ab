#pragma once

#include <vector>

#include "domain/conditions/conditions.hpp"
#include "storage/outbox.hpp"
#include "storage/record_columns.hpp"
#include "storage/run_store.hpp"
#include "storage/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// Checks claimed runs whose delay is over. Reads the database and changes nothing. A run is checked with the
/// version of its workflow that caused it. One thread.
class DelayedCheck {
 public:
  explicit DelayedCheck(const Catalogue& catalogue) : catalogue_(catalogue) {}

  /// Marks the runs whose record is gone or no longer meets the conditions of the workflow, those whose
  /// version of the workflow this binary cannot read, and those that must wait because the conditions of
  /// others of their business took too long. Other runs stay as they are. Throws DatabaseUnavailable,
  /// StatementError, or ColumnsChanged if a migration ran meanwhile; it may then be called again.
  void check(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

 private:
  void check_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs);
  domain::Verdict judge(const domain::Conditions& conditions, const storage::StoredEvent& event,
                        const storage::StoredEvent& current, storage::Outbox& outbox, WorkBudget& share);

  const Catalogue& catalogue_;
  storage::CachedColumns columns_;
};

}  // namespace waybill::worker
