#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// `text` as a value of a URL's query: everything but the unreserved characters of RFC 3986 section 2.3 is
/// percent-encoded.
std::string percent_encode(std::string_view text);

}  // namespace waybill::net
