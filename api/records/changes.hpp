#pragma once

#include <string_view>

#include "base/json.hpp"

namespace waybill::api {

/// Adds `column` to `changes` if `body` names a related record, flat ("driverId") or nested ("driver.guid"):
/// its guid, or null if one of the two is null and the other has no guid.
void add_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                      std::string_view column, json::object& changes);

}  // namespace waybill::api
