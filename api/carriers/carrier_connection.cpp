#include "api/carriers/carrier_connection.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

#include "api/carriers/carrier_members.hpp"
#include "api/gateways/gateway_failure.hpp"
#include "connectors/gateways/gateways.hpp"
#include "domain/places/gazetteer.hpp"
#include "domain/places/postal_code.hpp"
#include "net/destination/ascii_host.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {
namespace {

using connectors::GatewayError;

constexpr Duration check_limit = std::chrono::seconds(30);

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// Adds an error for an address that the connector cannot have.
void check_url_of(const CarrierConnection& connection, const connectors::Gateways& gateways,
                  FieldErrors& errors) {
  const auto* const gateway = connection.gateway();
  if (!connection.api_url) {
    if (gateway != nullptr && gateway->needs_url())
      errors.push_back({"apiUrl", "is required by this connector"});
  } else if (gateway == nullptr) {
    errors.push_back({"apiUrl", "needs another connector than manual"});
  } else if (!gateway->needs_url() && !gateways.is_own(*connection.api_url)) {
    errors.push_back({"apiUrl", "must be a gateway that the operator has named, or absent"});
  } else if (auto problem = gateways.url_problem(*connection.api_url)) {
    errors.push_back({"apiUrl", *std::move(problem)});
  }
}

/// A parcel of the business to itself, for which the carrier is asked for rates.
asio::awaitable<connectors::Consignment> probe_of(const Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::carriers::Origin{.business = call.business()});
  const auto& row = rows.front();
  const auto text = [](const std::optional<std::string_view>& value) {
    return std::string(value.value_or(""));
  };
  const auto country = domain::Gazetteer::builtin().country_code_of(text(row.country));
  if (!country)
    throw Failure(ErrorCode::configuration_error, "Rates need the address of the business with its country.",
                  {{"business.address", "needs a country"}});
  const connectors::Party self{.name = std::string(row.name),
                               .company = std::string(row.name),
                               .phone = text(row.phone),
                               .email = text(row.email),
                               .street = text(row.street),
                               .city = text(row.city),
                               .state = text(row.state),
                               .postal_code = domain::domestic_postal_code(text(row.postal_code), *country),
                               .country = std::string(*country)};
  co_return connectors::Consignment{
      .reference = {},
      .sender = self,
      .recipient = self,
      .parcels = {{.weight = "1", .length = "20", .width = "15", .height = "10"}},
      .customs = std::nullopt};
}

constexpr std::array<std::string_view, 2> features_of_manual{"own_labels", "inbound_scans"};

constexpr std::string_view label_formats[] = {"pdf", "zpl", "png"};
constexpr std::string_view connector_names[] = {manual_connector, "karrio", "easypost"};

constexpr Property service_code_properties[] = {
    {.name = "standard", .kind = Kind::string, .min_length = 1},
    {.name = "express", .kind = Kind::string, .min_length = 1},
    {.name = "sameday", .kind = Kind::string, .min_length = 1},
};
constexpr Schema service_codes_schema{"CarrierServiceCodes", service_code_properties};

/// The codes after a change: absent ones keep their value, null removes one or all.
std::optional<std::string> merged_codes(const std::optional<std::string>& stored, const json::value& change) {
  if (change.is_null()) return std::nullopt;
  json::object codes = stored ? json::parse(*stored).as_object() : json::object();
  for (const auto& [level, code] : change.as_object()) {
    if (code.is_null()) {
      codes.erase(level);
    } else {
      codes[level] = code;
    }
  }
  return codes.empty() ? std::nullopt : std::optional(to_json(codes));
}

}  // namespace

constinit const Property connector_property{
    .name = "connector",
    .kind = Kind::one_of,
    .values = connector_names,
    .description = "How the carrier is reached; default `manual`: by people, and by its calls of …/inbound."};
constinit const Property api_url_property{
    .name = "apiUrl",
    .kind = Kind::string,
    .max_length = 2048,
    .description = "The address of the business's Karrio: https, or one that the operator has named."};
