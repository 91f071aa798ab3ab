#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace waybill {

/// Returns the number that the whole text spells in decimal, as std::from_chars reads it: no plus sign, no
/// space; a minus sign for signed types alone. Null for any other text and for a number out of the type's
/// range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, value);  // NOLINT(bugprone-suspicious-stringview-data-usage)
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace waybill
