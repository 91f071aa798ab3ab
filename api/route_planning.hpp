#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/route.hpp"
#include "api/services.hpp"
#include "domain/places/gazetteer.hpp"

namespace waybill::api {

/// Where shipments go, by guid, and where the business is (""); nullopt for what cannot be located.
using Locations = std::map<std::string, std::optional<domain::Point>, std::less<>>;

/// Locates the recipients of shipments and of those in `dispatch` (empty: none). May ask a geocoder, so it is
/// called before a transaction begins.
asio::awaitable<Locations> locate_stops(Services& services, const std::string& business,
                                        const std::vector<std::string>& shipments,
                                        const std::string& dispatch);

/// Makes the route of a dispatch anew, as part of the caller's transaction, which holds the dispatch's row.
/// Stops that are not in `locations` stay where they were found before.
asio::awaitable<void> replan(storage::Transaction& transaction, Services& services,
                             const std::string& business, const std::string& dispatch,
                             const Locations& locations);

}  // namespace waybill::api
