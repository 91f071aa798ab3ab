#include <algorithm>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/paging.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "api/workflows/activity.hpp"
#include "api/workflows/change.hpp"
#include "api/workflows/insight.hpp"
#include "api/workflows/step_body.hpp"
#include "api/workflows/workflow_body.hpp"
#include "api/workflows/workflow_headers.hpp"
#include "api/workflows/workflow_schemas.hpp"
#include "base/observe.hpp"
#include "domain/triggers.hpp"
#include "matching/rule.hpp"
#include "net/webhook_signature.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "storage/sql/templates.sql.hpp"
#include "storage/sql/users.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::workflows;

constexpr Property trigger_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "code", .kind = Kind::string, .nullable = false, .schema = &trigger_code_schema},
    {.name = "description", .kind = Kind::string, .nullable = false},
};
constexpr Schema trigger_schema{"Trigger", trigger_properties};

constexpr Property workflow_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "trigger", .kind = Kind::string, .nullable = false, .schema = &run_trigger_schema},
    {.name = "triggerId", .kind = Kind::uuid, .description = "The first of triggers; null without triggers."},
    triggers_property,
    timer_property,
    schedule_property,
    query_property,
    each_property,
    run_when_empty_property,
    {.name = "action",
     .kind = Kind::any,
     .schema = &action_schema,
     .description = "Null if the workflow has steps."},
    {.name = "steps", .kind = Kind::any, .schema = &steps_schema},
    {.name = "conditions", .kind = Kind::any, .nullable = false, .schema = &conditions_schema},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "isManaged", .kind = Kind::boolean, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = workflow_statuses},
    {.name = "pausedReason", .kind = Kind::string},
    {.name = "problem",
     .kind = Kind::string,
     .description = "Why this version of the service cannot read the workflow. Its events and runs wait."},
    {.name = "version", .kind = Kind::integer, .nullable = false},
    {.name = "ordered", .kind = Kind::boolean, .nullable = false},
    {.name = "delay", .kind = Kind::duration},
    window_property,
    limit_property,
    rate_property,
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "updatedAt", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema workflow_schema{"Workflow", workflow_properties};

constexpr Property configured_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "version", .kind = Kind::integer, .nullable = false},
    {.name = "firedLast7Days",
     .kind = Kind::integer,
     .description = "How often the workflow would have run; null if there are too many events to count."},
    {.name = "action", .kind = Kind::any, .schema = &action_schema},
    {.name = "steps",
     .kind = Kind::any,
     .optional = true,
     .schema = &steps_schema,
     .description = "Only of a workflow with steps."},
};
constexpr Schema configured_schema{"WorkflowConfigured", configured_properties};

constexpr Property toggled_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema toggled_schema{"WorkflowToggled", toggled_properties};

constexpr Property rotate_properties[] = {
    {.name = "secret", .kind = Kind::string, .description = "whsec_…. Default: a generated secret."},
    {.name = "overlap",
     .kind = Kind::duration,
     .description = "The time for which the old secret also signs. Default: PT24H."},
};
constexpr Schema rotate_schema{"SecretRotation", rotate_properties};
constexpr Property secret_properties[] = {{.name = "secret", .kind = Kind::string, .nullable = false}};
constexpr Schema secret_schema{"WebhookSecret", secret_properties};

domain::EntityType entity_type(const Call& call) {
  const auto type = domain::parse_entity_type(call.path_text);
  if (!type) throw invalid("entityType", "must be one of Order, Shipment, Customer, Product");
  return *type;
}

Bytes sealed(const Services& services, std::string_view secret, const Guid& workflow) {
  return services.secrets.seal(secret, "workflow-secret:" + workflow.to_string());
}

asio::awaitable<Answer> list_triggers(Call& call, Services&) {
  json::array triggers;
  for (const domain::Trigger& trigger : domain::triggers(entity_type(call))) {
    triggers.push_back({{"guid", trigger.guid.to_string()},
                        {"name", trigger.name},
                        {"code", trigger.code},
                        {"description", trigger.description}});
  }
  co_return Answer::of(to_json(triggers));
}

