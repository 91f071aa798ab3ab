#pragma once

#include <string_view>

#include "base/json.hpp"

namespace waybill::actions {

/// A member of a definition that is there and not null.
inline const json::value* given(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace waybill::actions
