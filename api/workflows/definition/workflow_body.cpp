#include "api/workflows/definition/workflow_body.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/workflows/definition/step_body.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/time/working_days.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/awaited_events.hpp"
#include "matching/steps.hpp"
#include "net/http/webhook_signature.hpp"
#include "storage/sql/templates.sql.hpp"
#include "templates/builtin.hpp"

namespace waybill::api {
namespace {

constexpr Property configure_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .description = "The workflow to update. Default: a new workflow."},
    {.name = "ifVersion",
     .kind = Kind::integer,
     .minimum = 1,
     .description = "The version that the change is based on. If the workflow has another one, the answer is "
                    "409, with the current version in `details.version`. Default: any."},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "triggerId",
     .kind = Kind::uuid,
     .description = "A guid from the triggers of the entity type, instead of triggers."},
    {.name = "triggers",
     .kind = Kind::array,
     .items = Kind::string,
     .description = "Codes of triggers of the entity type, or \"*\" alone. One event makes one run, however "
                    "many of them it meets."},
    {.name = "timer",
     .kind = Kind::any,
     .schema = &timer_schema,
     .description = "Instead of triggers: the workflow runs once for each record and value of a field."},
    {.name = "schedule",
     .kind = Kind::any,
     .schema = &schedule_schema,
     .description = "Instead of triggers: the workflow runs at the times of a cron expression."},
    {.name = "query", .kind = Kind::any, .schema = &schedule_query_schema},
    {.name = "each",
     .kind = Kind::boolean,
     .description = "A run for each record of the query, not one for all. Default: false."},
    {.name = "runWhenEmpty",
     .kind = Kind::boolean,
     .description = "Also run when the query finds no record. Default: false."},
    {.name = "action", .kind = Kind::any, .schema = &action_input_schema},
    {.name = "steps",
     .kind = Kind::any,
     .schema = &steps_input_schema,
     .description = "Several actions, performed in order, instead of action."},
    {.name = "conditions",
     .kind = Kind::any,
     .schema = &conditions_schema,
     .description = "Default: {}, which always holds."},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "delay", .kind = Kind::duration},
    {.name = "workdays",
     .kind = Kind::boolean,
     .description = "The delay is 1 to 20 whole days, which are counted as working days. Default: false."},
    {.name = "ordered",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "The runs for one record are performed one after another, in commit order."},
    window_property,
    limit_property,
    rate_property,
    cancel_on_property,
    digest_property,
    {.name = "trigger", .kind = Kind::string, .read_only = true},
    {.name = "isManaged", .kind = Kind::boolean, .read_only = true},
    {.name = "status", .kind = Kind::string, .read_only = true},
    {.name = "pausedReason", .kind = Kind::string, .read_only = true},
    {.name = "problem", .kind = Kind::string, .read_only = true},
    {.name = "version", .kind = Kind::integer, .read_only = true},
    {.name = "firedLast7Days", .kind = Kind::integer, .read_only = true},
    {.name = "warnings", .kind = Kind::array, .read_only = true, .items = Kind::string},
    {.name = "createdAt", .kind = Kind::timestamp, .read_only = true},
    {.name = "updatedAt", .kind = Kind::timestamp, .read_only = true},
};

constexpr std::size_t max_definition_bytes = 256UL * 1024;
constexpr const char* no_triggers = "is required unless triggers, timer or schedule is given";

bool is_given(const json::object& body, const char* name) { return find_value(body, name) != nullptr; }

/// True if the members of a request name triggers of events. The answer to a GET of a workflow with a timer
/// or a schedule, which can be sent back, has an empty list.
bool names_events(const json::object& body) {
  const json::value* const list = find_value(body, "triggers");
  const bool is_empty = list != nullptr && list->is_array() && list->get_array().empty();
  const bool is_timed = is_given(body, "timer") || is_given(body, "schedule");
  return is_given(body, "triggerId") || (list != nullptr && !(is_empty && is_timed));
}

/// True if the members of a request say when the workflow runs; their values may be invalid.
bool names_triggers(const json::object& body) {
  return names_events(body) || is_given(body, "timer") || is_given(body, "schedule");
}

/// Adds an error for each given member that needs a schedule.
void refuse_query(const json::object& body, FieldErrors& errors) {
  for (const char* const name : {"query", "each", "runWhenEmpty"}) {
    if (is_given(body, name)) errors.push_back({name, "needs a schedule"});
  }
}

