#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// Changes a workflow by a body of configure, and answers as configure does. A body that changes nothing
/// makes no version. Throws Failure: 404, 403 for a managed workflow, 400, 409.
asio::awaitable<Answer> change_workflow(Call& call, Services& services, const Guid& guid,
                                        const json::object& body);

}  // namespace waybill::api
