#pragma once

#include <functional>
#include <memory>
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
  std::optional<matching::AwaitedEvents> cancel_on;  // the events that cancel its runs
};
/// Versions by run; nullopt if this binary cannot read the version: the run waits for a binary that can.
using EarlierVersions = std::unordered_map<Guid, std::optional<EarlierVersion>>;

/// Finds a workflow; null if it is gone.
using FindWorkflow = std::function<WorkflowPtr(const Guid& workflow)>;

/// Reads the versions of the wanted runs whose workflow was changed since. A version that is no longer stored
/// is left out; the one that `find` returns is used instead, so that a caller on another thread than the
/// catalogue's finds each workflow once. Logs the workflows of which a version cannot be read. Throws
/// DatabaseUnavailable or StatementError.
EarlierVersions earlier_versions(storage::Session& session, const FindWorkflow& find,
                                 std::span<const storage::ClaimedRun> runs,
                                 const std::function<bool(const storage::ClaimedRun&)>& wanted);

/// Reads one version of a workflow; nullopt if it is no longer stored. Throws std::invalid_argument if this
/// binary cannot read it, and DatabaseUnavailable or StatementError.
std::optional<EarlierVersion> read_version(storage::Session& session, const Guid& business,
                                           const Guid& workflow, int version);

/// The workflow with the definition of an earlier version, without stored templates; null if this binary
/// lacks its action, which is logged.
std::shared_ptr<Workflow> with_version(const Workflow& workflow, int number, const EarlierVersion& version);

/// Logs that this binary cannot read a version of a workflow.
void report_unreadable_version(const Guid& workflow, int version, std::string_view error);

/// A substitute for the event of a run, with the facts that the run holds, for an event that is not stored.
storage::StoredEvent event_stub(const storage::RunKey& run);

/// The events of runs as Outbox::fetch takes them, each once.
std::vector<storage::PendingEvent> events_to_fetch(std::span<const storage::RunKey* const> runs);

bool is_event_of(const storage::StoredEvent& event, const storage::RunKey& run);
/// The event of a run among `events`; their end if it is not among them.
std::vector<storage::StoredEvent>::const_iterator find_event(const std::vector<storage::StoredEvent>& events,
                                                             const storage::RunKey& run);

bool is_for_deletion(const storage::RunKey& run);
/// True for the run of an erasure, whose event holds no record to compare with a later state.
bool is_for_erasure(const storage::RunKey& run);
/// True for the one run that a schedule makes for all records of its query, and for that of a digest.
bool is_of_list(const storage::RunKey& run);

}  // namespace waybill::worker
