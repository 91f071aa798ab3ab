#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {

/// The guid of a store provider by the contract: UUIDv5 of its code.
std::string provider_guid(std::string_view code);

/// The request that configures a store as an integration. Nothing is imported unless `settings` enable it.
json::object configuration(const WooCommerceSimulator& store,
                           const json::object& settings = {{"autoImportOrders", false}});

/// The guid of the managed workflow that sends tracking numbers to stores.
std::string push_tracking_workflow(Tenant& tenant);
/// The guid of the managed workflow that sends numbers that change while a shipment is underway.
std::string push_changed_tracking_workflow(Tenant& tenant);

}  // namespace waybill::tests
