#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "matching/rule.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// An earlier version of a workflow.
struct EarlierVersion {
  matching::Rule rule;
  json::object action;
};
/// By run. nullopt: this binary cannot read the version, and the run waits for one that can.
using EarlierVersions = std::unordered_map<Guid, std::optional<EarlierVersion>>;

/// Reads the versions of the wanted runs whose workflow was changed since. A version that is no longer stored
/// is left out; the current one is used instead. Logs the workflows of which a version cannot be read. Throws
/// DatabaseUnavailable or StatementError.
EarlierVersions earlier_versions(storage::Session& session, const Catalogue& catalogue,
                                 std::span<const storage::ClaimedRun> runs,
                                 const std::function<bool(const storage::ClaimedRun&)>& wanted);

/// Logs that this binary cannot read a version of a workflow.
void report_unreadable_version(const Guid& workflow, int version, std::string_view error);

/// The event of a run that is no longer stored, or never was, with the facts that the run holds.
storage::StoredEvent event_stub(const storage::RunKey& run);

/// The event of a run among `events`; their end if it is not there.
std::vector<storage::StoredEvent>::const_iterator find_event(const std::vector<storage::StoredEvent>& events,
                                                             const storage::RunKey& run);

bool is_for_deletion(const storage::RunKey& run);
/// True for events that hold no record, so that a later state has nothing to compare.
bool is_for_erasure(const storage::RunKey& run);
/// True for the run of all records that the query of a schedule found.
bool is_of_list(const storage::RunKey& run);

}  // namespace waybill::worker
