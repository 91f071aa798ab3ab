#include <string>
#include <utility>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/event_schema.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "domain/conditions/catalogue.hpp"
#include "domain/conditions/comparison.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/steps.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view field_types[] = {"uuid",    "string",    "integer", "number",
                                            "boolean", "timestamp", "object",  "any"};

constexpr Property field_properties[] = {
    {.name = "path",
     .kind = Kind::string,
     .nullable = false,
     .description = "As conditions name it; metadata.* stands for each key of metadata."},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = field_types},
    {.name = "values",
     .kind = Kind::array,
     .items = Kind::string,
     .description = "The only values that a condition may compare with; null if there is no such limit."},
    {.name = "nullable", .kind = Kind::boolean, .nullable = false},
    {.name = "array",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "The path names a list or goes through one: a condition holds if one element meets it."},
    {.name = "operators",
     .kind = Kind::array,
     .nullable = false,
     .schema = &condition_operator_schema,
     .description = "The operators that conditions accept."},
    {.name = "previous",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "previous.PATH, the value before the event, is accepted."},
    {.name = "example", .kind = Kind::any},
};
constexpr Schema field_schema{"ConditionField", field_properties};

constexpr Schema json_schema{.name = "JsonSchema",
                             .json = R"({"type": "object", "description": "JSON Schema, 2020-12."})"};
constexpr Schema sample_schema{.name = "EventSample", .json = R"({"type": "object"})"};
constexpr Property event_properties[] = {
    {.name = "type", .kind = Kind::string, .nullable = false, .schema = &trigger_code_schema},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "description", .kind = Kind::string, .nullable = false},
    {.name = "triggerId", .kind = Kind::uuid, .nullable = false},
    {.name = "sample",
     .kind = Kind::any,
     .nullable = false,
     .schema = &sample_schema,
     .description = "The default payload of a webhook for such an event."},
    {.name = "schema",
     .kind = Kind::any,
     .nullable = false,
     .schema = &json_schema,
     .description = "The schema of that payload."},
};
constexpr Schema event_type_schema{"EventType", event_properties};

json::object field_json(const domain::ConditionField& field, json::value example) {
  json::value values;
  if (!field.values.empty()) values = json::array(field.values.begin(), field.values.end());
  return {{"path", field.path},
          {"type", field.type},
          {"values", std::move(values)},
          {"nullable", field.nullable},
          {"array", field.array},
          {"operators", json::array(field.operators.begin(), field.operators.end())},
          {"previous", field.previous},
          {"example", std::move(example)}};
}

/// Adds the values that the steps of a workflow have for later steps.
asio::awaitable<void> add_run_fields(const Call& call, Services& services, std::string_view workflow,
                                     domain::EntityType type, json::array& fields) {
  const auto rows = co_await services.db.read(
      storage::sql::workflows::Get{.business = call.business(), .workflow = Guid::parse(workflow).value()});
  if (rows.empty()) throw not_found("workflow");
  const WorkflowDefinition definition = stored_definition(rows);
  if (definition.entity_type != type) throw invalid("workflowId", "is a workflow of another entity type");
  if (actions::stored_steps(definition.action) == nullptr) co_return;
  const auto steps = matching::parse_steps(definition.action, type);
  const domain::RunValues run = matching::values_before(steps, steps.size(), !is_of_list(definition));
  for (const domain::RunValue& value : run.values) {
    const domain::ConditionField field = domain::run_field(type, value, run);
    fields.push_back(field_json(field, domain::condition_sample(field)));
  }
}

asio::awaitable<Answer> list_fields(Call& call, Services& services) {
  const auto type = domain::parse_entity_type(call.path_text);
  if (!type) throw invalid("entityType", "must be one of Order, Shipment, Customer, Product");
  json::array fields;
  for (const auto& field : domain::condition_fields(*type)) {
    fields.push_back(field_json(field, field_example(*type, field.path, field.type, field.values)));
  }
  if (const auto workflow = call.parameter("workflowId"))
    co_await add_run_fields(call, services, *workflow, *type, fields);
  co_return Answer::of(to_json(fields));
}

std::string all_events() {
  json::array events;
  for (const domain::Trigger& trigger : domain::triggers()) {
    events.push_back({{"type", trigger.code},
                      {"entityType", domain::record_type(trigger.entity_type).name},
                      {"description", trigger.description},
                      {"triggerId", trigger.guid.to_string()},
                      {"sample", event_sample(trigger)},
                      {"schema", event_schema(trigger, entity_schema(trigger.entity_type))}});
  }
  return to_json(events);
}

asio::awaitable<Answer> list_event_types(Call&, Services&) {
  static const std::string events = all_events();
  co_return Answer::of(events);
}

constexpr Parameter field_query[] = {
    {.name = "workflowId",
     .kind = Kind::uuid,
     .description = "Also lists the values that the steps of this workflow have for later steps."}};

constexpr Endpoint discovery_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/fields/{entityType:text}",
     .permission = Permission::read,
     .handler = list_fields,
     .operation_id = "listConditionFields",
     .summary = "Lists the fields that conditions of an entity type can name, with their operators",
     .description = "Made from the same tables as the check of conditions when a workflow is configured.",
     .tag = "Workflows",
     .query = field_query,
     .answer = &field_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/workflows/events",
     .permission = Permission::read,
     .handler = list_event_types,
     .operation_id = "listEventTypes",
     .summary = "Lists the events that workflows can listen for, with samples and schemas of their payloads",
     .description = "A sample is the default payload of a webhook.",
     .tag = "Workflows",
     .answer = &event_type_schema,
     .answer_is_array = true},
};

}  // namespace

std::span<const Endpoint> discovery_endpoints() { return discovery_endpoint_table; }

}  // namespace waybill::api
