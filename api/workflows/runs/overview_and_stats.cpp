#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/expected_count.hpp"
#include "api/records/fields.hpp"
#include "api/records/time_range.hpp"
#include "api/workflows/definition/workflow_list.hpp"
#include "api/workflows/runs/latency_histogram.hpp"
#include "storage/sql/runs.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t max_slots = 1'000;

constexpr Property totals_properties[] = {
    {.name = "active", .kind = Kind::integer, .nullable = false},
    {.name = "paused", .kind = Kind::integer, .nullable = false},
    {.name = "off", .kind = Kind::integer, .nullable = false},
    {.name = "open", .kind = Kind::integer, .nullable = false, .description = "Open runs."},
    {.name = "succeeded24h", .kind = Kind::integer, .nullable = false},
    {.name = "dead24h", .kind = Kind::integer, .nullable = false},
};
constexpr Schema totals_schema{"WorkflowTotals", totals_properties};
constexpr std::string_view source_kinds[] = {"import", "scans"};
constexpr Property source_properties[] = {
    {.name = "kind",
     .kind = Kind::one_of,
     .nullable = false,
     .values = source_kinds,
     .description = "Orders that a store brings, or scans of the parcels of a carrier."},
    {.name = "guid",
     .kind = Kind::uuid,
     .description = "The integration or the carrier; null for parcels without one."},
    {.name = "name", .kind = Kind::string},
    {.name = "expected",
     .kind = Kind::object,
     .schema = &expected_count_schema,
     .description =
         "The number that is usual for the present hour and the 24 before it; null as for workflows."},
    {.name = "silentSince",
     .kind = Kind::timestamp,
     .description = "Since when much less than usual has come; null if it has not."},
};
constexpr Schema source_schema{"WorkflowSource", source_properties};
constexpr Property overview_properties[] = {
    {.name = "totals", .kind = Kind::object, .nullable = false, .schema = &totals_schema},
    {.name = "workflows", .kind = Kind::array, .nullable = false, .schema = &overview_entry_schema},
    {.name = "sources",
     .kind = Kind::array,
     .nullable = false,
     .schema = &source_schema,
     .description = "The active stores and carriers from which orders and scans come."},
};
constexpr Schema overview_schema{"WorkflowOverview", overview_properties};

constexpr Property slot_properties[] = {
    {.name = "from", .kind = Kind::timestamp, .nullable = false},
    {.name = "succeeded", .kind = Kind::integer, .nullable = false},
    {.name = "dead", .kind = Kind::integer, .nullable = false},
    {.name = "skipped", .kind = Kind::integer, .nullable = false},
    {.name = "open", .kind = Kind::integer, .nullable = false},
    {.name = "p50Ms",
     .kind = Kind::number,
     .description = "Half of the succeeded runs took at most this time from the event to the success, in "
                    "milliseconds, rounded up by at most 9 %; null if none succeeded."},
    {.name = "p95Ms", .kind = Kind::number, .description = "The same for 95 % of the succeeded runs."},
};
constexpr Schema slot_schema{"RunStatistics", slot_properties};

constexpr Parameter stats_parameters[] = {
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "Default: the hour that began 24 hours before this one."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "A date includes the whole day; a time a whole number of slots after `from` begins no "
                    "further slot. Default: now."},
    {.name = "step", .kind = Kind::duration, .description = "The length of a slot. Default: PT1H."},
    {.name = "workflowId", .kind = Kind::uuid},
};

asio::awaitable<json::array> read_sources(const Call& call, Services& services) {
  json::array sources;
  const auto rows = co_await services.db.read(storage::sql::workflows::Sources{.business = call.business()});
  for (const auto& row : rows) {
    json::object& source = sources.emplace_back(json::object()).as_object();
    source = {
        {"kind", row.kind},
        {"guid", row.guid.is_nil() ? json::value() : json::value(row.guid.to_string())},
        {"name", row.name ? json::value(*row.name) : json::value()},
        {"expected", nullptr},
        {"silentSince", row.silent_since ? json::value(format_timestamp(*row.silent_since)) : json::value()}};
    if (row.expected_from && row.expected_to)
      source["expected"] = {{"from", *row.expected_from}, {"to", *row.expected_to}};
  }
  co_return sources;
}

asio::awaitable<Answer> get_overview(Call& call, Services& services) {
  json::array workflows = co_await all_workflows(call, services);
  const auto open = co_await services.db.read(sql::runs::CountOpen{.business = call.business()});
  std::map<std::string, std::int64_t> states;
  std::int64_t succeeded = 0, dead = 0;
  for (const json::value& workflow : workflows) {
    ++states[std::string(workflow.at("status").as_string())];
    succeeded += workflow.at("succeeded24h").to_number<std::int64_t>();
    dead += workflow.at("dead24h").to_number<std::int64_t>();
  }
  co_return Answer::of(to_json(json::object{{"totals",
                                             {{"active", states["active"]},
                                              {"paused", states["paused"]},
                                              {"off", states["disabled"]},
                                              {"open", open.front().open},
                                              {"succeeded24h", succeeded},
                                              {"dead24h", dead}}},
                                            {"workflows", std::move(workflows)},
                                            {"sources", co_await read_sources(call, services)}}));
}

