#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/conditions/conditions.hpp"
#include "storage/session/session.hpp"

namespace waybill::matching {

/// The conditions of a version of a workflow, as stored, and the event that they are evaluated for.
struct PastConditions {
  Guid business;
  Guid entity;
  std::int64_t event;  // negative for a run without an event
  std::string_view trigger;
  std::string_view conditions;  // JSON
};

/// The comparisons of the conditions with the values of the record as of the event; relatives are those of
/// that time. Empty if the event is not stored or cannot be read, for a run without an event, and for
/// conditions that this version cannot read. Throws DatabaseUnavailable or StatementError.
std::vector<domain::ConditionResult> past_conditions(storage::Session& session, const PastConditions& past);

}  // namespace waybill::matching