asio::awaitable<Answer> list_workflows(Call& call, Services& services) {
  const bool managed = call.parameter("managed") == "true";
  co_return Answer::of(to_json(co_await listed_workflows(call, services, entity_type(call), managed)));
}

asio::awaitable<Answer> get_workflow(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::Get{.business = call.business(), .workflow = call.id()});
  if (rows.empty()) throw not_found("workflow");
  json::object workflow = json::parse(json_object(rows)).as_object();
  const auto type = static_cast<domain::EntityType>(workflow.at("entityType").to_number<int>());
  workflow["entityType"] = domain::record_type(type).name;
  const bool paused = !workflow.at("pausedReason").is_null();
  auto problem = matching::definition_problem(
      std::string_view(workflow.at("trigger").as_string()), workflow.at("conditions"),
      workflow.at("action").is_object() ? workflow.at("action").get_object() : json::object());
  FieldErrors errors;
  read_pacing(workflow, domain::record_type(type), errors);
  if (!problem && !errors.empty()) problem = errors.front().field + ": " + errors.front().message;
  show_triggers(workflow);
  show_action(workflow);
  workflow["problem"] = problem ? json::value(*problem) : json::value();
  workflow["status"] = paused ? "paused" : workflow.at("isActive").as_bool() ? "active" : "disabled";
  co_return Answer::of(to_json(workflow));
}

template <typename Part>
std::optional<std::string> stored_json(const std::optional<Part>& part) {
  return part ? std::optional(to_json(part->stored())) : std::nullopt;
}

/// Runs sql::Create or sql::Change. `kept_credentials` are the stored ones if they do not change: encrypted
/// anew, they would look changed in the audit log.
template <storage::TypedStatement S>
asio::awaitable<storage::Rows> store(const Call& call, const Services& services,
                                     storage::Transaction& transaction, const Guid& guid,
                                     const WorkflowDefinition& definition,
                                     std::optional<Bytes> kept_credentials = {}) {
  std::optional<Bytes> sealed_secret, sealed_credentials = std::move(kept_credentials);
  if (definition.secret) sealed_secret = sealed(services, *definition.secret, guid);
  if (!sealed_credentials && !definition.credentials.empty()) {
    sealed_credentials =
        services.secrets.seal(definition.credentials.text(), actions::Credentials::purpose(guid));
  }
  co_return co_await transaction.run(S{.business = call.business(),
                                       .workflow = guid,
                                       .name = definition.name,
                                       .entity_type = static_cast<std::int16_t>(definition.entity_type),
                                       .trigger = definition.trigger_code,
                                       .action = to_json(definition.action),
                                       .conditions = to_json(definition.conditions),
                                       .is_active = definition.is_active,
                                       .ordered = definition.ordered,
                                       .delay = definition.delay,
                                       .sealed_secret = sealed_secret,
                                       .template_codes = definition.template_codes,
                                       .sealed_credentials = sealed_credentials,
                                       .window = stored_json(definition.pacing.window),
                                       .limit = stored_json(definition.pacing.limit),
                                       .rate = stored_json(definition.pacing.rate)});
}

asio::awaitable<void> check_user(const Call& call, storage::Transaction& transaction,
                                 const WorkflowDefinition& definition) {
  std::vector<std::pair<Guid, std::string>> named;  // with the field
  for_each_action(definition.action, [&](const actions::Action& action, const json::object& action_definition,
                                         const std::string& field) {
    if (const auto user = action.user(action_definition)) named.emplace_back(*user, field + ".recipient");
  });
  for (const auto& [user, field] : named) {
    const auto found =
        co_await transaction.run(storage::sql::users::IsMember{.business = call.business(), .user = user});
    if (!found.front().is_member) throw invalid(field, "there is no user with this guid");
  }
}

/// Throws Failure if the database's server does not know the time zone of the window.
asio::awaitable<void> check_zone(const Call& call, const Services& services,
                                 storage::Transaction& transaction, const WorkflowDefinition& definition) {
  const auto& window = definition.pacing.window;
  if (!window || !window->zone) co_return;
  const std::vector<std::int64_t> days(window->days.begin(), window->days.end());
  const auto opening =
      co_await transaction.run(storage::sql::pacing::NextOpening{.business = call.business(),
                                                                 .zone = window->zone,
                                                                 .days = days,
                                                                 .opens = window->from,
                                                                 .closes = window->to,
                                                                 .at = services.clock.now()});
  if (!opening.front().opens_at) throw invalid("window.timezone", "is not known to the database's server");
}

