#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// The longest offset of a timer, in either direction. storage/sql/duties/expire_timers.sql relies on it.
inline constexpr Duration longest_offset = std::chrono::days(366);

/// The timer of a workflow: it comes due at the value of a field of a record, plus an offset, once for each
/// record and value.
struct Timer {
  const Field* field;  // a timestamp of the entity type
  Duration offset;     // may be negative

  bool operator==(const Timer&) const = default;

  /// The field's value in an entity; nullopt if there is none.
  std::optional<Time> value(const json::object& entity) const;
  /// The time at which the timer comes due for a value of its field that a record got at `since`; nullopt if
  /// that time is not after `since`.
  std::optional<Time> due(Time value, Time since) const;
  /// As the API shows it: {"field", "offset"}.
  json::object shown() const;
};

/// The paths of the fields that timers of an entity type may have.
std::span<const std::string_view> timer_fields(EntityType type);

/// Reads an ISO 8601 duration with an optional sign: `PT24H`, `-P1D`. nullopt if malformed or longer than
/// `longest_offset`.
std::optional<Duration> parse_offset(std::string_view text);
/// The normal form, which `parse_offset` reads.
std::string format_offset(Duration offset);

/// Reads the timer of a request. Errors name `timer`, `timer.field` or `timer.offset`.
std::variant<Timer, FieldErrors> parse_timer(const json::value& timer, EntityType type);

}  // namespace waybill::domain
