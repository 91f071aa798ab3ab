#pragma once

#include <span>
#include <string>

#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

/// The OpenAPI 3.1 document of the endpoints and their schemas, as indented JSON that ends in a line feed.
/// The same endpoints always give the same bytes. Throws std::logic_error if two schemas or operations share
/// a name.
std::string openapi_document(std::span<const Endpoint> endpoints);

/// The document of all endpoints, and of the webhooks that workflows send.
std::string openapi_document();

}  // namespace waybill::api
