#pragma once

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::api {

/// The answer to a configuration that a gateway does not accept: configuration_error with the wrong field, or
/// unavailable if a later call may succeed. `has_url` is true if the request names the gateway's address.
Failure configuration_failure(const connectors::GatewayError& error, bool has_url);

/// The answer to a call for scans that a gateway does not serve: unavailable, with the gateway's own pause,
/// if a later call may succeed, else conflict.
Failure tracking_failure(const connectors::GatewayError& error);

}  // namespace waybill::api
