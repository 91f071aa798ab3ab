#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill::api {

/// Decodes the %XX of a path segment or query part (RFC 3986 section 2.1). nullopt if an escape is malformed,
/// or the result is not UTF-8 or has a NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

/// The pairs of `a=1&b=2` as application/x-www-form-urlencoded (WHATWG URL section 5.1), in order; a name
/// without `=` has an empty value. A pair that cannot be decoded is left out; its name, or "query", goes
/// into `malformed`.
QueryPairs parse_query(std::string_view query, std::vector<std::string>& malformed);

/// "HOST:PORT", with brackets around an IPv6 address (RFC 3986 section 3.2).
std::string authority(std::string_view host, std::uint16_t port);

}  // namespace waybill::api