/// Throws Failure if the workflow would exceed the business's limit of workflows, or of active workflows for
/// one of its triggers (in the stored form). A workflow that is already counted may change. Requests that add
/// a workflow wait for each other.
asio::awaitable<void> check_limits(const Call& call, const Services& services,
                                   storage::Transaction& transaction, const Guid& guid,
                                   std::string_view triggers, bool is_active) {
  const WorkflowLimits& limits = services.settings.workflow_limits;
  co_await transaction.run(storage::sql::templates::LockBusiness{.business = call.business()});
  std::vector<std::string> codes;
  if (const auto choice = domain::parse_choice(triggers)) {
    for (const domain::Trigger* const trigger : domain::narrowest_first(choice->set))
      codes.emplace_back(trigger->code);
    if (choice->set.none()) codes.emplace_back(choice->first->code);
  }
  const auto rows =
      co_await transaction.run(sql::Count{.business = call.business(), .triggers = codes, .workflow = guid});
  const auto count = rows.front();
  if (!count.exists && count.others >= limits.per_business) {
    throw conflict("The business has " + std::to_string(count.others) + " workflows; " +
                   std::to_string(limits.per_business) + " are allowed.");
  }
  if (is_active && count.trigger && count.others_active >= limits.per_trigger) {
    throw conflict("The business has " + std::to_string(count.others_active) +
                   " active workflows for the trigger " + std::string(*count.trigger) + "; " +
                   std::to_string(limits.per_trigger) + " are allowed.");
  }
}

/// Stores the expected number of firings, by which the worker detects excessive ones. A failure is only
/// logged.
asio::awaitable<void> store_expectation(const Call& call, Services& services, const Guid& workflow,
                                        std::uint64_t fired) {
  const auto& name = sql::ExpectFirings::statement.name;
  try {
    co_await services.db.write(sql::ExpectFirings{.business = call.business(),
                                                  .workflow = workflow,
                                                  .expected_weekly = static_cast<std::int64_t>(fired)},
                               {});
  } catch (const std::exception& error) {
    observe(Observable::statement_failed, {{"statement", name}, {"error", error.what()}});
  }
}

/// Adds the signing secret to the webhooks of a shown workflow.
void show_secret(const std::string& secret, json::object& shown) {
  const auto add = [&](json::object& action) {
    const auto* const type = actions::find_action(text_at(action, "type").value_or(""));
    if (type != nullptr && type->has_secret()) action["secret"] = secret;
  };
  if (auto* const action = shown.at("action").if_object()) add(*action);
  if (auto* const steps = shown.at("steps").if_array()) {
    for (json::value& step : *steps) add(step.as_object());
  }
}

asio::awaitable<std::string> configured_answer(const Call& call, Services& services, const Guid& guid,
                                               const storage::Rows& rows,
                                               const WorkflowDefinition& definition) {
  json::object configured = json::parse(json_object(rows)).as_object();
  const auto fired = co_await fired_last_7_days(services, call.business(), definition);
  configured["firedLast7Days"] = fired ? json::value(*fired) : json::value();
  if (fired) co_await store_expectation(call, services, guid, *fired);
  show_action(configured);
  if (definition.secret) show_secret(*definition.secret, configured);
  if (configured.at("steps").is_null()) configured.erase("steps");
  co_return to_json(configured);
}

/// True if storing `after` would change nothing of a workflow that is stored as `before`.
bool is_unchanged(const WorkflowDefinition& before, const WorkflowDefinition& after) {
  return !after.secret && before.name == after.name && before.entity_type == after.entity_type &&
         before.trigger_code == after.trigger_code && before.action == after.action &&
         before.conditions == after.conditions && before.is_active == after.is_active &&
         before.ordered == after.ordered && before.delay == after.delay && before.pacing == after.pacing &&
         before.credentials.text() == after.credentials.text();
}

