#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/error.hpp"

namespace waybill::connectors {

namespace asio = boost::asio;

/// An account with a carrier, as a caller gives it. Never logged.
struct CarrierAccount {
  std::string account_number;
  std::optional<std::string> api_key;
  std::optional<std::string> api_secret;
  bool test_mode = false;
};

/// What speaks to one carrier. Stateless: one instance serves all businesses, on any io thread.
class CarrierConnector {
 public:
  virtual ~CarrierConnector() = default;

  /// "manual"
  virtual std::string_view name() const = 0;

  /// What is wrong with an account, by the request's field names (accountNumber, apiKey, …): an empty list
  /// for one that the carrier accepts. A connector that has to ask the carrier names its time-outs and
  /// refusals here too; it does not throw.
  virtual asio::awaitable<FieldErrors> check(CarrierAccount account) const = 0;
};

/// The connector of the carrier of this code; `manual` for carriers without one of their own.
const CarrierConnector& carrier_connector(std::string_view carrier_code);

}  // namespace waybill::connectors
