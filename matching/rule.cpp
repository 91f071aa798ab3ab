#include "matching/rule.hpp"

#include <stdexcept>
#include <string>

#include "actions/action.hpp"

namespace waybill::matching {

Rule make_rule(std::string_view trigger_code, const json::value& conditions) {
  const domain::Trigger* trigger = domain::find_trigger(trigger_code);
  if (trigger == nullptr) throw std::invalid_argument("unknown trigger " + std::string(trigger_code));
  auto parsed = domain::Conditions::parse(conditions, domain::record_type(trigger->entity_type));
  if (const auto* errors = std::get_if<FieldErrors>(&parsed)) {
    throw std::invalid_argument(errors->front().field + ": " + errors->front().message);
  }
  return {trigger, std::get<domain::Conditions>(std::move(parsed))};
}

std::optional<std::string> definition_problem(std::string_view trigger_code, const json::value& conditions,
                                              const json::object& action) {
  try {
    make_rule(trigger_code, conditions);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  const json::value* const type = action.if_contains("type");
  if (type == nullptr || !type->is_string()) return "the action has no type";
  if (actions::find_action(type->get_string()) == nullptr)
    return "unknown action " + std::string(type->get_string());
  return std::nullopt;
}

}  // namespace waybill::matching
