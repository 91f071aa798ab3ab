#include "api/workflows/workflow_body.hpp"

#include <algorithm>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/workflows/workflow_schemas.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/triggers.hpp"
#include "net/webhook_signature.hpp"
#include "storage/sql/templates.sql.hpp"
#include "templates/builtin.hpp"

namespace waybill::api {
namespace {

constexpr Property configure_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .description = "The workflow to update. Default: a new workflow."},
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
    {.name = "action", .kind = Kind::any, .nullable = false, .schema = &action_input_schema},
    {.name = "conditions",
     .kind = Kind::any,
     .schema = &conditions_schema,
     .description = "Default: {}, which always holds."},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "delay", .kind = Kind::duration},
    {.name = "ordered",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "The runs for one record are performed one after another, in commit order."},
    {.name = "trigger", .kind = Kind::string, .read_only = true},
    {.name = "isManaged", .kind = Kind::boolean, .read_only = true},
    {.name = "status", .kind = Kind::string, .read_only = true},
    {.name = "pausedReason", .kind = Kind::string, .read_only = true},
    {.name = "problem", .kind = Kind::string, .read_only = true},
    {.name = "version", .kind = Kind::integer, .read_only = true},
    {.name = "firedLast7Days", .kind = Kind::integer, .read_only = true},
    {.name = "createdAt", .kind = Kind::timestamp, .read_only = true},
    {.name = "updatedAt", .kind = Kind::timestamp, .read_only = true},
};

constexpr const char* no_triggers = "is required unless triggers, timer or schedule is given";

bool is_given(const json::object& body, const char* name) { return find_value(body, name) != nullptr; }

/// True if the members of a request name triggers of events. A read of a workflow with a timer or a schedule
/// has an empty list.
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

/// Overwrites the triggers by a timer.
void merge_timer(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  if (names_events(body) || is_given(body, "schedule"))
    errors.push_back({"timer", "must not be given together with triggerId, triggers or schedule"});
  auto parsed = domain::parse_timer(*find_value(body, "timer"), definition.entity_type);
  if (auto* const problems = std::get_if<FieldErrors>(&parsed)) {
    errors.insert(errors.end(), problems->begin(), problems->end());
  } else {
    definition.trigger_code =
        domain::choose(std::get<domain::Timer>(parsed), definition.entity_type).stored();
  }
}

