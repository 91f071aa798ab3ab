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

}  // namespace waybill::api
