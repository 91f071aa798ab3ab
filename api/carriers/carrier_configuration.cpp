#include <utility>

#include "api/carriers/carrier_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/crypto.hpp"
#include "connectors/carrier_connector.hpp"
#include "domain/values/web_address.hpp"
#include "storage/sql/carriers.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::carriers;
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
  const auto secret = text_at(call.object(), name);
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
};

asio::awaitable<Terms> read_terms(Call& call, Services& services, const Guid& carrier) {
  const auto rows = co_await services.db.read(sql::Terms{.business = call.business(), .carrier = carrier});
  const auto terms = rows.find();
  if (!terms) throw not_found("carrier");
  co_return Terms{.code = std::string(terms->code),
                  .levels = std::string(terms->level_codes),
                  .account_number = Text(terms->account_number),
                  .tracking_url_pattern = Text(terms->tracking_url_pattern),
                  .is_own = terms->is_own,
                  .sealed_key = unhex(terms->sealed_key.value_or("")),
                  .sealed_secret = unhex(terms->sealed_secret.value_or(""))};
}

/// True if `body` has the member, flat or nested as in a GET.
bool has_member(const json::object& body, std::string_view name) {
  return body.contains(name) || find_path(body, "configuration." + std::string(name)) != nullptr;
}

Text value_of(const json::object& body, std::string_view name) {
  return text_at(body, body.contains(name) ? std::string(name) : "configuration." + std::string(name));
}

void check_default_level(const json::object& body, const Terms& terms) {
  const auto level = value_of(body, "defaultServiceLevel");
  if (!level) return;
  FieldErrors errors;
  check_service_level(*level, terms.levels, errors);
  if (!errors.empty()) throw invalid("defaultServiceLevel", errors.front().message);
}

bool flag_at(const json::object& body, std::string_view name) {
  const auto* const value = find_value(body, name);
  return value != nullptr && value->get_bool();
}

/// Throws Failure if the carrier's connector does not accept the credentials.
asio::awaitable<void> check_account(const json::object& body, const Terms& terms) {
  const auto number = value_of(body, "accountNumber");
  connectors::CarrierAccount account{.account_number = number ? *number : terms.account_number.value_or(""),
                                     .api_key = text_at(body, "apiKey"),
                                     .api_secret = text_at(body, "apiSecret"),
                                     .test_mode = flag_at(body, "testMode")};
  auto errors = co_await connectors::carrier_connector(terms.code).check(std::move(account));
  if (errors.empty()) co_return;
  throw Failure(ErrorCode::configuration_error, "The carrier does not accept these credentials.",
                std::move(errors));
}

}  // namespace

void check_tracking_pattern(const json::object& body, FieldErrors& errors) {
  const auto pattern = text_at(body, "trackingUrlPattern");
  if (!pattern || pattern->empty()) return;
  if (const auto problem = domain::tracking_pattern_problem(*pattern))
    errors.push_back({"trackingUrlPattern", std::string(*problem)});
}

void check_carrier_update(const json::object& body, FieldErrors& errors) {
  check_tracking_pattern(body, errors);
  for (const std::string name : {"accountNumber", "defaultServiceLevel"}) {
    const auto* const nested = find_path(body, "configuration." + name);
    const auto* const flat = body.if_contains(name);
    if (nested != nullptr && flat != nullptr && *nested != *flat) {
      errors.push_back({"configuration." + name, "differs from " + name});
    }
  }
}

asio::awaitable<Answer> configure_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  const auto carrier = guid_at(body, "carrierId").value();
  auto terms = co_await read_terms(call, services, carrier);
  terms.account_number.reset();  // a configuration replaces all of the former one
  check_default_level(body, terms);
  co_await check_account(body, terms);
  const auto secret = net::WebhookSecret::random();
  const auto rows = co_await services.db.write(
      sql::Configure{.business = call.business(),
                     .carrier = carrier,
                     .account_number = text_at(body, "accountNumber"),
                     .default_service_level = text_at(body, "defaultServiceLevel"),
                     .test_mode = flag_at(body, "testMode"),
                     .sealed_key = sealed(call, services, carrier, "apiKey", terms.sealed_key),
                     .sealed_secret = sealed(call, services, carrier, "apiSecret", terms.sealed_secret),
                     .sealed_inbound_secret = sealed_inbound(call, services, carrier, secret)},
      call.cause());
  if (rows.empty()) throw not_found("carrier");
  auto text = json_object(rows.more());
  text.pop_back();
  text += R"(,"inboundSecret":)";
  text += rows.front().is_new_secret ? '"' + secret.text() + '"' : "null";
  co_return Answer::of(text + "}");
}

asio::awaitable<Answer> update_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  const auto& carrier = call.id();
  const auto terms = co_await read_terms(call, services, carrier);
  const auto pattern = text_at(body, "trackingUrlPattern");
  const bool new_pattern = body.contains("trackingUrlPattern") && pattern != terms.tracking_url_pattern;
  if (new_pattern && !terms.is_own) {
    throw invalid("trackingUrlPattern", "can be set only for a carrier of the business");
  }
  const bool only_pattern = body.size() == 1 && body.contains("trackingUrlPattern");
  if (!only_pattern) {
    if (!terms.account_number) throw conflict("The carrier is not configured.");
    check_default_level(body, terms);
    co_await check_account(body, terms);
  }
  const auto flag = [&](std::string_view name) {
    return find_value(body, name) == nullptr ? std::nullopt : std::optional(flag_at(body, name));
  };
  const auto rows = co_await services.db.write(
      sql::Update{.business = call.business(),
                  .carrier = carrier,
                  .active = flag("isActive"),
                  .account_number = value_of(body, "accountNumber"),
                  .test_mode = flag("testMode"),
                  .set_default_service_level = has_member(body, "defaultServiceLevel"),
                  .default_service_level = value_of(body, "defaultServiceLevel"),
                  .set_key = body.contains("apiKey"),
                  .sealed_key = sealed(call, services, carrier, "apiKey", terms.sealed_key),
                  .set_secret = body.contains("apiSecret"),
                  .sealed_secret = sealed(call, services, carrier, "apiSecret", terms.sealed_secret),
                  .set_pattern = new_pattern,
                  .tracking_url_pattern = pattern,
                  .only_pattern = only_pattern},
      call.cause());
  if (rows.empty()) throw conflict("The carrier is not configured.");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> rotate_inbound_secret(Call& call, Services& services) {
  const auto& carrier = call.id();
  co_await read_terms(call, services, carrier);
  const auto secret = net::WebhookSecret::random();
  const auto rows = co_await services.db.write(
      sql::RotateInboundSecret{.business = call.business(),
                               .carrier = carrier,
                               .sealed_inbound_secret = sealed_inbound(call, services, carrier, secret)},
      call.cause());
  if (rows.empty()) throw conflict("The carrier is not configured.");
  co_return Answer::of(R"({"guid":")" + carrier.to_string() + R"(","inboundSecret":")" + secret.text() +
                       R"("})");
}

std::string carrier_secret_purpose(const Guid& business, const Guid& carrier, std::string_view name) {
  return "carrier-" + std::string(name) + ":" + business.to_string() + ":" + carrier.to_string();
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
  const auto result = co_await services.db.write(
      sql::Remove{.business = call.business(), .carrier = call.id()}, call.cause());
  if (result.front().removed == 0) throw not_found("carrier with a configuration");
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"("})");
}

}  // namespace waybill::api
