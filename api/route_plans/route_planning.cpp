#include "api/route_plans/route_planning.hpp"

#include <string_view>
#include <utility>

#include "api/route_plans/maps.hpp"
#include "domain/routing/route_plan.hpp"
#include "storage/sql/dispatches.sql.hpp"
#include "storage/sql/route_plans.sql.hpp"

namespace waybill::api {
namespace {

domain::PostalAddress address_of(const sql::route_plans::Addresses::Row& row) {
  const auto text = [](const std::optional<std::string_view>& value) {
    return std::string(value.value_or(""));
  };
  return {.street = text(row.street),
          .city = text(row.city),
          .state = text(row.state),
          .postal_code = text(row.postal_code),
          .country = text(row.country)};
}

std::optional<std::string> shortest_text(double value) { return decimal_text(json::value(value)); }

/// Reads the rows of stops.sql or expected_stops.sql.
template <typename S>
RouteStops read_stops(const storage::TypedRows<S>& rows, const Locations& locations) {
  RouteStops read{.origin = locations.business};
  for (const auto& row : rows) {
    read.shipments.push_back(row.shipment_id);
    std::optional<domain::Point> place;
    std::optional<std::int64_t> mark;
    if (const auto found = locations.recipients.find(row.shipment_id); found != locations.recipients.end()) {
      place = found->second.place;
      mark = found->second.mark;
    } else if (row.latitude) {
      place = domain::Point{*row.latitude, row.longitude.value_or(0)};
    }
    read.places.push_back(place);
    read.marks.push_back(mark);
    read.stops.push_back({.is_located = place.has_value(), .is_done = row.is_done});
  }
  return read;
}

asio::awaitable<domain::RoutePlan> plan(Services& services, const Guid& business, const RouteStops& stops) {
  std::vector<domain::Point> points;
  if (stops.origin.place) points.push_back(*stops.origin.place);
  for (const auto& place : stops.places) {
    if (place) points.push_back(*place);
  }
  const auto distances = co_await services.maps.distances(business, points);
  // The coroutine waits here, so the references in the work stay valid.
  const domain::RouteProblem problem{
      .has_origin = stops.origin.place.has_value(), .stops = stops.stops, .distances = distances};
  co_return co_await services.maps.run(business, [&problem] { return domain::plan_route(problem); });
}

asio::awaitable<void> store_route(storage::Transaction& transaction, const Guid& business,
                                  const Guid& dispatch, const RouteStops& stops,
                                  const domain::RoutePlan& route) {
  std::vector<Guid> shipments;
  std::vector<std::optional<std::string>> latitudes, longitudes;
  std::vector<std::optional<std::string>> seconds, marks;
  for (std::size_t i = 0; i < route.order.size(); ++i) {
    const auto stop = route.order[i];
    const auto& place = stops.places[stop];
    shipments.push_back(stops.shipments[stop]);
    latitudes.push_back(place ? shortest_text(place->latitude) : std::nullopt);
    longitudes.push_back(place ? shortest_text(place->longitude) : std::nullopt);
    const auto& arrival = route.arrivals[i];
    seconds.push_back(arrival ? std::optional(std::to_string(arrival->count())) : std::nullopt);
    const auto& mark = stops.marks[stop];
    marks.push_back(mark ? std::optional(std::to_string(*mark)) : std::nullopt);
  }
  co_await transaction.run(sql::route_plans::Write{.business = business,
                                                   .dispatch = dispatch,
                                                   .shipments = shipments,
                                                   .latitudes = latitudes,
                                                   .longitudes = longitudes,
                                                   .arrivals = seconds,
                                                   .distance_km = shortest_text(route.kilometres),
                                                   .duration = route.duration.count(),
                                                   .start_unlocated = !stops.origin.place,
                                                   .marks = marks,
                                                   .start_mark = stops.origin.mark});
}

/// The state of each stop, by shipment: whether it is done, and its place.
using StopStates = std::map<Guid, std::pair<bool, std::optional<std::pair<double, double>>>>;

StopStates states_of(const RouteStops& stops) {
  StopStates states;
  for (std::size_t i = 0; i < stops.shipments.size(); ++i) {
    auto& [is_done, place] = states[stops.shipments[i]];
    is_done = stops.stops[i].is_done;
    if (const auto& point = stops.places[i]) place = {point->latitude, point->longitude};
  }
  return states;
}

/// Locates the business, the added shipments, and the stops that need it or all of them (addresses.sql).
asio::awaitable<Locations> locate(Services& services, const Guid& business, const Guid& dispatch,
                                  const StopChange& change) {
  const auto rows = co_await services.db.read(sql::route_plans::Addresses{.business = business,
                                                                          .shipments = change.added,
                                                                          .dispatch = dispatch,
                                                                          .locates_all = change.locates_all});
  std::vector<domain::PostalAddress> addresses;
  addresses.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) addresses.push_back(address_of(row));
  const auto points = co_await services.maps.locate(business, addresses, addresses.front().country);
  Locations locations;
  auto point = points.begin();
  for (const auto& row : rows) {
    const LocatedAddress located{.place = *point++, .mark = row.mark};
    if (row.guid) {
      locations.recipients.emplace(*row.guid, located);
    } else {
      locations.business = located;
    }
  }
  co_return locations;
}

}  // namespace

