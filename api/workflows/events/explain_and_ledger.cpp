#include "api/endpoint/services.hpp"
#include "api/records/row_json.hpp"
#include "api/records/time_range.hpp"
#include "api/threads/analysis.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/runs/run_steps.hpp"
#include "api/workflows/trials/tested_steps.hpp"
#include "base/number.hpp"
#include "matching/explain.hpp"
#include "matching/past.hpp"
#include "storage/sql/runs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t explained_events = 100;
constexpr Duration retention = std::chrono::days(31);

constexpr std::string_view reasons[] = {
    "switched_off",      "other_trigger", "condition", "loop",          "paused",      "newer_than_event",
    "notifications_off", "window",        "limited",   "timer_waiting", "timer_moved", "timer_passed",
    "no_value",          "too_much_work", "too_large", "unreadable",    "digest",      "digest_dropped"};
constexpr std::string_view kinds[] = {"timer", "schedule"};

constexpr Property explained_workflow_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "fired", .kind = Kind::boolean, .nullable = false},
    {.name = "runId", .kind = Kind::uuid},
    {.name = "reason",
     .kind = Kind::one_of,
     .values = reasons,
     .description = "Why the workflow did not run or waits; null if it ran."},
    {.name = "dueAt",
     .kind = Kind::timestamp,
     .nullable = false,
     .optional = true,
     .description = "When the timer or schedule came due, or comes due; when the digest with the event comes "
                    "due. Absent for a timer without a value."},
    {.name = "conditions",
     .kind = Kind::array,
     .nullable = false,
     .schema = &condition_schema,
     .description = "With the values as of the event. If a run was skipped because they no longer held after "
                    "its delay, the error of its step names one that did not hold, with its value then."},
    {.name = "steps",
     .kind = Kind::array,
     .schema = &run_step_schema,
     .description = "The steps of the run."},
};
constexpr Schema explained_workflow_schema{"ExplainedWorkflow", explained_workflow_properties};
constexpr Property explained_properties[] = {
    {.name = "eventId", .kind = Kind::integer, .description = "Null for a timer or a schedule."},
    {.name = "kind",
     .kind = Kind::one_of,
     .nullable = false,
     .optional = true,
     .values = kinds,
     .description = "Only without an event."},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
    {.name = "triggers", .kind = Kind::array, .nullable = false, .schema = &run_trigger_schema},
    {.name = "workflows", .kind = Kind::array, .nullable = false, .schema = &explained_workflow_schema},
};
constexpr Schema explained_schema{"ExplainedEvent", explained_properties};

