// The steps of a workflow in the answer of a test.
#include "api/workflows/trials/tested_steps.hpp"

#include <algorithm>
#include <stdexcept>

#include "actions/answer.hpp"
#include "actions/definition.hpp"
#include "actions/stored_steps.hpp"
#include "api/endpoint/schema.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "storage/sql/runs.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

constexpr Property condition_properties[] = {
    {.name = "path", .kind = Kind::string, .nullable = false},
    {.name = "operator", .kind = Kind::string, .nullable = false, .schema = &condition_operator_schema},
    {.name = "expected", .kind = Kind::any},
    {.name = "actual", .kind = Kind::any},
    {.name = "holds", .kind = Kind::boolean, .nullable = false},
};
constexpr Property tested_step_properties[] = {
    {.name = "number", .kind = Kind::integer, .nullable = false, .description = "From 1."},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = step_types},
    {.name = "matches",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "False if the step would be skipped for its conditions, and for a choice that would take "
                    "otherwise."},
    {.name = "conditions", .kind = Kind::array, .nullable = false, .schema = &condition_schema},
    {.name = "until",
     .kind = Kind::timestamp,
     .description = "When a wait that begins now ends; null with the codes NO_VALUE and EXPIRED."},
    {.name = "wouldSend", .kind = Kind::any, .schema = &planned_request_schema},
    {.name = "code",
     .kind = Kind::string,
     .description =
         "Why the step would not be performed, as far as the record shows it: NOT_CHOSEN in a way that a "
         "choice "
         "does not take, INVALID_VALUE, PAYLOAD_TOO_LARGE (then wouldSend is null), NOTIFICATIONS_OFF, "
         "NO_RECIPIENT, NO_RECORD, FORBIDDEN_MOVE, CONDITION, EXISTS, LOCKED, NO_VALUE of a wait whose field "
         "has no value, or EXPIRED of a wait for a working day. PAYLOAD_TOO_LARGE also where the answer "
         "would have more than 4 MiB of requests and "
         "values. Not known for a change of records after another one."},
    {.name = "error", .kind = Kind::text},
};

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value();
}

}  // namespace

const Schema condition_schema{"ConditionResult", condition_properties};
const Schema tested_step_schema{"WorkflowTestedStep", tested_step_properties};

json::array conditions_json(const std::vector<domain::ConditionResult>& results) {
  json::array conditions;
  for (const domain::ConditionResult& result : results) {
    conditions.push_back({{"path", result.path},
                          {"operator", result.op},
                          {"expected", result.expected},
                          {"actual", result.actual},
                          {"holds", result.holds}});
  }
  return conditions;
}

std::vector<TestedStep> steps_of(const WorkflowDefinition& definition) {
  if (actions::stored_steps(definition.action) == nullptr) {
    const auto* const action = actions::find_action(definition.action.at("type").as_string());
    return {{.step = {.type = std::string(action->type()),
                      .action = action,
                      .definition = definition.action,
                      .when = {}},
             .conditions = {},
             .until = {},
             .plan = {}}};
  }
  std::vector<TestedStep> tested;
  for (matching::Step& step : matching::parse_steps(definition.action, definition.entity_type))
    tested.push_back({.step = std::move(step), .conditions = {}, .until = {}, .plan = {}});
  return tested;
}

json::object given_answers(const json::object& answers, const std::vector<TestedStep>& steps,
                           FieldErrors& errors) {
  json::object declared;
  for (const auto& [name, given] : answers) {
    const std::string field = "answers." + std::string(name);
    const auto named = std::ranges::find_if(steps, [&](const TestedStep& tested) {
      return tested.step.name == name && (tested.step.awaited || tested.step.definition.contains("answer"));
    });
    if (named == steps.end()) {
      errors.push_back({field, "is not the name of a step with an answer or of a wait for an event"});
      continue;
    }
    if (named->step.awaited) {
      const auto* const object = given.if_object();
      const auto* const timed_out = object == nullptr ? nullptr : object->if_contains("timedOut");
      if (timed_out == nullptr || !timed_out->is_bool() || object->size() != 1) {
        errors.push_back({field, "must be {\"timedOut\": true} or {\"timedOut\": false}"});
      } else {
        declared[name] = *timed_out;
      }
      continue;
    }
    json::value answer = given;
    if (const auto* const object = given.if_object()) {  // a value can be given by its path
      answer.emplace_object();
      for (const auto& [path, value] : *object) {  // no declared field is at, or in, what is left out
        if (actions::is_answer_path(path)) put_path(answer.get_object(), path, value);
      }
    }
    const auto fields = actions::parse_answer(named->step.definition.at("answer"));
    auto values = actions::declared_values(fields, answer);
    if (auto* const problem = std::get_if<std::string>(&values)) {
      errors.push_back({field, "is not as the step declares it: " + *problem});
    } else if (to_json(std::get<json::object>(values)).size() > actions::max_stored_answers) {
      errors.push_back({field, "has declared values larger than 16 KiB"});
    } else {
      declared[name] = std::get<json::object>(std::move(values));
    }
  }
  return declared;
}

