#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// "123" of "gid://shopify/Order/123"; nullopt for anything else.
std::optional<std::string> shopify_id(const json::value* gid);
/// The other way round; `kind` is "Order".
std::string shopify_gid(std::string_view kind, std::string_view id);

/// Our status of an order; a status that is not known leaves it where payment says.
std::string shopify_status(const json::object& order);

/// A weight of the store in kilograms; nullopt for 0 (Shopify's "unset") and unknown units.
std::optional<std::string> shopify_kilograms(const json::object& weight);

/// Adds an order as the API gives it, with all its line items, to a page: as a record, as unreadable, or not
/// at all (a test order).
void add_shopify_order(const json::object& order, StorePage<StoreOrder>& page);
void add_shopify_product(const json::object& product, StorePage<StoreProduct>& page);

}  // namespace waybill::connectors
