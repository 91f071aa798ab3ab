#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill {

/// UTC, microseconds: the resolution of PostgreSQL's timestamptz.
using Time = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

/// The source of wall-clock time; injected wherever a decision depends on it. Implementations are
/// thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The machine's clock; one shared instance that lives as long as the process.
const Clock& system_clock();

/// `2026-11-20T05:45:12.345Z`: milliseconds, rounded down. Years 0001 to 9999.
std::string format_timestamp(Time time);

/// Writes the 24 characters of format_timestamp to `out` (no terminator).
void write_timestamp(char* out, Time time);
inline constexpr std::size_t timestamp_length = 24;

/// RFC 3339 date-time (any offset, 0 to 9 fraction digits, `T` or a space between date and time), also in the
/// reduced form of ISO 8601 without seconds (`2026-11-20T05:45Z`).
/// Years 0001 to 9999 in UTC; the end of the last is read as 23:59:59.999, a leap second (23:59:60 UTC) as
/// the following second. nullopt if malformed.
std::optional<Time> parse_timestamp(std::string_view text);

/// The time `by` later, but within the years 0001 to 9999: no other time can be written and read again.
Time shifted(Time time, Duration by);

/// `YYYY-MM-DD` as its midnight UTC. nullopt if malformed or not in the calendar.
std::optional<Time> parse_date(std::string_view text);

/// PostgreSQL's ISO output under `TimeZone = UTC` (`2026-11-20 05:45:12.345678+00`). nullopt if malformed.
std::optional<Time> parse_sql_timestamp(std::string_view text);

/// The form that `parse_sql_timestamp` reads.
std::string format_sql_timestamp(Time time);

/// True for `HH:MM` from 00:00 to 23:59.
bool is_time_of_day(std::string_view text);

/// The longest duration that is read and written. Deleting old timers relies on it
/// (storage/sql/duties/expire_timers.sql).
inline constexpr Duration longest_duration = std::chrono::days(366);
/// As messages name it.
inline constexpr std::string_view longest_duration_text = "366 days";

/// ISO 8601 duration of weeks, days, hours, minutes and seconds (`P1W`, `P1DT2H`, `PT90S`); the seconds may
/// have up to 6 decimals. Years and months have no fixed length and are refused. nullopt if malformed,
/// negative or longer than `longest_duration`.
std::optional<Duration> parse_duration(std::string_view text);

/// The normal form, which `parse_duration` reads: the largest units first (`PT2H`, `P1DT30M`, `PT0S`), weeks
/// only for whole weeks (`P2W`). From 0 to `longest_duration`.
std::string format_duration(Duration duration);

std::int64_t to_unix_ms(Time time);
std::int64_t to_unix_seconds(Time time);

}  // namespace waybill
