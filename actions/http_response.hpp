#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "net/http/http_client.hpp"

namespace waybill::actions {

/// The code of an attempt that got no response: "DNS", "TIMEOUT", ...
std::string_view failure_code(net::HttpFailure failure);

/// True if the response counts as a failure of the destination.
bool is_destination_failure(const net::HttpResponse& response);

/// Converts a response's bytes to valid UTF-8 of at most `max_bytes` bytes.
std::string limited_text(std::string_view bytes, std::size_t max_bytes);

}  // namespace waybill::actions
