#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace waybill::actions {

/// The type of the stored action of a workflow of several steps: {"type": "steps", "steps": […]}.
inline constexpr std::string_view steps_type = "steps";
/// The type of such an action whose steps have names, answers or choices, or are more than
/// `max_plain_steps`. Versions of the service without them cannot read it and treat the workflow as
/// unreadable.
inline constexpr std::string_view extended_steps_type = "steps:2";
inline constexpr std::size_t max_plain_steps = 20;

/// The type of a step that chooses one of two lists of steps.
inline constexpr std::string_view choose_type = "choose";
/// The members of a choice that are lists of steps, in the order of their numbers.
inline constexpr std::array<std::string_view, 2> way_names{"then", "otherwise"};

/// The steps of a stored action, as they are nested; null if it is a single one.
const json::array* stored_steps(const json::object& action);
json::array* stored_steps(json::object& action);

/// Calls `visit` with each step of a list and of the choices in it, in the order of their numbers, and with
/// its field: "steps[0].then[1]". `Steps` is json::array or const json::array. Entries that are not objects
/// are passed over.
template <typename Steps, typename Visit>
void for_each_step(Steps& steps, const std::string& list, const Visit& visit) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto* const step = steps[i].if_object();
    if (step == nullptr) continue;
    const std::string field = list + "[" + std::to_string(i) + "]";
    visit(*step, field);
    for (const std::string_view way : way_names) {
      auto* const value = step->if_contains(way);
      auto* const within = value == nullptr ? nullptr : value->if_array();
      if (within != nullptr) for_each_step(*within, field + "." + std::string(way), visit);
    }
  }
}

/// The number of steps of a list, with those of its choices.
std::size_t count_steps(const json::array& steps);

}  // namespace waybill::actions
