#include "api/carriers/carrier_members.hpp"

namespace waybill::api {

const json::value* find_member(const json::object& body, std::string_view name) {
  if (const json::value* const flat = body.if_contains(name)) return flat;
  const json::value* const nested = body.if_contains("configuration");
  return nested != nullptr && nested->is_object() ? nested->get_object().if_contains(name) : nullptr;
}

std::optional<std::string> text_member(const json::object& body, std::string_view name) {
  const json::value* const value = find_member(body, name);
  return value != nullptr && value->is_string() ? std::optional(std::string(value->get_string()))
                                                : std::nullopt;
}

std::optional<bool> flag_member(const json::object& body, std::string_view name) {
  const json::value* const value = find_member(body, name);
  return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

}  // namespace waybill::api
