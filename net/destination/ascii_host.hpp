#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// A domain in the form that every server takes: labels beyond ASCII in their xn-- form (RFC 5891), as IDNA
/// 2008 with the mapping of UTS 46 makes them. A domain that has no such form is returned unchanged.
std::string ascii_domain(std::string_view domain);

/// The URL with the ascii_domain of its host, as browsers request it. A check must follow it, because the
/// mapping can make ASCII of other characters.
std::string with_ascii_host(std::string_view url);

}  // namespace waybill::net
