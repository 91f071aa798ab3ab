#include "worker/tracking/accounts.hpp"

#include <optional>
#include <utility>

#include "base/crypto.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::worker {
namespace {

/// The token; empty if there is none or it cannot be opened, which gateways refuse.
std::string open_key(const SecretBox& secrets, const Guid& business, const Guid& carrier,
                     const std::optional<Bytes>& sealed) {
  if (!sealed) return {};
  try {
    return secrets.open(*sealed, "carrier-apiKey:" + business.to_string() + ":" + carrier.to_string());
  } catch (const SecretError&) {
    return {};
  }
}

}  // namespace

boost::asio::awaitable<std::vector<CarrierAccount>> read_accounts(storage::Database& database,
                                                                  const SecretBox& secrets, Guid business,
                                                                  std::vector<Guid> carriers) {
  const auto rows = co_await database.write(
      storage::sql::carriers::Connections{.business = business, .carriers = carriers}, {});
  std::vector<CarrierAccount> accounts;
  for (const auto& row : rows) {
    const auto* const connector = row.connector ? connectors::find_gateway(*row.connector) : nullptr;
    if (connector == nullptr) continue;
    accounts.push_back(
        {.business = business,
         .carrier = row.carrier,
         .name = std::string(row.name),
         .connector = connector,
         .account = {.api_url = std::string(row.api_url.value_or("")),
                     .api_key = open_key(secrets, business, row.carrier, unhex(row.sealed_key.value_or(""))),
                     .account_number = std::string(row.account_number.value_or("")),
                     .test_mode = row.test_mode.value_or(false)}});
  }
  co_return accounts;
}

}  // namespace waybill::worker
