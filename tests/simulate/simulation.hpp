#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulate/plan.hpp"

namespace waybill::simulate {

/// The result of a simulation.
struct Report {
  std::vector<std::string> broken;   // the rules that were broken; empty if all hold
  std::vector<std::string> history;  // in the order of time
  std::size_t events = 0;
  std::size_t attempts = 0;
  std::size_t steps = 0;  // of the scheduler
};

/// Runs workers on a model of the database through the plan, then until all is done, and checks the rules.
Report simulate(const Plan& plan);

/// Simulates a plan in a process of its own, so that a crash ends one simulation only. True if all rules
/// hold.
bool holds(const Plan& plan);

/// The first seed of some that breaks a rule; nullopt if all hold. They share a process, apart from this one.
std::optional<std::uint64_t> first_failing(std::uint64_t first, std::uint64_t count);

/// Leaves out the steps of a plan without which a rule is broken, too.
Plan shrink(Plan plan);

/// The plan and the history, for people.
std::string text_of(const Plan& plan, const Report& report);

}  // namespace waybill::simulate
