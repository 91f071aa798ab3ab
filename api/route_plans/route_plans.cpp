#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/row_json.hpp"
#include "api/route_plans/route_planning.hpp"
#include "storage/sql/route_plans.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view stop_statuses[] = {"completed", "pending"};
constexpr std::string_view event_types[] = {"departure", "delivery", "return"};
constexpr std::string_view event_statuses[] = {"completed", "in_progress", "pending"};

constexpr Property stop_properties[] = {
    {.name = "sequence", .kind = Kind::integer, .nullable = false, .description = "From 1."},
    {.name = "shipmentId", .kind = Kind::uuid, .nullable = false},
    {.name = "address", .kind = Kind::string},
    {.name = "estimatedArrival", .kind = Kind::timestamp, .description = "Null if the stop is unlocated."},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = stop_statuses},
    {.name = "unlocated",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True if the place of the address is unknown. Unlocated stops come last."},
};
constexpr Schema stop_schema{"RouteStop", stop_properties};
constexpr Property route_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "dispatchId", .kind = Kind::uuid, .nullable = false},
    {.name = "stops", .kind = Kind::array, .nullable = false, .schema = &stop_schema},
    {.name = "totalDistance",
     .kind = Kind::number,
     .nullable = false,
     .description = "Kilometres, including the return, without unlocated stops."},
    {.name = "estimatedDuration",
     .kind = Kind::string,
     .nullable = false,
     .description = "Such as 3h 45m, without unlocated stops."},
    {.name = "unlocated",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of unlocated stops, which distance and duration leave out."},
    {.name = "startUnlocated",
     .kind = Kind::boolean,
     .nullable = false,
     .description =
         "True if the place of the business's address is unknown: the route begins and ends at its "
         "stops."},
};
constexpr Schema route_schema{"Route", route_properties};

constexpr Property event_properties[] = {
    {.name = "time",
     .kind = Kind::time_of_day,
     .description = "In the time zone of the business. Null for an open stop that is unlocated."},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = event_types},
    {.name = "location", .kind = Kind::string},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = event_statuses},
};
constexpr Schema event_schema{"RouteEvent", event_properties};
constexpr Property timeline_properties[] = {
    {.name = "routeId", .kind = Kind::uuid, .nullable = false},
    {.name = "events", .kind = Kind::array, .nullable = false, .schema = &event_schema},
};
constexpr Schema timeline_schema{"RouteTimeline", timeline_properties};

/// Returns the route with the guid in the path, as the statement `S` gives it.
template <typename S>
asio::awaitable<Answer> read_route(Call& call, Services& services) {
  const auto rows = co_await services.db.read(S{.business = call.business(), .dispatch_or_route = call.id()});
  if (rows.empty()) throw not_found("route");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> get_route(Call& call, Services& services) {
  co_await plan_if_outdated(call, services, call.id());
  co_return co_await read_route<sql::route_plans::Get>(call, services);
}

asio::awaitable<Answer> get_timeline(Call& call, Services& services) {
  co_await plan_if_outdated(call, services, call.id());
  co_return co_await read_route<sql::route_plans::Timeline>(call, services);
}

asio::awaitable<Answer> optimize_route(Call& call, Services& services) {
  const auto found = co_await services.db.read(
      sql::route_plans::Find{.business = call.business(), .dispatch_or_route = call.id()});
  if (found.empty()) throw not_found("route");
  const auto status = co_await plan_again(call, services, found.front().guid, {.locates_all = true});
  if (!status) throw not_found("route");
  if (has_ended(*status)) {
    throw conflict("The dispatch is " + *status + "; its route can no longer be changed.");
  }
  co_return co_await read_route<sql::route_plans::Get>(call, services);
}

constexpr Endpoint route_plan_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/route/{id}",
     .permission = Permission::read,
     .handler = get_route,
     .operation_id = "getRoute",
     .summary = "Returns the route of a dispatch",
     .description = "The guid is that of the dispatch or of the route. The route is planned again if an "
                    "address or its stops have changed.",
     .tag = "Dispatches",
     .answer = &route_schema},
    {.method = Method::get,
     .path = "/api/route/timeline/{id}",
     .permission = Permission::read,
     .handler = get_timeline,
     .operation_id = "getRouteTimeline",
     .summary = "Returns a route as the events of a day",
     .description = "The guid is that of the dispatch or of the route. The route is planned again if an "
                    "address or its stops have changed.",
     .tag = "Dispatches",
     .answer = &timeline_schema},
    {.method = Method::post,
     .path = "/api/route/{id}/optimize",
     .permission = Permission::operate,
     .handler = optimize_route,
     .operation_id = "optimizeRoute",
     .summary = "Puts the open stops of a route into the shortest order",
     .description = "The addresses are located again. The guid is that of the dispatch or of the route.",
     .tag = "Dispatches",
     .answer = &route_schema},
};

}  // namespace

std::span<const Endpoint> route_plan_endpoints() { return route_plan_endpoint_table; }

}  // namespace waybill::api
