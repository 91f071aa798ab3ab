#include "api/tracking_page/presented.hpp"

#include <algorithm>

#include "api/tracking_page/contrast.hpp"
#include "api/tracking_page/markup.hpp"
#include "api/tracking_page/page.hpp"
#include "base/ascii.hpp"
#include "templates/parts.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t max_name = 100;  // characters
constexpr std::size_t max_description = 200;
constexpr std::size_t max_address_bytes = 2'000;  // after escaping

void make_line(std::string& text, std::size_t max) { text = templates::short_line(text, max); }

bool is_web_address(std::string_view address) {
  const auto scheme = address.substr(0, address.find("//"));
  if (!equal_ignoring_case(scheme, "https:") && !equal_ignoring_case(scheme, "http:")) return false;
  // RFC 3986 has these nowhere.
  constexpr std::string_view never = "\"<>\\^`{|}\x7f";
  const auto is_allowed = [&](char c) { return c > ' ' && never.find(c) == std::string_view::npos; };
  return escaped_size(address) <= max_address_bytes && std::ranges::all_of(address, is_allowed);
}

}  // namespace

std::optional<std::string> https_origin(std::string_view address) {
  constexpr std::string_view scheme = "https://";
  if (!equal_ignoring_case(address.substr(0, scheme.size()), scheme)) return std::nullopt;
  address.remove_prefix(scheme.size());
  const auto authority = address.substr(0, address.find_first_of("/?#"));
  const auto host = authority.substr(0, authority.find(':'));
  const auto is_name = [](char c) { return is_alphanumeric(c) || c == '.' || c == '-'; };
  if (host.empty() || host.size() > 253 || !std::ranges::all_of(host, is_name)) return std::nullopt;
  const auto port = authority.substr(host.size());
  if (!port.empty() && (port.size() > 6 || !all_digits(port.substr(1)))) return std::nullopt;
  return std::string(scheme) + ascii_lower(authority);
}

TrackedShipment presented(TrackedShipment shipment) {
  for (auto* const text :
       {&shipment.tracking_number, &shipment.carrier, &shipment.carrier_tracking_number, &shipment.status,
        &shipment.city, &shipment.country, &shipment.business, &shipment.time_zone}) {
    make_line(*text, max_name);
  }
  if (!is_web_address(shipment.carrier_tracking_url)) shipment.carrier_tracking_url.clear();
  if (!is_web_address(shipment.logo_url) || !https_origin(shipment.logo_url)) shipment.logo_url.clear();
  if (!parse_color(shipment.color)) shipment.color.clear();
  if (shipment.traces.size() > max_tracked_traces) {
    shipment.older_traces += shipment.traces.size() - max_tracked_traces;
    shipment.traces.resize(max_tracked_traces);
  }
  for (auto& trace : shipment.traces) {
    make_line(trace.status, max_name);
    make_line(trace.description, max_description);
    make_line(trace.location, max_name);
  }
  return shipment;
}

}  // namespace waybill::api
