#include "api/records/time_range.hpp"

#include "base/error.hpp"

namespace waybill::api {

std::optional<Time> parse_bound(std::optional<std::string_view> text, bool is_end) {
  if (!text) return std::nullopt;
  if (const auto date = parse_date(*text)) return is_end ? *date + std::chrono::days(1) : *date;
  const auto time = parse_timestamp(*text);
  // Answers show milliseconds, so an end includes its whole millisecond.
  return is_end && time ? *time + std::chrono::milliseconds(1) : time;
}

void require_ascending(std::optional<Time> from, std::optional<Time> end) {
  if (from && end && *from >= *end) throw invalid("from", "must not be after `to`");
}

}  // namespace waybill::api
