#include "matching/rule.hpp"

#include <stdexcept>
#include <string>

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

}  // namespace waybill::matching
