#pragma once

#include <string_view>

#include "base/json.hpp"

namespace waybill::api {

/// Adds `column` to the changed columns where `body` names a relative, flat ("driverId") or nested
/// ("driver.guid"): its guid, or null when one of them is null and the other names none.
void add_relative(const json::object& body, std::string_view flat, std::string_view nested,
                  std::string_view column, json::object& changes);

}  // namespace waybill::api
