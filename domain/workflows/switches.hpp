#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace waybill::domain {

/// A switch of a workflow on or off.
struct Switch {
  Time at;
  bool is_on;

  bool operator==(const Switch&) const = default;
};

/// Reads the switches of a workflow, oldest first, each as its time in microseconds since 1970 and + (on) or
/// - (off): `1764543210123456+,1764543270000000-`. Throws std::invalid_argument.
std::vector<Switch> parse_switches(std::string_view text);

/// True if a workflow was on at a time. `is_active` is its present state, `active_since` the time from which
/// it is on without a break. `switches` are read only if these do not tell. A switch on that a wrong clock
/// has dated after `now` counts as made before all times. If the newest switch is dated after `now`, or is
/// not that to the present state, the times of the switches are not used, and the workflow counts as off.
/// The function was_on of the database does the same.
bool was_on(bool is_active, Time active_since, std::span<const Switch> switches, Time at, Time now);

}  // namespace waybill::domain
