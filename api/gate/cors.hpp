#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http/message.hpp"

namespace waybill::api {

/// Lets pages of the configured origins read the answer (the CORS protocol of the Fetch standard). `origins`
/// are compared exactly; "*" allows any. Other origins get no headers. Credentials are never allowed: a page
/// of another origin sends a token in a header, and the session cookie is for pages of this service only.
void add_cors_headers(const std::vector<std::string>& origins, std::string_view origin, Response& response);

/// Answers OPTIONS: 204 with the methods of the path and the headers for a preflight.
void answer_options(const std::vector<std::string>& origins, std::string_view origin,
                    std::string_view methods, Response& response);

}  // namespace waybill::api