asio::awaitable<PlannedRoute> PlannedRoute::make(Services& services, Guid business, Guid dispatch,
                                                 StopChange change) {
  PlannedRoute planned;
  planned.business_ = business;
  planned.dispatch_ = dispatch;
  planned.locations_ = co_await locate(services, business, dispatch, change);
  const auto rows = co_await services.db.read(sql::route_plans::ExpectedStops{
      .business = business, .dispatch = dispatch, .added = change.added, .removed = change.removed});
  planned.stops_ = read_stops(rows, planned.locations_);
  planned.route_ = co_await plan(services, business, planned.stops_);
  co_return planned;
}

asio::awaitable<bool> PlannedRoute::write(storage::Transaction& transaction) const {
  const auto rows =
      co_await transaction.run(sql::route_plans::Stops{.business = business_, .dispatch = dispatch_});
  const auto found = read_stops(rows, locations_);
  if (states_of(found) != states_of(stops_)) co_return false;
  co_await store_route(transaction, business_, dispatch_, stops_, route_);
  co_return true;
}

Failure dispatch_keeps_changing() {
  return Failure(ErrorCode::unavailable, "Other requests are changing the dispatch; try again.")
      .with_retry_after(std::chrono::seconds(1));
}

bool has_ended(std::string_view status) { return status == "completed" || status == "cancelled"; }

asio::awaitable<std::optional<std::string>> plan_again(const Call& call, Services& services, Guid dispatch,
                                                       StopChange change) {
  const auto& business = call.business();
  for (int attempt = 0; attempt < PlannedRoute::attempts; ++attempt) {
    const auto route = co_await PlannedRoute::make(services, business, dispatch, change);
    const auto transaction = co_await services.db.begin(call.cause());
    const auto locked =
        co_await transaction->run(storage::sql::dispatches::Lock{.business = business, .dispatch = dispatch});
    if (locked.empty()) co_return std::nullopt;
    std::string status(locked.front().status);
    if (has_ended(status)) co_return status;
    if (!co_await route.write(*transaction)) continue;
    co_await transaction->commit();
    co_return status;
  }
  throw dispatch_keeps_changing();
}

asio::awaitable<void> plan_if_outdated(const Call& call, Services& services, const Guid& dispatch_or_route) {
  const auto rows = co_await services.db.read(
      sql::route_plans::FindOutdated{.business = call.business(), .dispatch_or_route = dispatch_or_route});
  const auto found = rows.find();
  if (found && found->is_outdated) co_await plan_again(call, services, found->guid, {});
}

}  // namespace waybill::api
