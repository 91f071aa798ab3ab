#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// In which column a field of a body is kept.
struct ColumnOf {
  std::string_view path;
  std::string_view column;
};

/// The columns that `body` names, with their new values: null where the field, or an object on its path, is
/// null. For statements that merge.
json::object named_columns(const json::object& body, std::span<const ColumnOf> columns);

/// Adds `column` where `body` names a relative, flat ("driverId") or nested ("driver.guid"): its guid, or
/// null when one of them is null and the other names none.
void add_relative(const json::object& body, std::string_view flat, std::string_view nested,
                  std::string_view column, json::object& changes);

/// Adds an error for each of the strings that is given and has no visible character. Those that must not be
/// empty either have a `min_length`.
void check_not_blank(const json::object& body, std::initializer_list<std::string_view> names,
                     FieldErrors& errors);

}  // namespace waybill::api