/// Replaces the triggers with a timer.
void merge_timer(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  if (names_events(body) || is_given(body, "schedule"))
    errors.push_back({"timer", "must not be given together with triggerId, triggers or schedule"});
  if (!is_given(body, "schedule")) refuse_query(body, errors);
  auto parsed = domain::parse_timer(*find_value(body, "timer"), definition.entity_type);
  if (auto* const problems = std::get_if<FieldErrors>(&parsed)) {
    errors.insert(errors.end(), problems->begin(), problems->end());
  } else {
    definition.trigger_code =
        domain::choose(std::get<domain::Timer>(parsed), definition.entity_type).stored();
  }
}

/// Replaces the triggers with a schedule, or overwrites the given members of the stored schedule.
void merge_schedule(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  const auto stored = domain::parse_choice(definition.trigger_code);
  const bool has_schedule =
      stored && stored->schedule && stored->first->entity_type == definition.entity_type;
  json::object members = has_schedule ? stored->schedule->shown() : json::object();
  for (const char* const name : domain::schedule_members) {
    if (const json::value* const given = body.if_contains(name)) members[name] = *given;
  }
  if (!is_given(members, "schedule")) return refuse_query(body, errors);
  if (names_events(body))
    errors.push_back({"schedule", "must not be given together with triggerId or triggers"});
  auto parsed = domain::parse_schedule(members, definition.entity_type);
  if (auto* const problems = std::get_if<FieldErrors>(&parsed)) {
    errors.insert(errors.end(), problems->begin(), problems->end());
  } else {
    definition.trigger_code =
        domain::choose(std::get<domain::Schedule>(std::move(parsed)), definition.entity_type).stored();
  }
}

/// Adds an error if a workflow with a schedule has a delay.
void check_scheduled(const json::object& body, const WorkflowDefinition& definition, FieldErrors& errors) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  const bool has_schedule = is_given(body, "schedule") || (choice && choice->schedule);
  const bool has_delay =
      body.contains("delay") ? text_at(body, "delay").has_value() : definition.delay.has_value();
  if (has_schedule && has_delay) errors.push_back({"delay", "must not be given with a schedule"});
}

/// Overwrites the triggers. A body that comes from a GET has both `triggers` and their first as `triggerId`.
void merge_triggers(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  if (is_given(body, "timer")) return merge_timer(body, definition, errors);
  if (std::ranges::any_of(domain::schedule_members, [&](const char* name) { return is_given(body, name); })) {
    return merge_schedule(body, definition, errors);
  }
  const auto guid = guid_at(body, "triggerId");
  const domain::Trigger* const named = guid ? domain::find_trigger(*guid) : nullptr;
  const json::value* const list = find_value(body, "triggers");
  if (list != nullptr && list->is_array()) {
    auto parsed = domain::parse_choice(list->get_array(), definition.entity_type);
    if (auto* const problems = std::get_if<FieldErrors>(&parsed)) {
      errors.insert(errors.end(), problems->begin(), problems->end());
      return;
    }
    auto choice = std::get<domain::TriggerChoice>(parsed);
    if (named != nullptr && named != choice.first) {
      errors.push_back({"triggerId", "must be the first of triggers; give only one of the two"});
    }
    const auto present = domain::parse_choice(definition.trigger_code);
    const bool was_list = present && present->is_list && present->set == choice.set;
    if (named != nullptr && choice.set.count() == 1 && !choice.is_all && !was_list) choice.is_list = false;
    definition.trigger_code = choice.stored();
  } else if (named != nullptr) {
    definition.trigger_code = domain::choose(*named).stored();
  }
  const auto choice = domain::parse_choice(definition.trigger_code);
  if (choice && choice->first->entity_type != definition.entity_type) {
    errors.push_back({choice->timer      ? "timer"
                      : choice->schedule ? "schedule"
                                         : "triggerId",
                      "is a trigger of " + std::string(domain::record_type(choice->first->entity_type).name) +
                          ", not of " + std::string(domain::record_type(definition.entity_type).name)});
  }
}

/// The delay of the request, or else the stored one.
std::optional<std::string> given_or_stored_delay(const json::object& body,
                                                 const WorkflowDefinition& definition) {
  return body.contains("delay") ? text_at(body, "delay") : definition.delay;
}

