#include "api/workflows/definition/workflow_list.hpp"

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "api/records/expected_count.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property digest_in_lists = [] {
  Property property = digest_property;
  property.optional = true;
  return property;
}();

constexpr Property entry_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "trigger", .kind = Kind::string, .nullable = false, .schema = &run_trigger_schema},
    {.name = "triggerId", .kind = Kind::uuid},
    triggers_property,
    timer_property,
    schedule_property,
    query_property,
    each_property,
    run_when_empty_property,
    digest_in_lists,
    {.name = "action", .kind = Kind::one_of, .nullable = false, .values = action_types},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "isManaged", .kind = Kind::boolean, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = workflow_statuses},
    {.name = "pausedReason", .kind = Kind::string},
    {.name = "lastRunAt",
     .kind = Kind::timestamp,
     .description = "The creation of the newest run that is kept."},
    {.name = "succeeded24h",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Succeeded runs that were created since the hour that began 24 hours before this one."},
    {.name = "dead24h",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Dead runs since the same hour."},
    // In the overview only.
    {.name = "expected",
     .kind = Kind::object,
     .schema = &expected_count_schema,
     .description =
         "The number of firings that is usual for the present hour and the 24 before it, by the same "
         "weekdays and hours of the last 8 weeks; null until 14 days and 20 firings are known, and "
         "for a workflow that fires less than once a day."},
    {.name = "silentSince",
     .kind = Kind::timestamp,
     .description = "Since when the workflow has fired much less than usual; null if it has not."},
    {.name = "perHour",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::integer,
     .description =
         "The firings in each of the last 24 hours of the clock, the present one last. A firing is "
         "counted here up to a minute after it."},
};
constexpr std::size_t only_in_overview = 3;
constexpr std::size_t shown_hours = 24;

/// The rows of activity.sql by workflow, as members of the workflow's entry.
using Activities = std::unordered_map<Guid, json::object>;

/// `type` is nullopt for the overview.
asio::awaitable<Activities> read_activities(const Call& call, Services& services,
                                            std::optional<domain::EntityType> type) {
  std::optional<std::int16_t> number;
  if (type) number = static_cast<std::int16_t>(*type);
  const auto rows =
      co_await services.db.read(sql::workflows::Activity{.business = call.business(), .entity_type = number});
  Activities activities;
  for (const auto& row : rows) {
    const bool paused = row.paused_reason.has_value();
    json::object& activity = activities[row.guid];
    activity = {
        {"status", paused          ? "paused"
                   : row.is_active ? "active"
                                   : "disabled"},
        {"pausedReason", paused ? json::value(*row.paused_reason) : json::value()},
        {"lastRunAt", row.last_run_at ? json::value(format_timestamp(*row.last_run_at)) : json::value()},
        {"succeeded24h", row.succeeded},
        {"dead24h", row.dead}};
    if (type) continue;
    if (row.expected_from && row.expected_to) {
      activity["expected"] = {{"from", *row.expected_from}, {"to", *row.expected_to}};
    } else {
      activity["expected"] = nullptr;
    }
    activity["silentSince"] =
        row.silent_since ? json::value(format_timestamp(*row.silent_since)) : json::value();
    activity["perHour"] = json::array(shown_hours, json::value(0));
  }
  if (!type) {
    const auto firings =
        co_await services.db.read(sql::workflows::FiringsByHour{.business = call.business()});
    for (const auto& row : firings) {
      const auto activity = activities.find(row.guid);
      if (activity != activities.end()) activity->second["perHour"] = json::parse(row.counts);
    }
  }
  co_return activities;
}

/// Adds the listed workflows of an entity type to `list`. A workflow that is deleted before this is left
/// out.
asio::awaitable<void> append_workflows(const Call& call, Services& services, domain::EntityType type,
                                       bool include_managed, const Activities& activities,
                                       json::array& list) {
  const auto rows =
      co_await services.db.read(sql::workflows::List{.business = call.business(),
                                                     .entity_type = static_cast<std::int16_t>(type),
                                                     .include_managed = include_managed});
  for (int row = 0; row < rows.size(); ++row) {
    json::object entry = json::parse(json_object(rows, row)).as_object();
    const auto guid = Guid::parse(std::string_view(entry.at("guid").as_string()));
    const auto activity = activities.find(guid.value());
    if (activity == activities.end()) continue;
    entry["entityType"] = domain::record_type(type).name;
    show_triggers(entry);
    if (entry.at("digest").is_null()) entry.erase("digest");
    for (const auto& [name, value] : activity->second) entry[name] = value;
    list.push_back(std::move(entry));
  }
}

}  // namespace

const Schema workflow_entry_schema{
    "WorkflowEntry", std::span(entry_properties).first(std::size(entry_properties) - only_in_overview)};
const Schema overview_entry_schema{"WorkflowOverviewEntry", entry_properties};

asio::awaitable<json::array> listed_workflows(const Call& call, Services& services, domain::EntityType type,
                                              bool include_managed) {
  const Activities activities = co_await read_activities(call, services, type);
  json::array list;
  co_await append_workflows(call, services, type, include_managed, activities, list);
  co_return list;
}

asio::awaitable<json::array> all_workflows(const Call& call, Services& services) {
  const Activities activities = co_await read_activities(call, services, std::nullopt);
  json::array list;
  for (const domain::RecordType& type : domain::record_types())
    co_await append_workflows(call, services, type.type, true, activities, list);
  co_return list;
}

}  // namespace waybill::api
