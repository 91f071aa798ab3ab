#pragma once

#include <span>
#include <string_view>

#include "api/http/address_block.hpp"

namespace waybill::api {

/// The address of the client: `peer`, the other end of the connection, unless that is a trusted proxy; then
/// the last address of X-Forwarded-For that is not a trusted proxy. Anything before text that is not an
/// address is ignored.
std::string_view client_address(std::string_view peer, std::string_view forwarded_for,
                                std::span<const AddressBlock> trusted_proxies);

}  // namespace waybill::api
