#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/connectors/woocommerce_simulator.hpp"
#include "tests/workflows/tenant.hpp"

namespace waybill::tests {

/// The guid that the contract gives a provider of stores: UUIDv5 of its code.
std::string provider_guid(std::string_view code);

/// What configures a store as an integration. Nothing is imported unless `settings` say so.
json::object configuration(const WooCommerceSimulator& store,
                           const json::object& settings = {{"autoImportOrders", false}});

/// The guid of the managed workflow that tells stores of shipments.
std::string push_tracking_workflow(Tenant& tenant);

}  // namespace waybill::tests
