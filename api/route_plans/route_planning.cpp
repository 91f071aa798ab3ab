#include "api/route_plans/route_planning.hpp"

#include <string_view>
#include <utility>

#include "api/route_plans/maps.hpp"
#include "base/number.hpp"
#include "domain/routing/route_plan.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::route_plans;

constexpr std::string_view business_key;

domain::PostalAddress address_at(const storage::Rows& rows, int row, int column) {
  const auto text = [&](int offset) { return std::string(rows.get(row, column + offset)); };
  return {.street = text(0), .city = text(1), .state = text(2), .postal_code = text(3), .country = text(4)};
}

double number_at(const storage::Rows& rows, int row, int column) {
  return parse_number<double>(rows.get(row, column)).value_or(0);
}

std::optional<std::string> shortest_text(double value) { return decimal_text(json::value(value)); }

RouteStops read_stops(const storage::Rows& rows, const Locations& locations) {
  RouteStops read;
  if (const auto origin = locations.find(business_key); origin != locations.end())
    read.origin = origin->second;
  for (int row = 0; row < rows.size(); ++row) {
    read.shipments.emplace_back(rows.get(row, 0));
    std::optional<domain::Point> place;
    if (const auto found = locations.find(read.shipments.back()); found != locations.end()) {
      place = found->second;
    } else if (!rows.is_null(row, 2)) {
      place = domain::Point{number_at(rows, row, 2), number_at(rows, row, 3)};
    } else {
      place = domain::Gazetteer::builtin().locate(address_at(rows, row, 4));
    }
    read.places.push_back(place);
    read.stops.push_back({.is_located = place.has_value(), .is_done = rows.get(row, 1) == "t"});
  }
  return read;
}

asio::awaitable<domain::RoutePlan> plan(Services& services, const RouteStops& stops) {
  std::vector<domain::Point> points;
  if (stops.origin) points.push_back(*stops.origin);
  for (const auto& place : stops.places) {
    if (place) points.push_back(*place);
  }
  const auto distances = co_await services.maps.distances(points);
  // The coroutine waits here, so the references in the work stay valid.
  const domain::RouteProblem problem{
      .has_origin = stops.origin.has_value(), .stops = stops.stops, .distances = distances};
  co_return co_await services.maps.run([&problem] { return domain::plan_route(problem); });
}

storage::Params route_params(const std::string& business, const std::string& dispatch,
                             const RouteStops& stops, const domain::RoutePlan& route) {
  storage::ArrayLiteral shipments;
  storage::ArrayLiteral latitudes;
  storage::ArrayLiteral longitudes;
  storage::ArrayLiteral seconds;
  for (std::size_t i = 0; i < route.order.size(); ++i) {
    const auto stop = route.order[i];
    shipments.add(stops.shipments[stop]);
    if (const auto& place = stops.places[stop]) {
      latitudes.add(shortest_text(place->latitude).value_or("0"));
      longitudes.add(shortest_text(place->longitude).value_or("0"));
    } else {
      latitudes.add_null();
      longitudes.add_null();
    }
    seconds.add(std::to_string(route.arrivals[i].count()));
  }
  storage::Params params;
  params.add(business).add(dispatch).add_array(std::move(shipments)).add_array(std::move(latitudes));
  params.add_array(std::move(longitudes)).add_array(std::move(seconds));
  params.add(shortest_text(route.kilometres)).add(route.duration.count());
  return params;
}

/// The state of each stop, by shipment: whether it is done, and its place.
using StopStates = std::map<std::string_view, std::pair<bool, std::optional<std::pair<double, double>>>>;

StopStates states_of(const RouteStops& stops) {
  StopStates states;
  for (std::size_t i = 0; i < stops.shipments.size(); ++i) {
    auto& [is_done, place] = states[stops.shipments[i]];
    is_done = stops.stops[i].is_done;
    if (const auto& point = stops.places[i]) place = {point->latitude, point->longitude};
  }
  return states;
}

asio::awaitable<Locations> locate(Services& services, const std::string& business,
                                  const std::vector<std::string>& shipments, const std::string& dispatch) {
  storage::Params params;
  params.add(business).add_array(shipments);
  params.add(dispatch.empty() ? std::nullopt : std::optional(dispatch));
  const auto rows = co_await services.db.read(sql::addresses, std::move(params));
  std::vector<domain::PostalAddress> addresses;
  addresses.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) addresses.push_back(address_at(rows, row, 1));
  const auto points = co_await services.maps.locate(addresses, addresses.front().country);
  Locations locations;
  for (int row = 0; row < rows.size(); ++row) {
    locations.emplace(rows.get(row, 0), points[static_cast<std::size_t>(row)]);
  }
  co_return locations;
}

}  // namespace

asio::awaitable<PlannedRoute> PlannedRoute::make(Services& services, std::string business,
                                                 std::string dispatch, StopChange change) {
  PlannedRoute planned;
  const auto relocated = change.locates_all ? dispatch : std::string();
  planned.locations_ = co_await locate(services, business, change.added, relocated);
  storage::Params params;
  params.add(business).add(dispatch).add_array(change.added).add(change.removed);
  const auto rows = co_await services.db.read(sql::expected_stops, std::move(params));
  planned.stops_ = read_stops(rows, planned.locations_);
  planned.route_ = co_await plan(services, planned.stops_);
  planned.business_ = std::move(business);
  planned.dispatch_ = std::move(dispatch);
  co_return planned;
}

asio::awaitable<bool> PlannedRoute::write(storage::Transaction& transaction) const {
  storage::Params key;
  key.add(business_).add(dispatch_);
  const auto found = read_stops(co_await transaction.run(sql::stops, std::move(key)), locations_);
  if (states_of(found) != states_of(stops_)) co_return false;
  co_await transaction.run(sql::write, route_params(business_, dispatch_, stops_, route_));
  co_return true;
}

Failure dispatch_keeps_changing() {
  return Failure(ErrorCode::unavailable, "Other requests are changing the dispatch; try again.")
      .with_retry_after(std::chrono::seconds(1));
}

}  // namespace waybill::api
