#include "api/integrations/integration_settings.hpp"

#include <map>
#include <utility>
#include <vector>

#include "api/integrations/integrations.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/threads/stores.hpp"
#include "connectors/stored_credentials.hpp"
#include "storage/sql/integrations.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_mappings = 100;

constexpr Property mapping_properties[] = {
    {.name = "method",
     .kind = Kind::string,
     .required = true,
     .description = "The shipping method of the store's checkout, compared without regard to case. A `*` at "
                    "its end matches any continuation."},
    {.name = "carrierId",
     .kind = Kind::uuid,
     .description = "A carrier of the catalogue or of the business. This or `serviceLevel` is required."},
    {.name = "serviceLevel", .kind = Kind::string, .description = "A code of the carrier."},
};
constexpr Schema mapping_schema{"ServiceMapping", mapping_properties};

constexpr Property setting_properties[] = {
    {.name = "autoImportOrders",
     .kind = Kind::boolean,
     .description = "Imports the orders of the store when they change. Default: true."},
    {.name = "syncProducts",
     .kind = Kind::boolean,
     .description = "Imports the products of the store. Default: false."},
    {.name = "pushTracking",
     .kind = Kind::boolean,
     .description = "Sends tracking numbers to the store. Default: false."},
    {.name = "serviceMapping",
     .kind = Kind::array,
     .max_length = most_mappings,
     .schema = &mapping_schema,
     .description =
         "Sets carrier and service level of imported orders by their shipping method. The first entry "
         "that matches counts."},
    {.name = "importSince",
     .kind = Kind::timestamp,
     .description =
         "Orders that the store created earlier are not imported. Default: 30 days before the store "
         "was connected first."},
};

constexpr Property setting_answer_properties[] = {
    {.name = "autoImportOrders", .kind = Kind::boolean, .nullable = false},
    {.name = "syncProducts", .kind = Kind::boolean, .nullable = false},
    {.name = "pushTracking", .kind = Kind::boolean, .nullable = false},
    {.name = "serviceMapping", .kind = Kind::array, .nullable = false, .schema = &mapping_schema},
    {.name = "importSince", .kind = Kind::timestamp, .nullable = false},
};

constexpr Property change_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "provider", .kind = Kind::string, .read_only = true},
    {.name = "status", .kind = Kind::string, .read_only = true},
    {.name = "connectedAt", .kind = Kind::timestamp, .read_only = true},
    {.name = "storeUrl", .kind = Kind::string, .read_only = true},
    {.name = "settings", .kind = Kind::object, .required = true, .schema = &settings_schema},
};

const json::array* mapping_of(const json::object& body) {
  const auto* const mapping = find_value(body, "settings.serviceMapping");
  return mapping == nullptr ? nullptr : mapping->if_array();
}

bool is_null(const json::object& body, std::string_view name) {
  const auto* const settings = find_value(body, "settings");
  const auto* const object = settings == nullptr ? nullptr : settings->if_object();
  const auto* const value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_null();
}

std::string entry_name(std::size_t index, std::string_view member = {}) {
  const std::string entry = "settings.serviceMapping[" + std::to_string(index) + "]";
  return member.empty() ? entry : entry + "." + std::string(member);
}

std::string column_of(const json::array& mapping) {
  json::array column;
  for (const auto& each : mapping) {
    const auto& entry = each.as_object();
    const auto carrier = guid_at(entry, "carrierId");
    const auto level = text_at(entry, "serviceLevel");
    column.push_back({{"method", *text_at(entry, "method")},
                      {"carrierId", carrier ? json::value(carrier->to_string()) : json::value()},
                      {"serviceLevel", level ? json::value(*level) : json::value()}});
  }
  return to_json(column);
}

/// Calls the store to check its credentials' right to send tracking.
asio::awaitable<void> check_right_to_send(Call& call, Services& services,
                                          const sql::integrations::Access::Row& row) {
  const auto* const connector = connectors::find_connector(row.provider);
  if (connector == nullptr) co_return;
  const auto credentials = connectors::open_credentials(services.secrets, call.business(), call.id(),
                                                        row.sealed_key, row.sealed_secret, row.store_url);
  co_await check_store(services, *connector, credentials, true);
}

}  // namespace

