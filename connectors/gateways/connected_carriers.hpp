#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "base/secret_box.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::connectors {

inline constexpr std::string_view manual_connector = "manual";

/// A carrier of a business that is reached through a gateway.
struct ConnectedCarrier {
  Guid guid;
  std::string name;
  const GatewayConnector* connector = nullptr;  // never null
  GatewayAccount account;
  json::object service_codes;  // by our service levels
  std::string label_format;    // empty: the usual one of the connector

  /// Our service level of the gateway's service code; nullopt if the carrier has none for it.
  std::optional<std::string> level_of(std::string_view service_code) const;
  /// The gateway's service code of our service level; nullopt if the carrier has none for it.
  std::optional<std::string_view> service_code_of(std::string_view level) const;
};

/// nullopt if the carrier is not configured, or has the connector `manual`.
std::optional<ConnectedCarrier> connected_carrier(const storage::sql::carriers::Connections::Row& row,
                                                  const Guid& business, const SecretBox& secrets);

/// Returns the purpose (SecretBox) of a sealed secret, which opens only for this business, carrier and field:
/// apiKey, apiSecret or inboundSecret.
std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name);

/// The token of a carrier's gateway; empty if there is none or it cannot be opened, which gateways refuse.
std::string open_carrier_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                             const std::optional<Bytes>& sealed);

}  // namespace waybill::connectors
