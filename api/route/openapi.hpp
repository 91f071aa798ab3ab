#pragma once

#include <span>
#include <string>

#include "api/route/route.hpp"

namespace waybill::api {

/// The OpenAPI 3.1 document of the routes and their schemas, as indented JSON that ends in a line feed. The
/// same routes always give the same bytes. Throws std::logic_error if two schemas or operations share a name.
std::string openapi_document(std::span<const Route> routes);

/// The document of all routes, and of the webhooks that workflows send.
std::string openapi_document();

}  // namespace waybill::api
