#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::matching {

/// The type of the stored action of a workflow of several steps: {"type": "steps", "steps": […]}. Versions of
/// the service without steps cannot read it and treat the workflow as unreadable.
inline constexpr std::string_view steps_type = "steps";
inline constexpr std::size_t max_steps = 20;

/// A step of a workflow.
struct Step {
  std::string type;                         // type of its action, or wait or stop
  const actions::Action* action = nullptr;  // null for wait and stop
  json::object definition;                  // as stored
  std::optional<domain::Conditions> when;   // the step is skipped unless they hold
  bool goes_on = false;                     // the run continues if the step fails
  std::optional<Duration> delay = {};       // length of a wait
  std::string until = {};                   // path of a timestamp, for a wait without a delay
  Duration offset = {};                     // added to `until`; may be negative
  int working_days = 0;                     // instead of delay and offset; negative before `until`
};

/// The steps of a stored action of type `steps_type`. Throws std::invalid_argument if this version cannot
/// read one of them.
std::vector<Step> parse_steps(const json::object& action, domain::EntityType type);

/// The stored steps of an action; null if it is a single one.
const json::array* stored_steps(const json::object& action);

/// The time from which a wait is counted that begins at `now`, for the record as it then is; nullopt if the
/// field of `until` has no value.
std::optional<Time> start_of_wait(const Step& wait, const json::object& entity, Time now);
/// The end of such a wait, which must not count working days, because the database does.
std::optional<Time> end_of_wait(const Step& wait, const json::object& entity, Time now);

/// True if `path` is a field that a wait may end at.
bool is_time_field(domain::EntityType type, std::string_view path);

/// A duration with an optional minus sign, such as `-PT2H`; nullopt if malformed.
std::optional<Duration> parse_offset(std::string_view text);

/// The codes of the stored templates that a stored action or its steps use, without duplicates.
std::vector<std::string> template_codes(const json::object& action);

}  // namespace waybill::matching
