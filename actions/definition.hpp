#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::actions {

/// Returns a member of a definition; null if it is absent or JSON null.
inline const json::value* find_value(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

/// Returns the guid of a member; nullopt if there is none.
inline std::optional<Guid> find_guid(const json::object& object, std::string_view key) {
  const json::value* const value = find_value(object, key);
  const auto* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::nullopt : Guid::parse(*text);
}

/// Copies members of a definition. Those that are absent become JSON null.
inline void copy_members(const json::object& from, std::span<const std::string_view> names,
                         json::object& to) {
  for (const std::string_view name : names) {
    const json::value* const value = find_value(from, name);
    to[name] = value == nullptr ? json::value() : *value;
  }
}

}  // namespace waybill::actions
