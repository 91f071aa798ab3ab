#pragma once

#include <string>
#include <string_view>

namespace waybill {

/// Appends `text`, with all characters percent-encoded but ASCII letters, digits and those in `kept`.
void append_percent_encoded(std::string& out, std::string_view text, std::string_view kept);

/// `text` as a value in a URL's query: percent-encodes all but the unreserved characters of RFC 3986
/// section 2.3.
std::string percent_encode(std::string_view text);

}  // namespace waybill
