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

/// The age up to which a time that the service set is that of the change itself: a change takes this long.
inline constexpr Duration age_of_present = std::chrono::minutes(1);

/// The timer of a workflow: it comes due at the value of a field of a record, plus an offset, once for each
/// record and value.
struct Timer {
  const Field* field;  // a timestamp of the entity type
  Duration offset;     // may be negative
  bool workdays =
      false;  // the offset is a number of working days of the business (domain/time/working_days.hpp)

  bool operator==(const Timer&) const = default;

  /// The field's value in an entity; nullopt if there is none.
  std::optional<Time> value(const json::object& entity) const;
  /// The working days of the offset, negative before the value; 0 if it has another.
  int working_days() const { return workdays ? static_cast<int>(offset / std::chrono::days(1)) : 0; }
  /// The time at which the timer comes due for a value of its field that a record got at `since`; nullopt if
  /// that time is not after `since`. Not for a timer that counts working days, which the database does.
  std::optional<Time> due(Time value, Time since) const;
  /// The `since` of a value that an event at `at` set. The service sets the times of changes (createdAt)
  /// just before the event, so that an offset of zero would never, or by chance, be still to come.
  Time since_of_event(Time at) const;
  /// As the API shows it: {"field", "offset"}, with {"workdays": true} if it counts working days.
  json::object shown() const;
};

/// The paths of the fields that timers of an entity type may have.
std::span<const std::string_view> timer_fields(EntityType type);

/// Reads an ISO 8601 duration with an optional sign: `PT24H`, `-P1D`. nullopt if malformed or longer than
/// `longest_duration`.
std::optional<Duration> parse_offset(std::string_view text);
/// The normal form, which `parse_offset` reads.
std::string format_offset(Duration offset);

/// Reads the timer of a request. Errors name `timer` or a member such as `timer.offset`.
std::variant<Timer, FieldErrors> parse_timer(const json::value& timer, EntityType type);

}  // namespace waybill::domain
