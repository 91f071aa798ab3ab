#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "api/gateways/connected_carriers.hpp"
#include "api/gateways/gateway_failure.hpp"
#include "api/records/fields.hpp"
#include "api/shipments/quoted_rate.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "base/joined_texts.hpp"
#include "base/json.hpp"
#include "connectors/gateways/consignment.hpp"
#include "connectors/gateways/gateways.hpp"
#include "connectors/gateways/rate_inquiry.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

using connectors::AskedCarrier;

constexpr Duration rates_kept = std::chrono::hours(1);

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

/// The values that all rates of an answer share.
struct Inquiry {
  std::optional<std::string> level;  // the wanted one
  Time expires_at;
  std::string shipment;  // its `priced_parts`
};

ShownRate shown(const Services& services, const Call& call, const AskedCarrier& asked,
                const connectors::CarrierRate& rate, double price, const Inquiry& inquiry) {
  json::object entry{
      {"rateId", seal_rate(services.secrets, call.business(), call.id(),
                           {.carrier = asked.carrier.guid,
                            .service_code = rate.service_code,
                            .price = rate.price,
                            .currency = rate.currency,
                            .expires_at = inquiry.expires_at,
                            .shipment = inquiry.shipment,
                            .test_mode = asked.carrier.account.test_mode,
                            .transit_days = rate.transit_days})},
      {"carrier", {{"guid", asked.carrier.guid.to_string()}, {"name", asked.carrier.name}}},
      {"serviceCode", rate.service_code},
      {"serviceName", rate.service_name},
      {"serviceLevel", nullptr},
      {"currency", rate.currency},
      {"transitDays", rate.transit_days ? json::value(*rate.transit_days) : json::value()},
      {"estimatedDelivery",
       rate.estimated_delivery ? json::value(format_timestamp(*rate.estimated_delivery)) : json::value()},
      {"expiresAt", format_timestamp(inquiry.expires_at)}};
  // Several levels may have one code.
  if (auto level = inquiry.level ? inquiry.level : asked.carrier.level_of(rate.service_code))
    entry["serviceLevel"] = *std::move(level);
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
std::string rates_text(const Services& services, const Call& call, const std::vector<AskedCarrier>& asked,
                       const std::optional<std::string>& level, std::string shipment) {
  const Inquiry inquiry{
      .level = level, .expires_at = services.clock.now() + rates_kept, .shipment = std::move(shipment)};
  std::vector<ShownRate> rates;
  for (const AskedCarrier& each : asked) {
    for (const connectors::CarrierRate& rate : each.answer.rates) {
      const auto price = amount_of(rate.price);
      if (!price || (level && each.carrier.service_code_of(*level) != rate.service_code)) continue;
      rates.push_back(shown(services, call, each, rate, *price, inquiry));
      rates.back().place = rates.size();
    }
  }
  std::ranges::sort(
      rates, {}, [](const ShownRate& rate) { return std::tuple(rate.price, rate.transit_days, rate.place); });
  return "[" + joined_texts(rates | std::views::transform(&ShownRate::text), ",") + "]";
}

json::array messages_of(const std::vector<AskedCarrier>& asked) {
  json::array messages;
  for (const AskedCarrier& each : asked) {
    const auto add = [&](const connectors::CarrierMessage& message) {
      messages.push_back({{"carrier", {{"guid", each.carrier.guid.to_string()}, {"name", each.carrier.name}}},
                          {"code", message.code},
                          {"message", message.text}});
    };
    for (const connectors::CarrierMessage& message : each.answer.messages) add(message);
    if (each.failure) add(each.failure->message());
  }
  return messages;
}

/// Notes accounts whose calls fail, or succeed again. The rates are worth more than the note.
asio::awaitable<void> note_calls(const Call& call, Services& services,
                                 const std::vector<AskedCarrier>& asked) {
  for (const AskedCarrier& each : asked) {
    if (!each.failure && each.answer.rates.empty()) continue;
    std::string text;
    const auto note = connectors::note_of_call(call.business(), each.carrier,
                                               each.failure ? &*each.failure : nullptr, text);
    if (!note) continue;
    try {
      co_await services.db.write(*note, call.cause());
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next call notes it
    }
  }
}

}  // namespace

asio::awaitable<Answer> get_rates(Call& call, Services& services) {
  const auto& body = call.object();
  const auto rows = co_await services.db.read(
      sql::shipments::Consignment{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw not_found("shipment");
  auto carriers = co_await connected_carriers(call, services, guids_at(body, "carrierIds"));
  const auto level = text_at(body, "serviceLevel");
  if (level && std::ranges::none_of(carriers, [&](const ConnectedCarrier& carrier) {
        return carrier.service_code_of(*level).has_value();
      }))
    throw invalid("serviceLevel", "none of the carriers has a code for it in its serviceCodes");
  FieldErrors errors;
  auto consignment = connectors::consignment_of(rows.front(), errors);
  if (!errors.empty()) throw invalid(std::move(errors));
  const auto is_possible = [&](const ConnectedCarrier& carrier) {
    return connectors::unsupported_parts(*carrier.connector, consignment).empty();
  };
  if (std::ranges::none_of(carriers, is_possible))
    throw invalid(connectors::unsupported_parts(*carriers.front().connector, consignment));
  // Captures no reference to this coroutine, because the calls may outlive it.
  const auto open = [&gateways = services.gateways, &clock = services.clock,
                     business = call.business()](const ConnectedCarrier& carrier) {
    return gateways.open(*carrier.connector, carrier.account, business, clock, connectors::rates_limit);
  };
  std::string priced = priced_parts(consignment);
  const auto asked = co_await connectors::ask_for_rates(std::move(carriers), std::move(consignment), open);
  co_await note_calls(call, services, asked);
  co_return Answer::of(R"({"rates":)" + rates_text(services, call, asked, level, std::move(priced)) +
                       R"(,"messages":)" + to_json(messages_of(asked)) + "}");
}

}  // namespace waybill::api
