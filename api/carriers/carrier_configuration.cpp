#include <utility>

#include "api/carriers/carrier_handlers.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "base/crypto.hpp"
#include "connectors/carrier_connector.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::carriers;
using Text = std::optional<std::string>;

/// Returns a credential as SQL stores it, sealed for this business, carrier and column.
Text sealed(const Call& call, const Services& services, const std::string& carrier, std::string_view name,
            const Text& secret) {
  if (!secret) return std::nullopt;
  const auto purpose =
      "carrier-" + std::string(name) + ":" + call.principal.business_id.to_string() + ":" + carrier;
  return "\\x" + hex(services.secrets.seal(*secret, purpose));
}

struct Terms {
  std::string code;
  std::string levels;   // a JSON array of codes
  Text account_number;  // nullopt if not configured
};

asio::awaitable<Terms> read_terms(Call& call, Services& services, const std::string& carrier) {
  auto params = business_params(call);
  params.add(carrier);
  const auto rows = co_await services.db.read(sql::terms, std::move(params));
  if (rows.empty()) throw not_found("carrier");
  co_return Terms{.code = std::string(rows.get(0, 0)),
                  .levels = std::string(rows.get(0, 1)),
                  .account_number = rows.is_null(0, 2) ? Text() : Text(rows.get(0, 2))};
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

void check_carrier_update(const json::object& body, FieldErrors& errors) {
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
  auto params = business_params(call);
  params.add(carrier).add(text_at(body, "accountNumber")).add(text_at(body, "defaultServiceLevel"));
  params.add(flag_at(body, "testMode"));
  for (const auto* const name : {"apiKey", "apiSecret"}) {
    params.add(sealed(call, services, carrier, name, text_at(body, name)));
  }
  const auto rows = co_await services.db.write(sql::configure, std::move(params), call.cause());
  if (rows.empty()) throw not_found("carrier");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> update_carrier(Call& call, Services& services) {
  const auto& body = call.object();
  const auto carrier = call.id().to_string();
  const auto terms = co_await read_terms(call, services, carrier);
  if (!terms.account_number) throw conflict("The carrier is not configured.");
  check_default_level(body, terms);
  co_await check_account(body, terms);
  const auto flag = [&](std::string_view name) {
    return find_value(body, name) == nullptr ? std::nullopt : std::optional(flag_at(body, name));
  };
  auto params = key_params(call);
  params.add(flag("isActive")).add(value_of(body, "accountNumber")).add(flag("testMode"));
  params.add(has_member(body, "defaultServiceLevel")).add(value_of(body, "defaultServiceLevel"));
  for (const auto* const name : {"apiKey", "apiSecret"}) {
    params.add(body.contains(name)).add(sealed(call, services, carrier, name, text_at(body, name)));
  }
  const auto rows = co_await services.db.write(sql::update, std::move(params), call.cause());
  if (rows.empty()) throw conflict("The carrier is not configured.");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> remove_carrier(Call& call, Services& services) {
  const auto rows = co_await services.db.write(sql::remove, key_params(call), call.cause());
  if (rows.get(0, 0) == "0") throw not_found("carrier with a configuration");
  co_return Answer::of(R"({"guid":")" + call.id().to_string() + R"("})");
}

}  // namespace waybill::api
