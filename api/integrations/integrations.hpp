#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/route/params.hpp"
#include "api/route/services.hpp"
#include "connectors/connector.hpp"

namespace waybill::api {

/// POST /api/integrations/provider/configure.
asio::awaitable<Answer> configure_integration(Call& call, Services& services);

/// The rules of its body that hang together.
void check_configure(const json::object& body, FieldErrors& errors);

/// What speaks to the stores of the provider of this guid: UUIDv5 in the URL namespace of
/// "waybill:provider:CODE". Null when unknown.
const connectors::Connector* find_provider(const Guid& guid);
Guid provider_guid(std::string_view code);

}  // namespace waybill::api
