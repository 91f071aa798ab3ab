#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/guid.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/routing/route_plan.hpp"

namespace waybill::api {

/// An address that was looked for, by its mark (address_mark in SQL).
struct LocatedAddress {
  std::optional<domain::Point> place;  // nullopt if the address cannot be located
  std::int64_t mark = 0;
};

struct Locations {
  LocatedAddress business;
  std::map<Guid, LocatedAddress> recipients;  // by shipment
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
  std::vector<std::optional<std::int64_t>> marks;  // of the addresses; nullopt if the stop keeps its place
  LocatedAddress origin;
};

/// The route of a dispatch after a change. It is planned before the transaction of the change, so that the
/// transaction does not wait for the geocoder and the OSRM server.
class PlannedRoute {
 public:
  /// The limit of plans per request while other requests change the same dispatch.
  static constexpr int attempts = 3;

  /// Plans the route. Stops without a place are located again, since a geocoder may have failed, and open
  /// stops with another address than before; the others keep their places unless `locates_all`.
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

/// Plans the route of a dispatch again, unless the dispatch has ended. Returns the status of the dispatch;
/// nullopt if it does not exist.
asio::awaitable<std::optional<std::string>> plan_again(const Call& call, Services& services, Guid dispatch,
                                                       StopChange change);

/// Plans the route of a dispatch again if an address or its stops have changed since it was planned. Whoever
/// changes them, with SQL too, leaves this to the next reader.
asio::awaitable<void> plan_if_outdated(const Call& call, Services& services, const Guid& dispatch_or_route);

/// True if a dispatch with the status has ended; its route stays as it is.
bool has_ended(std::string_view status);

}  // namespace waybill::api
