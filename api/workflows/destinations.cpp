// The destinations to which a business's runs, stores and carriers go, as the workers report them.
#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/workflows/merged_destinations.hpp"
#include "domain/workflows/pacing.hpp"
#include "storage/sql/destinations.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_destinations = 200;  // and one for the others
constexpr std::int64_t most_waiting = 10'000;

constexpr std::string_view states[] = {"closed", "half_open", "open"};

constexpr Property named_workflow_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema named_workflow_schema{"DestinationWorkflow", named_workflow_properties};
constexpr Property destination_properties[] = {
    {.name = "destination",
     .kind = Kind::string,
     .nullable = false,
     .description = "Host and port, `mail` where mails go to a directory, or `others`.",
     .example = R"("hooks.example.com:443")"},
    {.name = "kind",
     .kind = Kind::one_of,
     .values = net::destination_kinds,
     .description = "Null for `others`.",
     .example = R"("webhook")"},
    {.name = "workflows",
     .kind = Kind::array,
     .nullable = false,
     .max_length = 20,
     .schema = &named_workflow_schema,
     .description = "Up to 20 workflows whose runs went there last."},
    {.name = "state",
     .kind = Kind::one_of,
     .nullable = false,
     .values = states,
     .description =
         "Of its circuit breaker, the worst of the workers. `half_open`: a probe is due or under way.",
     .example = R"("closed")"},
    {.name = "places",
     .kind = Kind::integer,
     .description =
         "Attempts that may be in flight, of all workers. Null if no worker that runs has used it."},
    {.name = "succeeded1h",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Attempts of the last hour, in steps of five minutes."},
    {.name = "failed1h", .kind = Kind::integer, .nullable = false},
    {.name = "p95Ms",
     .kind = Kind::integer,
     .description = "95 of 100 attempts of the last 30 to 60 minutes took at most so long; within a fifth."},
    {.name = "waiting",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Queued runs for it, also delayed ones, exact up to 10000. For push and store: of all "
                    "destinations of the kind. For carrier: purchases of labels."},
    {.name = "nextProbeAt",
     .kind = Kind::timestamp,
     .description = "The first next attempt while the circuit breaker of a worker is open."},
    {.name = "asOf",
     .kind = Kind::timestamp,
     .nullable = false,
     .description = "The last report of a worker. Workers report changes within about five seconds."},
};
constexpr Schema destination_schema{"Destination", destination_properties};

template <typename Use>
void for_each_part(std::string_view list, Use use) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    use(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

DestinationReport report_of(const sql::destinations::Reports::Row& row) {
  DestinationReport report{.kind = std::string(row.kind),
                           .name = std::string(row.name),
                           .is_live = row.is_live,
                           .places = row.places,
                           .next_probe = row.next_probe_at,
                           .succeeded = row.succeeded,
                           .failed = row.failed,
                           .durations = {},
                           .workflows = {},
                           .published_at = row.published_at};
  for_each_part(row.durations, [&](std::string_view part) {
    std::int64_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    report.durations.push_back(number);
  });
  for_each_part(row.workflows, [&](std::string_view part) {
    if (const auto guid = Guid::parse(part)) report.workflows.push_back(*guid);
  });
  return report;
}

/// The action whose runs for a kind of destination wait in one place; null for the other kinds.
const actions::Action* action_of(std::string_view kind) {
  using enum net::DestinationKind;
  if (kind == text(push)) return actions::find_action("send_push");
  if (kind == text(mail)) return actions::find_action("send_email");
  if (kind == text(store)) return actions::find_action("push_tracking");
  return nullptr;
}

/// The places in the queue of runs at which the runs for a destination wait (docs/design/queue.md).
std::vector<std::string> places_of(const MergedDestination& destination, const Guid& business) {
  const std::string end = business.to_string();
  std::vector<std::string> places;
  if (const auto* const action = action_of(destination.kind)) {
    places.push_back(action->queue_destination({}, business));
  } else if (destination.kind == text(net::DestinationKind::webhook)) {
    places.push_back(destination.name + "/" + end);
  } else if (destination.is_others()) {
    for (const std::string& name : destination.other_names) places.push_back(name + "/" + end);
    places.push_back(domain::shared_place_of_rates(business));
  }
  // A workflow with a rate has places of its own.
  for (std::size_t i = 0, count = places.size(); i < count; ++i) {
    for (const Guid& workflow : destination.workflows)
      places.push_back(domain::destination_with_rate(places[i], workflow, business));
  }
  if (destination.is_others()) {
    for (std::size_t i = 0; i < domain::shared_places; ++i)
      places.push_back(domain::shared_place(i, business));
  }
  return places;
}

/// The number of runs or purchases that wait for each of the destinations.
asio::awaitable<std::vector<std::int64_t>> count_waiting(const std::vector<MergedDestination>& destinations,
                                                         const Guid& business, Services& services) {
  std::vector<std::string> places;
  std::vector<std::size_t> destination_of;  // by place
  bool has_carrier = false;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    has_carrier = has_carrier || destinations[i].kind == text(net::DestinationKind::carrier);
    for (std::string& place : places_of(destinations[i], business)) {
      places.push_back(std::move(place));
      destination_of.push_back(i);
    }
  }
  std::vector<std::int64_t> waiting(destinations.size());
  const auto rows = co_await services.db.read(
      sql::destinations::Waiting{.business = business, .places = places, .most = most_waiting});
  for (const auto& row : rows) {
    std::int64_t& count = waiting[destination_of.at(static_cast<std::size_t>(row.place))];
    count = std::min(count + row.runs, most_waiting);
  }
  if (has_carrier) {
    const auto counted = co_await services.db.read(
        sql::destinations::WaitingPurchases{.business = business, .most = most_waiting});
    const std::int64_t purchases = counted.front().purchases;
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      if (destinations[i].kind == text(net::DestinationKind::carrier)) waiting[i] = purchases;
    }
  }
  co_return waiting;
}

