#pragma once

#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors {

/// The connector to Karrio, a gateway that a business hosts itself (github.com/karrioapi/karrio).
const GatewayConnector& karrio_gateway();

}  // namespace waybill::connectors
