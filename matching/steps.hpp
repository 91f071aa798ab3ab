#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "actions/stored_steps.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/record_type.hpp"
#include "matching/awaited_events.hpp"

namespace waybill::matching {

inline constexpr std::size_t max_steps = 50;  // with those of choices
inline constexpr int max_choice_depth = 4;

/// The way of a choice that a step belongs to.
struct Way {
  int choice;    // number of the choice
  bool is_then;  // false: otherwise
  bool operator==(const Way&) const = default;
};

/// A step of a workflow. The steps of choices stand in one list with all others, in the order of the text.
struct Step {
  std::string type;                           // type of its action, or wait, stop or choose
  const actions::Action* action = nullptr;    // null for wait, stop and choose
  json::object definition;                    // as stored, without the steps of a choice
  std::optional<domain::Conditions> when;     // the step is skipped unless they hold; those of a choice
  bool goes_on = false;                       // the run continues if the step fails
  std::optional<Duration> delay = {};         // length of a wait; the longest one of a wait for an event
  std::string until = {};                     // path of a timestamp, for a wait without a delay
  Duration offset = {};                       // added to `until`; may be negative
  std::string name = {};                      // empty without one
  std::optional<Way> way = {};                // the innermost choice that the step is in
  int then_steps = 0, otherwise_steps = 0;    // of a choice, with those of the choices in it
  std::vector<int> used_by = {};              // numbers of the later steps that use the step's answer
  int last_used = 0;                          // number of the last earlier step whose values it uses; 0: none
  bool uses_steps = false;                    // the step may use values of earlier ones
  int working_days = 0;                       // instead of delay and offset; negative before `until`
  std::optional<AwaitedEvents> awaited = {};  // the events that end a wait
};

/// The steps of a stored action. Throws std::invalid_argument if this version cannot read one of them.
std::vector<Step> parse_steps(const json::object& action, domain::EntityType type);

/// Finds out which steps use values of earlier ones. `templates` is the JSON of the stored templates that the
/// workflow uses.
void note_uses(std::vector<Step>& steps, std::string_view templates);

/// Adds the values that a step has for the steps after it, if it has a name. Throws std::invalid_argument for
/// an unreadable answer.
void add_values(const Step& step, domain::RunValues& run);

/// The values that the step at `position` can use besides the record: those of the steps before it.
/// `has_record` is false for a run for several records.
domain::RunValues values_before(const std::vector<Step>& steps, std::size_t position, bool has_record);

/// The value of one result of a run's steps for the steps after it: {"status", "answer", …}; `result` is a
/// member of StepProgress::results.
json::object step_values(const json::object& result);

/// The number of the step after `number`, and the steps between the two that are in ways not taken.
/// `taken(choice)` returns true if the choice with this number took `then`.
template <typename Taken>
int next_number(const std::vector<Step>& steps, int number, const Taken& taken) {
  const Step& step = steps[static_cast<std::size_t>(number - 1)];
  int next = number + 1;
  if (step.type == actions::choose_type && !taken(number)) next += step.then_steps;
  // After the last step of `then` comes the first of `otherwise`, also of the choices around it.
  while (static_cast<std::size_t>(next) <= steps.size()) {
    const auto& way = steps[static_cast<std::size_t>(next - 1)].way;
    if (!way || way->is_then || !taken(way->choice)) break;
    next += steps[static_cast<std::size_t>(way->choice - 1)].otherwise_steps;
  }
  return next;
}

/// The time from which a wait is counted that begins at `now`, for the record as it then is and the values of
/// the run; nullopt if the field of `until` has no value.
std::optional<Time> start_of_wait(const Step& wait, const json::object& entity, const json::object* run,
                                  Time now);
/// The end of such a wait, which must not count working days, because the database does.
std::optional<Time> end_of_wait(const Step& wait, const json::object& entity, const json::object* run,
                                Time now);

/// True for a wait for an event that ends as soon as it begins: it waits for conditions alone, which hold.
bool holds_at_once(const Step& wait, const json::object& entity);

/// True if `path` is a field that a wait may end at.
bool is_time_field(domain::EntityType type, std::string_view path);

/// A duration with an optional minus sign, such as `-PT2H`; nullopt if malformed.
std::optional<Duration> parse_offset(std::string_view text);

/// The codes of the stored templates that a stored action or its steps use, without duplicates.
std::vector<std::string> template_codes(const json::object& action);

}  // namespace waybill::matching
