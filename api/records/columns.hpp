#pragma once

#include <span>
#include <string_view>

#include "base/json.hpp"

namespace waybill::api {

/// The path in a body that holds the value of a table's column.
struct BodyColumn {
  std::string_view path;  // "address.postalCode"
  std::string_view column;
};

/// Returns the value of `body` at a path; JSON null if an object on the path is null, nullptr if the body
/// does not name it.
const json::value* given_at(const json::object& body, std::string_view path);

/// Returns the columns that `body` names, with their new values. A null, or a null object on the path, clears
/// a column; a missing member leaves it out.
json::object changed_columns(const json::object& body, std::span<const BodyColumn> columns);

/// Returns a new element of a list: its guid, and all columns with their values in `body`, or null.
json::object new_element(const json::object& body, std::span<const BodyColumn> columns,
                         std::string_view guid);

}  // namespace waybill::api
