#include "api/records/columns.hpp"

namespace waybill::api {

json::object changed_columns(const json::object& body, std::span<const BodyColumn> columns) {
  json::object changes;
  for (const auto& [path, column] : columns) {
    const auto* const member = body.if_contains(path.substr(0, path.find('.')));
    if (member == nullptr) continue;
    const auto* const value = member->is_null() ? member : find_path(body, path);
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
