#include "worker/planning/run_origins.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <unordered_set>

#include "base/observe.hpp"
#include "storage/sql/queue.sql.hpp"

namespace waybill::worker {
namespace {

using VersionRow = storage::sql::queue::DefinitionsOfVersions::Row;

/// Throws std::exception if this binary cannot read the version.
EarlierVersion read_version(const VersionRow& row) {
  EarlierVersion version{
      .rule = matching::make_rule(row.trigger.value(), json::parse(row.conditions.value())),
      .action = json::parse(row.action.value()).as_object(),
      .cancel_on = std::nullopt};
  if (row.cancel_on)
    version.cancel_on =
        matching::parse_awaited(json::parse(*row.cancel_on), version.rule.entity_type(), false);
  return version;
}

}  // namespace

EarlierVersions earlier_versions(storage::Session& session, const FindWorkflow& find,
                                 std::span<const storage::ClaimedRun> runs,
                                 const std::function<bool(const storage::ClaimedRun&)>& wanted) {
  std::vector<Guid> businesses, workflows, names;
  std::vector<std::int64_t> numbers;
  for (const storage::ClaimedRun& claimed : runs) {
    const storage::RunKey& key = claimed.run.key;
    const WorkflowPtr workflow = find(key.workflow_id);
    if (!wanted(claimed) || !workflow || workflow->version == key.workflow_version) continue;
    businesses.push_back(key.business_id);
    workflows.push_back(key.workflow_id);
    numbers.push_back(key.workflow_version);
    names.push_back(key.guid);
  }
  EarlierVersions versions;
  if (names.empty()) return versions;
  const auto definitions = session.run(storage::sql::queue::DefinitionsOfVersions{
      .businesses = businesses, .workflows = workflows, .versions = numbers, .names = names});
  std::unordered_set<Guid> reported;  // workflows
  for (const auto& row : definitions) {
    std::optional<EarlierVersion>& version = versions[row.name];
    try {
      version.emplace(read_version(row));
    } catch (const std::exception& error) {
      const auto index = static_cast<std::size_t>(std::ranges::find(names, row.name) - names.begin());
      if (reported.insert(workflows[index]).second)
        report_unreadable_version(workflows[index], static_cast<int>(numbers[index]), error.what());
    }
  }
  return versions;
}

std::optional<EarlierVersion> read_version(storage::Session& session, const Guid& business,
                                           const Guid& workflow, int version) {
  const std::vector<Guid> businesses{business}, workflows{workflow};
  const std::vector<std::int64_t> versions{version};
  const auto rows = session.run(storage::sql::queue::DefinitionsOfVersions{
      .businesses = businesses, .workflows = workflows, .versions = versions, .names = workflows});
  if (rows.empty()) return std::nullopt;
  try {
    return read_version(rows.front());
  } catch (const std::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

std::shared_ptr<Workflow> with_version(const Workflow& workflow, int number, const EarlierVersion& version) {
  auto earlier = std::make_shared<Workflow>(workflow);
  earlier->rule = version.rule;
  earlier->cancel_on = version.cancel_on;
  try {
    earlier->set_action(version.action, {});
  } catch (const std::exception& error) {
    report_unreadable_version(workflow.guid, number, error.what());
    return nullptr;
  }
  return earlier;
}

void report_unreadable_version(const Guid& workflow, int version, std::string_view error) {
  observe(Observable::workflow_unreadable,
          {{"workflow", workflow.to_string()}, {"version", version}, {"error", error}});
}

storage::StoredEvent event_stub(const storage::RunKey& run) {
  return {.id = run.event_id,
          .business_id = run.business_id,
          .entity_type = run.entity_type,
          .entity_id = run.entity_id,
          .at = run.created_at,
          .cause = {},
          .detail = {},
          .before = {},
          .after = {}};
}

std::vector<storage::PendingEvent> events_to_fetch(std::span<const storage::RunKey* const> runs) {
  std::vector<storage::PendingEvent> events;
  std::unordered_set<storage::EventKey, storage::EventKeyHash> known;
  for (const storage::RunKey* const run : runs) {
    if (known.insert({run->event_id, run->created_at}).second)
      events.push_back(
          {.shard = 0, .id = run->event_id, .business_id = run->business_id, .at = run->created_at});
  }
  return events;
}

bool is_event_of(const storage::StoredEvent& event, const storage::RunKey& run) {
  return event.id == run.event_id && event.at == run.created_at;
}

std::vector<storage::StoredEvent>::const_iterator find_event(const std::vector<storage::StoredEvent>& events,
                                                             const storage::RunKey& run) {
  return std::ranges::find_if(events,
                              [&](const storage::StoredEvent& event) { return is_event_of(event, run); });
}

bool is_for_deletion(const storage::RunKey& run) { return run.trigger_code.ends_with("_deleted"); }

bool is_for_erasure(const storage::RunKey& run) { return run.trigger_code.ends_with("_erased"); }

bool is_of_list(const storage::RunKey& run) {
  return storage::is_eventless(run.event_id) && run.entity_id == storage::no_record;
}

}  // namespace waybill::worker
