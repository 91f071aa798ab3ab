#include <algorithm>
#include <array>
#include <utility>

#include "api/carriers/carrier_account.hpp"
#include "api/carriers/carrier_connection.hpp"
#include "api/carriers/carrier_handlers.hpp"
#include "api/carriers/carrier_members.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/crypto.hpp"
#include "domain/values/web_address.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"

namespace waybill::api {
namespace {

using Text = std::optional<std::string>;

constexpr std::string_view inbound_secret = "inboundSecret";

Bytes sealed_inbound(const Call& call, const Services& services, const Guid& carrier,
                     const net::WebhookSecret& secret) {
  return services.secrets.seal(secret.text(),
                               carrier_secret_purpose(call.business(), carrier, inbound_secret));
}

/// Returns the credential `name` of the body, sealed. One that equals the stored one, `before`, stays as it
/// is stored: encrypted anew, it would look changed in the audit log.
std::optional<Bytes> sealed(const Call& call, const Services& services, const Guid& carrier,
                            const std::string& name, const std::optional<Bytes>& before) {
  const auto secret = credential_at(call.object(), name);
  if (!secret) return std::nullopt;
  const auto purpose = carrier_secret_purpose(call.business(), carrier, name);
  if (before) {
    try {
      if (services.secrets.open(*before, purpose) == *secret) return before;
    } catch (const SecretError&) {  // NOLINT(bugprone-empty-catch): it is replaced
    }
  }
  return services.secrets.seal(*secret, purpose);
}

struct Terms {
  std::string code;
  std::string levels;   // a JSON array of codes
  Text account_number;  // nullopt if not configured
  Text tracking_url_pattern;
  bool is_own = false;  // a carrier of the business
  std::optional<Bytes> sealed_key, sealed_secret;
  CarrierConnection connection;
  bool test_mode = false;
};

asio::awaitable<Terms> read_terms(Call& call, Services& services, const Guid& carrier) {
  const auto rows =
      co_await services.db.read(sql::carriers::Terms{.business = call.business(), .carrier = carrier});
  const auto terms = rows.find();
  if (!terms) throw not_found("carrier");
  co_return Terms{.code = std::string(terms->code),
                  .levels = std::string(terms->level_codes),
                  .account_number = Text(terms->account_number),
                  .tracking_url_pattern = Text(terms->tracking_url_pattern),
                  .is_own = terms->is_own,
                  .sealed_key = unhex(terms->sealed_key.value_or("")),
                  .sealed_secret = unhex(terms->sealed_secret.value_or("")),
                  .connection = {.connector = std::string(terms->connector.value_or(manual_connector)),
                                 .api_url = Text(terms->api_url),
                                 .service_codes = Text(terms->service_codes),
                                 .label_format = Text(terms->label_format)},
                  .test_mode = terms->test_mode.value_or(false)};
}

void check_default_level(const json::object& body, const Terms& terms) {
  const auto level = text_member(body, "defaultServiceLevel");
  if (!level) return;
  FieldErrors errors;
  check_service_level(*level, terms.levels, errors);
  if (!errors.empty()) throw invalid("defaultServiceLevel", errors.front().message);
}

/// The key of the request, or else the stored one; empty if there is none or it cannot be opened.
std::string key_of(const Call& call, const Services& services, const Guid& carrier, const Terms& terms) {
  if (const auto given = credential_at(call.object(), "apiKey")) return *given;
  if (call.object().contains("apiKey")) return {};
  return open_carrier_key(services.secrets, call.business(), carrier, terms.sealed_key);
}

/// Checks the account of a request, by calls if the connector is a gateway. Throws Failure.
asio::awaitable<CheckedConnection> check_account(const Call& call, Services& services, const Guid& carrier,
                                                 const Terms& terms, const CarrierConnection& connection) {
  const auto& body = call.object();
  const auto number = text_member(body, "accountNumber");
  std::string account = number ? *number : terms.account_number.value_or("");
  if (account.find_first_not_of(" \t\r\n\f\v") == std::string::npos)
    throw Failure(ErrorCode::configuration_error, "The carrier does not accept this configuration.",
                  {{"accountNumber", "must not be empty"}});
  if (connection.gateway() == nullptr) co_return CheckedConnection();
  co_return co_await check_connection(call, services, connection,
                                      {.api_url = connection.api_url.value_or(""),
                                       .api_key = key_of(call, services, carrier, terms),
                                       .account_number = std::move(account),
                                       .test_mode = flag_member(body, "testMode").value_or(terms.test_mode)});
}

/// True if a change needs new checks.
bool concerns_connection(const json::object& body) {
  static constexpr std::array<std::string_view, 5> members{"connector", "apiUrl", "accountNumber", "apiKey",
                                                           "testMode"};
  return std::ranges::any_of(members,
                             [&](std::string_view name) { return find_member(body, name) != nullptr; });
}

}  // namespace

void check_tracking_pattern(const json::object& body, FieldErrors& errors) {
  const auto pattern = text_at(body, "trackingUrlPattern");
  if (!pattern || pattern->empty()) return;
  if (const auto problem = domain::tracking_pattern_problem(*pattern))
    errors.push_back({"trackingUrlPattern", std::string(*problem)});
}

void check_service_codes(const json::object& body, FieldErrors& errors) {
  for (const std::string codes : {"serviceCodes.", "configuration.serviceCodes."}) {
    for (const CodeName& level : service_levels)
      check_not_blank(body, codes + std::string(level.code), errors);
  }
}

void check_carrier_update(const json::object& body, FieldErrors& errors) {
  check_tracking_pattern(body, errors);
  check_service_codes(body, errors);
  for (const std::string name : {"accountNumber", "defaultServiceLevel", "apiUrl", "testMode", "serviceCodes",
                                 "labelFormat", "trackingSync"}) {
    const auto* const nested = find_path(body, "configuration." + name);
    const auto* const flat = body.if_contains(name);
    if (nested != nullptr && flat != nullptr && *nested != *flat) {
      errors.push_back({"configuration." + name, "differs from " + name});
    }
  }
}

asio::awaitable<Answer> configure_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  require_printable_credentials(body);
  const auto carrier = guid_at(body, "carrierId").value();
  auto terms = co_await read_terms(call, services, carrier);
  terms.account_number.reset();  // a configuration replaces all of the former one
  terms.test_mode = false;
  check_default_level(body, terms);
  const auto connection = merged_connection(body, {}, services);
  if (connection.gateway() != nullptr && !text_at(body, "apiKey")) terms.sealed_key.reset();
  const auto checked = co_await check_account(call, services, carrier, terms, connection);
  const auto secret = net::WebhookSecret::random();
  const bool test_mode = flag_member(body, "testMode").value_or(false);
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::carriers::Hold{.business = call.business(), .carrier = carrier});
  co_await keep_account_of_purchases(*transaction, call.business(), carrier,
                                     AccountChange{.connector = connection.connector,
                                                   .api_url = connection.api_url,
                                                   .account_number = text_at(body, "accountNumber"),
                                                   .test_mode = test_mode,
                                                   .is_active = true});
  const auto rows = co_await transaction->run(sql::carriers::Configure{
      .business = call.business(),
      .carrier = carrier,
      .account_number = text_at(body, "accountNumber"),
      .default_service_level = text_at(body, "defaultServiceLevel"),
      .test_mode = test_mode,
      .sealed_key = sealed(call, services, carrier, "apiKey", terms.sealed_key),
      .sealed_secret = sealed(call, services, carrier, "apiSecret", terms.sealed_secret),
      .sealed_inbound_secret = sealed_inbound(call, services, carrier, secret),
      .connector = connection.connector,
      .api_url = connection.api_url,
      .service_codes = connection.service_codes,
      .label_format = connection.label_format,
      .tracking_sync = flag_member(body, "trackingSync").value_or(true),
      .connection_status = checked.status,
      .connection_error = checked.error});
  if (rows.empty()) throw not_found("carrier");
  if (connection.gateway() != nullptr) co_await transaction->run(storage::sql::tracking_pulls::Announce{});
  co_await transaction->commit();
  auto text = json_object(rows.more());
  text.pop_back();
  text += R"(,"inboundSecret":)";
  text += rows.front().is_new_secret ? '"' + secret.text() + '"' : "null";
  co_return Answer::of(text + "}");
}

