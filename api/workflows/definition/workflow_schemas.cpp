#include "api/workflows/definition/workflow_schemas.hpp"

#include <string_view>
#include <vector>

#include "api/workflows/definition/workdays_property.hpp"
#include "domain/time/working_days.hpp"
#include "domain/workflows/pacing.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view condition_operators[] = {"eq",       "ne",     "gt",      "gte",      "lt",
                                                    "lte",      "in",     "nin",     "contains", "startsWith",
                                                    "endsWith", "exists", "changed", "from",     "to"};

constexpr Property cancel_on_properties[] = {
    {.name = "triggers",
     .kind = Kind::array,
     .required = true,
     .nullable = false,
     .items = Kind::string,
     .description = "Codes of triggers of the entity type, or \"*\" alone."},
    {.name = "conditions",
     .kind = Kind::any,
     .schema = &conditions_schema,
     .description = "On the record as of the event. Default: none."},
};

constexpr Property timer_properties[] = {
    {.name = "field",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "createdAt, statusChangedAt, collectionDate, estimatedDelivery or lastTraceAt, as the "
                    "entity type has them."},
    {.name = "offset",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "ISO 8601 with an optional sign, such as PT24H or -P1D; at most 366 days."},
    workdays_of("The offset is 1 to 20 whole days, counted as working days."),
};

constexpr Property schedule_properties[] = {
    {.name = "cron",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "Minute, hour, day of the month, month and day of the week, such as 0 8 * * mon-fri."},
    {.name = "timezone",
     .kind = Kind::string,
     .description = "IANA, such as Europe/Lisbon. Default: that of the business."},
};
constexpr Property schedule_query_properties[] = {
    {.name = "filter", .kind = Kind::text, .description = "As $filter of the lists. Default: all records."},
    {.name = "orderBy", .kind = Kind::text, .description = "As $orderby. Default: the newest first."},
    {.name = "limit", .kind = Kind::integer, .minimum = 1, .maximum = 1000, .description = "Default: 1000."},
};

constexpr Property digest_properties[] = {
    {.name = "by",
     .kind = Kind::string,
     .description = "A path of the record: a digest for each of its values, null among them. Default: one "
                    "digest for all events."},
    {.name = "every", .kind = Kind::duration, .description = "The time from the first event to the run."},
    {.name = "quiet",
     .kind = Kind::duration,
     .description = "Instead of every: the run begins after this time without a further event."},
    {.name = "atMost",
     .kind = Kind::duration,
     .description = "With quiet: the longest time from the first event to the run. Default: P1D."},
    {.name = "max",
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = domain::most_digest_items,
     .description = "With this number of events the run begins at once. Default: 100."},
};

/// The codes of all triggers, and those of timers, schedules and digests.
std::span<const std::string_view> run_triggers() {
  static const auto codes = [] {
    std::vector<std::string_view> all(domain::trigger_codes().begin(), domain::trigger_codes().end());
    all.emplace_back("timer");
    all.emplace_back("schedule");
    all.push_back(domain::digest_code);
    return all;
  }();
  return codes;
}

/// The paths depend on the entity type, and the types of the values on the path; the handler checks both.
constexpr std::string_view conditions_json = R"json({
  "type": "object",
  "description": "Paths with the values or operators that fields must match. All entries must hold.",
  "properties": {
    "all": {"type": "array", "items": {"$ref": "#/components/schemas/Conditions"}},
    "any": {"type": "array", "items": {"$ref": "#/components/schemas/Conditions"}},
    "not": {"$ref": "#/components/schemas/Conditions"}
  },
  "patternProperties": {
    "^(?!(all|any|not)$)": {
      "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {
          "type": "object",
          "minProperties": 1,
          "additionalProperties": false,
          "properties": {
            "eq": {"type": ["string", "number", "boolean", "null"]},
            "ne": {"type": ["string", "number", "boolean", "null"]},
            "gt": {"type": ["string", "number"]},
            "gte": {"type": ["string", "number"]},
            "lt": {"type": ["string", "number"]},
            "lte": {"type": ["string", "number"]},
            "in": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
            "nin": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
            "contains": {"type": "string"},
            "startsWith": {"type": "string"},
            "endsWith": {"type": "string"},
            "exists": {"type": "boolean"},
            "changed": {"type": "boolean"},
            "from": {"type": ["string", "number", "boolean", "null"]},
            "to": {"type": ["string", "number", "boolean", "null"]}
          }
        }
      ]
    }
  },
  "additionalProperties": true
})json";

constexpr Schema day_schema{.name = "Weekday", .values = domain::weekday_names};
constexpr Property window_properties[] = {
    {.name = "days",
     .kind = Kind::array,
     .required = true,
     .nullable = false,
     .max_length = 7,
     .schema = &day_schema},
    {.name = "from", .kind = Kind::time_of_day, .required = true, .nullable = false},
    {.name = "to",
     .kind = Kind::time_of_day,
     .required = true,
     .nullable = false,
     .description = "Before `from`: on the next day."},
    {.name = "timezone", .kind = Kind::string, .description = "IANA. Default: that of the business."},
    workdays_of("It opens on working days only."),
};
constexpr Property limit_properties[] = {
    {.name = "by",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "A path of the record. A record without a value is not limited."},
    {.name = "count",
     .kind = Kind::integer,
     .required = true,
     .nullable = false,
     .minimum = 1,
     .maximum = domain::most_limited_runs},
    {.name = "per",
     .kind = Kind::duration,
     .required = true,
     .nullable = false,
     .description = "From PT1S to 366 days, sliding."},
};
constexpr Property rate_properties[] = {
    {.name = "perSecond",
     .kind = Kind::number,
     .required = true,
     .nullable = false,
     .minimum = domain::lowest_rate,
     .maximum = domain::highest_rate},
};

}  // namespace

const Schema trigger_code_schema{.name = "TriggerCode", .values = domain::trigger_codes()};
const Schema run_trigger_schema{.name = "RunTrigger", .values = run_triggers()};
const Schema timer_schema{"Timer", timer_properties};
const Schema schedule_schema{"Schedule", schedule_properties};
const Schema schedule_query_schema{"ScheduleQuery", schedule_query_properties};
const Schema cancel_on_schema{"CancellingEvents", cancel_on_properties};
const Schema conditions_schema{.name = "Conditions", .json = conditions_json};
const Schema condition_operator_schema{.name = "ConditionOperator", .values = condition_operators};
const Schema header_values_schema{
    .name = "HeaderValues",
    .json = R"({"type": "object", "additionalProperties": {"type": ["string", "null"]},
                "description": "Values by name; null if a value is no longer known."})"};
const Schema window_schema{"WorkflowWindow", window_properties};
const Schema limit_schema{"WorkflowLimit", limit_properties};
const Schema rate_schema{"WorkflowRate", rate_properties};
const Schema digest_schema{"WorkflowDigest", digest_properties};

}  // namespace waybill::api
