#pragma once

#include <span>
#include <string_view>

#include "base/json.hpp"

namespace waybill::api {

/// Where the value of a table's column stands in a body.
struct BodyColumn {
  std::string_view path;  // "address.postalCode"
  std::string_view column;
};

/// The columns that `body` names, with their new values: null clears, and so does an object that is null.
/// Columns of what is missing are not among them.
json::object changed_columns(const json::object& body, std::span<const BodyColumn> columns);

}  // namespace waybill::api
