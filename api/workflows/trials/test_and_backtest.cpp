#include "api/workflows/trials/test_and_backtest.hpp"

#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/time_range.hpp"
#include "api/threads/analysis.hpp"
#include "api/workflows/definition/named_records.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/trials/tested_record.hpp"
#include "api/workflows/trials/tested_steps.hpp"
#include "domain/time/working_days.hpp"
#include "matching/backtest.hpp"
#include "matching/current_record.hpp"
#include "matching/digest_list.hpp"
#include "matching/past.hpp"
#include "matching/schedule_backtest.hpp"
#include "matching/steps.hpp"
#include "matching/stored_texts.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr auto backtest_limit = std::chrono::seconds(8);
constexpr auto fired_limit = std::chrono::seconds(2);

constexpr Schema given_answers_schema{.name = "GivenAnswers",
                                      .json = R"({"type": "object", "additionalProperties": {},
                "description": "JSON by the name of a step; a value can also be given by its path."})"};

/// Either a definition or the guid of a stored workflow.
constexpr Property test_properties[] = {
    {.name = "definition",
     .kind = Kind::any,
     .schema = &workflow_configure_schema,
     .description = "As for configure, instead of workflowId."},
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "entityId", .kind = Kind::uuid, .required = true},
    {.name = "answers",
     .kind = Kind::any,
     .schema = &given_answers_schema,
     .description =
         "The answers that webhooks get, and whether waits for an event time out, by the names of the steps. "
         "Default: none, and no wait times out.",
     .example = R"({"stock": {"count": 3}})"},
};
constexpr Schema test_schema{"WorkflowTest", test_properties};

constexpr Property tested_properties[] = {
    {.name = "matches", .kind = Kind::boolean, .nullable = false},
    {.name = "conditions", .kind = Kind::array, .nullable = false, .schema = &condition_schema},
    {.name = "wouldSend",
     .kind = Kind::any,
     .schema = &planned_request_schema,
     .description = "The planned request, in the form of the action's type and without secrets. With several "
                    "steps: the first that sends."},
    {.name = "tooMuchWork",
     .kind = Kind::boolean,
     .nullable = false,
     .optional = true,
     .description = "True if the conditions need too much work for this record: a run would be dead."},
    {.name = "windowOpensAt",
     .kind = Kind::timestamp,
     .optional = true,
     .description =
         "With a window: when a run that is due now would begin; null if at once, or with the code EXPIRED."},
    {.name = "code",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description =
         "Why a run would end without its action, as far as the record shows it: for one action, as "
         "of a step; EXPIRED if the window does not open or the delay does not end within 60 days.",
     .example = R"("LOCKED")"},
    {.name = "error",
     .kind = Kind::text,
     .nullable = false,
     .optional = true,
     .example = R"("The order is shipped; its fields no longer change.")"},
    {.name = "limited",
     .kind = Kind::boolean,
     .optional = true,
     .description = "With a limit: true if it would skip the run now; null for a definition."},
    {.name = "steps",
     .kind = Kind::array,
     .nullable = false,
     .optional = true,
     .schema = &tested_step_schema,
     .description = "Only for a workflow with steps: all of them, each for the record as it is now."},
};
constexpr Schema tested_schema{"WorkflowTested", tested_properties};

constexpr Property against_properties[] = {
    {.name = "workflowId", .kind = Kind::uuid, .required = true},
    {.name = "version", .kind = Kind::integer, .minimum = 1, .description = "Default: the present one."},
};
constexpr Schema against_schema{"BacktestAgainst", against_properties};

constexpr Property backtest_properties[] = {
    {.name = "definition",
     .kind = Kind::any,
     .schema = &workflow_configure_schema,
     .description = "As for configure, instead of workflowId."},
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "from", .kind = Kind::date_or_timestamp, .description = "Default: 30 days before to."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "A date includes the whole day. Default: now."},
    {.name = "against",
     .kind = Kind::object,
     .schema = &against_schema,
     .description = "Another workflow, or a version of it, whose matches are compared. Not for schedules."},
};
constexpr Schema backtest_schema{"WorkflowBacktest", backtest_properties};

