#include "connectors/manual_carrier.hpp"

namespace waybill::connectors {

asio::awaitable<FieldErrors> ManualCarrier::check(CarrierAccount account) const {
  FieldErrors errors;
  if (account.account_number.find_first_not_of(" \t\r\n\f\v") == std::string::npos) {
    errors.push_back({"accountNumber", "must not be empty"});
  }
  co_return errors;
}

}  // namespace waybill::connectors
