#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/gateways/connected_carriers.hpp"
#include "api/gateways/gateway_failure.hpp"
#include "api/records/fields.hpp"
#include "api/shipments/consignment.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "api/threads/gateways.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::shipments;

constexpr Duration rates_limit = std::chrono::seconds(20);
constexpr Duration rates_kept = std::chrono::hours(1);

/// A carrier and its answer. One whose connector cannot take the consignment is not asked.
struct Asked {
  ConnectedCarrier carrier;
  FieldErrors unsupported = {};
  connectors::RatesAnswer answer = {};
};

/// Carriers that are asked at the same time. The calls may outlive the request.
struct Inquiry {
  explicit Inquiry(const asio::any_io_executor& executor)
      : done(executor, asio::steady_timer::time_point::max()) {}

  connectors::Consignment consignment;
  Guid business;
  std::vector<Asked> asked;
  std::size_t open = 0;
  asio::steady_timer done;  // cancelled when each has answered
};

asio::awaitable<void> ask(std::shared_ptr<Inquiry> inquiry, std::size_t index, Services& services) {
  Asked& asked = inquiry->asked[index];
  for (const FieldError& error : asked.unsupported)
    asked.answer.messages.push_back({.code = error.field, .text = error.field + " " + error.message});
  if (!asked.unsupported.empty()) co_return;
  const auto gateway = services.gateways.open(*asked.carrier.connector, asked.carrier.account,
                                              inquiry->business, services.clock, rates_limit);
  try {
    asked.answer = co_await gateway->rates(inquiry->consignment);
  } catch (const connectors::GatewayError& error) {
    asked.answer.messages.push_back(error.message());
  }
}

asio::awaitable<void> ask_all(const std::shared_ptr<Inquiry>& inquiry, Services& services) {
  const auto executor = co_await asio::this_coro::executor;
  inquiry->open = inquiry->asked.size();
  for (std::size_t i = 0; i < inquiry->asked.size(); ++i) {
    asio::co_spawn(executor, ask(inquiry, i, services), [inquiry](const std::exception_ptr&) {
      if (--inquiry->open == 0) inquiry->done.cancel();
    });
  }
  boost::system::error_code ended;
  if (inquiry->open > 0) co_await inquiry->done.async_wait(asio::redirect_error(asio::use_awaitable, ended));
}

/// The number of an amount that can be written into JSON as it is; nullopt for other text.
std::optional<double> amount_of(const std::string& text) {
  const auto parsed = parse_json(text, 1);
  const auto* const value = std::get_if<json::value>(&parsed);
  return value != nullptr && value->is_number() ? std::optional(value->to_number<double>()) : std::nullopt;
}

/// A rate that is shown, with the order among the others.
struct ShownRate {
  double price;
  int transit_days;
  std::size_t place;  // among all of the answer
  std::string text;   // JSON
};

std::optional<std::string> level_of(const ConnectedCarrier& carrier, std::string_view service_code) {
  for (const auto& [level, code] : carrier.service_codes)
    if (code.is_string() && std::string_view(code.get_string()) == service_code) return std::string(level);
  return std::nullopt;
}

/// Names the rate in a purchase: sealed, so that nobody can make one up, and valid for an hour.
std::string rate_id(const Services& services, const Guid& business, const Guid& shipment, const Asked& asked,
                    const connectors::CarrierRate& rate, Time expires_at) {
  const json::object content{{"carrier", asked.carrier.guid.to_string()},
                             {"service", rate.service_code},
                             {"price", rate.price},
                             {"currency", rate.currency},
                             {"expiresAt", format_timestamp(expires_at)}};
  return base64url(
      services.secrets.seal(to_json(content), "rate:" + business.to_string() + ":" + shipment.to_string()));
}

