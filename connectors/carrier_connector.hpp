#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"

namespace waybill::connectors {

namespace asio = boost::asio;

/// An account with a carrier, as given by the caller. Never logged.
struct CarrierAccount {
  std::string account_number;
  std::optional<std::string> api_key;
  std::optional<std::string> api_secret;
  bool test_mode = false;
};

/// Talks to one carrier. Stateless: one instance serves all businesses, on any io thread.
class CarrierConnector {
 public:
  virtual ~CarrierConnector() = default;

  /// Such as "manual".
  virtual std::string_view name() const = 0;

  /// Returns the errors in an account, by the request's field names (accountNumber, apiKey, …); an empty list
  /// if the carrier accepts it. Reports time-outs and refusals of the carrier here, too; does not throw.
  virtual asio::awaitable<FieldErrors> check(CarrierAccount account) const = 0;
};

/// The connector of the carrier with this code; `manual` for carriers without their own connector.
const CarrierConnector& carrier_connector(std::string_view carrier_code);

}  // namespace waybill::connectors
