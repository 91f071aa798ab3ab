#include "api/carriers/carrier_members.hpp"

#include <algorithm>
#include <utility>

#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "base/error.hpp"

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

std::optional<std::string> credential_at(const json::object& body, std::string_view name) {
  const auto text = text_at(body, name);
  return text ? std::optional(std::string(without_outer_blanks(*text))) : std::nullopt;
}

void require_printable_credentials(const json::object& body) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  FieldErrors errors;
  for (const std::string name : {"apiKey", "apiSecret"}) {
    if (std::ranges::any_of(credential_at(body, name).value_or(""), is_control))
      errors.push_back({name, "must not contain control characters"});
  }
  if (!errors.empty())
    throw Failure(ErrorCode::configuration_error, "The carrier cannot be configured like this.",
                  std::move(errors));
}

std::optional<bool> flag_member(const json::object& body, std::string_view name) {
  const json::value* const value = find_member(body, name);
  return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

}  // namespace waybill::api