constinit const Property service_codes_property{
    .name = "serviceCodes",
    .kind = Kind::object,
    .schema = &service_codes_schema,
    .description = "The gateway's service codes of the service levels."};
constinit const Property label_format_property{
    .name = "labelFormat", .kind = Kind::one_of, .values = label_formats, .description = "Default `pdf`."};
constinit const Property tracking_sync_property{
    .name = "trackingSync", .kind = Kind::boolean, .description = "Default true."};

CarrierConnection merged_connection(const json::object& body, CarrierConnection stored,
                                    const Services& services) {
  if (auto connector = text_member(body, "connector")) stored.connector = *std::move(connector);
  if (find_member(body, "apiUrl") != nullptr) {
    stored.api_url = text_member(body, "apiUrl");
    if (stored.api_url) stored.api_url = without_slash(net::with_ascii_host(*stored.api_url));
  } else if (stored.connector == manual_connector) {
    stored.api_url.reset();
  }
  if (const json::value* const codes = find_member(body, "serviceCodes"))
    stored.service_codes = merged_codes(stored.service_codes, *codes);
  if (find_member(body, "labelFormat") != nullptr) stored.label_format = text_member(body, "labelFormat");
  FieldErrors errors;
  check_url_of(stored, services.gateways, errors);
  if (!errors.empty())
    throw Failure(ErrorCode::configuration_error, "The carrier cannot be configured like this.",
                  std::move(errors));
  return stored;
}

asio::awaitable<CheckedConnection> check_connection(const Call& call, Services& services,
                                                    const CarrierConnection& connection,
                                                    connectors::GatewayAccount account) {
  const connectors::GatewayConnector& connector = *connection.gateway();
  if (account.api_key.empty())
    throw Failure(ErrorCode::configuration_error, "The connector needs a token.",
                  {{"apiKey", "is required"}});
  auto probe = co_await probe_of(call, services);
  const auto gateway =
      services.gateways.open(connector, std::move(account), call.business(), services.clock, check_limit);
  try {
    const bool has_rates = co_await gateway->check(std::move(probe));
    co_return CheckedConnection{.status = has_rates ? "ok" : "unchecked"};
  } catch (const GatewayError& error) {
    if (error.problem() == GatewayError::Problem::refused)
      co_return CheckedConnection{.status = "unchecked", .error = connectors::sentence_of(error.message())};
    throw configuration_failure(error, connection.api_url.has_value());
  }
}

json::array connector_entries() {
  json::array entries{
      json::object{{"code", manual_connector},
                   {"features", json::array(features_of_manual.begin(), features_of_manual.end())},
                   {"labelFormats", json::array()}}};
  for (const auto* const gateway : connectors::all_gateways()) {
    const auto features = gateway->features();
    json::array formats;
    for (const auto format : gateway->formats())
      formats.emplace_back(label_formats[static_cast<std::size_t>(format)]);
    entries.push_back(json::object{{"code", gateway->name()},
                                   {"features", json::array(features.begin(), features.end())},
                                   {"labelFormats", std::move(formats)}});
  }
  return entries;
}

void show_connection(json::object& carrier) {
  const json::value connector = carrier["connector"];
  const auto* const gateway =
      connector.is_string() ? connectors::find_gateway(connector.get_string()) : nullptr;
  json::array features;
  const auto names =
      gateway == nullptr ? std::span<const std::string_view>(features_of_manual) : gateway->features();
  for (const std::string_view name : names) features.emplace_back(name);
  carrier["features"] = std::move(features);
  if (const auto* const settings = carrier.at("settings").if_object()) {
    json::object& configuration = carrier.at("configuration").as_object();
    for (const auto& [name, value] : *settings) configuration[name] = value;
  }
  if (gateway == nullptr) carrier.erase("connection");
  if (connector.is_null()) carrier.erase("connector");
  carrier.erase("settings");
}

}  // namespace waybill::api
