#pragma once

#include <string>
#include <string_view>

namespace waybill::net {

/// The address with the ascii_domain of its domain. Only a local part beyond ASCII then needs SMTPUTF8 (RFC
/// 6531).
std::string ascii_domain_address(std::string_view address);

}  // namespace waybill::net
