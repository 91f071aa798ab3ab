#pragma once

#include <optional>
#include <string>

#include "api/carriers/carrier_handlers.hpp"
#include "api/gateways/connected_carriers.hpp"
#include "connectors/carrier_gateway.hpp"

// The connection of a configured carrier: `manual`, or a gateway that speaks to the carrier.
namespace waybill::api {

/// The part of a configuration that says how the carrier is reached.
struct CarrierConnection {
  std::string connector{manual_connector};
  std::optional<std::string> api_url;        // without a trailing slash
  std::optional<std::string> service_codes;  // a JSON object: the gateway's codes by our service levels
  std::optional<std::string> label_format;

  /// Null for `manual`.
  const connectors::GatewayConnector* gateway() const { return connectors::find_gateway(connector); }
};

/// The connection of a request: `stored` with the members that `body` has, flat or in `configuration`. Throws
/// Failure for one that cannot be, which names the field.
CarrierConnection merged_connection(const json::object& body, CarrierConnection stored,
                                    const Services& services);

/// The result of a check.
struct CheckedConnection {
  std::optional<std::string> status = {};  // "ok" or "unchecked"; nullopt for `manual`
  std::optional<std::string> error = {};   // the carrier's reason for an unchecked one, if it gave any
};

/// Makes real calls to the gateway. The connection is "unchecked" if the carrier has no rate for the address
/// of the business. Throws Failure: configuration_error with the wrong field, or unavailable.
asio::awaitable<CheckedConnection> check_connection(const Call& call, Services& services,
                                                    const CarrierConnection& connection,
                                                    connectors::GatewayAccount account);

/// The connectors that a carrier can be configured with, each with its features and the formats of labels
/// that it can buy.
json::array connector_entries();

/// Completes the answer of a GET: `features` and, for a gateway, its part of `configuration`.
void show_connection(json::object& carrier);

extern const Property connector_property, api_url_property, service_codes_property, label_format_property,
    tracking_sync_property;

}  // namespace waybill::api