/// Overwrites the triggers and the digest, which is stored with them.
void merge_beginning(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  const auto stored = domain::parse_choice(definition.trigger_code);
  merge_triggers(body, definition, errors);
  const json::value given = body.contains("digest")    ? body.at("digest")
                            : stored && stored->digest ? json::value(stored->digest->shown())
                                                       : json::value();
  const auto digest = domain::parse_digest(given, domain::record_type(definition.entity_type), errors);
  auto choice = domain::parse_choice(definition.trigger_code);
  if (!choice) return;
  if (!given.is_null() && choice->set.none())
    errors.push_back({choice->timer ? "timer" : "schedule", "must not be given with a digest"});
  choice->digest = choice->set.any() ? digest : std::nullopt;
  definition.trigger_code = choice->stored();
}

/// Adds an error for each setting of a workflow with a digest that its runs cannot have.
void check_beside_digest(const json::object& body, const WorkflowDefinition& definition,
                         FieldErrors& errors) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  if (!choice || !choice->digest) return;
  const auto refuse = [&](const char* name) { errors.push_back({name, "must not be given with a digest"}); };
  if (given_or_stored_delay(body, definition)) refuse("delay");
  const json::value* const ordered = find_value(body, "ordered");
  if (ordered == nullptr ? definition.ordered : *ordered == true) refuse("ordered");
  if (definition.pacing.limit) refuse("limit");
}

/// Replaces the action with a checked one, whose credentials it hides.
void set_action(json::object action, std::optional<std::string> secret, WorkflowDefinition& definition,
                FieldErrors& errors) {
  definition.action = std::move(action);
  definition.credentials = definition.is_test
                               ? actions::stored_credentials(definition.action, definition.credentials)
                               : actions::take_credentials(definition.action, definition.credentials, errors);
  definition.secret = std::move(secret);
}

void merge_action(const json::value& given_action, const actions::CheckContext& context,
                  WorkflowDefinition& definition, FieldErrors& errors) {
  const json::object* const object = given_action.if_object();
  if (object == nullptr) {
    errors.push_back({"action", "must be an object"});
    return;
  }
  const actions::Action* const action = find_given_action(*object, "action", !is_of_list(definition), errors);
  if (action == nullptr) return;
  json::object checked = action->check(*object, context, errors);
  set_action(std::move(checked), action->has_secret() ? text_at(*object, "secret") : std::nullopt, definition,
             errors);
}

void merge_steps(const json::value& given, const actions::CheckContext& context,
                 WorkflowDefinition& definition, FieldErrors& errors) {
  std::optional<std::string> secret;
  FieldErrors problems;
  json::object checked = check_steps(given, context, !is_of_list(definition), secret, problems);
  if (problems.empty()) set_action(std::move(checked), std::move(secret), definition, problems);
  errors.insert(errors.end(), problems.begin(), problems.end());
}

/// Overwrites the action or the steps. Stored ones must be valid for a new entity type, a schedule and a
/// digest.
void merge_what_to_do(const json::object& body, const net::DestinationPolicy& destinations,
                      const FindTemplate& find_template, WorkflowDefinition& definition,
                      FieldErrors& errors) {
  const actions::CheckContext context{
      .entity_type = definition.entity_type, .destinations = destinations, .find_template = find_template};
  const json::value* const action = find_value(body, "action");
  const json::value* const steps = find_value(body, "steps");
  if (action != nullptr && steps != nullptr) {
    errors.push_back({"steps", "must not be given together with action"});
  } else if (steps != nullptr) {
    merge_steps(*steps, context, definition, errors);
  } else if (action != nullptr) {
    merge_action(*action, context, definition, errors);
  } else if ((is_given(body, "entityType") || is_given(body, "schedule") || body.contains("each") ||
              body.contains("digest")) &&
             !definition.action.empty()) {
    const json::object stored = definition.action;
    if (actions::stored_steps(stored) != nullptr) {
      merge_steps(shown_steps(stored), context, definition, errors);
    } else {
      merge_action(stored, context, definition, errors);
    }
  }
}

/// The member of a request, or else what is stored.
template <typename Part>
json::value given_or_stored(const json::object& body, const char* name, const std::optional<Part>& stored) {
  if (body.contains(name)) return body.at(name);
  return stored ? json::value(stored->stored()) : json::value();
}

