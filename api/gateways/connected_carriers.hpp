#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::api {

inline constexpr std::string_view manual_connector = "manual";

/// A carrier of the business that is reached through a gateway.
struct ConnectedCarrier {
  Guid guid;
  std::string name;
  const connectors::GatewayConnector* connector;
  connectors::GatewayAccount account;
  json::object service_codes;  // by our service levels
};

/// Returns the active carriers with a gateway: all, or those that are named. Throws Failure: not_found for an
/// unknown one, conflict with the connector's name if a named one, or each, has no gateway.
asio::awaitable<std::vector<ConnectedCarrier>> connected_carriers(const Call& call, Services& services,
                                                                  std::vector<Guid> named);

/// Returns the purpose (SecretBox) of a sealed secret, which opens only for this business, carrier and field:
/// apiKey, apiSecret or inboundSecret.
std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name);

/// The token of a carrier's gateway; empty if there is none or it cannot be opened, which gateways refuse.
std::string open_carrier_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                             const std::optional<Bytes>& sealed);

}  // namespace waybill::api
