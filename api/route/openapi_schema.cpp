#include "api/route/openapi_schema.hpp"

#include <map>
#include <stdexcept>
#include <string>

namespace waybill::api {
namespace {

struct Use {
  const Schema* schema = nullptr;
  bool in_request = false;
};

using Uses = std::map<std::string_view, Use>;

void collect(const Schema* schema, bool in_request, Uses& uses) {
  if (!schema) return;
  auto& use = uses[schema->name];
  if (use.schema && use.schema->properties.data() != schema->properties.data()) {
    throw std::logic_error("two schemas are named " + std::string(schema->name));
  }
  if (use.schema && (use.in_request || !in_request)) return;
  use = {schema, in_request};
  for (const auto& property : schema->properties) collect(property.schema, in_request, uses);
}

std::string_view format_of(Kind kind) {
  switch (kind) {
    case Kind::email:
      return "email";
    case Kind::uuid:
      return "uuid";
    case Kind::timestamp:
      return "date-time";
    case Kind::date:
      return "date";
    case Kind::duration:
      return "duration";
    default:
      return {};
  }
}

std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::integer:
      return "integer";
    case Kind::number:
    case Kind::money:
      return "number";
    case Kind::boolean:
      return "boolean";
    case Kind::object:
      return "object";
    case Kind::array:
      return "array";
    case Kind::any:
      return {};
    default:
      return "string";
  }
}

json::value number(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? json::value(whole) : json::value(value);
}

void add_values(json::object& schema, std::span<const std::string_view> values) {
  if (values.empty()) return;
  json::array list;
  for (const auto value : values) list.push_back(json::value(value));
  schema["enum"] = std::move(list);
}

void add_bounds(json::object& schema, Kind kind, std::optional<double> minimum,
                std::optional<double> maximum) {
  if (kind == Kind::money && !minimum) minimum = 0;
  if (minimum) schema["minimum"] = number(*minimum);
  if (maximum) schema["maximum"] = number(*maximum);
  // Not "multipleOf": 0.01, which 19.99 fails where a validator divides binary floating point.
  if (kind == Kind::money) schema["exclusiveMaximum"] = 1'000'000'000'000;
}

/// Of a kind alone: a scalar, or whatever `any` may be.
json::object kind_schema(Kind kind) {
  json::object schema;
  if (const auto type = type_of(kind); !type.empty()) schema["type"] = type;
  if (const auto format = format_of(kind); !format.empty()) schema["format"] = format;
  if (kind == Kind::time_of_day) schema["pattern"] = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
  return schema;
}

json::object reference(const Schema& schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema.name)}};
}

json::object array_schema(const Property& property, bool in_request) {
  json::object schema = kind_schema(Kind::array);
  if (in_request) {
    if (const auto least = std::max<std::size_t>(property.min_length, property.required ? 1 : 0); least > 0) {
      schema["minItems"] = least;
    }
    schema["maxItems"] = length_limit(Kind::array, property.max_length);
  }
  auto items = property.schema ? reference(*property.schema) : kind_schema(property.items);
  if (!property.schema) {
    add_values(items, property.values);
    add_bounds(items, property.items, property.minimum, property.maximum);
  }
  schema["items"] = std::move(items);
  return schema;
}

json::object bare_schema(const Property& property, bool in_request) {
  if (property.kind == Kind::array) return array_schema(property, in_request);
  if (property.kind == Kind::object && property.schema) return reference(*property.schema);
  auto schema = kind_schema(property.kind);
  if (in_request && type_of(property.kind) == "string" && property.kind != Kind::one_of) {
    if (property.min_length > 0 || property.required)
      schema["minLength"] = std::max<std::size_t>(property.min_length, 1);
    schema["maxLength"] = length_limit(property.kind, property.max_length);
  }
  add_values(schema, property.values);
  add_bounds(schema, property.kind, property.minimum, property.maximum);
  return schema;
}

json::object property_schema(const Property& property, bool in_request) {
  auto schema = bare_schema(property, in_request && !property.read_only);
  if (property.nullable && !property.required && property.kind != Kind::any) {
    if (schema.contains("$ref")) {
      schema = {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
    } else {
      schema["type"] = {schema["type"], "null"};
      if (auto* const values = schema.if_contains("enum")) values->get_array().push_back(nullptr);
    }
  }
  if (property.read_only) schema["readOnly"] = true;
  if (!property.description.empty()) schema["description"] = property.description;
  return schema;
}

json::object object_schema(const Use& use) {
  json::array required;
  json::object properties;
  for (const auto& property : use.schema->properties) {
    if (property.required) required.push_back(json::value(property.name));
    properties[property.name] = property_schema(property, use.in_request);
  }
  json::object schema{{"type", "object"}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["properties"] = std::move(properties);
  if (use.in_request) schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

json::object component_schemas(std::span<const Route> routes) {
  Uses uses;
  for (const auto& route : routes) {
    collect(route.body, true, uses);
    collect(route.answer, false, uses);
  }
  json::object schemas;
  for (const auto& [name, use] : uses) schemas[name] = object_schema(use);
  return schemas;
}

json::object parameter_schema(const Parameter& parameter) {
  auto schema = kind_schema(parameter.kind);
  if (type_of(parameter.kind) == "string" && format_of(parameter.kind).empty() && parameter.values.empty()) {
    schema["maxLength"] = length_limit(parameter.kind, parameter.max_length);
  }
  add_values(schema, parameter.values);
  add_bounds(schema, parameter.kind, parameter.minimum, parameter.maximum);
  return schema;
}

}  // namespace waybill::api
