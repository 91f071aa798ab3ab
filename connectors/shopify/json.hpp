#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors::shopify {

/// The clean line at a dotted path; nullopt if there is none.
inline std::optional<std::string> text(const json::object& object, std::string_view path) {
  return clean_line(find_path(object, path));
}

/// The same for names that may contain HTML.
inline std::optional<std::string> plain(const json::object& object, std::string_view path) {
  return plain_line(find_path(object, path));
}

/// The same for texts to compare.
inline std::optional<std::string> identifier(const json::object& object, std::string_view path) {
  return clean_identifier(find_path(object, path));
}

/// The e-mail address at a dotted path; nullopt if there is none.
inline std::optional<std::string> email(const json::object& object, std::string_view path) {
  const auto found = text(object, path);
  return found ? clean_email(*found) : std::nullopt;
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
