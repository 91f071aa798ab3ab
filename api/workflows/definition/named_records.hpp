#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/workflows/definition/workflow_body.hpp"

namespace waybill::api {

/// Throws Failure (NOT_FOUND) if the actions of a workflow name a carrier that the business does not have, or
/// an item that no order has. Those that `before`, the stored actions, names may have been deleted since.
/// Call it outside of a transaction: it can search all orders.
asio::awaitable<void> check_records(const Call& call, Services& services, const json::object& action,
                                    const json::object& before);

}  // namespace waybill::api
