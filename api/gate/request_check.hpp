#pragma once

#include <string>
#include <string_view>

#include "api/http/message.hpp"
#include "api/route/router.hpp"

namespace waybill::api {

/// RFC 8259 section 11 gives JSON no charset; one that is named all the same must be UTF-8.
bool is_json_type(std::string_view content_type);

/// 415 unless the body is what the route takes: application/json (in UTF-8) or multipart/form-data with a
/// boundary, and not compressed (RFC 9110 section 8.4).
void check_content(const Route& route, const Request& request);

/// Puts the path's parameters into `call`; a malformed uuid becomes an error under the parameter's name.
void read_path(const Endpoint& endpoint, const Found& found, Call& call, FieldErrors& errors);

/// Puts the query parameters that the route declares into `call`; others are of no concern.
void read_parameters(const Route& route, std::string_view query, Call& call, FieldErrors& errors);

/// Parses and validates a JSON body by the route's schema into `call.body`.
void read_json(const Route& route, std::string_view text, Call& call, FieldErrors& errors);

}  // namespace waybill::api