constexpr Property day_properties[] = {
    {.name = "date", .kind = Kind::date, .nullable = false},
    {.name = "count", .kind = Kind::integer, .nullable = false},
};
constexpr Schema day_schema{"BacktestDay", day_properties};
constexpr Property match_properties[] = {
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "eventId", .kind = Kind::integer, .description = "Null for a schedule."},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema match_schema{"BacktestMatch", match_properties};
constexpr Property condition_count_properties[] = {
    {.name = "path", .kind = Kind::string, .nullable = false, .example = R"("status")"},
    {.name = "operator", .kind = Kind::string, .nullable = false, .schema = &condition_operator_schema},
    {.name = "expected", .kind = Kind::any, .example = R"("shipped")"},
    {.name = "held", .kind = Kind::integer, .nullable = false},
    {.name = "evaluated",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The events that meet the triggers; for a timer, the times that it comes due."},
};
constexpr Schema condition_count_schema{"ConditionCount", condition_count_properties};

constexpr std::string_view sides[] = {"this", "other"};
constexpr Property only_properties[] = {
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "eventId", .kind = Kind::integer, .nullable = false},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
    {.name = "only", .kind = Kind::one_of, .nullable = false, .values = sides},
};
constexpr Schema only_schema{"BacktestOnly", only_properties};
constexpr Property difference_properties[] = {
    {.name = "onlyThis", .kind = Kind::integer, .nullable = false},
    {.name = "onlyOther", .kind = Kind::integer, .nullable = false},
    {.name = "sample",
     .kind = Kind::array,
     .nullable = false,
     .schema = &only_schema,
     .description = "The latest 20 of them."},
};
constexpr Schema difference_schema{"BacktestDifference", difference_properties};

constexpr Property backtested_properties[] = {
    {.name = "events", .kind = Kind::integer, .nullable = false},
    {.name = "matches", .kind = Kind::integer, .nullable = false},
    {.name = "perDay", .kind = Kind::array, .nullable = false, .schema = &day_schema},
    {.name = "tooMuchWork",
     .kind = Kind::integer,
     .nullable = false,
     .optional = true,
     .description = "Events for which the conditions need too much work; left out if there is none."},
    {.name = "sample",
     .kind = Kind::array,
     .nullable = false,
     .schema = &match_schema,
     .description = "The latest 20 matches."},
    {.name = "conditions",
     .kind = Kind::array,
     .nullable = false,
     .schema = &condition_count_schema,
     .description = "How often each comparison held, in the order of the conditions; empty for a schedule."},
    {.name = "against",
     .kind = Kind::object,
     .nullable = false,
     .optional = true,
     .schema = &difference_schema,
     .description = "With against: the matches of one of the two alone."},
};
constexpr Schema backtested_schema{"WorkflowBacktested", backtested_properties};

/// Checks that the body has either a definition or a workflowId, even if its shape is wrong elsewhere.
void check_subject(const json::object& body, FieldErrors& errors) {
  const json::value* definition = find_value(body, "definition");
  const bool has_workflow = find_value(body, "workflowId") != nullptr;
  if (const json::value* const answers = find_value(body, "answers");
      answers != nullptr && !answers->is_object())
    errors.push_back({"answers", "must be an object"});
  if (definition == nullptr && !has_workflow)
    errors.push_back({"definition", "is required unless workflowId is given"});
  if (definition == nullptr) return;
  if (has_workflow) errors.push_back({"definition", "must not be given together with workflowId"});
  if (!definition->is_object()) {
    errors.push_back({"definition", "must be an object"});
    return;
  }
  FieldErrors inner;
  check_definition(definition->get_object(), inner);
  for (FieldError& error : inner) errors.push_back({"definition." + error.field, std::move(error.message)});
}

