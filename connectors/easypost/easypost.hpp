#pragma once

#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors {

/// EasyPost v2. A shipment there has one parcel and is bought once; its refund takes weeks, so that
/// `void_label` with `after_unknown` also tells what became of a pending one.
const GatewayConnector& easypost_connector();

}  // namespace waybill::connectors
