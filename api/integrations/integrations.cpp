#include "api/integrations/integrations.hpp"

#include "api/integrations/stores.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::integrations;

constexpr std::string_view statuses[] = {"active", "disabled"};
constexpr std::size_t longest_url = 2000;

constexpr Property credential_properties[] = {
    {.name = "apiKey", .kind = Kind::text, .required = true, .description = "stored encrypted, never shown"},
    {.name = "apiSecret",
     .kind = Kind::text,
     .description = "required where the provider has one; stored encrypted, never shown"},
    {.name = "storeUrl", .kind = Kind::string, .required = true, .max_length = longest_url},
};
constexpr Schema credentials_schema{"StoreCredentials", credential_properties};

constexpr Property setting_properties[] = {
    {.name = "autoImportOrders",
     .kind = Kind::boolean,
     .description = "orders of the store are imported as they change; true unless given"},
    {.name = "syncProducts",
     .kind = Kind::boolean,
     .description = "products of the store are kept here too; false unless given"},
    {.name = "pushTracking",
     .kind = Kind::boolean,
     .description = "tracking numbers are told to the store; false unless given"},
};
constexpr Schema settings_schema{"IntegrationSettings", setting_properties};

constexpr Property configure_properties[] = {
    {.name = "providerId", .kind = Kind::uuid, .required = true, .description = "from the providers"},
    {.name = "providerType", .kind = Kind::string, .description = "the provider's"},
    {.name = "credentials", .kind = Kind::object, .required = true, .schema = &credentials_schema},
    {.name = "settings", .kind = Kind::object, .schema = &settings_schema},
};
constexpr Schema configure_schema{"IntegrationConfigure", configure_properties};

constexpr Property integration_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "provider", .kind = Kind::string, .description = "its code"},
    {.name = "status", .kind = Kind::one_of, .values = statuses},
    {.name = "connectedAt", .kind = Kind::timestamp},
    {.name = "storeUrl", .kind = Kind::string},
    {.name = "settings", .kind = Kind::object, .schema = &settings_schema},
};
constexpr Schema integration_schema{"Integration", integration_properties};
constexpr Schema configured_schema{"IntegrationConfigured", std::span(integration_properties).first(4)};

constexpr Property disabled_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "status", .kind = Kind::one_of, .values = statuses},
};
constexpr Schema disabled_schema{"IntegrationDisabled", disabled_properties};

constexpr Property label_properties[] = {
    {.name = "apiKey", .kind = Kind::string},
    {.name = "apiSecret", .kind = Kind::string},
    {.name = "storeUrl", .kind = Kind::string, .description = "an example"},
};
constexpr Schema labels_schema{"ProviderCredentials", label_properties};
constexpr Property provider_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "code", .kind = Kind::string},
    {.name = "name", .kind = Kind::string},
    {.name = "type", .kind = Kind::string},
    {.name = "credentials",
     .kind = Kind::object,
     .schema = &labels_schema,
     .description = "what the provider calls them; null: it has none"},
    {.name = "settings",
     .kind = Kind::object,
     .schema = &settings_schema,
     .description = "what they are unless given"},
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
  co_return Answer::of(json_array(co_await services.db.read(sql::list, business_params(call))));
}

asio::awaitable<Answer> get_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::get, key_params(call));
  if (rows.empty()) throw not_found("integration");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> disable_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.write(sql::disable, key_params(call), call.cause());
  if (rows.empty()) throw not_found("integration");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> remove_integration(Call& call, Services& services) {
  const auto rows = co_await services.db.write(sql::remove, key_params(call), call.cause());
  if (rows.affected() == 0) throw not_found("integration");
  co_return Answer::none();
}

constexpr ErrorCode configure_errors[] = {ErrorCode::not_found, ErrorCode::conflict};

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/api/integrations/providers",
     .permission = Permission::read,
     .handler = list_providers,
     .summary = "The kinds of stores that can be connected",
     .tag = "Integrations",
     .answer = &provider_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/integrations/configured",
     .permission = Permission::read,
     .handler = list_integrations,
     .summary = "The connected stores, the disabled ones too",
     .tag = "Integrations",
     .answer = &integration_schema,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/integrations/{guid}",
     .permission = Permission::read,
     .handler = get_integration,
     .summary = "A connected store",
     .tag = "Integrations",
     .answer = &integration_schema},
    {.method = Method::post,
     .path = "/api/integrations/provider/configure",
     .permission = Permission::administer,
     .handler = configure_integration,
     .summary = "Connects a store, or a disabled one again (200), after a call to it with the credentials",
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
     .summary = "Disables a store: nothing is imported or pushed until it is configured again",
     .tag = "Integrations",
     .answer = &disabled_schema,
     .changes = true},
    {.method = Method::del,
     .path = "/api/integrations/providers/ecommerce/remove/{businessProviderId}",
     .permission = Permission::administer,
     .handler = remove_integration,
     .summary = "Removes a store; its imported orders stay",
     .tag = "Integrations"},
};

}  // namespace

std::span<const Route> integration_routes() { return routes; }

}  // namespace waybill::api