/// Returns the definition in the body, or that of the workflow the body names.
asio::awaitable<WorkflowDefinition> definition_of(Call& call, Services& services) {
  if (const json::value* given_definition = find_value(call.object(), "definition")) {
    WorkflowDefinition definition;
    definition.is_test = true;
    definition.conditions = json::object();
    const json::object& body = given_definition->get_object();
    const auto transaction = co_await services.db.begin(call.cause());
    const FindTemplate find = co_await find_template(call, *transaction, body, definition);
    try {
      merge_workflow(body, services.settings.destinations, find,
                     services.settings.workflow_limits.delay_below, definition);
    } catch (Failure& failure) {
      FieldErrors errors = failure.details();
      if (errors.empty()) throw;
      for (FieldError& error : errors) error.field = "definition." + error.field;
      throw invalid(std::move(errors));
    }
    co_await transaction->roll_back();
    co_await check_records(call, services, definition.action, {});
    co_return definition;
  }
  const auto rows = co_await services.db.read(storage::sql::workflows::Get{
      .business = call.business(), .workflow = guid_at(call.object(), "workflowId").value()});
  if (rows.empty()) throw not_found("workflow");
  co_return stored_definition(rows);
}

matching::Rule rule_of(const WorkflowDefinition& definition) {
  return matching::make_rule(definition.trigger_code, definition.conditions);
}

/// Adds the code of a run that ends because no working day or no opening of the window comes in time.
void add_expiry(json::object& shown, std::string_view error) {
  shown["code"] = "EXPIRED";
  shown["error"] = error;
}

/// Adds the time at which a workflow's window opens, or null if it is open when a run that begins now is due,
/// and the code of a run that never is.
asio::awaitable<void> add_opening(const Call& call, Services& services, const WorkflowDefinition& definition,
                                  json::object& shown) {
  const auto& window = definition.pacing.window;
  const Time now = services.clock.now();
  const std::string delay = definition.delay.value_or("PT0S");
  Time due = now + parse_duration(delay).value_or(Duration());
  if (window) shown["windowOpensAt"] = nullptr;
  if (const auto count = definition.workdays ? domain::parse_working_days(delay) : std::nullopt) {
    const auto moment = co_await working_day(services, call.business(), now, *count);
    if (!moment) co_return add_expiry(shown, no_working_day);
    due = *moment;
  }
  if (!window) co_return;
  const std::vector<std::int64_t> days(window->days.begin(), window->days.end());
  const auto rows =
      co_await services.db.read(storage::sql::pacing::NextOpening{.business = call.business(),
                                                                  .zone = window->zone,
                                                                  .days = days,
                                                                  .opens = window->from,
                                                                  .closes = window->to,
                                                                  .at = due,
                                                                  .workdays = window->workdays});
  const auto opening = rows.front();
  if (!opening.opens_at && opening.is_known_zone)
    co_return add_expiry(shown, "The window does not open within 60 days.");
  if (opening.opens_at && *opening.opens_at > due)
    shown["windowOpensAt"] = format_timestamp(*opening.opens_at);
}

/// Returns whether the limit of a stored workflow is reached for a record; null for a workflow that is not
/// stored.
asio::awaitable<json::value> is_limited(Services& services, Guid business,
                                        const WorkflowDefinition& definition, std::optional<Guid> workflow,
                                        const json::object& entity) {
  const auto& limit = definition.pacing.limit;
  if (!workflow) co_return nullptr;
  const std::string value = limit->value_of(entity, *workflow);
  if (value.empty()) co_return false;
  const auto rows =
      co_await services.db.read(storage::sql::pacing::WouldBeLimited{.business = business,
                                                                     .workflow = *workflow,
                                                                     .value = storage::Bytea(value),
                                                                     .count = limit->count,
                                                                     .period = format_duration(limit->per)});
  co_return rows.front().is_limited;
}

/// The outcome of a test.
struct Tested {
  domain::Verdict verdict = domain::Verdict::fail;
  std::vector<domain::ConditionResult> conditions;
  std::vector<TestedStep> steps;
  json::object answers = {};  // the declared values, by the names of steps
};

/// Judges the conditions and renders the steps on a background thread, in milliseconds for a large template.
asio::awaitable<void> judge_and_render(Services& services, const Guid& business, const matching::Rule& rule,
                                       const domain::Subject& subject, const actions::WorkflowView& workflow,
                                       const actions::EventView& event, const NotificationSwitches& switches,
                                       Tested& tested) {
  // The coroutine waits here, so the references in the work stay valid.
  co_await services.background.run(business, [&] {
    tested.verdict = rule.conditions.judge(subject);
    tested.conditions = rule.conditions.explain(subject);
    WorkBudget shown(most_shown_bytes);
    limit_values(tested.conditions, shown);
    test_steps(tested.steps, tested.answers, subject, workflow, event, switches, shown);
    return true;
  });
}

