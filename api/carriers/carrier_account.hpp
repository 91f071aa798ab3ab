#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/guid.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {

/// A change of the account that a carrier is reached with. Values that are not set stay.
struct AccountChange {
  std::optional<std::string> connector;
  std::optional<std::optional<std::string>> api_url;
  std::optional<std::string> account_number;
  std::optional<bool> test_mode, is_active;
};

/// Locks a carrier's configuration until the end of the transaction, so that no purchase begins before that.
/// Throws Failure (409) with the open purchases if the carrier is removed (nullopt), deactivated, or gets
/// another connector, address, account or mode while its gateway is still to be asked for some of them. Those
/// that wait for another connector or mode hold nothing. Other changes, such as of the token, are allowed.
/// Nothing for a carrier that is not configured, or is `manual`.
boost::asio::awaitable<void> keep_account_of_purchases(storage::Transaction& transaction, Guid business,
                                                       Guid carrier, std::optional<AccountChange> change);

}  // namespace waybill::api
