#include "domain/time/working_days.hpp"

#include <cstdlib>

namespace waybill::domain {

std::optional<int> parse_working_days(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto length = parse_duration(text);
  if (!length || text.find('T') != std::string_view::npos) return std::nullopt;
  const auto count = *length / std::chrono::days(1);
  if (count < 1 || count > most_working_days) return std::nullopt;
  return static_cast<int>(is_negative ? -count : count);
}

std::string format_working_days(int count) {
  return (count < 0 ? "-P" : "P") + std::to_string(std::abs(count)) + 'D';
}

Duration longest_working_days(int count) { return std::chrono::days(3 * std::abs(count) + 14); }

}  // namespace waybill::domain
