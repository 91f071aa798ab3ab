#pragma once

#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/http/message.hpp"

namespace waybill::api {

/// True if the answers of an endpoint have an entity tag: the JSON that a GET reads for a caller with a
/// token, unless a row of the endpoint says how caches treat it, such as secrets that are never stored.
bool has_entity_tag(const Endpoint& endpoint);

/// The entity tag of a body (RFC 9110 section 8.8.3): 128 bits of its hash. It is weak, because the body may
/// be sent with another content coding.
std::string entity_tag(const Response& response);

/// True if the fields If-None-Match of a request's head name the tag, or any (`*`). Tags are compared weakly
/// (RFC 9110 section 13.1.2). What follows a malformed tag of a field is ignored.
bool names_entity_tag(std::string_view head, std::string_view tag);

/// Lets only the caller's own cache keep an answer, and makes that cache ask again. An answer that has its
/// own Cache-Control keeps it. Adds nothing the second time.
void keep_private(Response& response);

/// Gives a 200 its entity tag and keeps it private. If the request's head names the tag, the response becomes
/// a 304 without a body.
void answer_conditionally(std::string_view head, Response& response);

}  // namespace waybill::api