/// The time range of a call, in slots.
struct Slots {
  Time from, end;
  Duration step;
  std::string step_text;
  std::int64_t count = 0;
};

Slots slots_of(const Call& call, Time now) {
  Slots slots;
  slots.end = parse_bound(call.parameter("to"), true).value_or(now);
  slots.from = parse_bound(call.parameter("from"), false)
                   .value_or(std::chrono::floor<std::chrono::hours>(slots.end) - std::chrono::hours(24));
  slots.step = parse_duration(call.parameter("step").value_or("PT1H")).value_or(Duration());
  require_ascending(slots.from, slots.end);
  if (slots.step <= Duration()) throw invalid("step", "must be longer than PT0S");
  slots.step_text = format_duration(slots.step);
  // parse_bound adds a millisecond to a given time. If that time is a whole number of slots after the start,
  // the millisecond must not begin a further slot.
  constexpr Duration last = std::chrono::milliseconds(1);
  auto length = slots.end - slots.from;
  if (length > last && length % slots.step == last) {
    slots.end -= last;
    length -= last;
  }
  slots.count = length / slots.step + (length % slots.step > Duration() ? 1 : 0);
  if (slots.count > max_slots)
    throw invalid("step", "gives more than 1000 slots; choose a longer step or a shorter time range");
  return slots;
}

template <typename Unit>
bool is_whole(const Slots& slots) {
  return slots.step % Unit(1) == Duration() && std::chrono::floor<Unit>(slots.from) == slots.from;
}

/// The end of the time that is covered by counts of whole units. If the range includes the present, the
/// unfinished unit is counted as a whole.
template <typename Unit>
Time counted_end(const Slots& slots, Time now) {
  return slots.end >= now ? std::chrono::ceil<Unit>(slots.end) : Time(std::chrono::floor<Unit>(slots.end));
}

/// The result refers to `slots`, which must outlive it.
sql::runs::Stats statement_of(const Call& call, const Slots& slots, Time now) {
  const bool days = is_whole<std::chrono::days>(slots);
  Time counted = slots.from;
  if (days) {
    counted = counted_end<std::chrono::days>(slots, now);
  } else if (is_whole<std::chrono::hours>(slots)) {
    counted = counted_end<std::chrono::hours>(slots, now);
  }
  std::optional<Guid> workflow;
  if (const auto text = call.parameter("workflowId")) workflow = Guid::parse(*text);
  return {.business = call.business(),
          .workflow = workflow,
          .from = slots.from,
          .counted_end = counted,
          .end = std::max(slots.end, counted),
          .step = slots.step_text,
          .unit = days ? "day" : "hour"};
}

/// The latency that `percent` of the runs do not exceed, in milliseconds with one decimal.
json::value rounded_latency(const LatencyHistogram& latencies, int percent) {
  const auto ms = latencies.percentile_ms(percent);
  return ms ? json::value(std::round(*ms * 10) / 10) : json::value();
}

asio::awaitable<Answer> get_stats(Call& call, Services& services) {
  const Time now = services.clock.now();
  const Slots slots = slots_of(call, now);
  const auto data = co_await services.analysis.run(
      services.db, call.business(), [&call, &slots, now](storage::Session& session) -> json::array {
        json::array list;
        for (std::int64_t i = 0; i < slots.count; ++i) {
          list.push_back({{"from", format_timestamp(slots.from + i * slots.step)},
                          {"succeeded", 0},
                          {"dead", 0},
                          {"skipped", 0},
                          {"open", 0},
                          {"p50Ms", nullptr},
                          {"p95Ms", nullptr}});
        }
        for (const auto& row : session.run(statement_of(call, slots, now))) {
          const auto index = static_cast<std::size_t>((row.slot - slots.from) / slots.step);
          if (index >= list.size()) continue;  // an event in the future
          json::object& slot = list[index].as_object();
          slot["succeeded"] = row.succeeded;
          slot["dead"] = row.dead;
          slot["skipped"] = row.skipped;
          slot["open"] = row.open;
          LatencyHistogram latencies;
          latencies.add(row.latencies.value_or("[]"));
          slot["p50Ms"] = rounded_latency(latencies, 50);
          slot["p95Ms"] = rounded_latency(latencies, 95);
        }
        return list;
      });
  co_return Answer::of(to_json(data));
}

constexpr Endpoint watching_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/overview",
     .permission = Permission::read,
     .handler = get_overview,
     .operation_id = "getWorkflowOverview",
     .summary = "Returns all workflows with their states and numbers of runs, and totals",
     .description = "Succeeded and dead runs are those of the last 24 hours.",
     .tag = "Workflows",
     .answer = &overview_schema,
     .from_standby = true},
    {.method = Method::get,
     .path = "/api/workflows/stats",
     .permission = Permission::read,
     .handler = get_stats,
     .operation_id = "getRunStatistics",
     .summary = "Returns the numbers of runs and their latencies over time",
     .description = "Runs count in the slot of their creation. At most 1 000 slots.",
     .tag = "Runs",
     .query = stats_parameters,
     .answer = &slot_schema,
     .answer_is_array = true,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> watching_endpoints() { return watching_endpoint_table; }

}  // namespace waybill::api
