#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/endpoint/router.hpp"
#include "api/http/message.hpp"

namespace waybill::api {

/// True for application/json. RFC 8259 section 11 defines no charset; if one is given, it must be UTF-8.
bool is_json_type(std::string_view content_type);

/// Throws Failure (415) unless the body has the type of the endpoint, application/json (in UTF-8) or
/// multipart/form-data with a boundary, and is not compressed (RFC 9110 section 8.4).
void check_content(const Endpoint& endpoint, const Request& request);

/// Puts the parameters of the path into `call`. A malformed uuid is an error with the name of the parameter.
void read_path(const RoutedEndpoint& endpoint, const Found& found, Call& call, FieldErrors& errors);

/// Puts the query parameters that the endpoint declares, and `$select` where it applies, into `call`; others
/// are ignored.
void read_parameters(const Endpoint& endpoint, std::string_view query, Call& call, FieldErrors& errors);

/// Adds an error for each value of a record's body that cannot be read, `most_errors` at most in all, and
/// makes them null: strings with a NUL and numbers out of range. Numbers of own data stay as they are; the
/// check of own data refuses them.
void refuse_unreadable(json::object& record, FieldErrors& errors, std::size_t most_errors);

/// Parses and validates a JSON body by the endpoint's schema into `call.body`. Returns false if it has values
/// that cannot be read; they are then null in `call.body`, which can also be missing. The handler refuses
/// those of a list of records (`call.has_bad_value`).
bool read_json(const Endpoint& endpoint, std::string_view text, Call& call, FieldErrors& errors);

/// Checks an object by the endpoint's schema and rules.
void check_object(const Endpoint& endpoint, json::object& object, FieldErrors& errors);

}  // namespace waybill::api
