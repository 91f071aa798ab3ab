#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {

/// The name of the schema of an event's entity in the OpenAPI document: "OrderEntity".
std::string entity_schema_name(domain::EntityType type);

/// JSON Schema (2020-12) of the entity that events of records of a type have, made from the field tables.
/// Receivers must ignore properties that they do not know, so further ones are allowed.
json::object entity_schema(domain::EntityType type);

/// JSON Schema of the default payload of a webhook for an event with this trigger. `entity` is the schema of
/// its entity: `entity_schema`, or a reference to it.
json::object event_schema(const domain::Trigger& trigger, json::object entity);

/// A payload of such an event, which meets the schema. Each call returns the same.
json::object event_sample(const domain::Trigger& trigger);

/// The schema and an example of the default payload of a digest. `entities` are the schemas of records.
json::object digest_event_schema(const json::array& entities);
json::object digest_event_sample();

/// The usual value of the field at a path ("items.sku", "metadata.*") of records of a type. `type` and
/// `values` are those of domain::ConditionField.
json::value field_example(domain::EntityType record, std::string_view path, std::string_view type,
                          std::span<const std::string_view> values);

}  // namespace waybill::api
