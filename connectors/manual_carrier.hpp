#pragma once

#include "connectors/carrier_connector.hpp"

namespace waybill::connectors {

/// A carrier that people talk to: whatever account number they have is right, but there must be one.
class ManualCarrier : public CarrierConnector {
 public:
  std::string_view name() const override { return "manual"; }
  asio::awaitable<FieldErrors> check(CarrierAccount account) const override;
};

}  // namespace waybill::connectors
