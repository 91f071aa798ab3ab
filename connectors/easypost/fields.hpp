#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/store_text.hpp"
#include "connectors/tracking_number.hpp"

namespace waybill::connectors::easypost {

/// The clean line at a dotted path, also of a number; empty if there is none.
inline std::string text_at(const json::object& object, std::string_view path, std::size_t limit = 200) {
  return clean_line(find_path(object, path), limit).value_or(std::string());
}

/// The same for texts to compare, such as ids and codes.
inline std::string code_at(const json::object& object, std::string_view path, std::size_t limit = 100) {
  return clean_identifier(find_path(object, path), limit).value_or(std::string());
}

/// The tracking number at a dotted path; empty if there is none, or one that is too long.
inline std::string number_at(const json::object& object, std::string_view path) {
  return tracking_number_in(find_path(object, path)).value_or(std::string());
}

/// The object at a dotted path; null if there is none.
inline const json::object* object_at(const json::object& object, std::string_view path) {
  const auto* const value = find_path(object, path);
  return value != nullptr ? value->if_object() : nullptr;
}

/// The list at a dotted path; empty if there is none.
inline const json::array& list_at(const json::object& object, std::string_view path) {
  static const json::array none;
  const auto* const value = find_path(object, path);
  const auto* const list = value != nullptr ? value->if_array() : nullptr;
  return list != nullptr ? *list : none;
}

}  // namespace waybill::connectors::easypost
