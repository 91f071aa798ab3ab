#pragma once

#include <string>

#include "api/orders/order_body.hpp"
#include "api/orders/order_values.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// Returns a new order as a JSON object, an entry of orders/create_many.sql.
std::string order_text(const Guid& order, const OrderValues& values, const ItemList& items);

}  // namespace waybill::api
