#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "connectors/connector.hpp"

namespace waybill::api {

/// POST /api/integrations/provider/configure.
asio::awaitable<Answer> configure_integration(Call& call, Services& services);

/// Checks the rules that involve several members of its body.
void check_configure(const json::object& body, FieldErrors& errors);

/// Calls a store with its credentials; if `writes`, checks the right to send tracking too. Throws Failure
/// (CONFIGURATION_ERROR).
asio::awaitable<void> check_store(Services& services, const connectors::Connector& connector,
                                  const connectors::StoreCredentials& credentials, bool writes);

/// Returns the connector of a provider; null if unknown.
const connectors::Connector* find_provider(const Guid& guid);
/// Returns the UUIDv5 of "waybill:provider:CODE" in the URL namespace.
Guid provider_guid(std::string_view code);

}  // namespace waybill::api