void limit_values(std::vector<domain::ConditionResult>& results, WorkBudget& shown) {
  for (domain::ConditionResult& result : results) {
    if (!shown.take(to_json(result.actual).size())) result.actual = nullptr;
  }
}

namespace {

std::size_t shown_size(const actions::Plan& plan) {
  std::string text = to_json(plan.request);
  if (plan.body) append_json_string(text, *plan.body);
  return text.size();
}

/// Plans the action of a step. Throws std::length_error beyond `shown`, and as `Action::plan`.
actions::Plan shown_plan(const actions::Action& action, const actions::WorkflowView& workflow,
                         const actions::EventView& event, WorkBudget& shown) {
  std::optional<actions::Plan> plan;
  if (!shown.is_exceeded()) plan = action.plan(workflow, event);
  if (!plan || !shown.take(shown_size(*plan)))
    throw std::length_error("The requests and values of a test have at most 4 MiB.");
  return *std::move(plan);
}

/// Adds the reason that the planned request would not be performed. It is not known for a change of records
/// after another one.
void note_end(TestedStep& tested, const actions::Action& action, const json::object& entity,
              bool may_be_changed, const NotificationSwitches& switches) {
  if (!tested.matches || (may_be_changed && action.changes_records())) return;
  auto end = foreseen_end(action, tested.plan->request, entity, switches);
  if (!end) return;
  tested.code = std::move(end->code);
  tested.error = std::move(end->error);
}

/// Fills in what one step would do. `may_be_changed`: an earlier step may have changed the record.
void test_step(TestedStep& tested, const domain::Subject& subject, const actions::WorkflowView& workflow,
               const actions::EventView& event, bool may_be_changed, const NotificationSwitches& switches,
               WorkBudget& shown) {
  const matching::Step& step = tested.step;
  if (step.when) {
    tested.matches = step.when->evaluate(subject);
    tested.conditions = step.when->explain(subject);
    limit_values(tested.conditions, shown);
  }
  if (step.type == "wait") {
    tested.until = step.working_days == 0
                       ? matching::end_of_wait(step, event.entity, subject.run, event.at)
                       : matching::start_of_wait(step, event.entity, subject.run, event.at);
    if (tested.matches && !tested.until) {
      tested.code = "NO_VALUE";
      tested.error = "The field of the wait has no value.";
    }
  }
  if (step.action == nullptr) return;
  const actions::WorkflowView view{.guid = workflow.guid,
                                   .name = workflow.name,
                                   .business_id = workflow.business_id,
                                   .business_name = workflow.business_name,
                                   .action = step.definition,
                                   .sender_name = workflow.sender_name,
                                   .reply_to = workflow.reply_to,
                                   .templates = workflow.templates,
                                   .zone_offsets = workflow.zone_offsets};
  try {
    tested.plan = shown_plan(*step.action, view, event, shown);
    note_end(tested, *step.action, subject.entity, may_be_changed, switches);
  } catch (const std::length_error& error) {
    tested.code = "PAYLOAD_TOO_LARGE";
    tested.error = error.what();
  } catch (const actions::InvalidValue& error) {
    tested.code = "INVALID_VALUE";
    tested.error = error.what();
  }
}

/// Notes that a wait ends at once, unless its answer says that it times out. `may_be_later`: an earlier step
/// waits, or may have changed the record.
void note_end_at_once(TestedStep& tested, const json::value* answer, const actions::EventView& event,
                      bool may_be_later) {
  if (!tested.matches || !matching::holds_at_once(tested.step, event.entity)) return;
  const bool times_out = answer != nullptr && *answer == json::value(true);
  tested.is_contradicted = times_out && !may_be_later;
  tested.is_over = !times_out;
  if (tested.is_over) tested.until = event.at;
}

/// True if a choice before the step takes its other way.
bool is_passed(const matching::Step& step, const std::vector<TestedStep>& before) {
  if (!step.way) return false;
  const TestedStep& choice = before[static_cast<std::size_t>(step.way->choice - 1)];
  return choice.code || choice.matches != step.way->is_then;
}

}  // namespace

