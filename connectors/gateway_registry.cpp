#include <algorithm>
#include <array>

#include "connectors/carrier_gateway.hpp"
#include "connectors/easypost/easypost.hpp"
#include "connectors/karrio/karrio.hpp"

namespace waybill::connectors {

std::span<const GatewayConnector* const> all_gateways() {
  static const std::array<const GatewayConnector*, 2> all{&karrio_gateway(), &easypost_connector()};
  return all;
}

const GatewayConnector* find_gateway(std::string_view name) {
  const auto all = all_gateways();
  const auto found = std::ranges::find(all, name, &GatewayConnector::name);
  return found == all.end() ? nullptr : *found;
}

}  // namespace waybill::connectors
