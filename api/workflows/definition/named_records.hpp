#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/workflows/definition/workflow_body.hpp"

namespace waybill::api {

/// Throws Failure (NOT_FOUND) if an action names a carrier that the business does not have, or an item that
/// no order has.
asio::awaitable<void> check_records(const Call& call, Services& services,
                                    const WorkflowDefinition& definition);

}  // namespace waybill::api
