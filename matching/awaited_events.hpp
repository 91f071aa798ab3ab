#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::matching {

/// The events of a record for which a step waits, or that cancel the runs of a workflow. Immutable and cheap
/// to copy.
struct AwaitedEvents {
  std::optional<domain::TriggerSet> triggers;  // nullopt: any event
  domain::Conditions conditions;               // on the record as of the event

  /// True if an event that meets `fired` is one of them. Conditions that need too much work do not hold.
  bool include(const domain::TriggerSet& fired, const domain::Subject& subject) const;
  /// The same, and takes the work from `share`, too.
  bool include(const domain::TriggerSet& fired, const domain::Subject& subject, WorkBudget& share) const;
};

/// The member of a step that waits for events, and that of a workflow whose runs events cancel.
inline constexpr std::string_view wait_member = "for";
inline constexpr std::string_view cancel_member = "cancelOn";

/// Checks {triggers, conditions} of a request. Adds an error for each bad place, with names that begin with
/// `field`. `for_wait` is true for the events of a step: they need not have triggers, and none of a record
/// that is gone.
void check_awaited(const json::value& given, domain::EntityType type, const std::string& field, bool for_wait,
                   FieldErrors& errors);

/// Reads what check_awaited has accepted. Throws std::invalid_argument if this version cannot read it.
AwaitedEvents parse_awaited(const json::value& stored, domain::EntityType type, bool for_wait);

}  // namespace waybill::matching
