#include "api/records/properties.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "api/records/own_data.hpp"
#include "domain/values/email.hpp"
#include "domain/values/web_address.hpp"

namespace waybill::api {
namespace {

using domain::Column;
using domain::Field;
using domain::FieldType;
using domain::Form;

constexpr double largest_measure = 1e9;

Kind kind_of_type(FieldType type) {
  switch (type) {
    case FieldType::uuid:
      return Kind::uuid;
    case FieldType::integer:
      return Kind::integer;
    case FieldType::decimal:
      return Kind::number;
    case FieldType::boolean:
      return Kind::boolean;
    case FieldType::timestamp:
      return Kind::timestamp;
    case FieldType::array:
      return Kind::array;
    case FieldType::object:
      return Kind::object;
    case FieldType::string:
      break;
  }
  return Kind::string;
}

/// A property with the kind and the limits of a column.
Property limited(const Field& field) {
  switch (field.column()->form) {
    case Form::of_type:
      return {.kind = kind_of_type(field.type)};
    case Form::line:
      return {.kind = Kind::string};
    case Form::text:
      return {.kind = Kind::text};
    case Form::code:
      return {.kind = Kind::code};
    case Form::tracking_number:
      return {.kind = Kind::tracking_number};
    case Form::email:
      return {.kind = Kind::email, .max_length = domain::longest_email};
    case Form::web_address:
      return {.kind = Kind::string, .max_length = domain::longest_web_address};
    case Form::hs_code:
      return {.kind = Kind::hs_code};
    case Form::country:
      return {.kind = Kind::country};
    case Form::money:
      return {.kind = Kind::money};
    case Form::measure:
      break;
  }
  return {.kind = Kind::number, .minimum = 0, .maximum = largest_measure};
}

bool is_in_request(Use use) { return use == Use::create || use == Use::change; }

bool is_part_of(const Column& column, Use use) {
  if (use == Use::entry) return column.is_listed;
  return use == Use::answer ? column.is_answered : column.role != domain::ColumnRole::dispatch;
}

/// A name directly in a record.
struct Name {
  std::string_view name;
  const Field* field;  // null for an object of columns
};

std::vector<Name> names_of(domain::EntityType type, Use use) {
  std::vector<Name> names;
  for (const Field& field : domain::record_type(type).fields) {
    if (field.column() == nullptr || !is_part_of(*field.column(), use)) continue;
    const auto name = field.path.substr(0, field.path.find('.'));
    const bool is_known = std::ranges::find(names, name, &Name::name) != names.end();
    if (!is_known) names.push_back({name, name == field.path ? &field : nullptr});
  }
  return names;
}

}  // namespace

Property property_of(const Field& field, std::string_view name, Use use) {
  if (field.path == domain::tags_path) return tags_property;
  if (field.path == domain::metadata_path) return metadata_property;
  const Column& column = *field.column();
  Property property = limited(field);
  property.name = name;
  property.read_only = is_in_request(use) && column.given == domain::Given::never;
  property.required = use == Use::create && column.is_required && !property.read_only;
  property.nullable = !column.is_required;
  property.min_length = column.is_not_empty ? 1 : 0;
  property.description = column.description;
  property.example = column.example;
  return property;
}

std::vector<Property> record_properties(domain::EntityType type, Use use, std::span<const Property> own) {
  std::vector<Property> properties;
  const auto names = names_of(type, use);
  auto next = own.begin();
  for (const auto& [name, field] : names) {
    const auto hand_written = std::ranges::find(own, name, &Property::name);
    if (hand_written == own.end()) {
      if (field == nullptr) throw std::logic_error("no schema has the object " + std::string(name));
      properties.push_back(property_of(*field, name, use));
      continue;
    }
    for (; next < hand_written; ++next) {
      if (std::ranges::find(names, next->name, &Name::name) != names.end())
        throw std::logic_error(std::string(next->name) + " is not in the order of the table");
      properties.push_back(*next);
    }
    properties.push_back(*hand_written);
    next = hand_written + 1;
  }
  properties.insert(properties.end(), next, own.end());
  return properties;
}

std::vector<Property> object_properties(domain::EntityType type, Use use, std::string_view path) {
  std::vector<Property> properties;
  const auto prefix = std::string(path) + '.';
  for (const Field& field : domain::record_type(type).fields) {
    if (field.column() == nullptr || !is_part_of(*field.column(), use)) continue;
    const bool is_within = field.path.starts_with(prefix);
    const auto name = is_within ? field.path.substr(prefix.size()) : std::string_view();
    if (is_within && name.find('.') == std::string_view::npos)
      properties.push_back(property_of(field, name, use));
  }
  return properties;
}

}  // namespace waybill::api
