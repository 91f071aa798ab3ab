#pragma once

#include <cstdint>
#include <optional>

#include "api/endpoint/services.hpp"
#include "api/workflows/definition/workflow_body.hpp"

namespace waybill::api {

/// Returns the number of times a workflow would have fired in the last 7 days; nullopt if counting takes too
/// long or fails.
asio::awaitable<std::optional<std::uint64_t>> fired_last_7_days(Services& services, const Guid& business,
                                                                const WorkflowDefinition& definition);

}  // namespace waybill::api
