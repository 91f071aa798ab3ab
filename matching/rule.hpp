#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::matching {

/// The triggers and the conditions of a workflow. Immutable and cheap to copy.
struct Rule {
  domain::TriggerChoice triggers;
  domain::Conditions conditions;

  domain::EntityType entity_type() const { return triggers.first->entity_type; }
  /// True if runs come from a timer or a schedule, not from events.
  bool is_timed() const { return triggers.timer || triggers.schedule; }
  bool fires(const domain::TriggerSet& fired) const { return (triggers.set & fired).any(); }
  /// The trigger that a run for such an event names: the narrowest that the event meets, or the first of the
  /// workflow if it meets none.
  const domain::Trigger& trigger_of(const domain::TriggerSet& fired) const;
  /// The codes of the triggers that an event meets, for payloads; empty for a workflow with a `triggerId` or
  /// a digest.
  std::vector<std::string_view> listed(const domain::TriggerSet& fired) const;
};

/// Parses a stored definition. `triggers` is in the form of domain::TriggerChoice::stored. Throws
/// std::invalid_argument with the problem of an unreadable one.
Rule make_rule(std::string_view triggers, const json::value& conditions);

/// The reason that this version cannot read a stored workflow; nullopt if it can. An unreadable workflow was
/// configured by a newer version or changed by SQL.
std::optional<std::string> definition_problem(std::string_view triggers, const json::value& conditions,
                                              const json::object& action);

}  // namespace waybill::matching
