#pragma once

#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// Removes from the body of a change the values that `errors` refuse and that the record shows already, so
/// that they stay as they are: what SQL wrote can be sent back. `shown` is the record as a GET shows it, with
/// all digits. A change merges what is removed: members of objects, entries of lists that have a guid.
/// Returns true if it removed something; the body must then be checked again.
bool remove_unchanged(json::object& body, const json::object& shown, const FieldErrors& errors);

}  // namespace waybill::api
