#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/http_client.hpp"

namespace waybill::actions {

/// The code of a try that got no answer: "DNS", "TIMEOUT", ...
std::string_view failure_code(net::HttpFailure failure);

/// Whether the answer speaks against the destination's health.
bool is_destination_failure(const net::HttpResponse& response);

/// An answer's bytes as text of at most `most` bytes.
std::string kept_text(std::string_view bytes, std::size_t most);

}  // namespace waybill::actions
