#pragma once

#include <memory>
#include <optional>
#include <string>

#include "connectors/connector.hpp"
#include "connectors/shopify/api.hpp"

namespace waybill::connectors {

std::unique_ptr<StoreSweep<StoreOrder>> shopify_orders(std::shared_ptr<ShopifyApi> api,
                                                       std::optional<Time> since);
std::unique_ptr<StoreSweep<StoreProduct>> shopify_products(std::shared_ptr<ShopifyApi> api,
                                                           std::optional<Time> since);
/// Implements Store::order.
asio::awaitable<StorePage<StoreOrder>> shopify_order(std::shared_ptr<ShopifyApi> api,
                                                     std::string external_id);

}  // namespace waybill::connectors
