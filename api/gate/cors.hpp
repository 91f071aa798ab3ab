#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http/message.hpp"

namespace waybill::api {

/// Lets pages of the configured origins read the answer (the Fetch standard's CORS protocol). `origins` are
/// compared exactly; "*" stands for any. Nothing is added for another origin, and tokens travel in a header,
/// never in cookies.
void add_cors_headers(const std::vector<std::string>& origins, std::string_view origin, Response& response);

/// Answers OPTIONS: 204 with the path's methods, and what a preflight asks for.
void answer_options(const std::vector<std::string>& origins, std::string_view origin,
                    std::string_view methods, Response& response);

}  // namespace waybill::api
