#include "matching/rule.hpp"

#include <stdexcept>
#include <string>

#include "actions/action.hpp"
#include "actions/stored_steps.hpp"
#include "matching/steps.hpp"

namespace waybill::matching {

const domain::Trigger& Rule::trigger_of(const domain::TriggerSet& fired) const {
  if (!triggers.is_list) return *triggers.first;
  const auto met = triggers.met(fired);
  return met.empty() ? *triggers.first : *met.front();
}

std::vector<std::string_view> Rule::listed(const domain::TriggerSet& fired) const {
  std::vector<std::string_view> codes;
  if (!triggers.is_list || triggers.digest) return codes;
  for (const domain::Trigger* const trigger : triggers.met(fired)) codes.push_back(trigger->code);
  if (codes.empty()) codes.push_back(triggers.first->code);
  return codes;
}

Rule make_rule(std::string_view triggers, const json::value& conditions) {
  const auto choice = domain::parse_choice(triggers);
  if (!choice) throw std::invalid_argument("unknown trigger " + std::string(triggers));
  auto parsed = domain::Conditions::parse(conditions, domain::record_type(choice->first->entity_type));
  if (const auto* errors = std::get_if<FieldErrors>(&parsed)) {
    throw std::invalid_argument(errors->front().field + ": " + errors->front().message);
  }
  return {*choice, std::get<domain::Conditions>(std::move(parsed))};
}

std::optional<std::string> definition_problem(std::string_view triggers, const json::value& conditions,
                                              const json::object& action) {
  try {
    make_rule(triggers, conditions);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  const json::value* const type = action.if_contains("type");
  if (type == nullptr || !type->is_string()) return "the action has no type";
  if (actions::stored_steps(action) != nullptr) {
    try {
      parse_steps(action, domain::parse_choice(triggers)->first->entity_type);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  } else if (actions::find_action(type->get_string()) == nullptr) {
    return "unknown action " + std::string(type->get_string());
  }
  return std::nullopt;
}

}  // namespace waybill::matching
