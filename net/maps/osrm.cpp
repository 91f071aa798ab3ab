#include "net/maps/osrm.hpp"

#include <array>
#include <cstdio>
#include <variant>

#include "base/json.hpp"

namespace waybill::net {

HttpRequest osrm_table_request(const std::string& base_url, std::span<const domain::Point> points) {
  constexpr std::size_t largest_answer = 32UL * 1024 * 1024;
  HttpRequest request{.method = "GET",
                      .url = base_url + "/table/v1/driving/",
                      .headers = {{"Accept", "application/json"}},
                      .body = {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%s%.6f,%.6f", i == 0 ? "" : ";", points[i].longitude,
                  points[i].latitude);
    request.url += text.data();
  }
  request.url += "?annotations=distance";
  request.connect_timeout = std::chrono::seconds(2);
  request.total_timeout = std::chrono::seconds(10);
  request.read_limit = largest_answer;
  request.keep_limit = largest_answer;
  request.guarded = false;
  return request;
}

std::optional<std::vector<double>> read_osrm_table(const HttpResponse& response, std::size_t count) {
  constexpr double metres_per_km = 1000;
  if (response.failure != HttpFailure::none || response.status != 200) return std::nullopt;
  const auto parsed = parse_json(response.body);
  const auto* const answer = std::get_if<json::value>(&parsed);
  const auto* const object = answer == nullptr ? nullptr : answer->if_object();
  const auto* const rows = object == nullptr ? nullptr : object->if_contains("distances");
  if (rows == nullptr || !rows->is_array() || rows->get_array().size() != count) return std::nullopt;
  std::vector<double> kilometres;
  kilometres.reserve(count * count);
  for (const auto& row : rows->get_array()) {
    if (!row.is_array() || row.get_array().size() != count) return std::nullopt;
    for (const auto& metres : row.get_array()) {
      if (!metres.is_number() && !metres.is_null()) return std::nullopt;
      kilometres.push_back(metres.is_null() ? -1 : metres.to_number<double>() / metres_per_km);
    }
  }
  return kilometres;
}

}  // namespace waybill::net
