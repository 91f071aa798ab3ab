#include <algorithm>
#include <stdexcept>
#include <utility>

#include "api/integrations/integration_settings.hpp"
#include "api/integrations/integrations.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/threads/stores.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "connectors/store_send.hpp"
#include "storage/settings/integration_secrets.hpp"
#include "storage/sql/integrations.sql.hpp"

namespace waybill::api {
namespace {

using connectors::StoreCredentials;
using connectors::StoreProblem;

constexpr auto check_limit = std::chrono::seconds(20);

/// Returns a credential without the blanks that pasted keys often have around them.
std::string credential(const json::object& body, std::string_view name) {
  const auto text = text_at(body, "credentials." + std::string(name)).value_or("");
  return std::string(trimmed(text, " \t\r\n\f\v"));
}

/// Adds an error for control characters, which header fields cannot carry.
void check_printable(const json::object& body, std::string_view name, FieldErrors& errors) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(credential(body, name), is_control)) {
    errors.push_back({"credentials." + std::string(name), "must not contain control characters"});
  }
}

void check_store_url(const json::object& body, const connectors::Connector& connector, FieldErrors& errors) {
  const auto url = credential(body, "storeUrl");
  if (url.empty()) return;
  try {
    connector.normal_url(url);
  } catch (const std::invalid_argument& error) {
    errors.push_back({"credentials.storeUrl", error.what()});
  }
}

StoreCredentials credentials_of(const json::object& body, const connectors::Connector& connector) {
  return {.api_key = credential(body, "apiKey"),
          .api_secret = credential(body, "apiSecret"),
          .store_url = connector.normal_url(credential(body, "storeUrl"))};
}

/// Returns the Failure for a store's error, without the secrets that the store may have repeated.
Failure failure_of(const connectors::StoreError& error, const StoreCredentials& credentials) {
  std::string message = connectors::without_secrets(error.what(), credentials);
  FieldErrors details;
  switch (error.problem()) {
    case StoreProblem::credentials:
      details.push_back({"credentials.apiKey", message});
      break;
    case StoreProblem::busy:
    case StoreProblem::failing:
      message += " The call can be tried again.";
      break;
    default:
      details.push_back({"credentials.storeUrl", message});
  }
  Failure failure(ErrorCode::configuration_error, std::move(message), std::move(details));
  if (!error.retry_after()) return failure;
  return std::move(failure).with_retry_after(std::chrono::ceil<std::chrono::seconds>(*error.retry_after()));
}

/// The business's integration with a store, or a new guid for it.
struct KnownStore {
  Guid guid = Guid::random();
  bool is_new = true;
  bool is_removed = false;
};

asio::awaitable<KnownStore> find_known_store(Call& call, Services& services,
                                             const connectors::Connector& connector,
                                             const std::string& store_url) {
  const auto rows = co_await services.db.read(sql::integrations::Known{
      .business = call.business(), .provider = connector.terms().code, .store_url = store_url});
  const auto row = rows.find();
  if (!row) co_return KnownStore();
  if (row->is_active) throw conflict("This store is already connected.");
  co_return KnownStore{.guid = row->guid, .is_new = false, .is_removed = row->is_removed};
}

/// Returns the new or changed integration; no row if another request has connected the store.
asio::awaitable<storage::Rows> write_store(Call& call, Services& services, const KnownStore& known,
                                           std::string_view provider, const StoreCredentials& credentials) {
  const auto sealed = [&](std::string_view secret, std::string_view column) {
    return services.secrets.seal(secret, storage::integration_purpose(call.business(), known.guid, column));
  };
  const Bytes key = sealed(credentials.api_key, "key");
  std::optional<Bytes> secret;
  if (!credentials.api_secret.empty()) secret = sealed(credentials.api_secret, "secret");
  const auto settings = settings_of(call.object());
  co_return co_await services.db.write(
      sql::integrations::Configure{.business = call.business(),
                                   .integration = known.guid,
                                   .provider = provider,
                                   .store_url = credentials.store_url,
                                   .sealed_key = key,
                                   .sealed_secret = secret,
                                   .import_orders = settings.auto_import_orders.value_or(true),
                                   .sync_products = settings.sync_products.value_or(false),
                                   .push_tracking = settings.push_tracking.value_or(false),
                                   .is_removed = known.is_removed,
                                   .service_mapping = settings.service_mapping,
                                   .import_since = settings.import_since},
      call.cause());
}

}  // namespace

asio::awaitable<void> check_store(Services& services, const connectors::Connector& connector,
                                  const StoreCredentials& credentials, bool writes) {
  const auto store = services.stores.open(connector, credentials, services.clock, check_limit);
  try {
    co_await store->check(writes);
  } catch (const connectors::StoreError& error) {
    throw failure_of(error, credentials);
  } catch (const std::exception&) {  // the address may answer with anything
    constexpr std::string_view message = "The answer from the store's address cannot be understood.";
    throw Failure(ErrorCode::configuration_error, std::string(message),
                  {{"credentials.storeUrl", std::string(message)}});
  }
}

Guid provider_guid(std::string_view code) {
  return Guid::from_name(namespace_url, "waybill:provider:" + std::string(code));
}

const connectors::Connector* find_provider(const Guid& guid) {
  const auto all = connectors::all_connectors();
  const auto found = std::ranges::find_if(
      all, [&](const auto* connector) { return provider_guid(connector->terms().code) == guid; });
  return found == all.end() ? nullptr : *found;
}

void check_configure(const json::object& body, FieldErrors& errors) {
  check_settings(body, errors);
  for (const auto* const name : {"apiKey", "apiSecret"}) check_printable(body, name, errors);
  const auto guid = Guid::parse(text_at(body, "providerId").value_or(""));
  const auto* const connector = guid ? find_provider(*guid) : nullptr;
  if (connector == nullptr) return;
  const auto& terms = connector->terms();
  if (const auto type = text_at(body, "providerType"); type && *type != terms.type) {
    errors.push_back({"providerType", "must be " + std::string(terms.type)});
  }
  const auto* const credentials = find_value(body, "credentials");
  if (credentials == nullptr || !credentials->is_object()) return;
  const auto* const secret = find_value(body, "credentials.apiSecret");
  const bool has_secret = secret != nullptr && (!secret->is_string() || !is_blank(secret->get_string()));
  if (!terms.api_secret.empty() && !has_secret) {
    errors.push_back({"credentials.apiSecret", "is required"});
  }
  check_store_url(body, *connector, errors);
}

asio::awaitable<Answer> configure_integration(Call& call, Services& services) {
  const auto& body = call.object();
  const auto* const connector = find_provider(*guid_at(body, "providerId"));
  if (connector == nullptr) throw not_found("provider");
  const auto credentials = credentials_of(body, *connector);
  const auto known = co_await find_known_store(call, services, *connector, credentials.store_url);
  co_await check_service_mapping(call, services);
  co_await check_store(services, *connector, credentials, settings_of(body).push_tracking.value_or(false));
  const auto rows = co_await write_store(call, services, known, connector->terms().code, credentials);
  if (rows.empty()) throw conflict("This store is already connected.");
  if (!known.is_new && !known.is_removed) co_return Answer::of(json_object(rows));
  co_return Answer::created(json_object(rows), "/api/integrations/" + known.guid.to_string());
}

}  // namespace waybill::api