ShownRate shown(const Services& services, const Call& call, const Asked& asked,
                const connectors::CarrierRate& rate, double price, Time expires_at) {
  json::object entry{
      {"rateId", rate_id(services, call.business(), call.id(), asked, rate, expires_at)},
      {"carrier", {{"guid", asked.carrier.guid.to_string()}, {"name", asked.carrier.name}}},
      {"serviceCode", rate.service_code},
      {"serviceName", rate.service_name},
      {"serviceLevel", nullptr},
      {"currency", rate.currency},
      {"transitDays", rate.transit_days ? json::value(*rate.transit_days) : json::value()},
      {"estimatedDelivery",
       rate.estimated_delivery ? json::value(format_timestamp(*rate.estimated_delivery)) : json::value()},
      {"expiresAt", format_timestamp(expires_at)}};
  if (auto level = level_of(asked.carrier, rate.service_code)) entry["serviceLevel"] = *std::move(level);
  // Amounts are written as the gateway gave them, because a double would not be exact.
  std::string text = to_json(entry);
  text.back() = ',';
  text += R"("price":)" + rate.price + R"(,"charges":[)";
  const char* separator = "";
  for (const connectors::Charge& charge : rate.charges) {
    if (!amount_of(charge.amount)) continue;
    text += separator;
    text += R"({"name":)";
    append_json_string(text, charge.name);
    text += R"(,"amount":)" + charge.amount + "}";
    separator = ",";
  }
  constexpr int unknown = 1'000'000;
  return {
      .price = price, .transit_days = rate.transit_days.value_or(unknown), .place = 0, .text = text + "]}"};
}

/// The rates of the wanted service level, cheapest first, then by transit time.
std::string rates_text(const Services& services, const Call& call, const std::vector<Asked>& asked,
                       const std::optional<std::string>& level) {
  const Time expires_at = services.clock.now() + rates_kept;
  std::vector<ShownRate> rates;
  for (const Asked& each : asked) {
    for (const connectors::CarrierRate& rate : each.answer.rates) {
      const auto price = amount_of(rate.price);
      if (!price || (level && level_of(each.carrier, rate.service_code) != level)) continue;
      rates.push_back(shown(services, call, each, rate, *price, expires_at));
      rates.back().place = rates.size();
    }
  }
  std::ranges::sort(
      rates, {}, [](const ShownRate& rate) { return std::tuple(rate.price, rate.transit_days, rate.place); });
  std::string text;
  for (const ShownRate& rate : rates) text += (text.empty() ? "" : ",") + rate.text;
  return "[" + text + "]";
}

json::array messages_of(const std::vector<Asked>& asked) {
  json::array messages;
  for (const Asked& each : asked) {
    for (const connectors::CarrierMessage& message : each.answer.messages)
      messages.push_back({{"carrier", {{"guid", each.carrier.guid.to_string()}, {"name", each.carrier.name}}},
                          {"code", message.code},
                          {"message", message.text}});
  }
  return messages;
}

}  // namespace

asio::awaitable<Answer> get_rates(Call& call, Services& services) {
  const auto& body = call.object();
  const auto rows =
      co_await services.db.read(sql::Consignment{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  const auto inquiry = std::make_shared<Inquiry>(co_await asio::this_coro::executor);
  for (ConnectedCarrier& carrier : co_await connected_carriers(call, services, guids_at(body, "carrierIds")))
    inquiry->asked.push_back({.carrier = std::move(carrier)});
  FieldErrors errors;
  inquiry->consignment = consignment_of(rows.front(), errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  for (Asked& asked : inquiry->asked)
    asked.unsupported = connectors::unsupported_parts(*asked.carrier.connector, inquiry->consignment);
  if (std::ranges::none_of(inquiry->asked, [](const Asked& asked) { return asked.unsupported.empty(); }))
    throw invalid(std::move(inquiry->asked.front().unsupported));
  inquiry->business = call.business();
  co_await ask_all(inquiry, services);
  co_return Answer::of(R"({"rates":)" +
                       rates_text(services, call, inquiry->asked, text_at(body, "serviceLevel")) +
                       R"(,"messages":)" + to_json(messages_of(inquiry->asked)) + "}");
}

}  // namespace waybill::api
