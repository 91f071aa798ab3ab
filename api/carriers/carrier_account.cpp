#include "api/carriers/carrier_account.hpp"

#include <cstdint>
#include <utility>

#include "api/carriers/carrier_members.hpp"
#include "base/error.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t most_named = 20;

/// True if purchases through the account cannot continue after the change.
bool leaves_account(const sql::carriers::LockAccount::Row& now, const AccountChange& change) {
  return change.connector.value_or(std::string(now.connector)) != now.connector ||
         (change.api_url && *change.api_url != now.api_url) ||
         (change.account_number && change.account_number != now.account_number) ||
         change.test_mode.value_or(now.test_mode) != now.test_mode ||
         (now.is_active && !change.is_active.value_or(true));
}

std::string reason_of(std::string_view status) {
  if (status == "refused") return "was resolved as not bought, or withdrawn, and is still looked up";
  if (status == "bought" || status == "void_refused") return "waits for its label";
  return "is " + std::string(status);
}

}  // namespace

boost::asio::awaitable<void> keep_account_of_purchases(storage::Transaction& transaction, Guid business,
                                                       Guid carrier, std::optional<AccountChange> change) {
  const auto accounts =
      co_await transaction.run(sql::carriers::LockAccount{.business = business, .carrier = carrier});
  const auto account = accounts.find();
  if (!account || account->connector == connectors::manual_connector) co_return;
  if (change && !leaves_account(*account, *change)) co_return;
  const auto open = co_await transaction.run(sql::carriers::OpenPurchases{.business = business,
                                                                          .carrier = carrier,
                                                                          .connector = account->connector,
                                                                          .test_mode = account->test_mode,
                                                                          .most = most_named});
  FieldErrors purchases;
  for (const auto& row : open) {
    purchases.push_back({"purchases[" + std::to_string(purchases.size()) + "]",
                         row.guid.to_string() + " of the shipment " + row.shipment_id.to_string() + " " +
                             reason_of(row.status)});
  }
  if (!purchases.empty())
    throw Failure(ErrorCode::conflict,
                  "Purchases of labels from this carrier are open, so its account stays as it is. Wait for "
                  "them, or resolve those that stay unknown.",
                  std::move(purchases));
}

}  // namespace waybill::api
