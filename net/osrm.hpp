#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/places/point.hpp"
#include "net/http_client.hpp"

namespace waybill::net {

/// Asks the table service of an OSRM server at `base_url` (without a trailing slash) for the distances by
/// road between all points: unguarded, ten seconds at most.
HttpRequest osrm_table_request(const std::string& base_url, std::span<const domain::Point> points);

/// Kilometres from each of `count` points (rows) to each, row by row; negative where there is no way. nullopt
/// for any kind of failure.
std::optional<std::vector<double>> read_osrm_table(const HttpResponse& response, std::size_t count);

}  // namespace waybill::net
