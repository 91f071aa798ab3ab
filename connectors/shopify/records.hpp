#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {

/// "123" from "gid://shopify/Order/123"; nullopt for anything else.
std::optional<std::string> shopify_id(const json::value* gid);
/// "gid://shopify/Order/123" from the kind "Order" and the id "123".
std::string shopify_gid(std::string_view kind, std::string_view id);

/// The order's status in our terms; for an unknown fulfillment status, determined by the payment.
std::string shopify_status(const json::object& order);

/// A weight of the store in kilograms; nullopt for 0 (Shopify's "unset") and unknown units.
std::optional<std::string> shopify_kilograms(const json::object& weight);

/// The lines with the quantities that are left after edits and refunds; if nothing is left, with the ordered
/// ones. Throws std::invalid_argument for a quantity that cannot be read.
std::vector<StoreLine> shopify_lines(const json::array& nodes);

/// Adds an order of the API, with all its line items, to a page: as a record or as unreadable. Leaves out
/// test orders.
void add_shopify_order(const json::object& order, StorePage<StoreOrder>& page);
void add_shopify_product(const json::object& product, StorePage<StoreProduct>& page);

/// Adds an order to the page of which only the id, times and status are known, with the reason. Leaves out
/// test orders.
void set_aside_shopify_order(const json::object& order, std::string reason, StorePage<StoreOrder>& page);
void set_aside_shopify_product(const json::object& product, std::string reason,
                               StorePage<StoreProduct>& page);

}  // namespace waybill::connectors
