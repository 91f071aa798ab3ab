#pragma once

#include <string_view>
#include <vector>

namespace waybill::app {

/// A trigger that the migrations make.
struct OwnTrigger {
  std::string_view table;
  std::string_view name;
  std::string_view loss;  // the effect of a change that does not fire it: "changes are not events"
};

/// All triggers that a migrated schema has.
std::vector<OwnTrigger> own_triggers();

/// The `loss` of constraints that are not checked.
inline constexpr std::string_view loss_of_constraints = "foreign keys are not checked";

}  // namespace waybill::app
