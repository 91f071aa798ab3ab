#include "api/endpoint/event_schema.hpp"

#include <algorithm>
#include <utility>

#include "api/endpoint/openapi_examples.hpp"
#include "domain/conditions/catalogue.hpp"
#include "domain/records/change.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

using domain::ConditionField;

constexpr std::string_view at = "2026-11-20T05:45:12.345Z";

json::object or_null(json::object schema) {
  if (auto* const type = schema.if_contains("type"); type != nullptr && type->is_string())
    *type = json::array{*type, "null"};
  if (auto* const values = schema.if_contains("enum")) values->get_array().push_back(nullptr);
  return schema;
}

json::object scalar_schema(const ConditionField& field) {
  json::object schema;
  if (field.type == "any") {
    schema["type"] = json::array{"string", "number", "boolean"};
  } else if (field.type == "uuid" || field.type == "timestamp") {
    schema["type"] = "string";
    schema["format"] = field.type == "uuid" ? "uuid" : "date-time";
  } else {
    schema["type"] = field.type;
  }
  if (!field.values.empty()) schema["enum"] = json::array(field.values.begin(), field.values.end());
  return schema;
}

std::string_view last_key(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool is_nested(std::string_view path) { return path.find('.') != std::string_view::npos; }

/// True for a field that only some events have, that the record gets with its relatives, or that is in a list
/// that plain SQL can write.
bool is_optional(const domain::RecordType& type, std::string_view path) {
  if (path == "shipments" || path.starts_with("shipments.")) return false;
  const auto* const field = type.find(path);
  if (field != nullptr) return field->is_of_relatives() || field->is_event_fact();
  const auto* const list = type.find(path.substr(0, path.find('.')));
  return path == "trace" || (list != nullptr && list->type == domain::FieldType::array);
}

json::object record_object(const domain::RecordType& type, std::string_view prefix);

json::object schema_of(const domain::RecordType& type, const ConditionField& field) {
  json::object schema;
  const bool is_list = field.array && !is_nested(field.path);
  if (field.path == domain::metadata_path) {
    schema = {{"type", "object"},
              {"additionalProperties", {{"type", json::array{"string", "number", "boolean"}}}}};
  } else if (field.type == "object") {
    schema = record_object(type, field.path + ".");
  } else {
    schema = scalar_schema(field);
  }
  if (is_list) schema = {{"type", "array"}, {"items", std::move(schema)}};
  return field.nullable ? or_null(std::move(schema)) : schema;
}

/// True for the objects of shipments: a shipment, and each of an order's shipments. They have a link to their
/// page, which is not a field of the record.
bool has_page(domain::EntityType type, std::string_view prefix) {
  return prefix == "shipments." || (prefix.empty() && type == domain::EntityType::shipment);
}

/// The schema of the object whose fields have paths that begin with `prefix`.
json::object record_object(const domain::RecordType& type, std::string_view prefix) {
  json::object properties;
  json::array required;
  for (const ConditionField& field : domain::condition_fields(type.type)) {
    const std::string_view path = field.path;
    if (!path.starts_with(prefix) || is_nested(path.substr(prefix.size())) || path.ends_with('*')) continue;
    properties[last_key(path)] = schema_of(type, field);
    if (!is_optional(type, path)) required.push_back(json::value(last_key(path)));
  }
  if (has_page(type.type, prefix)) {
    properties["trackingUrl"] = {{"type", "string"}, {"description", "The public page of the shipment."}};
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

json::value condition_example(domain::EntityType record, const ConditionField& field) {
  return field_example(record, field.path, field.type, field.values);
}

json::object example_object(domain::EntityType type, std::string_view prefix) {
  json::object object;
  for (const ConditionField& field : domain::condition_fields(type)) {
    const std::string_view path = field.path;
    if (!path.starts_with(prefix) || is_nested(path.substr(prefix.size())) || path.ends_with('*') ||
        path == "trace") {
      continue;
    }
    json::value value = path == domain::metadata_path ? json::object{{"erp.id", "A-7"}}
                        : field.type == "object"      ? example_object(type, field.path + ".")
                                                      : condition_example(type, field);
    if (field.array && prefix.empty()) value = json::array{std::move(value)};
    object[last_key(path)] = std::move(value);
  }
  if (has_page(type, prefix))
    object["trackingUrl"] = usual_value(domain::record_type(type).name, "trackingUrl");
  return object;
}

/// The status that the trigger fires for, if it is one of `states`.
std::string_view status_of(const domain::Trigger& trigger) {
  const auto* const machine = domain::states_of(trigger.entity_type);
  if (machine == nullptr) return {};
  const std::string_view rest = trigger.code.substr(trigger.code.find('_') + 1);
  if (rest == "status_changed" || rest == "trace_added") {
    return trigger.entity_type == domain::EntityType::order ? "shipped" : "in_transit";
  }
  return machine->has_state(rest) ? rest : std::string_view();
}

/// True for an event that a scan causes. Its record has the scan.
bool is_of_scan(const domain::Trigger& trigger, std::string_view status) {
  if (trigger.entity_type != domain::EntityType::shipment) return false;
  return !status.empty() && status != "created" && status != "cancelled";
}

/// The move of a shipment's label that a trigger is for.
struct LabelMove {
  std::string_view code, from, to;
};
constexpr LabelMove label_moves[] = {{"shipment_label_bought", "buying", "bought"},
                                     {"shipment_label_failed", "buying", "refused"},
                                     {"shipment_label_voided", "voiding", "voided"}};

const LabelMove* label_move(const domain::Trigger& trigger) {
  const auto* const move = std::ranges::find(label_moves, trigger.code, &LabelMove::code);
  return move == std::end(label_moves) ? nullptr : move;
}

/// Gives an example of a shipment the label after a move.
void show_label(const LabelMove& move, json::object& entity) {
  json::object& purchase = entity.at("purchase").as_object();
  entity["labelStatus"] = purchase["status"] = move.to;
  if (move.to == "bought") return;
  for (const std::string_view name : {"price", "currency"}) purchase[name] = nullptr;
  for (const std::string_view name : {"shippingPrice", "currency"}) entity[name] = nullptr;
}

/// The earlier values of the fields that the event changed.
json::object previous_of(const domain::Trigger& trigger, std::string_view status) {
  const std::string_view code = trigger.code;
  if (code.ends_with("_created") || code.ends_with("_deleted") || code.ends_with("_erased")) return {};
  if (!status.empty()) return {{"status", domain::states_of(trigger.entity_type)->origins(status).front()}};
  if (const auto* const move = label_move(trigger))
    return {{"labelStatus", move->from}, {"purchase", {{"status", move->from}}}};
  if (!trigger.field.empty()) return {{trigger.field, nullptr}};
  if (code == "shipment_dispatched") return {};
  return {{"externalReference", nullptr}};
}

const json::object text{{"type", "string"}};
const json::object uuid{{"type", "string"}, {"format", "uuid"}};

json::object workflow_part() {
  return {
      {"type", "object"}, {"properties", {{"guid", uuid}, {"name", text}}}, {"required", {"guid", "name"}}};
}

/// The schema of a payload whose `data` has these members.
json::object payload_schema(std::string_view type, json::object data, json::array required) {
  return {
      {"type", "object"},
      {"properties",
       {{"type", {{"const", type}}},
        {"timestamp", {{"type", "string"}, {"format", "date-time"}}},
        {"test", {{"const", true}, {"description", "Only in requests that send-test sends."}}},
        {"data", {{"type", "object"}, {"properties", std::move(data)}, {"required", std::move(required)}}}}},
      {"required", {"type", "timestamp", "data"}}};
}

}  // namespace

std::string entity_schema_name(domain::EntityType type) {
  return std::string(domain::record_type(type).name) + "Entity";
}

json::object entity_schema(domain::EntityType type) { return record_object(domain::record_type(type), ""); }

json::object event_schema(const domain::Trigger& trigger, json::object entity) {
  if (trigger.code == "customer_erased")
    entity = {{"type", "object"}, {"properties", {{"guid", uuid}}}, {"required", {"guid"}}};
  const std::string_view name = domain::record_type(trigger.entity_type).name;
  json::object data{
      {"entityType", {{"const", name}}},
      {"entity", std::move(entity)},
      {"previous",
       {{"type", "object"},
        {"description", "The earlier values of the fields that changed, nested as in entity."}}},
      {"workflow", workflow_part()}};
  json::object schema =
      payload_schema(trigger.code, std::move(data), {"entityType", "entity", "previous", "workflow"});
  schema.at("properties").as_object()["triggers"] = {
      {"type", "array"},
      {"items", text},
      {"description", "All triggers of a workflow with several that the event meets."}};
  return schema;
}

json::object digest_event_schema(const json::array& entities) {
  const json::object facts{{"type", "object"},
                           {"properties",
                            {{"event",
                              {{"type", "object"},
                               {"properties",
                                {{"id", {{"type", "integer"}}},
                                 {"type", text},
                                 {"timestamp", {{"type", "string"}, {"format", "date-time"}}}}},
                               {"required", {"id", "type", "timestamp"}}}},
                             {"previous", {{"type", "object"}}}}},
                           {"required", {"event", "previous"}}};
  json::array items;
  for (const json::value& entity : entities) items.push_back({{"allOf", {entity, facts}}});
  json::object data{
      {"entityType", text},
      {"count", {{"type", "integer"}}},
      {"items",
       {{"type", "array"},
        {"items", {{"anyOf", std::move(items)}}},
        {"description",
         "The record as of each event, with the event and the earlier values of what changed."}}},
      {"by", {{"description", "The value by which the events were collected, or null."}}},
      {"workflow", workflow_part()}};
  return payload_schema(domain::digest_code, std::move(data),
                        {"entityType", "count", "items", "by", "workflow"});
}

json::object event_sample(const domain::Trigger& trigger) {
  const std::string_view status = status_of(trigger);
  json::object entity = example_object(trigger.entity_type, "");
  if (!status.empty()) entity["status"] = status;
  if (trigger.code == "customer_erased") entity = {{"guid", entity["guid"]}};
  if (const auto* const move = label_move(trigger)) show_label(*move, entity);
  if (is_of_scan(trigger, status)) {
    entity["trace"] = example_object(domain::EntityType::shipment, "trace.");
    entity["trace"].as_object()["status"] = status;
  }
  return {{"type", trigger.code},
          {"timestamp", at},
          {"data",
           {{"entityType", domain::record_type(trigger.entity_type).name},
            {"entity", std::move(entity)},
            {"previous", previous_of(trigger, status)},
            {"workflow",
             {{"guid", "4b1d7a52-3c6e-4f0a-9d2b-8e5f6a7c1d30"}, {"name", "Send events to the ERP"}}}}}};
}

json::object digest_event_sample() {
  const domain::Trigger& trigger = *domain::find_trigger("order_created");
  json::object sample = event_sample(trigger);
  json::object& data = sample.at("data").as_object();
  json::object item = std::move(data.at("entity").as_object());
  item["event"] = {{"id", 42}, {"type", trigger.code}, {"timestamp", at}};
  item["previous"] = json::object();
  data.erase("entity");
  data.erase("previous");
  data["count"] = 1;
  data["items"] = json::array{std::move(item)};
  data["by"] = nullptr;
  sample["type"] = domain::digest_code;
  return sample;
}

json::value field_example(domain::EntityType record, std::string_view path, std::string_view type,
                          std::span<const std::string_view> values) {
  const domain::RecordType& of = domain::record_type(record);
  const std::string_view name = of.name;
  if (path == "trace.status") return "in_transit";
  if (!values.empty()) return json::value(values.front());
  const auto* const field = of.find(path);
  const auto* const column = field == nullptr ? nullptr : field->column();
  if (column != nullptr && !column->example.empty()) return json::parse(column->example);
  if (type == "uuid" || type == "timestamp" || type == "any" || type == "object") {
    return type == "object" ? json::value(json::object())
                            : domain::condition_sample({.path = {}, .type = type});
  }
  for (const std::string_view key : {path, last_key(path)}) {
    const auto value = usual_value(name, key);
    if (value.is_string() ? type == "string" : value.is_number() && (type == "number" || value.is_int64()))
      return value;
  }
  return domain::condition_sample({.path = {}, .type = type});
}

}  // namespace waybill::api