/// The limit is checked again even if it is stored, because the entity type may change.
void merge_pacing(const json::object& body, const domain::RecordType& record, domain::Pacing& pacing,
                  FieldErrors& errors) {
  pacing = {.window = domain::parse_window(given_or_stored(body, "window", pacing.window), errors),
            .limit = domain::parse_limit(given_or_stored(body, "limit", pacing.limit), record, errors),
            .rate = domain::parse_rate(given_or_stored(body, "rate", pacing.rate), errors)};
}

/// The stored events are checked again, because the entity type may change.
void merge_cancel_on(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  if (const json::value* const given = body.if_contains(matching::cancel_member))
    definition.cancel_on = *given;
  if (definition.cancel_on.is_null()) return;
  matching::check_awaited(definition.cancel_on, definition.entity_type, std::string(matching::cancel_member),
                          false, errors);
  if (is_of_list(definition)) errors.push_back({std::string(matching::cancel_member), needs_record});
}

/// True if the delay counts working days. A stored delay that is removed no longer does.
bool counts_workdays(const json::object& body, const WorkflowDefinition& definition) {
  if (body.contains("workdays"))
    return find_value(body, "workdays") != nullptr && body.at("workdays") == true;
  return definition.workdays && given_or_stored_delay(body, definition);
}

void check_workdays(const json::object& body, const WorkflowDefinition& definition, FieldErrors& errors) {
  if (!counts_workdays(body, definition)) return;
  const auto delay = given_or_stored_delay(body, definition);
  if (!delay) {
    errors.push_back({"workdays", "needs delay"});
  } else if (!domain::parse_working_days(*delay)) {
    errors.push_back({"delay", domain::working_days_problem});
  }
}

/// Adds an error if delay or digest, steps and window together can make a run wait until its event is no
/// longer kept.
void check_longest_wait(const WorkflowDefinition& definition, const json::object& body, Duration below,
                        FieldErrors& errors) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  const auto* const digest = choice && choice->digest ? &choice->digest->terms : nullptr;
  const auto text = given_or_stored_delay(body, definition);
  const auto delay = digest != nullptr ? std::optional(digest->longest())
                     : counts_workdays(body, definition)
                         ? std::optional(domain::longest_working_days(
                               domain::parse_working_days(text.value_or("")).value_or(0)))
                         : parse_duration(text.value_or("PT0S"));
  const Duration waits = check_waits(definition.action, delay.value_or(Duration{}), below, errors);
  const std::string days = std::to_string(below / std::chrono::days(1)) + " days that events are kept";
  if (delay && *delay >= below) {
    errors.push_back({digest == nullptr                  ? "delay"
                      : digest->every > Duration::zero() ? "digest.every"
                                                         : "digest.atMost",
                      "must be shorter than the " + days});
  } else if (delay && definition.pacing.window && waits < below &&
             waits + count_window_waits(definition.action) * definition.pacing.window->longest_closed() >=
                 below) {
    errors.push_back({"window",
                      "must open more often: with the delay or digest and the waits, a run could wait for "
                      "longer than the " +
                          days});
  }
}

void make_secret(WorkflowDefinition& definition) {
  bool is_signed = false;
  for_each_action(definition.action,
                  [&](const actions::Action& action, const json::object&, const std::string&) {
                    is_signed = is_signed || action.has_secret();
                  });
  if (is_signed && !definition.has_secret && !definition.secret)
    definition.secret = net::WebhookSecret::random().text();
}

/// Overwrites the members that need checks, and adds their errors to `errors`.
void merge_checked(const json::object& body, const net::DestinationPolicy& destinations,
                   const FindTemplate& find_template, WorkflowDefinition& definition, FieldErrors& errors) {
  if (auto name = text_at(body, "name")) definition.name = std::move(*name);
  check_has_text(body, "name", errors);
  if (const auto name = text_at(body, "entityType")) {
    const auto type = domain::parse_entity_type(*name);
    if (!type) {
      errors.push_back({"entityType", "must be one of Order, Shipment, Customer, Product"});
      return;
    }
    definition.entity_type = *type;
  }
  const domain::RecordType& record = domain::record_type(definition.entity_type);
  merge_beginning(body, definition, errors);
  merge_what_to_do(body, destinations, find_template, definition, errors);
  check_scheduled(body, definition, errors);
  if (body.contains("conditions")) {
    const json::value* conditions = find_value(body, "conditions");
    definition.conditions = conditions == nullptr ? json::value(json::object()) : *conditions;
  }
  merge_pacing(body, record, definition.pacing, errors);
  merge_cancel_on(body, definition, errors);
  check_workdays(body, definition, errors);
  check_beside_digest(body, definition, errors);
  const auto conditions = domain::Conditions::parse(definition.conditions, record);
  if (const auto* condition_errors = std::get_if<FieldErrors>(&conditions)) {
    errors.insert(errors.end(), condition_errors->begin(), condition_errors->end());
  }
}