void test_steps(std::vector<TestedStep>& steps, const json::object& answers, const domain::Subject& subject,
                const actions::WorkflowView& workflow, const actions::EventView& event,
                const NotificationSwitches& switches, WorkBudget& shown) {
  bool may_be_changed = false;
  bool has_waited = false;
  json::object run{{"steps", json::object()}};
  if (const auto* const count = event.entity_id.is_nil() ? event.entity.if_contains("count") : nullptr)
    run["count"] = *count;
  for (TestedStep& tested : steps) {
    json::object& values = run.at("steps").get_object();
    const bool passed = is_passed(tested.step, steps);
    if (passed) {
      tested.matches = false;
      tested.code = "NOT_CHOSEN";
    } else {
      actions::EventView view = event;
      view.steps = &values;
      test_step(tested, {subject.entity, subject.previous, subject.created, &run}, workflow, view,
                may_be_changed, switches, shown);
      note_end_at_once(tested, answers.if_contains(tested.step.name), event, has_waited || may_be_changed);
      has_waited = has_waited || (tested.matches && tested.until && !tested.is_over);
      may_be_changed = may_be_changed || (tested.matches && !tested.code && tested.step.action != nullptr &&
                                          tested.step.action->changes_records());
    }
    if (tested.step.name.empty()) continue;
    const bool is_wait = tested.step.type == "wait";
    const bool skipped =
        passed || (!tested.matches && tested.step.type != actions::choose_type) || (is_wait && tested.code);
    json::object result{{"status", skipped ? "skipped" : "succeeded"}};
    const auto* const answer = skipped ? nullptr : answers.if_contains(tested.step.name);
    if (is_wait && !skipped) {
      result["timedOut"] = answer != nullptr ? *answer : json::value(false);
    } else if (answer != nullptr) {
      result["answer"] = *answer;
    }
    values[tested.step.name] = std::move(result);
  }
}

namespace {

/// The carrier that an update_record step would give to the record, if it is another one.
std::optional<Guid> new_carrier(const TestedStep& tested, const json::object& entity) {
  if (tested.step.type != "update_record" || !tested.plan || !tested.matches) return std::nullopt;
  const auto carrier = actions::find_guid(tested.plan->request.at("changes").as_object(), "carrier_id");
  const auto* const present = entity.if_contains("carrier");
  const auto* const object = present == nullptr ? nullptr : present->if_object();
  if (object != nullptr && actions::find_guid(*object, "guid") == carrier) return std::nullopt;
  return carrier;
}

}  // namespace

asio::awaitable<std::optional<Time>> working_day(Services& services, const Guid& business, Time start,
                                                 int count) {
  const std::vector<Guid> businesses{business};
  const std::vector<Time> starts{start};
  const std::vector<std::int64_t> counts{count};
  const auto rows = co_await services.db.read(
      storage::sql::pacing::WorkingDays{.businesses = storage::binary_array(businesses),
                                        .starts = storage::binary_array(starts),
                                        .counts = counts});
  co_return rows.front().moment;
}

asio::awaitable<void> complete_steps(Services& services, const Guid& business, const json::object& entity,
                                     std::vector<TestedStep>& steps) {
  for (TestedStep& tested : steps) {
    if (tested.until && tested.step.working_days != 0 && !tested.is_over) {
      tested.until = co_await working_day(services, business, *tested.until, tested.step.working_days);
      if (!tested.until) {
        tested.code = "EXPIRED";
        tested.error = no_working_day;
      }
    }
    const auto carrier = tested.code ? std::nullopt : new_carrier(tested, entity);
    if (!carrier) continue;
    const std::vector<Guid> carriers{*carrier};
    const std::vector<std::string> items;
    const auto found = co_await services.db.read(
        storage::sql::workflows::UnknownRecords{.business = business, .carriers = carriers, .items = items});
    if (!found.front().lacks_carrier) continue;
    tested.code = "INVALID_VALUE";
    tested.error = "carrierId names no carrier";
  }
}

asio::awaitable<json::object> shown_step(Services& services, const Guid& business, int number,
                                         const TestedStep& tested) {
  json::value request;
  if (tested.plan) {
    const auto shown =
        co_await services.db.read(storage::sql::runs::ShownRequest{.business = business,
                                                                   .action = tested.step.type,
                                                                   .request = to_json(tested.plan->request),
                                                                   .body = tested.plan->body});
    request = json::parse(shown.front().request);
  }
  const auto& until = tested.until;
  co_return json::object{{"number", number},
                         {"type", tested.step.type},
                         {"matches", tested.matches},
                         {"conditions", conditions_json(tested.conditions)},
                         {"until", until ? json::value(format_timestamp(*until)) : json::value()},
                         {"wouldSend", std::move(request)},
                         {"code", text_or_null(tested.code)},
                         {"error", text_or_null(tested.error)}};
}

}  // namespace waybill::api
