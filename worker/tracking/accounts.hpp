#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/database/database.hpp"

namespace waybill::worker {

/// The account of a business with a carrier that is reached through a gateway.
struct CarrierAccount {
  Guid business, carrier;
  std::string name;                                         // the carrier's
  const connectors::GatewayConnector* connector = nullptr;  // never null
  connectors::GatewayAccount account;
};

/// Returns the active accounts of some carriers; those without a gateway are left out. Throws
/// DatabaseUnavailable or StatementError.
boost::asio::awaitable<std::vector<CarrierAccount>> read_accounts(storage::Database& database,
                                                                  const SecretBox& secrets, Guid business,
                                                                  std::vector<Guid> carriers);

}  // namespace waybill::worker
