#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// `text` as a value in a URL's query: percent-encodes all but the unreserved characters of RFC 3986
/// section 2.3.
std::string percent_encode(std::string_view text);

}  // namespace waybill::net