/// The names of the workflows of the destinations that still exist.
asio::awaitable<std::map<Guid, std::string>> read_names(const std::vector<MergedDestination>& destinations,
                                                        const Guid& business, Services& services) {
  std::vector<Guid> workflows;
  for (const MergedDestination& each : destinations)
    workflows.insert(workflows.end(), each.workflows.begin(), each.workflows.end());
  std::ranges::sort(workflows);
  workflows.erase(std::unique(workflows.begin(), workflows.end()), workflows.end());
  std::map<Guid, std::string> names;
  const auto rows =
      co_await services.db.read(sql::destinations::Workflows{.business = business, .workflows = workflows});
  for (const auto& row : rows) names.emplace(row.guid, row.name);
  co_return names;
}

json::object destination_json(const MergedDestination& destination, std::int64_t waiting,
                              const std::map<Guid, std::string>& names) {
  json::array workflows;
  for (const Guid& workflow : destination.workflows) {
    if (const auto found = names.find(workflow); found != names.end())
      workflows.push_back(json::object{{"guid", workflow.to_string()}, {"name", found->second}});
  }
  const auto time = [](const std::optional<Time>& at) {
    return at ? json::value(format_timestamp(*at)) : json::value();
  };
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? json::value(*value) : json::value();
  };
  return {{"destination", destination.name},
          {"kind", destination.is_others() ? json::value() : json::value(destination.kind)},
          {"workflows", std::move(workflows)},
          {"state", states[static_cast<std::size_t>(destination.state)]},
          {"places", number(destination.places)},
          {"succeeded1h", destination.succeeded},
          {"failed1h", destination.failed},
          {"p95Ms", number(p95_ms(destination.durations))},
          {"waiting", waiting},
          {"nextProbeAt", time(destination.next_probe)},
          {"asOf", time(destination.as_of)}};
}

asio::awaitable<Answer> list_destinations(Call& call, Services& services) {
  const Guid business = call.business();
  const auto rows = co_await services.db.read(sql::destinations::Reports{.business = business});
  if (rows.empty()) co_return Answer::of("[]");
  std::vector<DestinationReport> reports;
  for (const auto& row : rows) reports.push_back(report_of(row));
  const auto destinations = merge_reports(reports, rows.front().now, most_destinations);
  const auto waiting = co_await count_waiting(destinations, business, services);
  const auto names = co_await read_names(destinations, business, services);
  json::array answer;
  for (std::size_t i = 0; i < destinations.size(); ++i)
    answer.push_back(destination_json(destinations[i], waiting[i], names));
  co_return Answer::of(to_json(answer));
}

constexpr Endpoint destination_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/destinations",
     .permission = Permission::read,
     .handler = list_destinations,
     .operation_id = "listDestinations",
     .summary = "Lists the destinations of the last 36 hours with their health",
     .description =
         "The servers to which webhooks, push messages, mails, and calls to stores and carriers went. "
         "Those whose circuit breaker is not closed come first, then those with the most attempts. At "
         "most 200; all further ones are one entry `others`, the last.",
     .tag = "Workflows",
     .answer = &destination_schema,
     .answer_is_array = true,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> destination_endpoints() { return destination_endpoint_table; }

}  // namespace waybill::api
