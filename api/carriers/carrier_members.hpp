#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace waybill::api {

/// A member of a carrier's configuration, flat or in `configuration` as in a GET; null if the request has
/// neither.
const json::value* find_member(const json::object& body, std::string_view name);
/// Such a member; nullopt also for null.
std::optional<std::string> text_member(const json::object& body, std::string_view name);
/// The credential `name`, without the blanks that pasted ones often have around them.
std::optional<std::string> credential_at(const json::object& body, std::string_view name);
/// Throws Failure, with the field, for a credential that no header field can carry.
void require_printable_credentials(const json::object& body);
std::optional<bool> flag_member(const json::object& body, std::string_view name);

}  // namespace waybill::api
