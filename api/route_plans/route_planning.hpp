#pragma once

#include <map>
#include <optional>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/guid.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/routing/route_plan.hpp"

namespace waybill::api {

/// The places of addresses; nullopt for an address that cannot be located.
struct Locations {
  std::optional<domain::Point> business;
  std::map<Guid, std::optional<domain::Point>> recipients;  // by shipment
};

/// A change of a dispatch's stops.
struct StopChange {
  std::vector<Guid> added = {};      // shipments, which are located
  std::optional<Guid> removed = {};  // a shipment
  bool locates_all = false;          // true to locate the present stops again that have a place
};

/// A dispatch's stops.
struct RouteStops {
  std::vector<Guid> shipments;
  std::vector<domain::RouteStop> stops;
  std::vector<std::optional<domain::Point>> places;
  std::optional<domain::Point> origin;
};

/// The route of a dispatch after a change. It is planned before the transaction of the change, so that the
/// transaction does not wait for the geocoder and the OSRM server.
class PlannedRoute {
 public:
  /// The limit of plans per request while other requests change the same dispatch.
  static constexpr int attempts = 3;

  /// Plans the route. Stops without a place are located again, since a geocoder may have failed; the others
  /// keep their places unless `locates_all`.
  static asio::awaitable<PlannedRoute> make(Services& services, Guid business, Guid dispatch,
                                            StopChange change);

  /// Writes the route in the caller's transaction, which has locked the dispatch's row and made the change.
  /// Returns false without writing if the stops differ from the planned ones; the caller then rolls back and
  /// plans again.
  asio::awaitable<bool> write(storage::Transaction& transaction) const;

 private:
  Guid business_;
  Guid dispatch_;
  Locations locations_;
  RouteStops stops_;
  domain::RoutePlan route_;
};

/// The Failure (503) after the last attempt.
Failure dispatch_keeps_changing();

}  // namespace waybill::api
