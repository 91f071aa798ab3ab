#pragma once

#include <string>

#include "actions/action.hpp"

namespace waybill::actions {

/// The cause of the events that an attempt's change of records makes: its workflow and its run, one level
/// deeper than the event of the run.
inline std::string cause_of(const Attempt& attempt) {
  return to_json(json::object{
      {"by", {{"type", "workflow"}, {"guid", attempt.workflow.to_string()}, {"name", attempt.workflow_name}}},
      {"run", attempt.run.to_string()},
      {"depth", attempt.depth + 1}});
}

}  // namespace waybill::actions
