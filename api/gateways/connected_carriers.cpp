#include "api/gateways/connected_carriers.hpp"

#include <utility>

#include "base/crypto.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {

namespace sql = storage::sql::carriers;

asio::awaitable<std::vector<ConnectedCarrier>> connected_carriers(const Call& call, Services& services,
                                                                  std::vector<Guid> named) {
  const auto rows =
      co_await services.db.read(sql::Connections{.business = call.business(), .carriers = named});
  const bool are_named = !named.empty();
  for (const auto& row : rows) std::erase(named, row.carrier);
  if (!named.empty()) throw not_found("carrier");
  std::vector<ConnectedCarrier> connected;
  for (const auto& row : rows) {
    const auto* const connector = row.connector ? connectors::find_gateway(*row.connector) : nullptr;
    if (connector != nullptr) {
      connected.push_back(
          {.guid = row.carrier,
           .name = std::string(row.name),
           .connector = connector,
           .account = {.api_url = std::string(row.api_url.value_or("")),
                       .api_key = open_carrier_key(services.secrets, call.business(), row.carrier,
                                                   unhex(row.sealed_key.value_or(""))),
                       .account_number = std::string(row.account_number.value_or("")),
                       .test_mode = row.test_mode.value_or(false)},
           .service_codes =
               row.service_codes ? json::parse(*row.service_codes).as_object() : json::object()});
    } else if (are_named) {
      throw conflict("The carrier " + std::string(row.name) +
                     (row.connector
                          ? " has the connector " + std::string(*row.connector) + ", which cannot do this."
                          : " is not configured."));
    }
  }
  if (connected.empty())
    throw conflict("No configured carrier can do this: their connector is " + std::string(manual_connector) +
                   ".");
  co_return connected;
}

std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name) {
  return "carrier-" + std::string(name) + ":" + business.to_string() + ":" + carrier.to_string();
}

std::string open_carrier_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                             const std::optional<Bytes>& sealed) {
  if (!sealed) return {};
  try {
    return secrets.open(*sealed, carrier_secret_purpose(business, carrier, "apiKey"));
  } catch (const SecretError&) {
    return {};
  }
}

}  // namespace waybill::api
