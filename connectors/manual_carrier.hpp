#pragma once

#include "connectors/carrier_connector.hpp"

namespace waybill::connectors {

/// A carrier without an API: accepts any account number that is not empty.
class ManualCarrier : public CarrierConnector {
 public:
  std::string_view name() const override { return "manual"; }
  asio::awaitable<FieldErrors> check(CarrierAccount account) const override;
};

}  // namespace waybill::connectors