/// The outcome in the shape of tested_schema, without the pacing.
asio::awaitable<json::object> tested_json(Services& services, const Guid& business, const Tested& tested,
                                          bool has_steps) {
  json::array steps;
  json::value first;
  for (std::size_t i = 0; i < tested.steps.size(); ++i) {
    json::object step = co_await shown_step(services, business, static_cast<int>(i) + 1, tested.steps[i]);
    if (first.is_null() && tested.steps[i].matches) first = step.at("wouldSend");
    steps.push_back(std::move(step));
  }
  json::object shown{{"matches", tested.verdict == domain::Verdict::hold},
                     {"conditions", conditions_json(tested.conditions)},
                     {"wouldSend", std::move(first)}};
  if (tested.verdict == domain::Verdict::too_much_work) shown["tooMuchWork"] = true;
  if (has_steps) shown["steps"] = std::move(steps);
  co_return shown;
}

/// The records of a run of a digest, or of a schedule for all its records, that begins with this record;
/// nullopt for a run for one record. `trigger` is that of the last event.
std::optional<json::object> tested_list(const matching::Rule& rule, const json::object& entity,
                                        const matching::LastChange& last, std::string_view trigger,
                                        Time now) {
  if (const auto& digest = rule.triggers.digest) {
    const bool has_event = last.event_id != 0;
    return matching::list_of_one(*digest, entity, last.change.previous, last.event_id, trigger,
                                 has_event ? last.at : now);
  }
  if (!rule.triggers.schedule || rule.triggers.schedule->each) return std::nullopt;
  return json::object{{"count", 1}, {"items", json::array{entity}}};
}

/// The steps and the answers that they get. Throws Failure for answers that do not fit.
Tested before_test(const WorkflowDefinition& definition, const json::object& body) {
  Tested tested{.steps = steps_of(definition)};
  if (const json::value* const answers = find_value(body, "answers")) {
    FieldErrors errors;
    tested.answers = given_answers(answers->as_object(), tested.steps, errors);
    if (!errors.empty()) throw invalid(std::move(errors));
  }
  return tested;
}

asio::awaitable<Answer> test_workflow(Call& call, Services& services) {
  const WorkflowDefinition definition = co_await definition_of(call, services);
  const Guid business = call.business();
  const Guid record = guid_at(call.object(), "entityId").value();
  const auto workflow = guid_at(call.object(), "workflowId");
  auto entity = co_await matching::current_entity(services.db, business, definition.entity_type, record,
                                                  services.settings.public_url);
  if (!entity) throw not_found(domain::record_type(definition.entity_type).label);
  const matching::Rule rule = rule_of(definition);
  const matching::LastChange last_event =
      co_await last_change_of(services, business, record, rule.is_timed());
  const domain::Change& last = last_event.change;
  const domain::TriggerSet fired = domain::fired_triggers(last);
  const std::string_view event_trigger = rule.trigger_of(fired).code;
  const std::vector<std::string_view> listed = rule.listed(fired);
  co_await complete_entity(services, business, record, event_trigger, last, *entity);
  const auto texts = co_await matching::stored_texts(services.db, business, definition.template_codes);
  const auto list = tested_list(rule, *entity, last_event, event_trigger, services.clock.now());

  Tested tested = before_test(definition, call.object());
  co_await judge_and_render(services, business, rule, {*entity, last.previous, last.created},
                            {.guid = workflow.value_or(Guid()),
                             .name = definition.name,
                             .business_id = business,
                             .business_name = texts.business_name,
                             .action = definition.action,
                             .sender_name = texts.sender_name,
                             .reply_to = texts.reply_to,
                             .templates = &texts.templates,
                             .zone_offsets = texts.zone_offsets},
                            {.entity = list ? *list : *entity,
                             .previous = last.previous,
                             .entity_type = definition.entity_type,
                             .entity_id = list ? Guid() : record,
                             .event_id = list ? 0 : last_event.event_id,
                             .at = services.clock.now(),
                             .trigger = rule.triggers.digest ? domain::digest_code : event_trigger,
                             .triggers = listed},
                            {.email = texts.email_enabled, .push = texts.push_enabled}, tested);
  for (const TestedStep& step : tested.steps) {
    if (step.is_contradicted)
      throw invalid("answers." + step.step.name, "says that a wait timed out whose conditions hold");
  }
  const bool has_steps = actions::stored_steps(definition.action) != nullptr;
  const TestedStep& first = tested.steps.front();
  if (!has_steps && first.error && !first.plan)
    throw invalid(workflow ? "workflowId" : "definition.action", *first.error);
  co_await complete_steps(services, business, *entity, tested.steps);

  json::object shown = co_await tested_json(services, business, tested, has_steps);
  if (!has_steps && first.code) {
    shown["code"] = *first.code;
    shown["error"] = *first.error;
  }
  co_await add_opening(call, services, definition, shown);
  if (definition.pacing.limit)
    shown["limited"] = co_await is_limited(services, business, definition, workflow, *entity);
  co_return Answer::of(to_json(shown));
}

