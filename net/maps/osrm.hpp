#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/places/point.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

/// A request for the road distances between all points to the table service of an OSRM server at `base_url`
/// (without a trailing slash): unguarded, at most ten seconds.
HttpRequest osrm_table_request(const std::string& base_url, std::span<const domain::Point> points);

/// The kilometres from each of `count` points (rows) to each point, row by row; negative if there is no
/// route. nullopt for any failure.
std::optional<std::vector<double>> read_osrm_table(const HttpResponse& response, std::size_t count);

}  // namespace waybill::net
