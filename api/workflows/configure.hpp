#pragma once

#include <optional>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "actions/credentials.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/workflows/definition/workflow_body.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"

namespace waybill::api {

extern const Schema configured_schema;

/// Creates a workflow, or changes the one that the body names.
asio::awaitable<Answer> configure_workflow(Call& call, Services& services);

/// Changes a workflow by a body of configure, and answers as configure does. Stars in headers stand for the
/// values in `credentials`, by default for those of the workflow. A body that changes nothing makes no
/// version. Throws Failure: 404, 403 for a managed workflow, 400, 409.
asio::awaitable<Answer> change_workflow(Call& call, Services& services, const Guid& guid,
                                        const json::object& body,
                                        std::optional<actions::Credentials> credentials = {});

/// Throws Failure if the workflow would exceed the business's limit of workflows, of the bytes of their
/// definitions with the texts of their templates, or of active workflows for one of its triggers (in the
/// stored form). A stored workflow that does not grow may change even above the limits of workflows and
/// bytes. `definition` is null if its definition stays. Requests that add a workflow wait for each other.
asio::awaitable<void> check_limits(const Call& call, const Services& services,
                                   storage::Transaction& transaction, const Guid& guid,
                                   std::string_view triggers, bool is_active,
                                   const WorkflowDefinition* definition);

Bytes seal_workflow_secret(const Services& services, std::string_view secret, const Guid& workflow);

}  // namespace waybill::api
