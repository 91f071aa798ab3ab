#pragma once

#include <string_view>

#include "base/json.hpp"

namespace waybill::actions {

/// Returns a member of a definition; null if it is absent or JSON null.
inline const json::value* find_value(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace waybill::actions
