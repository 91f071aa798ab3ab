#pragma once

#include <string>
#include <string_view>

namespace waybill::api {

/// The network of a client's address. For IPv6 it is the first 64 bits (RFC 4291 section 2.5.4), since a
/// client can use any address within them. An IPv4-mapped IPv6 address counts as the IPv4 address.
std::string network_of(std::string_view address);

}  // namespace waybill::api
