#include "api/tracking_page/presented.hpp"

#include <algorithm>

#include "api/tracking_page/contrast.hpp"
#include "api/tracking_page/markup.hpp"
#include "api/tracking_page/page.hpp"
#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "templates/parts.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t max_name = 100;  // characters
constexpr std::size_t max_description = 200;
constexpr std::size_t max_address_bytes = 2'000;  // after escaping

/// Removes the characters that change the direction of the text after them (Unicode Standard Annex 9, section
/// 2): U+202A to U+202E and U+2066 to U+2069.
std::string without_directions(std::string_view text) {
  constexpr char first_byte = '\xe2';
  if (text.find(first_byte) == std::string_view::npos) return std::string(text);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto character = text.substr(i, 3);
    const bool embeds = character >= "\u202a" && character <= "\u202e";
    const bool isolates = character >= "\u2066" && character <= "\u2069";
    if (embeds || isolates) {
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// True for most texts: ASCII without control characters or outer spaces.
bool is_plain_line(std::string_view text) {
  if (text.empty()) return true;
  return text.front() != ' ' && text.back() != ' ' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Makes the text one line of at most `max` characters.
void make_line(std::string& text, std::size_t max) {
  if (text.size() <= max && is_plain_line(text)) return;
  text = templates::single_line(without_directions(text));
  if (count_characters(text) <= max) return;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    const bool continues = (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U;
    if (!continues && characters++ == max - 1) break;
  }
  text.resize(end);
  text += "…";
}

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
