#pragma once

#include <span>

#include "api/route/route.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// JSON Schema (2020-12, as OpenAPI 3.1 uses it) of every schema that the routes refer to, by name, in the
/// order of the names. Those of requests refuse unknown properties. Throws std::logic_error when two schemas
/// share a name.
json::object component_schemas(std::span<const Route> routes);

json::object parameter_schema(const Parameter& parameter);

}  // namespace waybill::api