/// Overwrites the triggers by a schedule, or the given members of the stored schedule.
void merge_schedule(const json::object& body, WorkflowDefinition& definition, FieldErrors& errors) {
  const auto stored = domain::parse_choice(definition.trigger_code);
  const bool has_schedule =
      stored && stored->schedule && stored->first->entity_type == definition.entity_type;
  json::object members = has_schedule ? stored->schedule->shown() : json::object();
  for (const char* const name : domain::schedule_members) {
    if (const json::value* const given = body.if_contains(name)) members[name] = *given;
  }
  if (!is_given(members, "schedule")) {
    for (const char* const name : {"query", "each", "runWhenEmpty"}) {
      if (is_given(body, name)) errors.push_back({name, "needs a schedule"});
    }
    return;
  }
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

/// Adds errors for what a workflow with a schedule cannot have.
void check_scheduled(const WorkflowDefinition& definition, FieldErrors& errors) {
  const auto choice = domain::parse_choice(definition.trigger_code);
  if (!choice || !choice->schedule) return;
  const auto* const action = actions::find_action(text_at(definition.action, "type").value_or(""));
  if (action != nullptr && action->changes_records() && !choice->schedule->each)
    errors.push_back({"action.type", "changes a record, so that the schedule needs each: true"});
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
      errors.push_back({"triggerId", "must be the first of triggers; one of the two is enough"});
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

void merge_action(const json::value& given_action, const net::DestinationPolicy& destinations,
                  const FindTemplate& find_template, WorkflowDefinition& definition, FieldErrors& errors) {
  const json::object* object = given_action.if_object();
  if (object == nullptr) {
    errors.push_back({"action", "must be an object"});
    return;
  }
  const auto type = text_at(*object, "type");
  if (!type) {
    errors.push_back({"action.type", object->contains("type") ? "must be a string" : "is required"});
    return;
  }
  const actions::Action* action = actions::find_action(*type);
  if (action == nullptr || action->managed_only()) {
    std::string known;
    for (const actions::Action* each : actions::all_actions()) {
      if (each->managed_only()) continue;
      known += (known.empty() ? "" : ", ") + std::string(each->type());
    }
    errors.push_back({"action.type", "must be one of " + known});
    return;
  }
  const actions::CheckContext context{
      .entity_type = definition.entity_type, .destinations = destinations, .find_template = find_template};
  definition.action = action->check(*object, context, errors);
  definition.credentials = definition.is_test
                               ? actions::stored_credentials(definition.action, definition.credentials)
                               : actions::take_credentials(definition.action, definition.credentials, errors);
  definition.secret = action->has_secret() ? text_at(*object, "secret") : std::nullopt;
}

void make_secret(const actions::Action* action, WorkflowDefinition& definition) {
  if (action->has_secret() && !definition.has_secret && !definition.secret) {
    definition.secret = net::WebhookSecret::random().text();
  }
}

/// Overwrites the members that need checks, and adds their errors to `errors`.
void merge_checked(const json::object& body, const net::DestinationPolicy& destinations,
                   const FindTemplate& find_template, WorkflowDefinition& definition, FieldErrors& errors) {
  if (const auto name = text_at(body, "name")) {
    definition.name = *name;
    if (is_blank(*name)) errors.push_back({"name", "must not be blank"});
  }
  if (const auto name = text_at(body, "entityType")) {
    const auto type = domain::parse_entity_type(*name);
    if (!type) {
      errors.push_back({"entityType", "must be one of Order, Shipment, Customer, Product"});
      return;
    }
    definition.entity_type = *type;
  }
  const domain::RecordType& record = domain::record_type(definition.entity_type);
  merge_triggers(body, definition, errors);
  // A stored action must be valid for a new entity type.
  if (const json::value* action = find_value(body, "action")) {
    merge_action(*action, destinations, find_template, definition, errors);
  } else if (find_value(body, "entityType") != nullptr && !definition.action.empty()) {
    merge_action(json::object(definition.action), destinations, find_template, definition, errors);
  }
  check_scheduled(definition, errors);
  if (body.contains("conditions")) {
    const json::value* conditions = find_value(body, "conditions");
    definition.conditions = conditions == nullptr ? json::value(json::object()) : *conditions;
  }
  const auto conditions = domain::Conditions::parse(definition.conditions, record);
  if (const auto* condition_errors = std::get_if<FieldErrors>(&conditions)) {
    errors.insert(errors.end(), condition_errors->begin(), condition_errors->end());
  }
}

}  // namespace

const Schema workflow_configure_schema{"WorkflowConfigure", configure_properties};

asio::awaitable<FindTemplate> find_template(const Call& call, storage::Transaction& transaction,
                                            const json::object& body, const WorkflowDefinition& definition) {
  using Found = std::optional<std::pair<std::string, domain::EntityType>>;
  const json::value* const action = find_value(body, "action");
  const auto code = text_at(
      action != nullptr && action->is_object() ? action->get_object() : definition.action, "template");
  Found found;
  if (code) {
    const auto rows =
        co_await transaction.run(storage::sql::templates::Find{.business = call.business(), .code = *code});
    if (const auto stored = rows.find()) {
      found = {std::string(stored->type), static_cast<domain::EntityType>(stored->entity_type)};
    } else if (const auto* const built_in = templates::find_built_in(*code)) {
      found = {std::string(templates::built_in_type), built_in->entity_type};
    }
  }
  co_return [found](std::string_view) { return found; };
}

void show_triggers(json::object& workflow) {
  const auto choice = domain::parse_choice(std::string_view(workflow.at("trigger").as_string()));
  const bool has_timer = choice && choice->timer;
  const bool has_schedule = choice && choice->schedule;
  workflow["triggerId"] =
      choice && !has_timer && !has_schedule ? json::value(choice->first->guid.to_string()) : json::value();
  workflow["triggers"] = choice ? choice->shown() : json::array{workflow.at("trigger")};
  if (has_timer) workflow["timer"] = choice->timer->shown();
  if (has_schedule) {
    for (auto& [name, value] : choice->schedule->shown()) workflow[name] = std::move(value);
  }
  if (choice) workflow["trigger"] = choice->first->code;
}

WorkflowDefinition stored_definition(const storage::Rows& rows) {
  const json::object stored = json::parse(json_object(rows)).as_object();
  WorkflowDefinition definition;
  definition.name = stored.at("name").as_string();
  definition.entity_type = static_cast<domain::EntityType>(stored.at("entityType").to_number<int>());
  definition.trigger_code = stored.at("trigger").as_string();
  definition.action = stored.at("action").as_object();
  if (const auto* action = actions::find_action(text_at(definition.action, "type").value_or(""))) {
    definition.template_codes = action->templates(definition.action);
  }
  definition.conditions = stored.at("conditions");
  definition.is_active = stored.at("isActive").as_bool();
  definition.ordered = stored.at("ordered").as_bool();
  if (stored.at("delay").is_string()) definition.delay = stored.at("delay").as_string();
  if (const auto* has_secret = stored.if_contains("hasSecret")) definition.has_secret = has_secret->as_bool();
  return definition;
}

void check_definition(const json::object& definition, FieldErrors& errors) {
  json::object copy = definition;
  validate(workflow_configure_schema, copy, errors);
  for (const char* name : {"entityType", "action"}) {
    if (!definition.contains(name)) errors.push_back({name, "is required"});
  }
  if (!names_triggers(definition)) errors.push_back({"triggerId", no_triggers});
  WorkflowDefinition merged;
  merged.is_test = true;
  merged.conditions = json::object();
  merge_checked(definition, {.allow_private = true}, {}, merged, errors);
}

void check_workflow_body(const json::object& body, FieldErrors& errors) {
  if (find_value(body, "guid") != nullptr) return;
  for (const char* name : {"name", "entityType", "action"}) {
    if (!body.contains(name)) errors.push_back({name, "is required"});
  }
  if (!names_triggers(body)) errors.push_back({"triggerId", no_triggers});
  WorkflowDefinition definition;
  definition.conditions = json::object();
  merge_checked(body, {.allow_private = true}, {}, definition, errors);
}

void merge_workflow(const json::object& body, const net::DestinationPolicy& destinations,
                    const FindTemplate& find_template, Duration delay_below, WorkflowDefinition& definition) {
  if (const auto guid = guid_at(body, "triggerId"); guid && !domain::find_trigger(*guid)) {
    throw not_found("trigger");
  }
  FieldErrors errors;
  merge_checked(body, destinations, find_template, definition, errors);
  const auto delay = parse_duration(text_at(body, "delay").value_or("PT0S"));
  if (delay && *delay >= delay_below) {
    errors.push_back({"delay", "must be shorter than the " +
                                   std::to_string(delay_below / std::chrono::days(1)) +
                                   " days that events are kept"});
  }
  if (!errors.empty()) throw invalid(std::move(errors));

  if (const json::value* active = find_value(body, "isActive")) definition.is_active = active->as_bool();
  if (const json::value* ordered = find_value(body, "ordered")) definition.ordered = ordered->as_bool();
  merge_text(body, "delay", definition.delay);
  const actions::Action* action = actions::find_action(definition.action.at("type").as_string());
  definition.template_codes = action->templates(definition.action);
  if (auto choice = domain::parse_choice(definition.trigger_code)) {
    if (choice->schedule && definition.delay) throw invalid("delay", "must not be given with a schedule");
    choice->second_format = action->needs_second_format(definition.action);
    definition.trigger_code = choice->stored();
  }
  make_secret(action, definition);
}

}  // namespace waybill::api
