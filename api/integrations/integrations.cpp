#include "api/integrations/integrations.hpp"

#include "api/integrations/integration_settings.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/threads/stores.hpp"
#include "storage/sql/integrations.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view statuses[] = {"active", "disabled"};
constexpr std::size_t longest_url = 2000;

constexpr Property credential_properties[] = {
    {.name = "apiKey",
     .kind = Kind::text,
     .required = true,
     .description = "Stored encrypted and never returned."},
    {.name = "apiSecret",
     .kind = Kind::text,
     .description = "Required if the provider has one. Stored encrypted and never returned."},
    {.name = "storeUrl", .kind = Kind::string, .required = true, .max_length = longest_url},
};
constexpr Schema credentials_schema{"StoreCredentials", credential_properties};

constexpr Property configure_properties[] = {
    {.name = "providerId",
     .kind = Kind::uuid,
     .required = true,
     .description = "A guid from the list of providers."},
    {.name = "providerType", .kind = Kind::string, .description = "The type of the provider."},
    {.name = "credentials", .kind = Kind::object, .required = true, .schema = &credentials_schema},
    {.name = "settings", .kind = Kind::object, .schema = &settings_schema},
};
constexpr Schema configure_schema{"IntegrationConfigure", configure_properties};

constexpr Property integration_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "provider", .kind = Kind::string, .nullable = false, .description = "The code of the provider."},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
    {.name = "connectedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "storeUrl", .kind = Kind::string, .nullable = false},
    {.name = "settings", .kind = Kind::object, .nullable = false, .schema = &settings_answer_schema},
};
constexpr Schema integration_schema{"Integration", integration_properties};
constexpr Schema configured_schema{"IntegrationConfigured", std::span(integration_properties).first(4)};

constexpr Property disabled_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
};
constexpr Schema disabled_schema{"IntegrationDisabled", disabled_properties};

constexpr Property label_properties[] = {
    {.name = "apiKey", .kind = Kind::string},
    {.name = "apiSecret", .kind = Kind::string},
    {.name = "storeUrl", .kind = Kind::string, .description = "An example."},
};
constexpr Schema labels_schema{"ProviderCredentials", label_properties};
constexpr Property provider_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "code", .kind = Kind::string, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "type", .kind = Kind::string, .nullable = false},
    {.name = "credentials",
     .kind = Kind::object,
     .nullable = false,
     .schema = &labels_schema,
     .description = "The names that the provider uses; null for a credential that it does not have."},
    {.name = "settings",
     .kind = Kind::object,
     .nullable = false,
     .schema = &default_settings_schema,
     .description = "The defaults."},
};
constexpr Schema provider_schema{"IntegrationProvider", provider_properties};

json::value label(std::string_view text) { return text.empty() ? json::value() : json::value(text); }

asio::awaitable<Answer> list_providers(Call&, Services&) {
  json::array providers;
  for (const auto* const connector : connectors::all_connectors()) {
    const auto& terms = connector->terms();
    providers.push_back(
        {{"guid", provider_guid(terms.code).to_string()},
         {"code", terms.code},
         {"name", terms.name},
         {"type", terms.type},
         {"credentials",
          {{"apiKey", label(terms.api_key)},
           {"apiSecret", label(terms.api_secret)},
           {"storeUrl", label(terms.store_url)}}},
         {"settings", {{"autoImportOrders", true}, {"syncProducts", false}, {"pushTracking", false}}}});
  }
  co_return Answer::of(to_json(providers));
}

asio::awaitable<Answer> list_integrations(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::integrations::List{.business = call.business()})));
}

asio::awaitable<Answer> get_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::integrations::Get{.business = call.business(), .integration = call.id()});
  if (rows.empty()) throw not_found("integration");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> disable_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::integrations::Disable{.business = call.business(), .integration = call.id()}, call.cause());
  if (rows.empty()) throw not_found("integration");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> remove_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::integrations::Remove{.business = call.business(), .integration = call.id()}, call.cause());
  if (rows.affected() == 0) throw not_found("integration");
  co_return Answer::none();
}

constexpr ErrorCode configure_errors[] = {ErrorCode::not_found, ErrorCode::conflict};

constexpr Endpoint integration_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/integrations/providers",
     .permission = Permission::read,
     .handler = list_providers,
     .operation_id = "listIntegrationProviders",
     .summary = "Lists the kinds of stores that can be connected",
     .description = "Each with the names of its credentials and its settings.",
     .tag = "Integrations",
     .answer = &provider_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/integrations/configured",
     .permission = Permission::read,
     .handler = list_integrations,
     .operation_id = "listIntegrations",
     .summary = "Lists the connected stores",
     .description = "Disabled stores are included.",
     .tag = "Integrations",
     .answer = &integration_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/integrations/{guid}",
     .permission = Permission::read,
     .handler = get_integration,
     .operation_id = "getIntegration",
     .summary = "Returns a connected store",
     .description = "Credentials are not shown.",
     .tag = "Integrations",
     .answer = &integration_schema},
    {.method = Method::patch,
     .path = "/api/integrations/{guid}",
     .permission = Permission::administer,
     .handler = change_settings,
     .operation_id = "updateIntegration",
     .summary = "Updates the settings of a connected store",
     .description =
         "Settings that are absent stay; null sets the default. The store is called only to check the "
         "right to send tracking when this is switched on. An earlier importSince makes the next import "
         "read the store's orders again.",
     .tag = "Integrations",
     .body = &settings_change_schema,
     .body_check = check_settings,
     .body_kind = BodyKind::object,
     .answer = &integration_schema,
     .errors = configure_errors},
    {.method = Method::post,
     .path = "/api/integrations/provider/configure",
     .permission = Permission::administer,
     .handler = configure_integration,
     .operation_id = "configureIntegration",
     .summary = "Connects a store",
     .description = "The credentials are checked with a call to the store. A disabled store is connected "
                    "again and keeps its guid (200).",
     .tag = "Integrations",
     .body = &configure_schema,
     .body_check = check_configure,
     .body_kind = BodyKind::object,
     .answer = &configured_schema,
     .status = 201,
     .may_change = true,
     .errors = configure_errors},
    {.method = Method::get,
     .path = "/api/integrations/provider/disable/{businessProviderId}",
     .permission = Permission::administer,
     .handler = disable_integration,
     .operation_id = "disableIntegration",
     .summary = "Disables a store",
     .description = "Nothing is imported from it or sent to it until it is configured again.",
     .tag = "Integrations",
     .answer = &disabled_schema,
     .changes = true},
    {.method = Method::del,
     .path = "/api/integrations/providers/ecommerce/remove/{businessProviderId}",
     .permission = Permission::administer,
     .handler = remove_integration,
     .operation_id = "deleteIntegration",
     .summary = "Deletes the connection to a store",
     .description = "Its imported orders stay.",
     .tag = "Integrations"},
};

}  // namespace

std::span<const Endpoint> integration_endpoints() { return integration_endpoint_table; }

}  // namespace waybill::api
