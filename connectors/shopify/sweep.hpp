#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/connector.hpp"
#include "connectors/shopify/api.hpp"
#include "connectors/shopify/records.hpp"

namespace waybill::connectors {

std::unique_ptr<StoreSweep<StoreOrder>> shopify_orders(std::shared_ptr<ShopifyApi> api,
                                                       std::optional<Time> since);
std::unique_ptr<StoreSweep<StoreProduct>> shopify_products(std::shared_ptr<ShopifyApi> api,
                                                           std::optional<Time> since);
/// All lines of an order by its gid. Throws StoreError: refused without the order, and for lines that cannot
/// be read.
asio::awaitable<std::vector<StoreLine>> shopify_order_lines(ShopifyApi& api, json::value id);
/// Implements Store::order.
asio::awaitable<StorePage<StoreOrder>> shopify_order(std::shared_ptr<ShopifyApi> api,
                                                     std::string external_id);
/// Implements Store::product.
asio::awaitable<StorePage<StoreProduct>> shopify_product(std::shared_ptr<ShopifyApi> api,
                                                         std::string external_id);

}  // namespace waybill::connectors
