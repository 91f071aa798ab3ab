#include "domain/time/local_date.hpp"

#include <charconv>
#include <cstdint>

namespace waybill::domain {
namespace {

/// Removes the number at the beginning of `text`, with the character after it; 0 if there is none.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const char* rest = std::from_chars(text.data(), end, number).ptr;
  if (rest != end) ++rest;
  text = std::string_view(rest, end);
  return number;
}

}  // namespace

std::string local_date(Time time, std::string_view zone_offsets) {
  std::int64_t offset = 0;
  for (bool is_first = true; !zone_offsets.empty(); is_first = false) {
    const std::int64_t since = take_number(zone_offsets);
    const std::int64_t seconds = take_number(zone_offsets);
    if (!is_first && to_unix_seconds(time) < since) break;
    offset = seconds;
  }
  return format_timestamp(shifted(time, std::chrono::seconds(offset))).substr(0, 10);
}

}  // namespace waybill::domain
