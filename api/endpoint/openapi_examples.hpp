#pragma once

#include <string_view>

#include "api/endpoint/schema.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// An example of an object for the OpenAPI document. A request has every field that a caller can give and
/// passes the check of the schema; an answer has every field. Each call returns the same.
json::object example_request(const Schema& schema);
json::object example_answer(const Schema& schema);

/// The usual value of a property of a schema; null if there is none. Both are looked up by their names.
json::value usual_value(std::string_view schema, std::string_view property);

}  // namespace waybill::api
