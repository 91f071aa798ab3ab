#include "matching/past_workflows.hpp"

#include <algorithm>
#include <exception>

#include "storage/sql/history.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::matching {

std::vector<PastWorkflow> load_workflows(storage::Session& session, const Guid& business,
                                         const std::vector<storage::StoredEvent>& events) {
  std::vector<Time> times;
  times.reserve(events.size());
  for (const auto& event : events) times.push_back(event.at);
  const auto versions = session.run(
      sql::history::Workflows{.business = business,
                              .entity_type = static_cast<std::int16_t>(events.front().entity_type),
                              .times = storage::binary_array(times)});
  std::vector<PastWorkflow> workflows;
  for (const auto& row : versions) {
    if (workflows.empty() || workflows.back().guid != row.guid) {
      workflows.push_back({.guid = row.guid,
                           .created_at = row.created_at,
                           .deleted_at = row.deleted_at,
                           .versions = {},
                           .switches = {}});
    }
    PastVersion& version = workflows.back().versions.emplace_back(
        PastVersion{row.version_at, std::string(row.name.value_or("")), std::nullopt});
    try {
      version.rule = make_rule(row.trigger.value(), json::parse(row.conditions.value()));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the matcher could not read it either
    }
  }
  std::vector<Guid> guids;
  guids.reserve(workflows.size());
  for (const PastWorkflow& workflow : workflows) guids.push_back(workflow.guid);
  const auto switches = session.run(sql::history::Switches{
      .business = business, .workflows = guids, .times = storage::binary_array(times)});
  for (const auto& row : switches) {
    const auto workflow = std::ranges::find(workflows, row.workflow_id, &PastWorkflow::guid);
    if (workflow != workflows.end()) workflow->switches.emplace_back(row.at, row.is_active);
  }
  return workflows;
}

PastRuns load_runs(storage::Session& session, const Guid& business, const std::vector<Guid>& guids) {
  PastRuns runs;
  if (guids.empty()) return runs;
  for (const auto& row : session.run(sql::history::Runs{.business = business, .runs = guids}))
    runs.emplace(row.guid, PastRun{.status = std::string(row.status),
                                   .code = std::string(row.code.value_or("")),
                                   .attempts = row.attempts,
                                   .steps = json::parse(row.steps)});
  return runs;
}

const PastRun* find_run(const PastRuns& runs, const Guid& guid) {
  const auto found = runs.find(guid);
  return found == runs.end() ? nullptr : &found->second;
}

Guid run_guid(const storage::StoredEvent& event, const Guid& workflow) {
  return Guid::timed_hash(to_unix_ms(event.at), workflow, event.id);
}

std::string_view reason_of(const PastRun& run) {
  if (run.code == "NOTIFICATIONS_OFF") return "notifications_off";
  if (run.code == "LIMITED") return "limited";
  // A change of records that finds its condition (whenAllShipments) not met was attempted.
  if (run.code == "CONDITION" && run.attempts == 0) return "condition";
  if (run.code == "WINDOW" && run.status != "held" && run.status != "running") return "window";
  return run.status == "held" ? "paused" : run.code == "LOOP" ? "loop" : "";
}

PastDigests load_digests(storage::Session& session, const Guid& business,
                         const std::vector<storage::StoredEvent>& events) {
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  for (const auto& event : events) {
    ids.push_back(static_cast<std::int64_t>(event.id));
    times.push_back(event.at);
  }
  PastDigests digests;
  for (const auto& row : session.run(sql::history::Digests{.business = business,
                                                           .events = storage::binary_array(ids),
                                                           .times = storage::binary_array(times)})) {
    const storage::EventKey event{static_cast<std::uint64_t>(row.event_id), row.event_at};
    digests.try_emplace({event, row.workflow_id}, PastDigest{.guid = row.digest_id,
                                                             .due = std::optional<Time>(row.due_at),
                                                             .is_dropped = row.is_dropped});
  }
  return digests;
}

}  // namespace waybill::matching
