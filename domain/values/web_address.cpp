#include "domain/values/web_address.hpp"

#include <algorithm>
#include <string>

#include "base/ascii.hpp"

namespace waybill::domain {
namespace {

/// The text after the scheme; nullopt if the scheme is another.
std::optional<std::string_view> after_scheme(std::string_view text, std::string_view scheme) {
  if (!equal_ignoring_case(text.substr(0, scheme.size()), scheme)) return std::nullopt;
  return text.substr(scheme.size());
}

/// True if `text`, an address without its scheme, has a host and only characters of URLs (RFC 3986).
bool is_address(std::string_view text) {
  constexpr std::string_view never = "\"<>\\^`{|}\x7f";
  const auto is_allowed = [&](char c) { return c > ' ' && never.find(c) == std::string_view::npos; };
  const auto host = text.substr(0, text.find_first_of("/?#"));
  return !host.empty() && host.front() != ':' && host.find('@') == std::string_view::npos &&
         std::ranges::all_of(text, is_allowed);
}

}  // namespace

std::optional<std::string_view> web_address_problem(std::string_view text) {
  auto rest = after_scheme(text, "https://");
  if (!rest) rest = after_scheme(text, "http://");
  if (rest && is_address(*rest)) return std::nullopt;
  return "must be an address such as https://carrier.example/track/123";
}

std::optional<std::string_view> tracking_pattern_problem(std::string_view text) {
  constexpr std::string_view place = "{number}";
  const auto rest = after_scheme(text, "https://");
  if (!rest) return "must begin with https://";
  const auto first = rest->find(place);
  if (first == std::string_view::npos) return "must contain {number}";
  std::string example(*rest);
  for (auto at = example.find(place); at != std::string::npos; at = example.find(place)) {
    example.replace(at, place.size(), "0");
  }
  if (rest->find_first_of("/?#") > first || !is_address(example)) {
    return "must be an address such as https://carrier.example/track/{number}";
  }
  return std::nullopt;
}

}  // namespace waybill::domain
