#pragma once

#include <string>

#include "actions/action.hpp"

namespace waybill::actions {

/// The cause of the events that an attempt's change of records makes: its workflow, one level deeper than the
/// event of the run.
inline std::string cause_of(const Attempt& attempt) {
  return to_json(json::object{
      {"by", {{"type", "workflow"}, {"guid", attempt.workflow.to_string()}, {"name", attempt.workflow_name}}},
      {"depth", attempt.depth + 1}});
}

}  // namespace waybill::actions
