#include "matching/tracking_links.hpp"

#include "base/percent_encoding.hpp"

namespace waybill::matching {
namespace {

constexpr std::string_view number_place = "{number}";

}  // namespace

std::string tracking_page_url(std::string_view public_url, std::string_view token) {
  return std::string(public_url) + "/track/" + std::string(token);
}

std::string carrier_tracking_url(std::string_view pattern, std::string_view number) {
  const std::string encoded = percent_encode(number);
  std::string url;
  for (;;) {
    const auto place = pattern.find(number_place);
    url += pattern.substr(0, place);
    if (place == std::string_view::npos) return url;
    url += encoded;
    pattern.remove_prefix(place + number_place.size());
  }
}

}  // namespace waybill::matching
