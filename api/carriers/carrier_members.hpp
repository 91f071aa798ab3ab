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
std::optional<bool> flag_member(const json::object& body, std::string_view name);

}  // namespace waybill::api
