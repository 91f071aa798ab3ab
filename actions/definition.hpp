#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/json.hpp"

namespace waybill::actions {

/// A member of a definition that is there and not null.
inline const json::value* given(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

inline std::size_t character_count(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) { return (c & '\xc0') != '\x80'; }));
}

}  // namespace waybill::actions