void check_has_action(const json::object& body, FieldErrors& errors) {
  if (find_value(body, "action") == nullptr && find_value(body, "steps") == nullptr)
    errors.push_back({"action", "is required unless steps is given"});
}

/// The members `template` of the action or steps of a request, or else of the stored definition, each once.
std::set<std::string> named_templates(const json::object& body, const WorkflowDefinition& definition) {
  std::set<std::string> codes;
  const auto add = [&](const json::object& action) {
    if (codes.size() == matching::max_steps) return;
    if (auto code = text_at(action, "template")) codes.insert(std::move(*code));
  };
  const json::value* const action = find_value(body, "action");
  const json::value* const steps = find_value(body, "steps");
  const json::array* list = steps == nullptr ? nullptr : steps->if_array();
  if (action == nullptr && steps == nullptr) list = actions::stored_steps(definition.action);
  if (list != nullptr) {
    actions::for_each_step(*list, {}, [&](const json::object& step, const std::string&) { add(step); });
  } else if (action == nullptr || action->is_object()) {
    add(action != nullptr ? action->get_object() : definition.action);
  }
  return codes;
}

}  // namespace

const Schema workflow_configure_schema{"WorkflowConfigure", configure_properties};

bool is_of_list(const WorkflowDefinition& definition) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  return choice && (choice->digest || (choice->schedule && !choice->schedule->each));
}

asio::awaitable<FindTemplate> find_template(const Call& call, storage::Transaction& transaction,
                                            const json::object& body, const WorkflowDefinition& definition) {
  using Found = std::pair<std::string, domain::EntityType>;
  std::map<std::string, Found, std::less<>> found;
  for (const std::string& code : named_templates(body, definition)) {
    const auto rows =
        co_await transaction.run(storage::sql::templates::Find{.business = call.business(), .code = code});
    if (const auto stored = rows.find()) {
      found.emplace(code, Found(stored->type, static_cast<domain::EntityType>(stored->entity_type)));
    } else if (const auto* const built_in = templates::find_built_in(code)) {
      found.emplace(code, Found(templates::built_in_type, built_in->entity_type));
    }
  }
  co_return [found = std::move(found)](std::string_view code) {
    const auto named = found.find(code);
    return named == found.end() ? std::nullopt : std::optional(named->second);
  };
}

void show_triggers(json::object& workflow) {
  const auto choice = domain::parse_choice(std::string_view(workflow.at("trigger").as_string()));
  const bool has_timer = choice && choice->timer;
  const bool has_schedule = choice && choice->schedule;
  workflow["triggerId"] =
      choice && !has_timer && !has_schedule ? json::value(choice->first->guid.to_string()) : json::value();
  workflow["triggers"] = choice ? choice->shown() : json::array{workflow.at("trigger")};
  workflow["timer"] = has_timer ? json::value(choice->timer->shown()) : json::value();
  for (const char* const name : domain::schedule_members) workflow[name] = nullptr;
  if (has_schedule) {
    for (auto& [name, value] : choice->schedule->shown()) workflow[name] = std::move(value);
  }
  workflow["digest"] = choice && choice->digest ? json::value(choice->digest->shown()) : json::value();
  if (choice) workflow["trigger"] = choice->first->code;
}

void show_delay(json::object& version) {
  json::value& workdays = version["workdays"];
  const bool is_counted = workdays.is_string();
  if (is_counted) version["delay"] = workdays;
  version["workdays"] = is_counted;
}

domain::Pacing read_pacing(const json::object& stored, const domain::RecordType& type, FieldErrors& errors) {
  return {.window = domain::parse_window(stored.at("window"), errors),
          .limit = domain::parse_limit(stored.at("limit"), type, errors),
          .rate = domain::parse_rate(stored.at("rate"), errors)};
}

