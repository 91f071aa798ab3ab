#include "api/gateways/connected_carriers.hpp"

#include <string>
#include <utility>

#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {

asio::awaitable<std::vector<ConnectedCarrier>> connected_carriers(const Call& call, Services& services,
                                                                  std::vector<Guid> named) {
  const auto rows =
      co_await services.db.read(sql::carriers::Connections{.business = call.business(), .carriers = named});
  const bool are_named = !named.empty();
  for (const auto& row : rows) std::erase(named, row.carrier);
  if (!named.empty()) throw not_found("carrier");
  std::vector<ConnectedCarrier> connected;
  for (const auto& row : rows) {
    if (auto carrier = connectors::connected_carrier(row, call.business(), services.secrets)) {
      connected.push_back(*std::move(carrier));
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

}  // namespace waybill::api
