#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "connectors/connector.hpp"
#include "connectors/shopify/api.hpp"

namespace waybill::connectors {

/// The carrier's name in Shopify's list of tracking companies, with which Shopify links the number
/// (shopify.dev, FulfillmentTrackingInfo); the carrier's own name if it is not in the list.
std::string shopify_tracking_company(std::string_view carrier_code, std::string_view carrier_name);

/// Implements Store::send_tracking: replaces outdated numbers and links of the parcel, and fulfils open
/// fulfillment orders with the tracking number, once for each location; if the order is fulfilled already,
/// adds the number to a fulfillment.
asio::awaitable<bool> shopify_send_tracking(std::shared_ptr<ShopifyApi> api, StoreTracking tracking);

}  // namespace waybill::connectors
