#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
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
  json::object service_codes;      // by our service levels
  std::string label_format;        // empty: the usual one of the connector
  bool is_failing = false;         // as noted for the last calls
  std::optional<Time> checked_at;  // of that note, or of the last check

  /// Our service level of the gateway's service code; nullopt if the carrier has none for it.
  std::optional<std::string> level_of(std::string_view service_code) const;
  /// The gateway's service code of our service level; nullopt if the carrier has none for it.
  std::optional<std::string_view> service_code_of(std::string_view level) const;
};

/// nullopt if the carrier is not configured, or has the connector `manual`.
std::optional<ConnectedCarrier> connected_carrier(const storage::sql::carriers::Connections::Row& row,
                                                  const Guid& business, const SecretBox& secrets);

/// The change of what is noted of an account after a call: its failure if a person must remove the reason
/// (the credentials, the mode, the connection, an address that cannot be reached); without a failure the
/// success of a call of an account that is noted as failing. nullopt if nothing is to be noted; so usual
/// calls write nothing. The statement has views of `carrier`, and of `text`, which the call sets.
std::optional<storage::sql::carriers::NoteCalls> note_of_call(const Guid& business,
                                                              const ConnectedCarrier& carrier,
                                                              const GatewayError* failure, std::string& text);

/// Returns the purpose (SecretBox) of a sealed secret, which opens only for this business, carrier and field:
/// apiKey, apiSecret or inboundSecret.
std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name);

/// The token of a carrier's gateway; empty if there is none or it cannot be opened, which gateways refuse.
std::string open_carrier_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                             const std::optional<Bytes>& sealed);

}  // namespace waybill::connectors