json::object match_json(const matching::Backtest::Match& match) {
  return {{"entityId", match.entity_id.to_string()},
          {"eventId", match.event_id ? json::value(*match.event_id) : json::value()},
          {"at", format_timestamp(match.at)}};
}

json::array condition_counts_json(const std::vector<matching::Backtest::ConditionCount>& counts) {
  json::array shown;
  for (const auto& count : counts) {
    shown.push_back({{"path", count.path},
                     {"operator", count.op},
                     {"expected", count.expected},
                     {"held", count.held},
                     {"evaluated", count.evaluated}});
  }
  return shown;
}

json::object difference_json(const matching::BacktestDifference& difference) {
  json::array sample;
  for (const auto& [match, of_first] : difference.sample) {
    json::object shown = match_json(match);
    shown["only"] = sides[of_first ? 0 : 1];
    sample.push_back(std::move(shown));
  }
  return {{"onlyThis", difference.only_first},
          {"onlyOther", difference.only_second},
          {"sample", std::move(sample)}};
}

/// A backtest, and how its matches differ from those of another rule.
struct Compared {
  matching::Backtest result;
  std::optional<matching::BacktestDifference> difference;
};

Compared compare_rules(storage::Session& session, const matching::Rule& rule,
                       const std::optional<matching::Rule>& other, const storage::PastEvents::Range& range) {
  const auto deadline = std::chrono::steady_clock::now() + backtest_limit;
  Compared compared{.result = matching::backtest(session, rule, range, deadline,
                                                 {.conditions = true, .all = other.has_value()}),
                    .difference = {}};
  if (!other || !compared.result.complete) return compared;
  const auto others = matching::backtest(session, *other, range, deadline, {.all = true});
  compared.result.complete = others.complete;
  compared.difference = matching::compare(compared.result, others);
  return compared;
}

/// The rule of the workflow, or of the version of it, that the body names under `against`; nullopt if it
/// names none.
asio::awaitable<std::optional<matching::Rule>> other_rule(const Call& call, Services& services,
                                                          const matching::Rule& rule) {
  const json::value* const against = find_value(call.object(), "against");
  if (against == nullptr) co_return std::nullopt;
  const Guid workflow = guid_at(against->get_object(), "workflowId").value();
  const auto rows = co_await services.db.read(
      storage::sql::workflows::Get{.business = call.business(), .workflow = workflow});
  if (rows.empty()) throw not_found("workflow");
  WorkflowDefinition definition = stored_definition(rows);
  if (const json::value* const version = find_value(against->get_object(), "version")) {
    const auto versions = co_await services.db.read(storage::sql::workflows::Version{
        .business = call.business(), .workflow = workflow, .version = version->to_number<std::int32_t>()});
    if (versions.empty()) throw not_found("version of a workflow");
    const json::object stored = json::parse(versions.front().definition).as_object();
    definition.trigger_code = stored.at("trigger").as_string();
    definition.conditions = stored.at("conditions");
  }
  matching::Rule other = rule_of(definition);
  if (other.entity_type() != rule.entity_type())
    throw invalid("against.workflowId", "is a workflow of another entity type");
  if (rule.triggers.schedule || other.triggers.schedule)
    throw invalid("against", "compares workflows with triggers or a timer, not with a schedule");
  co_return other;
}