const Schema settings_schema{"IntegrationSettingsUpdate", setting_properties};
const Schema settings_answer_schema{"IntegrationSettings", setting_answer_properties};
const Schema default_settings_schema{"ProviderSettings", std::span(setting_answer_properties).first(3)};
const Schema settings_change_schema{"IntegrationChange", change_properties};

IntegrationSettings settings_of(const json::object& body) {
  const auto flag = [&](std::string_view name, bool fallback) -> std::optional<bool> {
    if (is_null(body, name)) return fallback;
    const auto* const value = find_value(body, "settings." + std::string(name));
    return value == nullptr ? std::nullopt : std::optional(value->get_bool());
  };
  IntegrationSettings settings{.auto_import_orders = flag("autoImportOrders", true),
                               .sync_products = flag("syncProducts", false),
                               .push_tracking = flag("pushTracking", false),
                               .service_mapping = {},
                               .import_since = {},
                               .has_default_since = is_null(body, "importSince")};
  if (const auto* const mapping = mapping_of(body)) settings.service_mapping = column_of(*mapping);
  if (is_null(body, "serviceMapping")) settings.service_mapping = "[]";
  if (const auto since = text_at(body, "settings.importSince"))
    settings.import_since = parse_timestamp(*since);
  return settings;
}

void check_settings(const json::object& body, FieldErrors& errors) {
  const auto* const mapping = mapping_of(body);
  if (mapping == nullptr) return;
  for (std::size_t i = 0; i < mapping->size(); ++i) {
    const auto* const entry = (*mapping)[i].if_object();
    if (entry == nullptr || find_value(*entry, "carrierId") || find_value(*entry, "serviceLevel")) continue;
    errors.push_back({entry_name(i), "needs carrierId or serviceLevel"});
  }
}

asio::awaitable<void> check_service_mapping(Call& call, Services& services) {
  const auto* const mapping = mapping_of(call.object());
  if (mapping == nullptr) co_return;
  std::vector<Guid> carriers;
  for (const auto& entry : *mapping) {
    if (const auto carrier = guid_at(entry.as_object(), "carrierId")) carriers.push_back(*carrier);
  }
  if (carriers.empty()) co_return;
  const auto rows = co_await services.db.read(
      sql::integrations::CarrierLevels{.business = call.business(), .carriers = carriers});
  std::map<Guid, std::string> levels;
  for (const auto& row : rows) levels.emplace(row.guid, row.levels);
  FieldErrors errors;
  for (std::size_t i = 0; i < mapping->size(); ++i) {
    const auto& entry = (*mapping)[i].as_object();
    const auto carrier = guid_at(entry, "carrierId");
    if (!carrier) continue;
    const auto known = levels.find(*carrier);
    if (known == levels.end()) throw not_found("carrier");
    FieldErrors wrong;
    if (const auto level = text_at(entry, "serviceLevel")) check_service_level(*level, known->second, wrong);
    for (auto& error : wrong) errors.push_back({entry_name(i, error.field), std::move(error.message)});
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> change_settings(Call& call, Services& services) {
  const auto settings = settings_of(call.object());
  const auto found = co_await services.db.read(
      sql::integrations::Access{.business = call.business(), .integration = call.id()});
  const auto row = found.find();
  if (!row) throw not_found("integration");
  constexpr std::string_view disabled = "The store is disabled; configure it again.";
  if (!row->is_active) throw conflict(std::string(disabled));
  co_await check_service_mapping(call, services);
  if (settings.push_tracking.value_or(false) && !row->sends_tracking) {
    co_await check_right_to_send(call, services, *row);
  }
  const auto changed = co_await services.db.write(
      sql::integrations::ChangeSettings{.business = call.business(),
                                        .integration = call.id(),
                                        .import_orders = settings.auto_import_orders,
                                        .sync_products = settings.sync_products,
                                        .push_tracking = settings.push_tracking,
                                        .service_mapping = settings.service_mapping,
                                        .import_since = settings.import_since,
                                        .default_since = settings.has_default_since},
      call.cause());
  if (changed.empty()) throw conflict(std::string(disabled));
  const auto rows = co_await services.db.read(
      sql::integrations::Get{.business = call.business(), .integration = call.id()});
  if (rows.empty()) throw not_found("integration");
  co_return Answer::of(json_object(rows));
}

}  // namespace waybill::api