WorkflowDefinition stored_definition(const storage::Rows& rows) {
  const json::object stored = json::parse(json_object(rows)).as_object();
  WorkflowDefinition definition;
  definition.name = stored.at("name").as_string();
  definition.entity_type = static_cast<domain::EntityType>(stored.at("entityType").to_number<int>());
  definition.trigger_code = stored.at("trigger").as_string();
  definition.action = stored.at("action").as_object();
  definition.template_codes = matching::template_codes(definition.action);
  definition.conditions = stored.at("conditions");
  definition.is_active = stored.at("isActive").as_bool();
  definition.ordered = stored.at("ordered").as_bool();
  if (stored.at("delay").is_string()) definition.delay = stored.at("delay").as_string();
  definition.workdays = stored.at("workdays").as_bool();
  definition.cancel_on = stored.at("cancelOn");
  FieldErrors errors;
  definition.pacing = read_pacing(stored, domain::record_type(definition.entity_type), errors);
  if (!errors.empty()) throw invalid(std::move(errors));  // from a newer version or SQL
  if (const auto* has_secret = stored.if_contains("hasSecret")) definition.has_secret = has_secret->as_bool();
  return definition;
}

void check_definition(const json::object& definition, FieldErrors& errors) {
  json::object copy = definition;
  validate(workflow_configure_schema, copy, errors);
  if (!definition.contains("entityType")) errors.push_back({"entityType", "is required"});
  check_has_action(definition, errors);
  if (!names_triggers(definition)) errors.push_back({"triggerId", no_triggers});
  WorkflowDefinition merged;
  merged.is_test = true;
  merged.conditions = json::object();
  merge_checked(definition, {.allow_private = true}, {}, merged, errors);
}

void check_workflow_body(const json::object& body, FieldErrors& errors) {
  if (find_value(body, "guid") != nullptr) return;
  for (const char* name : {"name", "entityType"}) {
    if (!body.contains(name)) errors.push_back({name, "is required"});
  }
  if (is_given(body, "ifVersion")) errors.push_back({"ifVersion", "needs guid"});
  check_has_action(body, errors);
  if (!names_triggers(body)) errors.push_back({"triggerId", no_triggers});
  WorkflowDefinition definition;
  definition.conditions = json::object();
  merge_checked(body, {.allow_private = true}, {}, definition, errors);
}

std::size_t stored_size(const WorkflowDefinition& definition) {
  return to_json(definition.action).size() + to_json(definition.conditions).size() +
         (definition.cancel_on.is_null() ? 0 : to_json(definition.cancel_on).size());
}

namespace {

/// A stored workflow that is larger can still be changed in other ways.
void check_size(const json::object& body, const WorkflowDefinition& definition, FieldErrors& errors) {
  const bool has_conditions = body.contains("conditions") || body.contains(matching::cancel_member);
  if (!has_conditions && !body.contains("action") && !body.contains("steps")) return;
  const std::size_t size = stored_size(definition);
  if (size <= max_definition_bytes) return;
  const bool is_long = to_json(definition.conditions).size() > size / 2;
  errors.push_back({is_long ? "conditions" : "action",
                    "conditions and action have " + std::to_string(size) + " bytes together; " +
                        std::to_string(max_definition_bytes) + " are allowed"});
}

}  // namespace

void merge_workflow(const json::object& body, const net::DestinationPolicy& destinations,
                    const FindTemplate& find_template, Duration delay_below, WorkflowDefinition& definition) {
  if (const auto guid = guid_at(body, "triggerId"); guid && !domain::find_trigger(*guid)) {
    throw not_found("trigger");
  }
  FieldErrors errors;
  merge_checked(body, destinations, find_template, definition, errors);
  check_longest_wait(definition, body, delay_below, errors);
  if (errors.empty()) check_size(body, definition, errors);
  if (!errors.empty()) throw invalid(std::move(errors));

  if (const json::value* active = find_value(body, "isActive")) definition.is_active = active->as_bool();
  if (const json::value* ordered = find_value(body, "ordered")) definition.ordered = ordered->as_bool();
  definition.workdays = counts_workdays(body, definition);
  merge_text(body, "delay", definition.delay);
  definition.template_codes = matching::template_codes(definition.action);
  if (auto choice = domain::parse_choice(definition.trigger_code)) {
    const actions::Action* const action = actions::find_action(definition.action.at("type").as_string());
    choice->second_format = action != nullptr && action->needs_second_format(definition.action);
    choice->third_format = static_cast<bool>(definition.pacing);
    choice->fourth_format = definition.workdays;
    choice->fifth_format = !definition.cancel_on.is_null() || awaits_events(definition.action);
    definition.trigger_code = choice->stored();
  }
  make_secret(definition);
}

}  // namespace waybill::api
