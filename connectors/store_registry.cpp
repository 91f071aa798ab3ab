#include <algorithm>
#include <array>

#include "connectors/connector.hpp"
#include "connectors/medusa/medusa.hpp"
#include "connectors/shopify/shopify.hpp"
#include "connectors/woocommerce/woocommerce.hpp"

namespace waybill::connectors {

std::span<const Connector* const> all_connectors() {
  static const WooCommerce woocommerce;
  static const Shopify shopify;
  static const auto all = std::to_array<const Connector*>({
      &woocommerce,
      &shopify,
      &medusa_connector(),
  });
  return all;
}

const Connector* find_connector(std::string_view provider_code) {
  const auto all = all_connectors();
  const auto found = std::ranges::find(all, provider_code,
                                       [](const Connector* connector) { return connector->terms().code; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace waybill::connectors
