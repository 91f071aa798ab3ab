#include "api/endpoint/openapi_webhooks.hpp"

#include <string>
#include <utility>

#include "api/endpoint/event_schema.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {
namespace {

json::object header_parameter(std::string_view name, std::string_view description, bool required) {
  return {{"name", name},
          {"in", "header"},
          {"required", required},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

/// "onOrderCreated" of order_created.
std::string operation_id_of(std::string_view code) {
  std::string id = "on";
  bool begins_word = true;
  for (const char c : code) {
    if (c != '_') id += begins_word ? static_cast<char>(c - 'a' + 'A') : c;
    begins_word = c == '_';
  }
  return id;
}

json::object entity_of(const domain::RecordType& type) {
  return {{"$ref", "#/components/schemas/" + entity_schema_name(type.type)}};
}

json::object operation(std::string_view code, std::string_view name, std::string_view description,
                       json::object content) {
  return {{"operationId", operation_id_of(code)},
          {"summary", name},
          {"description", description},
          {"tags", {"Workflows"}},
          {"security", json::array()},
          {"parameters",
           {header_parameter("webhook-id", "The same for all attempts and replays of an event and workflow.",
                             true),
            header_parameter("webhook-timestamp", "The time of the attempt in Unix seconds.", true),
            header_parameter("webhook-signature",
                             "The signatures by Standard Webhooks: v1,… separated by spaces.", true),
            header_parameter("webhook-test", "`true` in a request that send-test sends.", false)}},
          {"requestBody", {{"required", true}, {"content", {{"application/json", std::move(content)}}}}},
          {"responses",
           {{"2XX", {{"description", "The event is received."}}},
            {"410", {{"description", "The receiver wants no further events; the workflow is paused."}}},
            {"default", {{"description", "The request is repeated on the retry schedule."}}}}}};
}

/// The message of an alert. A member with a null or absent value is described in docs/alerts.md.
constexpr std::string_view alert_schema = R"json({
  "type": "object",
  "required": ["type", "timestamp", "data"],
  "properties": {
    "type": {"type": "string", "const": "alert"},
    "timestamp": {"type": "string", "format": "date-time"},
    "data": {
      "type": "object",
      "required": ["cause", "workflow", "run", "response", "count", "replay"],
      "properties": {
        "cause": {"type": "string", "enum": ["run_dead", "workflow_paused", "import_failed", "destination_down",
                                             "workflow_silent", "import_silent", "scans_silent"]},
        "workflow": {"type": ["object", "null"], "properties": {
          "guid": {"type": "string", "format": "uuid"},
          "name": {"type": ["string", "null"]},
          "pausedReason": {"type": ["string", "null"]}}},
        "run": {"type": ["object", "null"], "description": "The last run, or the last import, that failed."},
        "response": {"type": ["string", "null"]},
        "count": {"type": "integer"},
        "replay": {"type": ["object", "null"], "properties": {
          "method": {"type": "string"}, "url": {"type": "string"}, "body": {}}},
        "integration": {"type": "object", "description": "Of import_silent.", "properties": {
          "guid": {"type": "string", "format": "uuid"}, "store": {"type": "string"}}},
        "carrier": {"type": ["object", "null"],
                    "description": "Of scans_silent; null for parcels without a carrier.", "properties": {
          "guid": {"type": "string", "format": "uuid"}, "name": {"type": ["string", "null"]}}},
        "silence": {
          "oneOf": [{"$ref": "#/components/schemas/AlertSilence"}, {"type": "null"}],
          "description": "Of the causes that end with _silent; null if it is over."}}}}})json";

constexpr std::string_view silence_schema = R"json({
  "type": "object",
  "required": ["since", "count", "expected"],
  "properties": {
    "since": {"type": "string", "format": "date-time"},
    "count": {"type": "integer", "description": "The firings, orders or scans since then, when it was found."},
    "expected": {"$ref": "#/components/schemas/ExpectedCount"},
    "events": {
      "type": "object",
      "description": "Of workflow_silent: the events of its entity type since then, and the least and the most in the same hours of the weeks before.",
      "properties": {"entityType": {"type": "string"}, "count": {"type": "integer"},
                     "expected": {"$ref": "#/components/schemas/ExpectedCount"}}},
    "sources": {
      "type": "array",
      "description": "Of workflow_silent: stores and carriers that are silent, too, and from which its records come.",
      "items": {"type": "object", "properties": {
        "cause": {"type": "string", "enum": ["import_silent", "scans_silent"]},
        "guid": {"type": "string", "format": "uuid"}, "name": {"type": "string"},
        "since": {"type": "string", "format": "date-time"}}}},
    "condition": {
      "type": ["object", "null"],
      "description": "Of workflow_silent: the condition that fails most often compared with the events before; null if none does.",
      "properties": {
        "path": {"type": "string"}, "operator": {"type": "string"},
        "expected": {"type": "string", "description": "JSON, shortened."},
        "failed": {"type": "integer"}, "evaluated": {"type": "integer"},
        "before": {"$ref": "#/components/schemas/AlertValues"},
        "now": {"$ref": "#/components/schemas/AlertValues"}}}}})json";

constexpr std::string_view values_schema = R"json({
  "type": "object",
  "description": "The most frequent values of a condition's field in some past events: before, in those for which the workflow fired; now, in those for which the condition fails.",
  "properties": {
    "events": {"type": "integer"},
    "values": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
      "value": {"type": "string", "description": "JSON, shortened."}, "count": {"type": "integer"}}}}}})json";

json::object alert_operation() {
  json::object alert = operation("alert", "Alert", "A message to the webhook of PUT /api/business/alerts.",
                                 {{"schema", {{"$ref", "#/components/schemas/AlertMessage"}}}});
  alert["parameters"].as_array().pop_back();  // there are no tests of it
  alert["tags"] = json::array{"Business"};
  alert["responses"] = {
      {"2XX", {{"description", "The alert is received."}}},
      {"410", {{"description", "The receiver does not want this alert; it is not repeated."}}},
      {"default", {{"description", "The request is repeated on the retry schedule."}}}};
  return alert;
}

}  // namespace

json::object webhooks() {
  json::object hooks;
  hooks["alert"] = json::object{{"post", alert_operation()}};
  for (const domain::Trigger& trigger : domain::triggers()) {
    json::object entity = entity_of(domain::record_type(trigger.entity_type));
    hooks[trigger.code] =
        json::object{{"post", operation(trigger.code, trigger.name, trigger.description,
                                        {{"schema", event_schema(trigger, std::move(entity))},
                                         {"example", event_sample(trigger)}})}};
  }
  json::array entities;
  for (const domain::RecordType& type : domain::record_types()) entities.push_back(entity_of(type));
  hooks[domain::digest_code] = json::object{
      {"post",
       operation(domain::digest_code, "Digest", "The events that a workflow with a digest has collected.",
                 {{"schema", digest_event_schema(entities)}, {"example", digest_event_sample()}})}};
  return hooks;
}

json::object webhook_schemas() {
  json::object schemas;
  for (const domain::RecordType& type : domain::record_types())
    schemas[entity_schema_name(type.type)] = entity_schema(type.type);
  for (const auto& [name, schema] :
       {std::pair("AlertMessage", alert_schema), std::pair("AlertSilence", silence_schema),
        std::pair("AlertValues", values_schema)})
    schemas[name] = json::parse(schema);
  return schemas;
}

}  // namespace waybill::api
