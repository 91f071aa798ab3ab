#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "api/endpoint/services.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/trials/foreseen_end.hpp"
#include "base/work_budget.hpp"
#include "domain/conditions/conditions.hpp"
#include "matching/steps.hpp"

namespace waybill::api {

extern const Schema condition_schema;    // the result of one comparison
extern const Schema tested_step_schema;  // what one step would do

json::array conditions_json(const std::vector<domain::ConditionResult>& results);

/// A step as it would be performed for a record.
struct TestedStep {
  matching::Step step;
  bool matches = true;
  std::vector<domain::ConditionResult> conditions;
  std::optional<Time> until;  // until complete_steps the start of a wait that counts working days
  bool is_over = false;       // a wait that ends as soon as it begins
  // The given answer says that a wait timed out which is over at once.
  bool is_contradicted = false;
  std::optional<actions::Plan> plan;
  std::optional<std::string> code, error;  // of a step that cannot be performed, or is not chosen
};

/// The steps of a definition; one for a single action. Throws std::invalid_argument for an unreadable one.
std::vector<TestedStep> steps_of(const WorkflowDefinition& definition);

/// The declared values of the answers that a test gives, by the names of the steps. Adds an error for a name
/// of no step with an answer, and for an answer that is not as declared.
json::object given_answers(const json::object& answers, const std::vector<TestedStep>& steps,
                           FieldErrors& errors);

/// The bytes of JSON that the requests and the values of conditions in one test have together.
inline constexpr std::size_t most_shown_bytes = 4UL * 1024 * 1024;

/// Takes the values of the results from `shown`. Those beyond it become null.
void limit_values(std::vector<domain::ConditionResult>& results, WorkBudget& shown);

/// Fills in what the steps would do if each succeeded with its answer in `answers`. The requests and values
/// are taken from `shown`; a step beyond it has PAYLOAD_TOO_LARGE and is not rendered. Takes milliseconds for
/// a large template.
void test_steps(std::vector<TestedStep>& steps, const json::object& answers, const domain::Subject& subject,
                const actions::WorkflowView& workflow, const actions::EventView& event,
                const NotificationSwitches& switches, WorkBudget& shown);

/// Adds what only the database knows: the ends of waits that count working days, and carriers that the
/// business does not have.
asio::awaitable<void> complete_steps(Services& services, const Guid& business, const json::object& entity,
                                     std::vector<TestedStep>& steps);

inline constexpr std::string_view no_working_day =
    "The calendar of the business has no such working day within 60 days.";

/// The moment of a working day by the calendar of the business; nullopt if it has none.
asio::awaitable<std::optional<Time>> working_day(Services& services, const Guid& business, Time start,
                                                 int count);

/// The step in the shape of tested_step_schema.
asio::awaitable<json::object> shown_step(Services& services, const Guid& business, int number,
                                         const TestedStep& tested);

}  // namespace waybill::api
