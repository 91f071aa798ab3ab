#pragma once

#include <optional>
#include <string>

#include "domain/places/gazetteer.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

/// A request for one address to a Nominatim-compatible geocoder at `base_url` (without a trailing slash): a
/// structured query of its search API, unguarded, at most five seconds.
HttpRequest nominatim_request(const std::string& base_url, const domain::PostalAddress& address);

/// The position of the first result; nullopt if there is none and for any failure.
std::optional<domain::Point> read_nominatim(const HttpResponse& response);

}  // namespace waybill::net
