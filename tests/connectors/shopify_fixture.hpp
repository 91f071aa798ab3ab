#pragma once

#include <string>

#include <gtest/gtest.h>

#include "connectors/connector.hpp"
#include "tests/connectors/store_client.hpp"
#include "tests/simulators/shopify/shopify_simulator.hpp"

namespace waybill::tests {

/// A simulated shop, and the connector configured for it.
class ShopifyStoreTest : public testing::Test {
 protected:
  using Fault = ShopifySimulator::Fault;
  using Problem = connectors::StoreProblem;

  static const connectors::Connector& connector() { return *connectors::find_connector("shopify"); }
  connectors::StoreCredentials credentials() const {
    return {std::string(ShopifySimulator::client_id), std::string(ShopifySimulator::client_secret),
            connector().normal_url(shop.url())};
  }

  ShopifySimulator shop;
  OpenStore store{connector(), credentials()};
};

}  // namespace waybill::tests
