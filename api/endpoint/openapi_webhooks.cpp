#include "api/endpoint/openapi_webhooks.hpp"

#include <string>
#include <utility>

#include "api/endpoint/event_schema.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {
namespace {

json::object header(std::string_view name, std::string_view description, bool required) {
  return {{"name", name},
          {"in", "header"},
          {"required", required},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

/// "onOrderCreated" of order_created.
std::string operation_id(std::string_view code) {
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
  return {
      {"operationId", operation_id(code)},
      {"summary", name},
      {"description", description},
      {"tags", {"Workflows"}},
      {"security", json::array()},
      {"parameters",
       {header("webhook-id", "The same for all attempts and replays of an event and workflow.", true),
        header("webhook-timestamp", "The time of the attempt in Unix seconds.", true),
        header("webhook-signature", "The signatures by Standard Webhooks: v1,… separated by spaces.", true),
        header("webhook-test", "`true` in a request that send-test sends.", false)}},
      {"requestBody", {{"required", true}, {"content", {{"application/json", std::move(content)}}}}},
      {"responses",
       {{"2XX", {{"description", "The event is received."}}},
        {"410", {{"description", "The receiver wants no further events; the workflow is paused."}}},
        {"default", {{"description", "The request is repeated on the retry schedule."}}}}}};
}

}  // namespace

json::object webhooks() {
  json::object hooks;
  for (const domain::Trigger& trigger : domain::triggers()) {
    json::object entity = entity_of(domain::record_type(trigger.entity_type));
    hooks[trigger.code] =
        json::object{{"post", operation(trigger.code, trigger.name, trigger.description,
                                        {{"schema", event_schema(trigger, std::move(entity))},
                                         {"example", event_sample(trigger)}})}};
  }
  json::array entities;
  for (const domain::RecordType& type : domain::record_types()) entities.push_back(entity_of(type));
  hooks[domain::digest_code] =
      json::object{{"post", operation(domain::digest_code, "Digest",
                                      "The events that a workflow with a digest has collected.",
                                      {{"schema", digest_event_schema({{"anyOf", std::move(entities)}})},
                                       {"example", digest_event_sample()}})}};
  return hooks;
}

json::object webhook_schemas() {
  json::object schemas;
  for (const domain::RecordType& type : domain::record_types())
    schemas[entity_schema_name(type.type)] = entity_schema(type.type);
  return schemas;
}

}  // namespace waybill::api
