#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/triggers.hpp"

namespace waybill::matching {

/// The trigger and the conditions of a workflow. Immutable and cheap to copy.
struct Rule {
  const domain::Trigger* trigger;
  domain::Conditions conditions;

  domain::EntityType entity_type() const { return trigger->entity_type; }
  bool fires(const domain::TriggerSet& fired) const { return fired.test(domain::trigger_index(*trigger)); }
};

/// Parses a stored definition. Throws std::invalid_argument with the problem of an unreadable one.
Rule make_rule(std::string_view trigger_code, const json::value& conditions);

/// The reason that this version cannot read a stored workflow; nullopt if it can. An unreadable workflow was
/// configured by a newer version or changed by SQL.
std::optional<std::string> definition_problem(std::string_view trigger_code, const json::value& conditions,
                                              const json::object& action);

}  // namespace waybill::matching
