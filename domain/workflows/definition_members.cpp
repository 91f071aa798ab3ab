#include "domain/workflows/definition_members.hpp"

#include <algorithm>

#include "domain/conditions/target.hpp"

namespace waybill::domain {
namespace {

/// True for a present value of the record that is neither a list nor an object.
bool is_single_value(const Target& target) {
  return !target.enters_list && !target.is_value_list && !target.previous &&
         target.type != FieldType::array && target.type != FieldType::object;
}

}  // namespace

const json::object* members(const json::value& value, std::string_view name,
                            std::initializer_list<std::string_view> known, FieldErrors& errors) {
  const json::object* const object = value.if_object();
  if (object == nullptr) {
    errors.push_back({std::string(name), "must be an object"});
    return nullptr;
  }
  for (const auto& member : *object) {
    if (std::ranges::find(known, std::string_view(member.key())) == known.end())
      errors.push_back({std::string(name) + '.' + std::string(member.key()), "unknown field"});
  }
  return object;
}

const json::value* given(const json::object& object, std::string_view member) {
  const json::value* const value = object.if_contains(member);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

const json::value* required(const json::object& object, std::string_view name, std::string_view member,
                            FieldErrors& errors) {
  const json::value* const value = given(object, member);
  if (value == nullptr) errors.push_back({std::string(name) + '.' + std::string(member), "is required"});
  return value;
}

std::optional<std::string> text_of(const json::value* value) {
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::string parse_value_path(const json::value& value, std::string_view field, const RecordType& type,
                             FieldErrors& errors) {
  std::string path = text_of(&value).value_or("");
  const auto target = find_target(path, type);
  if (!target) {
    errors.push_back({std::string(field), "unknown field"});
  } else if (!is_single_value(*target)) {
    errors.push_back({std::string(field), "must be a field of the record with a single value"});
  }
  return path;
}

const json::value* value_at(const json::object& entity, std::string_view path) {
  Steps steps;
  if (path.starts_with(std::string(metadata_path) + '.')) {
    steps = {metadata_path, path.substr(metadata_path.size() + 1)};
  } else {
    for (std::size_t start = 0; start <= path.size();) {
      const auto dot = std::min(path.find('.', start), path.size());
      steps.push_back(path.substr(start, dot - start));
      start = dot + 1;
    }
  }
  const json::value* const value = walk(entity, steps);
  return is_nothing(value) ? nullptr : value;
}

}  // namespace waybill::domain
