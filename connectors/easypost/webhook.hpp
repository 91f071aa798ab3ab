#pragma once

#include <string_view>

#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::easypost {

/// Verifies X-Hmac-Signature and reads the event. Only events of trackers are hints. Pure.
GatewayHint read_event(std::string_view secret, const InboundCall& call);

}  // namespace waybill::connectors::easypost
