#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors::shopify {

/// The clean text at a dotted path; nullopt if there is none.
inline std::optional<std::string> text(const json::object& object, std::string_view path,
                                       std::size_t limit = 1000) {
  return clean_text(find_path(object, path), limit);
}

/// The same for codes to compare; empty if there is none.
inline std::string code(const json::object& object, std::string_view path) {
  return text(object, path).value_or(std::string());
}

/// The list at a dotted path; empty if there is none.
inline const json::array& list(const json::object& object, std::string_view path) {
  static const json::array none;
  const auto* const value = find_path(object, path);
  return value != nullptr && value->is_array() ? value->get_array() : none;
}

}  // namespace waybill::connectors::shopify