asio::awaitable<Answer> configure_workflow(Call& call, Services& services) {
  if (const auto guid = guid_at(call.object(), "guid")) {
    co_return co_await change_workflow(call, services, *guid, call.object());
  }
  WorkflowDefinition definition;
  definition.conditions = json::object();
  const auto transaction = co_await services.db.begin(call.cause());
  const FindTemplate find = co_await find_template(call, *transaction, call.object(), definition);
  merge_workflow(call.object(), services.settings.destinations, find,
                 services.settings.workflow_limits.delay_below, definition);
  co_await check_user(call, *transaction, definition);
  co_await check_zone(call, services, *transaction, definition);
  const Guid guid = Guid::random();
  co_await check_limits(call, services, *transaction, guid, definition.trigger_code, definition.is_active);
  const auto rows = co_await store<sql::Create>(call, services, *transaction, guid, definition);
  co_await transaction->commit();
  co_return Answer::created(co_await configured_answer(call, services, guid, rows, definition),
                            "/api/workflows/configured/" + guid.to_string());
}

asio::awaitable<Answer> toggle_workflow(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked =
      co_await transaction->run(sql::LockState{.business = call.business(), .workflow = call.id()});
  const auto found = locked.find();
  if (!found) throw not_found("workflow");
  if (!found->is_active && !found->is_managed) {
    co_await check_limits(call, services, *transaction, call.id(), found->trigger, true);
  }
  const auto rows =
      co_await transaction->run(sql::Toggle{.business = call.business(), .workflow = call.id()});
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_workflow(Call& call, Services& services) {
  const auto removed = co_await services.db.write(
      sql::Remove{.business = call.business(), .workflow = call.id()}, call.cause());
  if (removed.empty()) throw not_found("workflow");
  if (removed.front().is_managed) {
    throw Failure(ErrorCode::forbidden, "A managed workflow can be switched off, not deleted.");
  }
  co_return Answer::none();
}

asio::awaitable<Answer> resume_workflow(Call& call, Services& services) {
  const Guid workflow = Guid::parse(call.parameter("workflowId").value()).value();
  const auto resumed = co_await services.db.write(
      sql::Resume{.business = call.business(), .workflow = workflow}, call.cause());
  if (resumed.empty()) throw not_found("workflow");
  if (resumed.front().paused) {
    observe(Observable::workflow_resumed, {{"workflow", workflow.to_string()}});
  }
  co_return Answer::none();
}

asio::awaitable<Answer> rotate_secret(Call& call, Services& services) {
  const auto given_secret = text_at(call.object(), "secret");
  if (given_secret && !net::WebhookSecret::parse(*given_secret)) {
    throw invalid("secret", "must be whsec_ and the base64 of 24 to 64 bytes");
  }
  const std::string secret = given_secret.value_or(net::WebhookSecret::random().text());
  const auto rows = co_await services.db.write(
      sql::RotateSecret{.business = call.business(),
                        .workflow = call.id(),
                        .sealed_secret = sealed(services, secret, call.id()),
                        .overlap = text_at(call.object(), "overlap").value_or("PT24H")},
      call.cause());
  if (rows.empty()) throw not_found("workflow with a secret");
  co_return Answer::of(to_json(json::object{{"secret", secret}}));
}

constexpr Parameter managed_parameters[] = {
    {.name = "managed", .kind = Kind::boolean, .description = "Includes the managed workflows."}};
constexpr Parameter resume_parameters[] = {{.name = "workflowId", .kind = Kind::uuid, .required = true}};

const Route routes[] = {
    {.method = Method::get,
     .path = "/api/workflows/triggers/{entityType:text}",
     .permission = Permission::read,
     .handler = list_triggers,
     .operation_id = "listTriggers",
     .summary = "Lists the triggers of an entity type",
     .tag = "Workflows",
     .answer = &trigger_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/workflows/{entityType:text}/configured",
     .permission = Permission::read,
     .handler = list_workflows,
     .operation_id = "listWorkflows",
     .summary = "Lists the workflows of an entity type",
     .tag = "Workflows",
     .query = managed_parameters,
     .answer = &workflow_entry_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/workflows/configure",
     .permission = Permission::administer,
     .handler = configure_workflow,
     .operation_id = "configureWorkflow",
     .summary = "Creates a workflow",
     .description = "A guid in the body updates that workflow (200). name, entityType, triggerId and action "
                    "(or triggers and steps) are required without a guid.",
     .tag = "Workflows",
     .body = &workflow_configure_schema,
     .body_check = check_workflow_body,
     .body_kind = BodyKind::object,
     .answer = &configured_schema,
     .status = 201,
     .may_change = true},
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}",
     .permission = Permission::read,
     .handler = get_workflow,
     .operation_id = "getWorkflow",
     .summary = "Returns a workflow",
     .tag = "Workflows",
     .answer = &workflow_schema},
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}/toggle",
     .permission = Permission::administer,
     .handler = toggle_workflow,
     .operation_id = "toggleWorkflow",
     .summary = "Switches a workflow on or off",
     .tag = "Workflows",
     .answer = &toggled_schema,
     .changes = true},
    {.method = Method::del,
     .path = "/api/workflows/configured/{guid}",
     .permission = Permission::administer,
     .handler = delete_workflow,
     .operation_id = "deleteWorkflow",
     .summary = "Deletes a workflow",
     .description = "Its runs stay in the history.",
     .tag = "Workflows"},
    {.method = Method::get,
     .path = "/api/workflows/resume-workflow",
     .permission = Permission::administer,
     .handler = resume_workflow,
     .operation_id = "resumeWorkflow",
     .summary = "Resumes a paused workflow",
     .description = "The runs that it held are released.",
     .tag = "Workflows",
     .query = resume_parameters,
     .changes = true},
    {.method = Method::post,
     .path = "/api/workflows/configured/{guid}/rotate-secret",
     .permission = Permission::administer,
     .handler = rotate_secret,
     .operation_id = "rotateWorkflowSecret",
     .summary = "Replaces the signing secret of a webhook",
     .description = "The old secret signs as well until the overlap ends.",
     .tag = "Workflows",
     .body = &rotate_schema,
     .body_kind = BodyKind::object,
     .answer = &secret_schema},
};

}  // namespace

