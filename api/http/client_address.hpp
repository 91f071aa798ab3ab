#pragma once

#include <span>
#include <string>
#include <string_view>

namespace waybill::api {

/// Where a request comes from: `peer`, the other end of the connection, unless that is one of the trusted
/// proxies; then the last address of X-Forwarded-For that is none of them. What is no address there is not
/// believed.
std::string_view client_address(std::string_view peer, std::string_view forwarded_for,
                                std::span<const std::string> trusted_proxies);

}  // namespace waybill::api
