// The versions of a workflow.
#include <optional>
#include <string>
#include <utility>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/workflows/configure.hpp"
#include "api/workflows/definition/step_body.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_headers.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "base/number.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property definition_properties[] = {
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "trigger", .kind = Kind::string, .nullable = false, .schema = &run_trigger_schema},
    {.name = "triggerId", .kind = Kind::uuid},
    triggers_property,
    timer_property,
    schedule_property,
    query_property,
    each_property,
    run_when_empty_property,
    digest_property,
    {.name = "action", .kind = Kind::any, .schema = &action_schema},
    {.name = "steps", .kind = Kind::any, .schema = &steps_schema},
    {.name = "conditions", .kind = Kind::any, .nullable = false, .schema = &conditions_schema},
    {.name = "ordered", .kind = Kind::boolean, .nullable = false},
    {.name = "delay", .kind = Kind::duration},
    workdays_property,
    window_property,
    limit_property,
    rate_property,
    cancel_on_property,
};
constexpr Schema definition_schema{"WorkflowDefinition", definition_properties};

constexpr std::string_view author_types[] = {"user", "token", "sql"};
constexpr Property author_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = author_types},
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string},
};
constexpr Schema author_schema{"VersionAuthor", author_properties};

constexpr Property version_properties[] = {
    {.name = "version", .kind = Kind::integer, .nullable = false},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
    {.name = "by",
     .kind = Kind::object,
     .schema = &author_schema,
     .description = "Null for a version that an earlier version of the service stored."},
    {.name = "definition", .kind = Kind::object, .nullable = false, .schema = &definition_schema},
};
constexpr Schema version_schema{"WorkflowVersion", version_properties};

/// A stored definition in the shape of configure.
json::object shown_definition(json::object stored) {
  const auto type = static_cast<domain::EntityType>(stored.at("entityType").to_number<int>());
  stored["entityType"] = domain::record_type(type).name;
  show_triggers(stored);
  for (const char* const name : {"window", "limit", "rate", "cancelOn"}) stored.emplace(name, nullptr);
  show_action(stored);
  show_delay(stored);
  return stored;
}

json::value author_json(std::optional<std::string_view> stored) {
  if (!stored) return nullptr;
  json::object author = json::parse(*stored).as_object();
  for (const char* const name : {"guid", "name"}) author.emplace(name, nullptr);
  return author;
}

asio::awaitable<Answer> list_versions(Call& call, Services& services) {
  const auto rows =
      co_await services.db.read(sql::workflows::Versions{.business = call.business(), .workflow = call.id()});
  if (rows.empty()) throw not_found("workflow");
  // The coroutine waits here, so the references in the work stay valid.
  co_return Answer::of(co_await services.background.run(call.business(), [&] {
    json::array versions;
    for (const auto& row : rows) {
      versions.push_back({{"version", row.version},
                          {"at", format_timestamp(row.at)},
                          {"by", author_json(row.author)},
                          {"definition", shown_definition(json::parse(row.definition).as_object())}});
    }
    return to_json(versions);
  }));
}

asio::awaitable<Answer> restore_version(Call& call, Services& services) {
  const auto present =
      co_await services.db.read(sql::workflows::Present{.business = call.business(), .workflow = call.id()});
  if (present.empty()) throw not_found("workflow");
  const auto number = parse_number<std::int32_t>(call.path_text);
  if (!number) throw invalid("version", "must be the number of a version");
  const auto rows = co_await services.db.read(
      sql::workflows::Version{.business = call.business(), .workflow = call.id(), .version = *number});
  if (rows.empty()) throw not_found("version of a workflow");
  json::object body = shown_definition(json::parse(rows.front().definition).as_object());
  body.erase("trigger");
  std::optional<actions::Credentials> credentials;
  if (const auto sealed = rows.front().sealed_credentials)
    credentials = open_headers(services, *sealed, call.id());
  co_return co_await change_workflow(call, services, call.id(), body, std::move(credentials));
}

constexpr Property restored_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "isActive", .kind = Kind::boolean, .nullable = false},
    {.name = "version", .kind = Kind::integer, .nullable = false},
    {.name = "firedLast7Days", .kind = Kind::integer},
    {.name = "action", .kind = Kind::any, .schema = &action_schema},
    {.name = "steps", .kind = Kind::any, .optional = true, .schema = &steps_schema},
    warnings_property,
};
constexpr Schema restored_schema{"WorkflowRestored", restored_properties};

constexpr Endpoint version_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}/versions",
     .permission = Permission::read,
     .handler = list_versions,
     .operation_id = "listWorkflowVersions",
     .summary = "Lists the versions of a workflow, newest first",
     .description = "Each with its author and definition.",
     .tag = "Workflows",
     .answer = &version_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/workflows/configured/{guid}/versions/{version:text}/restore",
     .permission = Permission::administer,
     .handler = restore_version,
     .operation_id = "restoreWorkflowVersion",
     .summary = "Makes an earlier version of a workflow the present one, as a new version",
     .description = "The workflow keeps its present signing secret. If an earlier release of the service "
                    "stored the version, the workflow also keeps its present values of headers.",
     .tag = "Workflows",
     .answer = &restored_schema},
};

}  // namespace

std::span<const Endpoint> version_endpoints() { return version_endpoint_table; }

}  // namespace waybill::api
