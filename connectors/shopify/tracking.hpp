#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "connectors/connector.hpp"
#include "connectors/shopify/api.hpp"

namespace waybill::connectors {

/// A carrier as Shopify's list of tracking companies spells it, so that it links the number (shopify.dev,
/// FulfillmentTrackingInfo); the carrier's own name when the list does not have it.
std::string shopify_tracking_company(std::string_view carrier_code, std::string_view carrier_name);

/// Store::push_tracking: fulfils what is open, once for each location, with the tracking number; of an order
/// that is fulfilled already, adds the number to a fulfillment.
asio::awaitable<bool> shopify_push_tracking(std::shared_ptr<ShopifyApi> api, StoreTracking tracking);

}  // namespace waybill::connectors
