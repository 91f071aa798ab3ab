#pragma once

#include <optional>
#include <string>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

// The settings of an integration.
namespace waybill::api {

/// The member `settings` of requests and of answers.
extern const Schema settings_schema;
extern const Schema settings_answer_schema;
/// The defaults that a provider has.
extern const Schema default_settings_schema;
/// The body of PATCH /api/integrations/{guid}.
extern const Schema settings_change_schema;

/// Settings of a checked body; nullopt where it names none.
struct IntegrationSettings {
  std::optional<bool> auto_import_orders, sync_products, push_tracking;
  std::optional<std::string> service_mapping;  // JSON of the column
  std::optional<Time> import_since;
  bool has_default_since = false;  // `importSince` is null
};
IntegrationSettings settings_of(const json::object& body);

/// Checks the rules of `settings` that involve several members.
void check_settings(const json::object& body, FieldErrors& errors);

/// Checks that the carriers of a body's service mapping exist and have its service levels. Throws Failure.
asio::awaitable<void> check_service_mapping(Call& call, Services& services);

/// PATCH /api/integrations/{guid}.
asio::awaitable<Answer> change_settings(Call& call, Services& services);

}  // namespace waybill::api