asio::awaitable<Answer> change_workflow(Call& call, Services& services, const Guid& guid,
                                        const json::object& body) {
  const auto transaction = co_await services.db.begin(call.cause());
  // Locked before the workflow's row, as in every request that adds or switches a workflow, to prevent
  // deadlocks.
  co_await transaction->run(storage::sql::templates::LockBusiness{.business = call.business()});
  const auto locked = co_await transaction->run(sql::Lock{.business = call.business(), .workflow = guid});
  const auto found = locked.find();
  if (!found) throw not_found("workflow");
  if (found->is_managed) {
    throw Failure(ErrorCode::forbidden, "A managed workflow can be switched off, not changed.");
  }
  WorkflowDefinition definition = stored_definition(locked.more());
  definition.credentials = actions::stored_credentials(
      definition.action, open_headers(services, found->sealed_credentials.value_or(""), guid));
  const WorkflowDefinition before = definition;
  const FindTemplate find = co_await find_template(call, *transaction, body, definition);
  merge_workflow(body, services.settings.destinations, find, services.settings.workflow_limits.delay_below,
                 definition);
  co_await check_user(call, *transaction, definition);
  co_await check_zone(call, services, *transaction, definition);
  co_await check_limits(call, services, *transaction, guid, definition.trigger_code, definition.is_active);
  std::optional<Bytes> kept_credentials;
  if (found->sealed_credentials && definition.credentials.text() == before.credentials.text())
    kept_credentials = unhex(*found->sealed_credentials);
  const auto rows =
      is_unchanged(before, definition)
          ? co_await transaction->run(sql::Present{.business = call.business(), .workflow = guid})
          : co_await store<sql::Change>(call, services, *transaction, guid, definition,
                                        std::move(kept_credentials));
  co_await transaction->commit();
  co_return Answer::of(co_await configured_answer(call, services, guid, rows, definition));
}

std::span<const Route> workflow_routes() { return routes; }

}  // namespace waybill::api
