#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// A domain in the form that every server takes: labels beyond ASCII in their xn-- form (RFC 5891), as IDNA
/// 2008 with the mapping of UTS 46 makes them. A domain that has no such form is returned unchanged.
std::string ascii_domain(std::string_view domain);

/// The address with the ascii_domain of its domain. Only a local part beyond ASCII then needs SMTPUTF8 (RFC
/// 6531).
std::string ascii_domain_address(std::string_view address);

}  // namespace waybill::net
