#pragma once

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// POST /api/v1/Orders
asio::awaitable<Answer> create_order(Call& call, Services& services);
/// POST /api/v1/Orders/bulk
asio::awaitable<Answer> create_orders(Call& call, Services& services);
/// PUT /api/v1/Orders/{orderId}
asio::awaitable<Answer> update_order(Call& call, Services& services);

/// Returns an order as JSON, as GET answers it. Throws Failure (404) if there is none.
asio::awaitable<std::string> read_order(Services& services, Guid business, Guid order);

}  // namespace waybill::api
