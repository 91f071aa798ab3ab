#pragma once

#include <optional>
#include <string>

#include "domain/places/gazetteer.hpp"
#include "net/http_client.hpp"

namespace waybill::net {

/// Asks a Nominatim-compatible geocoder at `base_url` (without a trailing slash) for one address: a
/// structured query of its search API, unguarded, five seconds at most.
HttpRequest nominatim_request(const std::string& base_url, const domain::PostalAddress& address);

/// Where the first result lies; nullopt for none and for any kind of failure.
std::optional<domain::Point> read_nominatim(const HttpResponse& response);

}  // namespace waybill::net
