#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// The times at which runs of a workflow may be attempted: `{days, from, to, timezone, workdays}`. An opening
/// begins on each of the days at `from`, if `workdays` only on working days, and ends at `to`, on the next
/// day if `to` is the earlier one. PostgreSQL has the time zones and computes the openings
/// (storage/sql/pacing/next_opening.sql).
struct TimeWindow {
  std::vector<int> days;  // ISO 8601 (1: Monday), ascending
  std::string from;       // HH:MM
  std::string to;
  std::optional<std::string> zone;  // IANA; nullopt: that of the business
  bool workdays = false;            // by the calendar of the business

  bool operator==(const TimeWindow&) const = default;
  json::object stored() const;
  /// The longest time between two openings in a week without a change of the clocks, on working days alone.
  Duration longest_closed() const;
};

/// The number of runs with one value of a field that may begin within a time: `{by, count, per}`.
struct RunLimit {
  std::string by;  // a path of the record
  int count = 0;
  Duration per{};

  bool operator==(const RunLimit&) const = default;
  json::object stored() const;
  /// A hash of 16 bytes of the value by which a run counts, different for each workflow and path; empty for a
  /// record without a value, whose run is not limited.
  std::string value_of(const json::object& entity, const Guid& workflow) const;
};

/// The rate of requests that a workflow may send to one destination: `{perSecond}`.
struct RequestRate {
  double per_second = 0;

  bool operator==(const RequestRate&) const = default;
  json::object stored() const;
  /// The requests that may be sent at once after a pause: those of one second, at least one.
  double burst() const;
};

/// The window, limit and rate of a workflow.
struct Pacing {
  std::optional<TimeWindow> window;
  std::optional<RunLimit> limit;
  std::optional<RequestRate> rate;

  bool operator==(const Pacing&) const = default;
  explicit operator bool() const { return window || limit || rate; }
};

inline constexpr int most_limited_runs = 10'000;
inline constexpr double lowest_rate = 0.01;
inline constexpr double highest_rate = 1'000;

/// Each reads a member of a workflow's definition; nullopt for null. Errors name the member
/// ("window.days[0]", "limit.by", "rate.perSecond"); the result is then not used.
std::optional<TimeWindow> parse_window(const json::value& definition, FieldErrors& errors);
std::optional<RunLimit> parse_limit(const json::value& definition, const RecordType& type,
                                    FieldErrors& errors);
std::optional<RequestRate> parse_rate(const json::value& definition, FieldErrors& errors);

/// The destination in the queue for runs of a workflow with a rate. It differs from that of other workflows,
/// so that their runs do not wait for this rate. `destination` is that of an action (actions::Action).
std::string destination_with_rate(std::string_view destination, const Guid& workflow, const Guid& business);

/// The places in the queue that destinations of a business share once it has too many of them. Each ends with
/// the business's guid.
inline constexpr std::size_t shared_places = 50;
/// One of them; `number` is less than `shared_places`.
std::string shared_place(std::size_t number, const Guid& business);
/// The one of workflows with a rate, without their rates (destination_with_rate).
std::string shared_place_of_rates(const Guid& business);
bool is_shared_place(std::string_view place);

}  // namespace waybill::domain
