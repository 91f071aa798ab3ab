#include "net/maps/nominatim.hpp"

#include <string_view>
#include <variant>

#include "base/json.hpp"
#include "base/number.hpp"
#include "base/percent_encoding.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/postal_code.hpp"

namespace waybill::net {
namespace {

std::optional<double> degrees(const json::value& place, std::string_view name, double limit) {
  const auto* const text = place.as_object().if_contains(name);
  if (text == nullptr || !text->is_string()) return std::nullopt;
  const std::string_view digits = text->get_string();
  const auto value = parse_number<double>(digits);
  return value && *value >= -limit && *value <= limit ? value : std::nullopt;
}

}  // namespace

HttpRequest nominatim_request(const std::string& base_url, const domain::PostalAddress& address) {
  HttpRequest request{.method = "GET",
                      .url = base_url + "/search?format=jsonv2&limit=1",
                      .headers = {{"Accept", "application/json"}},
                      .body = {}};
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) request.url.append("&").append(name).append("=").append(percent_encode(value));
  };
  add("street", address.street);
  add("city", address.city);
  add("state", address.state);
  const auto* const country = domain::country_of(address.country);
  add("postalcode",
      domain::domestic_postal_code(address.postal_code, country == nullptr ? "" : country->code));
  add("country", address.country);
  request.connect_timeout = std::chrono::seconds(2);
  request.total_timeout = std::chrono::seconds(5);
  request.keep_limit = request.read_limit;
  request.guarded = false;
  return request;
}

std::optional<domain::Point> read_nominatim(const HttpResponse& response) {
  if (response.failure != HttpFailure::none || response.status != 200) return std::nullopt;
  const auto parsed = parse_json(response.body);
  const auto* const places = std::get_if<json::value>(&parsed);
  if (places == nullptr || !places->is_array() || places->get_array().empty()) return std::nullopt;
  const auto& first = places->get_array().front();
  if (!first.is_object()) return std::nullopt;
  const auto latitude = degrees(first, "lat", 90);
  const auto longitude = degrees(first, "lon", 180);
  if (!latitude || !longitude) return std::nullopt;
  // No address is there, in the open sea: so some geocoders say that they do not know the place.
  if (*latitude == 0 && *longitude == 0) return std::nullopt;
  return domain::Point{*latitude, *longitude};
}

}  // namespace waybill::net
