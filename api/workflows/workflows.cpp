#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/workflows/configure.hpp"
#include "api/workflows/definition/step_body.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_list.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "base/observe.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/awaited_events.hpp"
#include "matching/rule.hpp"
#include "net/http/webhook_signature.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t most_released = 1'000;  // held runs that a request queues

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
    digest_property,
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
    workdays_property,
    window_property,
    limit_property,
    rate_property,
    cancel_on_property,
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "updatedAt", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema workflow_schema{"Workflow", workflow_properties};

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
  const auto rows =
      co_await services.db.read(sql::workflows::Get{.business = call.business(), .workflow = call.id()});
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
  if (const json::value& events = workflow.at("cancelOn"); !events.is_null())
    matching::check_awaited(events, type, std::string(matching::cancel_member), false, errors);
  if (!problem && !errors.empty()) problem = errors.front().field + ": " + errors.front().message;
  show_triggers(workflow);
  show_action(workflow);
  workflow["problem"] = problem ? json::value(*problem) : json::value();
  workflow["status"] = paused ? "paused" : workflow.at("isActive").as_bool() ? "active" : "disabled";
  co_return Answer::of(to_json(workflow));
}

asio::awaitable<Answer> toggle_workflow(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  const auto locked = co_await transaction->run(
      sql::workflows::LockState{.business = call.business(), .workflow = call.id()});
  const auto found = locked.find();
  if (!found) throw not_found("workflow");
  if (!found->is_active && !found->is_managed) {
    co_await check_limits(call, services, *transaction, call.id(), found->trigger, true, nullptr);
  }
  const auto rows =
      co_await transaction->run(sql::workflows::Toggle{.business = call.business(), .workflow = call.id()});
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> delete_workflow(Call& call, Services& services) {
  const auto removed = co_await services.db.write(
      sql::workflows::Remove{.business = call.business(), .workflow = call.id()}, call.cause());
  if (removed.empty()) throw not_found("workflow");
  if (removed.front().is_managed) {
    throw Failure(ErrorCode::forbidden, "A managed workflow can be switched off, not deleted.");
  }
  co_return Answer::none();
}

asio::awaitable<Answer> resume_workflow(Call& call, Services& services) {
  const Guid workflow = Guid::parse(call.parameter("workflowId").value()).value();
  const auto resumed = co_await services.db.write(
      sql::workflows::Resume{.business = call.business(), .workflow = workflow}, call.cause());
  if (resumed.empty()) throw not_found("workflow");
  if (resumed.front().paused) {
    observe(Observable::workflow_resumed, {{"workflow", workflow.to_string()}});
    co_await services.db.write(
        sql::workflows::ReleaseRuns{
            .business = call.business(), .workflow = workflow, .limit = most_released},
        call.cause());
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
      sql::workflows::RotateSecret{.business = call.business(),
                                   .workflow = call.id(),
                                   .sealed_secret = seal_workflow_secret(services, secret, call.id()),
                                   .overlap = text_at(call.object(), "overlap").value_or("PT24H")},
      call.cause());
  if (rows.empty()) throw not_found("workflow with a secret");
  co_return Answer::of(to_json(json::object{{"secret", secret}}));
}

constexpr Parameter managed_parameters[] = {
    {.name = "managed", .kind = Kind::boolean, .description = "Includes the managed workflows."}};
constexpr Parameter resume_parameters[] = {{.name = "workflowId", .kind = Kind::uuid, .required = true}};

const Endpoint workflow_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/triggers/{entityType:text}",
     .permission = Permission::read,
     .handler = list_triggers,
     .operation_id = "listTriggers",
     .summary = "Lists the triggers of an entity type",
     .description = "Their guids are the same in every installation.",
     .tag = "Workflows",
     .answer = &trigger_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/workflows/{entityType:text}/configured",
     .permission = Permission::read,
     .handler = list_workflows,
     .operation_id = "listWorkflows",
     .summary = "Lists the workflows of an entity type",
     .description = "Managed workflows are left out unless managed=true. Each has its state and the numbers "
                    "of the last 24 hours.",
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
     .needs_body = true,
     .may_change = true},
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}",
     .permission = Permission::read,
     .handler = get_workflow,
     .operation_id = "getWorkflow",
     .summary = "Returns a workflow",
     .description = "Without its secret; values of headers are shown as stars.",
     .tag = "Workflows",
     .answer = &workflow_schema},
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}/toggle",
     .permission = Permission::administer,
     .handler = toggle_workflow,
     .operation_id = "toggleWorkflow",
     .summary = "Switches a workflow on or off",
     .description = "While it is off, nothing is matched. A managed workflow can be switched off, too.",
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

std::span<const Endpoint> workflow_endpoints() { return workflow_endpoint_table; }

}  // namespace waybill::api