constexpr Property ledger_run_properties[] = {
    {.name = "total", .kind = Kind::integer, .nullable = false},
    {.name = "succeeded", .kind = Kind::integer, .nullable = false},
    {.name = "dead", .kind = Kind::integer, .nullable = false},
    {.name = "skipped", .kind = Kind::integer, .nullable = false},
    {.name = "open", .kind = Kind::integer, .nullable = false},
};
constexpr Schema ledger_runs_schema{"LedgerRuns", ledger_run_properties};
constexpr Property ledger_digest_properties[] = {
    {.name = "events",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Pairs of event and workflow that digests have collected: those of open digests, those "
                    "dropped, and those in runs."},
    {.name = "collected", .kind = Kind::integer, .nullable = false, .description = "Those of open digests."},
    {.name = "dropped",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Those of deleted workflows and of erased persons."},
    {.name = "runs",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The runs of digests, by the time of their first event."},
};
constexpr Schema ledger_digests_schema{"LedgerDigests", ledger_digest_properties};
constexpr Property ledger_properties[] = {
    {.name = "events", .kind = Kind::integer, .nullable = false},
    {.name = "pending",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Events that are not recorded yet."},
    {.name = "matched",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Pairs of event and workflow: runs.total - digests.runs + digests.events."},
    {.name = "runs",
     .kind = Kind::object,
     .nullable = false,
     .schema = &ledger_runs_schema,
     .description = "Replays are not counted."},
    {.name = "digests", .kind = Kind::object, .nullable = false, .schema = &ledger_digests_schema},
    {.name = "tries", .kind = Kind::integer, .nullable = false},
    {.name = "balanced", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema ledger_schema{"Ledger", ledger_properties};

constexpr Parameter explain_parameters[] = {
    {.name = "entityId", .kind = Kind::uuid, .required = true},
    {.name = "before",
     .kind = Kind::integer,
     .minimum = 1,
     .description = "The id of an event; lists up to 100 events before it. A page of large records can have "
                    "fewer; after the last event the list is empty."}};
constexpr Parameter ledger_parameters[] = {
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "Default: the oldest event that is kept."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "A date includes the whole day. Default: now."},
};

json::object explained_json(const matching::ExplainedEvent& event) {
  json::array triggers(event.triggers.begin(), event.triggers.end());
  json::array workflows;
  for (const auto& workflow : event.workflows) {
    json::object entry{{"guid", workflow.guid.to_string()},
                       {"name", workflow.name},
                       {"fired", workflow.fired},
                       {"runId", workflow.run ? json::value(workflow.run->to_string()) : json::value()},
                       {"reason", workflow.reason.empty() ? json::value() : json::value(workflow.reason)},
                       {"steps", workflow.steps},
                       {"conditions", conditions_json(workflow.conditions)}};
    if (workflow.due) entry["dueAt"] = format_timestamp(*workflow.due);
    workflows.push_back(std::move(entry));
  }
  json::object shown{{"eventId", event.id ? json::value(*event.id) : json::value()},
                     {"at", format_timestamp(event.at)},
                     {"triggers", std::move(triggers)},
                     {"workflows", std::move(workflows)}};
  if (!event.id) shown["kind"] = event.triggers.front();
  return shown;
}

asio::awaitable<Answer> explain_entity(Call& call, Services& services) {
  const Guid entity = Guid::parse(call.parameter("entityId").value()).value();
  storage::PastEvents::Latest latest{.limit = explained_events};
  if (const auto before = call.parameter("before"))
    latest.before = parse_number<decltype(latest.before)>(*before).value_or(latest.before);
  const auto events = co_await services.analysis.run(
      services.db, call.business(), [business = call.business(), entity, latest](storage::Session& session) {
        return matching::explain(session, business, entity, latest);
      });
  if (!events) throw not_found("record");
  json::array answer;
  for (const auto& event : *events) answer.push_back(explained_json(event));
  co_return Answer::of(to_json(answer));
}

asio::awaitable<Answer> read_ledger(Call& call, Services& services) {
  const Time now = services.clock.now();
  const auto first = parse_bound(call.parameter("from"), false),
             end = parse_bound(call.parameter("to"), true);
  require_ascending(first, end);
  const Time from = first.value_or(now - 10 * retention);
  const Time to = end.value_or(now + std::chrono::minutes(1));
  const auto data = co_await services.analysis.run(
      services.db, call.business(), [business = call.business(), from, to](storage::Session& session) {
        return json_object(
            session.run(storage::sql::runs::Ledger{.business = business, .from = from, .end = to}));
      });
  co_return Answer::of(data);
}

constexpr Endpoint insight_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/explain",
     .permission = Permission::read,
     .handler = explain_entity,
     .operation_id = "explainRecord",
     .summary = "Lists the last events of a record, newest first, and why each workflow ran or did not run",
     .description = "A workflow that did not run has a reason, such as a condition with its actual value.",
     .tag = "Workflows",
     .query = explain_parameters,
     .answer = &explained_schema,
     .answer_is_array = true,
     .from_standby = true},
    {.method = Method::get,
     .path = "/api/workflows/ledger",
     .permission = Permission::read,
     .handler = read_ledger,
     .operation_id = "getLedger",
     .summary = "Returns the numbers of events and of their runs",
     .description = "The numbers balance at any moment; balanced says so.",
     .tag = "Workflows",
     .query = ledger_parameters,
     .answer = &ledger_schema,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> insight_endpoints() { return insight_endpoint_table; }

}  // namespace waybill::api
