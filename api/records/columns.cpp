#include "api/records/columns.hpp"

namespace waybill::api {

const json::value* given_at(const json::object& body, std::string_view path) {
  const auto dot = path.find('.');
  const auto* const member = body.if_contains(path.substr(0, dot));
  if (dot == std::string_view::npos || member == nullptr || member->is_null()) return member;
  const auto* const object = member->if_object();
  return object == nullptr ? nullptr : given_at(*object, path.substr(dot + 1));
}

json::object changed_columns(const json::object& body, std::span<const BodyColumn> columns) {
  json::object changes;
  for (const auto& [path, column] : columns) {
    const auto* const value = given_at(body, path);
    if (value != nullptr) changes.emplace(column, *value);
  }
  return changes;
}

json::object new_element(const json::object& body, std::span<const BodyColumn> columns,
                         std::string_view guid) {
  json::object element{{"guid", guid}};
  for (const auto& [path, column] : columns) {
    const auto* const value = find_path(body, path);
    element.emplace(column, value == nullptr ? json::value() : *value);
  }
  return element;
}

}  // namespace waybill::api
