#pragma once

#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "connectors/gateways/connected_carriers.hpp"

namespace waybill::api {

using connectors::carrier_secret_purpose;
using connectors::ConnectedCarrier;
using connectors::manual_connector;
using connectors::open_carrier_key;

/// Returns the active carriers with a gateway: all, or those that are named. Throws Failure: not_found for an
/// unknown one, conflict with the connector's name if a named one, or each, has no gateway.
asio::awaitable<std::vector<ConnectedCarrier>> connected_carriers(const Call& call, Services& services,
                                                                  std::vector<Guid> named);

}  // namespace waybill::api
