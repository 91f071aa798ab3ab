#include "api/endpoint/openapi_schema.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace waybill::api {
namespace {

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

/// The only value of the property that tells the variants of a schema apart; empty if there is none.
std::string_view variant_name(const Schema& variant) {
  const auto* const type = variant.find("type");
  return type != nullptr && type->values.size() == 1 ? type->values.front() : std::string_view();
}

bool is_same(const Schema& one, const Schema& other) {
  return one.properties.data() == other.properties.data() && one.variants.data() == other.variants.data() &&
         one.values.data() == other.values.data() && one.json == other.json;
}

/// `schema`, which also allows null.
json::object nullable(json::object schema) {
  if (!schema.contains("type")) return {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
  schema["type"] = {schema["type"], "null"};
  if (auto* const values = schema.if_contains("enum")) values->get_array().push_back(nullptr);
  return schema;
}

}  // namespace

json::object kind_schema(Kind kind) {
  json::object schema;
  if (const auto type = type_of(kind); !type.empty()) schema["type"] = type;
  if (const auto format = format_of(kind); !format.empty()) schema["format"] = format;
  if (kind == Kind::time_of_day) schema["pattern"] = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
  return schema;
}

json::object parameter_schema(const Parameter& parameter) {
  if (parameter.kind == Kind::array) {
    auto items = kind_schema(Kind::string);
    add_values(items, parameter.values);
    return {{"type", "array"}, {"items", std::move(items)}};
  }
  auto schema = kind_schema(parameter.kind);
  if (type_of(parameter.kind) == "string" && format_of(parameter.kind).empty() && parameter.values.empty()) {
    schema["maxLength"] = length_limit(parameter.kind, parameter.max_length);
  }
  add_values(schema, parameter.values);
  add_bounds(schema, parameter.kind, parameter.minimum, parameter.maximum);
  return schema;
}

ComponentSchemas::ComponentSchemas(std::span<const Endpoint> endpoints) {
  for (const auto& endpoint : endpoints) {
    collect(endpoint.body, Direction::request);
    collect(endpoint.answer, Direction::answer);
    collect(endpoint.sums, Direction::answer);
  }
}

void ComponentSchemas::collect(const Schema* schema, Direction direction) {
  if (schema == nullptr) return;
  auto& use = uses_[schema->name];
  if (use.schema != nullptr && !is_same(*use.schema, *schema)) {
    throw std::logic_error("two schemas are named " + std::string(schema->name));
  }
  use.schema = schema;
  if (std::exchange(direction == Direction::request ? use.in_request : use.in_answer, true)) return;
  for (const auto& property : schema->properties) {
    if (direction == Direction::answer || !property.read_only) collect(property.schema, direction);
  }
  for (const auto* const variant : schema->variants) collect(variant, direction);
}

std::string ComponentSchemas::name_of(const Use& use, Direction direction) const {
  std::string name(use.schema->name);
  const bool has_parts = !use.schema->properties.empty() || !use.schema->variants.empty();
  if (!has_parts || direction == Direction::answer || !use.in_answer) return name;
  name += "Input";
  if (uses_.contains(name)) throw std::logic_error("two schemas are named " + name);
  return name;
}

json::object ComponentSchemas::reference(const Schema& schema, Direction direction) const {
  return {{"$ref", "#/components/schemas/" + name_of(uses_.at(schema.name), direction)}};
}

json::object ComponentSchemas::all() const {
  std::map<std::string, json::object> sorted;
  for (const auto& [name, use] : uses_) {
    if (use.in_answer) sorted[name_of(use, Direction::answer)] = component(*use.schema, Direction::answer);
    if (use.in_request) sorted[name_of(use, Direction::request)] = component(*use.schema, Direction::request);
  }
  json::object schemas;
  for (auto& [name, schema] : sorted) schemas[name] = std::move(schema);
  return schemas;
}

json::object ComponentSchemas::component(const Schema& schema, Direction direction) const {
  if (!schema.json.empty()) return json::parse(schema.json).as_object();
  if (!schema.variants.empty()) return one_of(schema, direction);
  if (schema.values.empty()) return object_schema(schema, direction);
  auto strings = kind_schema(Kind::string);
  add_values(strings, schema.values);
  return strings;
}

json::object ComponentSchemas::object_schema(const Schema& schema, Direction direction) const {
  json::array required;
  json::object properties;
  for (const auto& property : schema.properties) {
    const bool is_required = direction == Direction::request ? property.required : !property.optional;
    if (is_required) required.push_back(json::value(property.name));
    properties[property.name] = property_schema(property, direction);
  }
  json::object object{{"type", "object"}};
  if (!required.empty()) object["required"] = std::move(required);
  object["properties"] = std::move(properties);
  if (direction == Direction::request) object["additionalProperties"] = false;
  return object;
}

json::object ComponentSchemas::one_of(const Schema& schema, Direction direction) const {
  json::array references;
  json::object mapping;
  for (const auto* const variant : schema.variants) {
    auto target = reference(*variant, direction);
    if (const auto name = variant_name(*variant); !name.empty()) mapping[name] = target.at("$ref");
    references.push_back(std::move(target));
  }
  json::object one{{"oneOf", std::move(references)}};
  if (mapping.size() == schema.variants.size()) {
    one["discriminator"] = {{"propertyName", "type"}, {"mapping", std::move(mapping)}};
  }
  return one;
}

json::object ComponentSchemas::property_schema(const Property& property, Direction direction) const {
  auto schema = bare_schema(property, direction);
  const bool is_open = schema.empty();
  if (property.nullable && !property.required && !is_open) schema = nullable(std::move(schema));
  if (property.read_only && direction == Direction::request) schema["readOnly"] = true;
  if (!property.description.empty()) schema["description"] = property.description;
  return schema;
}

json::object ComponentSchemas::bare_schema(const Property& property, Direction direction) const {
  const bool is_ignored = direction == Direction::request && property.read_only;
  if (is_ignored) return kind_schema(property.kind);
  if (property.kind == Kind::array) return array_schema(property, direction);
  if (property.schema != nullptr) return reference(*property.schema, direction);
  auto schema = kind_schema(property.kind);
  if (direction == Direction::request && type_of(property.kind) == "string" &&
      property.kind != Kind::one_of) {
    if (property.min_length > 0 || property.required)
      schema["minLength"] = std::max<std::size_t>(property.min_length, 1);
    schema["maxLength"] = length_limit(property.kind, property.max_length);
  }
  add_values(schema, property.values);
  add_bounds(schema, property.kind, property.minimum, property.maximum);
  return schema;
}

json::object ComponentSchemas::array_schema(const Property& property, Direction direction) const {
  json::object schema = kind_schema(Kind::array);
  if (direction == Direction::request) {
    if (const auto least = std::max<std::size_t>(property.min_length, property.required ? 1 : 0); least > 0) {
      schema["minItems"] = least;
    }
    schema["maxItems"] = length_limit(Kind::array, property.max_length);
  }
  auto items = property.schema ? reference(*property.schema, direction) : kind_schema(property.items);
  if (!property.schema) {
    add_values(items, property.values);
    add_bounds(items, property.items, property.minimum, property.maximum);
    if (direction == Direction::request && property.max_entry > 0) items["maxLength"] = property.max_entry;
  }
  schema["items"] = std::move(items);
  return schema;
}

}  // namespace waybill::api
