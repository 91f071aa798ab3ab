#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/orders/order_body.hpp"
#include "api/orders/order_values.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// Returns a new order as a JSON object, an entry of orders/create_many.sql.
std::string order_text(const Guid& order, const OrderValues& values, const ItemList& items);
/// Returns the new values of an order with this version, an entry of orders/update.sql. The items stay if
/// `items` is null.
std::string order_change_text(const Guid& order, std::string_view version, const OrderValues& values,
                              const ItemList* items);
/// Returns the change of an order as an entry of orders/update_plain.sql; nullopt if the checked body names a
/// field whose rules depend on the order's values.
std::optional<std::string> plain_change_text(const Guid& order, const json::object& body);

}  // namespace waybill::api
