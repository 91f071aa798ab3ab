#pragma once

#include <optional>
#include <string>

#include "api/endpoint/schema.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// The property `customs` of a shipment, in requests and answers.
extern const Property customs_property;

/// Adds an error for each currency of `body.customs` that is not a code of ISO 4217.
void check_customs(const json::object& body, FieldErrors& errors);

/// Returns checked data for customs with all their members, as they are stored; nullopt if none of them has a
/// value.
std::optional<std::string> customs_text(const json::object& customs);

}  // namespace waybill::api
