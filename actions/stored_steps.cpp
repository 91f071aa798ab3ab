#include "actions/stored_steps.hpp"

namespace waybill::actions {
namespace {

/// The result is const if the action is.
template <typename Action>
auto* find_steps(Action& action) {
  const json::value* const type = action.if_contains("type");
  const bool has_steps =
      type != nullptr && (*type == json::value(steps_type) || *type == json::value(extended_steps_type));
  auto* const steps = has_steps ? action.if_contains("steps") : nullptr;
  return steps == nullptr ? nullptr : steps->if_array();
}

}  // namespace

const json::array* stored_steps(const json::object& action) { return find_steps(action); }
json::array* stored_steps(json::object& action) { return find_steps(action); }

std::size_t count_steps(const json::array& steps) {
  std::size_t count = 0;
  for_each_step(steps, {}, [&](const json::object&, const std::string&) { ++count; });
  return count;
}

}  // namespace waybill::actions
