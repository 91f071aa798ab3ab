// The next actions of workflows, for a record or a workflow.
#include "matching/upcoming.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/time_range.hpp"
#include "api/threads/analysis.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view kinds[] = {"timer", "schedule", "wait", "delay", "window", "retry", "digest"};

constexpr Property coming_workflow_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "version",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The version with which the run is performed."},
};
constexpr Schema coming_workflow_schema{"UpcomingWorkflow", coming_workflow_properties};

constexpr Property upcoming_properties[] = {
    {.name = "at",
     .kind = Kind::timestamp,
     .nullable = false,
     .description = "When it happens, by the present calendar, zone and window. Now, if it is overdue."},
    {.name = "kind",
     .kind = Kind::one_of,
     .nullable = false,
     .values = kinds,
     .description = "Of a queued run: the step `wait`, the `delay` of the workflow, its `window`, or a "
                    "`retry`. The others make a run.",
     .example = R"("timer")"},
    {.name = "workflow", .kind = Kind::object, .nullable = false, .schema = &coming_workflow_schema},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId",
     .kind = Kind::uuid,
     .description = "Null for schedules, digests and lists of records."},
    {.name = "runId", .kind = Kind::uuid, .description = "Null before the run begins."},
    {.name = "holdsNow",
     .kind = Kind::boolean,
     .description = "True if the conditions of the workflow hold for the record as it is now. Null without "
                    "`entityId`, and if "
                    "that needs too much work or the record cannot be read."},
};
constexpr Schema upcoming_schema{"Upcoming", upcoming_properties};

constexpr Parameter upcoming_parameters[] = {
    {.name = "entityId", .kind = Kind::uuid, .description = "Required without workflowId."},
    {.name = "workflowId", .kind = Kind::uuid, .description = "Required without entityId."},
    {.name = "until",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time; a date includes the day. Default: no limit."},
};

json::value guid_json(const std::optional<Guid>& guid) {
  return guid ? json::value(guid->to_string()) : json::value();
}

json::object upcoming_json(const matching::Upcoming& upcoming) {
  return {{"at", format_timestamp(upcoming.at)},
          {"kind", upcoming.kind},
          {"workflow",
           {{"guid", upcoming.workflow.to_string()}, {"name", upcoming.name}, {"version", upcoming.version}}},
          {"entityType", domain::record_type(upcoming.entity_type).name},
          {"entityId", guid_json(upcoming.entity)},
          {"runId", guid_json(upcoming.run)},
          {"holdsNow", upcoming.holds_now ? json::value(*upcoming.holds_now) : json::value()}};
}

asio::awaitable<Answer> list_upcoming(Call& call, Services& services) {
  const auto entity = call.parameter("entityId"), workflow = call.parameter("workflowId");
  if (entity && workflow) throw invalid("workflowId", "must not stand next to `entityId`");
  if (!entity && !workflow) throw invalid("entityId", "one of entityId and workflowId is required");
  const Guid guid = Guid::parse(entity ? *entity : *workflow).value();
  const auto until = parse_bound(call.parameter("until"), true);
  const auto upcoming = co_await services.analysis.run(
      services.db, call.business(),
      [business = call.business(), guid, until, is_record = entity.has_value()](storage::Session& session) {
        return is_record ? matching::upcoming_of_record(session, business, guid, until)
                         : matching::upcoming_of_workflow(session, business, guid, until);
      });
  json::array answer;
  if (upcoming) {  // otherwise the business has no such record or workflow
    for (const auto& each : *upcoming) answer.push_back(upcoming_json(each));
  }
  co_return Answer::of(to_json(answer));
}

constexpr Endpoint upcoming_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/upcoming",
     .permission = Permission::read,
     .handler = list_upcoming,
     .operation_id = "listUpcoming",
     .summary = "Lists what workflows will do next for a record, or what a workflow will do next",
     .description =
         "Exactly one of entityId and workflowId is required. At most 200 entries, by time, from timers, "
         "schedules, queued runs and open digests. Of a schedule it is the next tick; for a record, of the "
         "schedules that name it now. Workflows that are paused or switched off have no entries, nor have "
         "runs that wait for another run or for a label. Limits and rates are not foreseen.",
     .tag = "Workflows",
     .query = upcoming_parameters,
     .answer = &upcoming_schema,
     .answer_is_array = true,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> upcoming_endpoints() { return upcoming_endpoint_table; }

}  // namespace waybill::api