asio::awaitable<Answer> backtest_workflow(Call& call, Services& services) {
  const WorkflowDefinition definition = co_await definition_of(call, services);
  const auto first = parse_bound(text_at(call.object(), "from"), false),
             end = parse_bound(text_at(call.object(), "to"), true);
  require_ascending(first, end);
  const Time to = end.value_or(services.clock.now());
  const Time from = first.value_or(to - std::chrono::days(30));
  const matching::Rule rule = rule_of(definition);
  const bool has_schedule = rule.triggers.schedule.has_value();
  if (has_schedule && to - from > matching::longest_schedule_backtest)
    throw invalid("from", "must be at most 366 days before `to`, because the workflow has a schedule");
  const std::optional<matching::Rule> other = co_await other_rule(call, services, rule);
  const Compared compared = co_await services.analysis.run(
      services.db, call.business(),
      [rule, other, range = storage::PastEvents::Range{call.business(), definition.entity_type, from, to}](
          storage::Session& session) { return compare_rules(session, rule, other, range); });
  const matching::Backtest& result = compared.result;
  if (!result.complete) {
    throw Failure(ErrorCode::unavailable,
                  has_schedule ? "The query of the schedule takes too long."
                               : "There are too many events in this time range; choose a shorter one.");
  }
  json::array days;
  for (const auto& [date, count] : result.per_day) days.push_back({{"date", date}, {"count", count}});
  json::array sample;
  for (const auto& match : result.sample) sample.push_back(match_json(match));
  json::object shown{{"events", result.events},
                     {"matches", result.matches},
                     {"perDay", std::move(days)},
                     {"sample", std::move(sample)},
                     {"conditions", condition_counts_json(result.conditions)}};
  if (call.job != nullptr) {
    // The values of conditions can be personal, and a job is kept for 30 days.
    for (auto& condition : shown.at("conditions").as_array()) condition.as_object()["expected"] = nullptr;
  }
  if (compared.difference) shown["against"] = difference_json(*compared.difference);
  if (result.too_much_work > 0) shown["tooMuchWork"] = result.too_much_work;
  co_return Answer::of(to_json(shown));
}

constexpr Endpoint trial_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/workflows/test",
     .permission = Permission::read,
     .handler = test_workflow,
     .operation_id = "testWorkflow",
     .summary = "Returns what a workflow would do for a record as it is now",
     .description = "Nothing changes and nothing is sent.",
     .tag = "Workflows",
     .body = &test_schema,
     .body_check = check_subject,
     .body_kind = BodyKind::object,
     .answer = &tested_schema},
    {.method = Method::post,
     .path = "/api/workflows/backtest",
     .permission = Permission::read,
     .handler = backtest_workflow,
     .operation_id = "backtestWorkflow",
     .summary = "Returns the past events for which a workflow would have run",
     .description =
         "Needs a definition or a workflowId. Nothing is sent. The events are those that are still kept. For "
         "a digest, each match is a run, at its first event.",
     .tag = "Workflows",
     .body = &backtest_schema,
     .body_check = check_subject,
     .body_kind = BodyKind::object,
     .answer = &backtested_schema,
     .needs_body = true,
     .from_standby = true,
     .job = JobKind::backtest},
};

}  // namespace

asio::awaitable<std::optional<std::uint64_t>> fired_last_7_days(Services& services, const Guid& business,
                                                                const WorkflowDefinition& definition) {
  // A change of a workflow does not wait in the queue for an optional figure.
  if (services.analysis.is_busy()) co_return std::nullopt;
  const Time now = services.clock.now();
  try {
    const auto result = co_await services.analysis.run(
        business,
        [rule = rule_of(definition),
         range = storage::PastEvents::Range{business, definition.entity_type, now - std::chrono::days(7),
                                            now}](storage::Session& session) {
          return matching::backtest(session, rule, range, std::chrono::steady_clock::now() + fired_limit);
        });
    co_return result.complete ? std::optional(result.matches) : std::nullopt;
  } catch (const std::exception&) {
    // The figure is optional.
    co_return std::nullopt;
  }
}

std::span<const Endpoint> trial_endpoints() { return trial_endpoint_table; }

}  // namespace waybill::api
