#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/routing/route_plan.hpp"

namespace waybill::api {

/// The places of shipments' recipients, by guid, and of the business (""); nullopt for those that cannot be
/// located.
using Locations = std::map<std::string, std::optional<domain::Point>, std::less<>>;

/// How the stops of a dispatch are to change.
struct StopChange {
  std::vector<std::string> added = {};      // shipments; they are located
  std::optional<std::string> removed = {};  // a shipment
  bool locates_all = false;                 // also the stops that the dispatch has
};

/// A dispatch's stops.
struct RouteStops {
  std::vector<std::string> shipments;
  std::vector<domain::RouteStop> stops;
  std::vector<std::optional<domain::Point>> places;
  std::optional<domain::Point> origin;
};

/// The route of a dispatch after a change, planned before the transaction that makes the change: the geocoder
/// and the OSRM server are asked outside of it.
class PlannedRoute {
 public:
  /// How often a request plans when others change the same dispatch meanwhile.
  static constexpr int attempts = 3;

  /// Stops that are not located anew stay where they were found before.
  static asio::awaitable<PlannedRoute> make(Services& services, std::string business, std::string dispatch,
                                            StopChange change);

  /// Writes the route as part of the caller's transaction, which holds the dispatch's row and has made the
  /// change. False when the stops are not those that were planned for: nothing is written, and the caller
  /// rolls back and plans again.
  asio::awaitable<bool> write(storage::Transaction& transaction) const;

 private:
  std::string business_;
  std::string dispatch_;
  Locations locations_;
  RouteStops stops_;
  domain::RoutePlan route_;
};

/// 503 for a caller whose attempts are used up.
Failure dispatch_keeps_changing();

}  // namespace waybill::api