asio::awaitable<Answer> update_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  require_printable_credentials(body);
  const auto& carrier = call.id();
  auto terms = co_await read_terms(call, services, carrier);
  const auto pattern = text_at(body, "trackingUrlPattern");
  const bool new_pattern = body.contains("trackingUrlPattern") && pattern != terms.tracking_url_pattern;
  if (new_pattern && !terms.is_own) {
    throw invalid("trackingUrlPattern", "can be set only for a carrier of the business");
  }
  const bool only_pattern = body.size() == 1 && body.contains("trackingUrlPattern");
  auto connection = terms.connection;
  CheckedConnection checked;
  if (!only_pattern) {
    if (!terms.account_number) throw conflict("The carrier is not configured.");
    check_default_level(body, terms);
    connection = merged_connection(body, terms.connection, services);
    // A stored key is not sent to another place, or an admin could read it there.
    if (connection.connector != terms.connection.connector || connection.api_url != terms.connection.api_url)
      terms.sealed_key.reset();
    if (concerns_connection(body))
      checked = co_await check_account(call, services, carrier, terms, connection);
  }
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::carriers::Hold{.business = call.business(), .carrier = carrier});
  if (!only_pattern) {
    co_await keep_account_of_purchases(*transaction, call.business(), carrier,
                                       AccountChange{.connector = connection.connector,
                                                     .api_url = connection.api_url,
                                                     .account_number = text_member(body, "accountNumber"),
                                                     .test_mode = flag_member(body, "testMode"),
                                                     .is_active = flag_member(body, "isActive")});
  }
  const auto rows = co_await transaction->run(sql::carriers::Update{
      .business = call.business(),
      .carrier = carrier,
      .active = flag_member(body, "isActive"),
      .account_number = text_member(body, "accountNumber"),
      .test_mode = flag_member(body, "testMode"),
      .set_default_service_level = find_member(body, "defaultServiceLevel") != nullptr,
      .default_service_level = text_member(body, "defaultServiceLevel"),
      .set_key = body.contains("apiKey"),
      .sealed_key = sealed(call, services, carrier, "apiKey", terms.sealed_key),
      .set_secret = body.contains("apiSecret"),
      .sealed_secret = sealed(call, services, carrier, "apiSecret", terms.sealed_secret),
      .set_pattern = new_pattern,
      .tracking_url_pattern = pattern,
      .only_pattern = only_pattern,
      .connector = connection.connector,
      .api_url = connection.api_url,
      .service_codes = connection.service_codes,
      .label_format = connection.label_format,
      .tracking_sync = flag_member(body, "trackingSync"),
      .connection_status = checked.status,
      .connection_error = checked.error});
  if (rows.empty()) throw conflict("The carrier is not configured.");
  if (connection.gateway() != nullptr) co_await transaction->run(storage::sql::tracking_pulls::Announce{});
  co_await transaction->commit();
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> rotate_inbound_secret(Call& call, Services& services) {
  const auto& carrier = call.id();
  co_await read_terms(call, services, carrier);
  const auto secret = net::WebhookSecret::random();
  const auto rows = co_await services.db.write(
      sql::carriers::RotateInboundSecret{
          .business = call.business(),
          .carrier = carrier,
          .sealed_inbound_secret = sealed_inbound(call, services, carrier, secret)},
      call.cause());
  if (rows.empty()) throw conflict("The carrier is not configured.");
  co_return Answer::of(R"({"guid":")" + carrier.to_string() + R"(","inboundSecret":")" + secret.text() +
                       R"("})");
}

std::optional<net::WebhookSecret> open_inbound_secret(const SecretBox& secrets, const Guid& business,
                                                      const Guid& carrier, const Bytes& sealed) {
  try {
    return net::WebhookSecret::parse(
        secrets.open(sealed, carrier_secret_purpose(business, carrier, inbound_secret)));
  } catch (const SecretError&) {
    return std::nullopt;  // another business's broken secret must not stop the call
  }
}

asio::awaitable<Answer> remove_carrier(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::carriers::Lock{.business = call.business(), .carrier = call.id()});
  co_await keep_account_of_purchases(*transaction, call.business(), call.id(), std::nullopt);
  const auto result =
      co_await transaction->run(sql::carriers::Remove{.business = call.business(), .carrier = call.id()});
  if (result.front().removed == 0) throw not_found("carrier with a configuration");
  co_await transaction->commit();
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"("})");
}

}  // namespace waybill::api
