#pragma once

#include "api/route/schema.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// What an object by `schema` may look like, for the OpenAPI document. As a request it has every field that a
/// caller may give and passes the schema's check; as an answer every field. The same at each call.
json::object example_request(const Schema& schema);
json::object example_answer(const Schema& schema);

}  // namespace waybill::api
