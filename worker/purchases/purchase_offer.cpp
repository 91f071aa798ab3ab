#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "connectors/gateways/rate_inquiry.hpp"
#include "worker/purchases/call_timer.hpp"
#include "worker/purchases/gateway_answer.hpp"
#include "worker/purchases/gateway_facts.hpp"
#include "worker/purchases/purchase_run.hpp"

// The steps of a purchase before it is bought: the choice of a rate, and the draft.
namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using connectors::ConnectedCarrier;
using connectors::Gateways;
using domain::Effect;
using domain::PurchaseMessage;
using storage::StoredPurchase;

// The limit of the call with those that the connector makes to confirm it.
constexpr Duration draft_limit = 30s;

/// The failure after which the carriers that could not be asked are asked again; nullopt if all answered.
std::optional<domain::FailedCall> passing_failure(const std::vector<connectors::AskedCarrier>& asked) {
  std::optional<domain::FailedCall> passing;
  for (const auto& each : asked) {
    if (!each.failure) continue;
    auto failure = failure_of(*each.failure);
    if (failure.is_final) continue;
    if (passing) failure.retry_after = std::max(failure.retry_after, passing->retry_after);
    passing = std::move(failure);
  }
  return passing;
}

/// The wish of a purchase whose carrier and service may be chosen already.
std::optional<WantedRate> wish_of(const StoredPurchase& purchase) {
  auto wanted = read_wanted(purchase.wanted, purchase.service_level);
  if (wanted && purchase.carrier_id) wanted->carriers = {*purchase.carrier_id};
  const std::string& chosen = purchase.facts.quote.service_code;
  if (wanted && wanted->by != WantedRate::By::rate && !chosen.empty()) {
    wanted->by = WantedRate::By::cheapest;
    wanted->service_codes = {chosen};
  }
  return wanted;
}

PurchaseMessage wrong_request() { return {"WRONG_REQUEST", "The request of the purchase cannot be read."}; }

domain::Quote quote_of(const connectors::CarrierRate& rate, std::string rate_id) {
  return {std::move(rate_id),
          rate.service_code,
          rate.service_name,
          {rate.price, rate.currency},
          rate.estimated_delivery};
}

void note_carrier(StoredPurchase& purchase, const ConnectedCarrier& carrier, const std::string& service_code,
                  const WantedRate& wanted) {
  purchase.carrier_id = carrier.guid;
  purchase.test_mode = carrier.account.test_mode;
  purchase.service_level = level_of(carrier, service_code, wanted.level);
}

}  // namespace

/// Asks the carriers for rates and chooses one of them. The purchase is then claimed anew, because only a
/// claim counts the purchases of its connector.
asio::awaitable<void> PurchaseRun::choose() {
  const auto wanted = wish_of(purchase_);
  if (!wanted) co_return co_await refuse(wrong_request());
  std::vector<Guid> named = wanted->carriers;
  if (named.empty() && wanted->rate) named = {wanted->rate->carrier};
  auto carriers = co_await host_.carriers(purchase_.key, std::move(named));
  if (carriers.empty())
    co_return co_await refuse({"NO_CONNECTOR", "No configured carrier of the request can buy a label."});
  auto consignment = co_await host_.consignment(purchase_.key);
  if (const auto* const reason = std::get_if<PurchaseMessage>(&consignment))
    co_return co_await refuse(*reason);
  if (!may_begin()) co_return;
  const auto asked = co_await connectors::ask_for_rates(
      std::move(carriers), std::get<connectors::Consignment>(std::move(consignment)),
      [&host = host_, business = purchase_.key.business_id](const ConnectedCarrier& carrier) {
        return host.open(carrier, business, connectors::rates_limit, Gateways::Turn::in_line);
      });
  for (const auto& each : asked)
    if (each.failure || !each.answer.rates.empty())
      note_call(each.carrier, each.failure ? &*each.failure : nullptr);
  auto choice = choose_rate(*wanted, asked, purchase_.facts.max_price);
  if (auto* const reason = std::get_if<PurchaseMessage>(&choice)) {
    // A rate that is too dear or in another currency decides without the carriers that have not answered.
    auto failure = reason->code == no_rate_code ? passing_failure(asked) : std::nullopt;
    if (!failure) co_return co_await refuse(std::move(*reason));
    co_return co_await fail(*std::move(failure));
  }
  const auto& rate = std::get<ChosenRate>(choice);
  const ConnectedCarrier& carrier = asked[rate.carrier].carrier;
  co_await change(
      [&](StoredPurchase& at, Time now) {
        const Effect effect = domain::chosen(at.facts, std::string(carrier.connector->name()), now);
        if (effect == Effect::ignored) return effect;
        at.facts.quote = quote_of(rate.rate, "");  // the draft has a rate of its own
        note_carrier(at, carrier, rate.rate.service_code, *wanted);
        if (wanted->takes_usual_format) at.format = usual_format(carrier);
        return effect;
      },
      Lease::ended, {});
}

asio::awaitable<void> PurchaseRun::draft() {
  const Connection carrier = co_await connection();
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier))
    co_return co_await fail({.message = *reason, .is_final = true, .retry_after = {}});
  auto shipment = co_await host_.consignment(purchase_.key);
  if (const auto* const reason = std::get_if<PurchaseMessage>(&shipment)) co_return co_await refuse(*reason);
  if (!may_begin()) co_return;
  auto& consignment = std::get<connectors::Consignment>(shipment);
  consignment.reference = purchase_.reference.to_string();
  const auto& connected = std::get<ConnectedCarrier>(carrier);
  const auto gateway = open(connected, draft_limit);
  CallTimer timer(purchase_.facts.connector, "draft");
  auto answer = co_await or_error(gateway->draft(std::move(consignment)));
  timer.stop();
  const auto* const error = std::get_if<connectors::GatewayError>(&answer);
  note_call(connected, error);
  if (error != nullptr) co_return co_await fail(failure_of(*error));
  co_await take_draft(connected, std::get<connectors::Draft>(std::move(answer)));
}

/// Stores the draft with the rate to buy, or refuses the purchase. An unused draft costs nothing.
asio::awaitable<void> PurchaseRun::take_draft(const ConnectedCarrier& carrier, connectors::Draft draft) {
  const auto wanted = wish_of(purchase_);
  if (!wanted) co_return co_await refuse(wrong_request());
  const connectors::AskedCarrier offers[] = {{.carrier = carrier, .answer = std::move(draft.offers)}};
  auto choice = choose_rate(*wanted, offers, purchase_.facts.max_price);
  if (auto* const reason = std::get_if<PurchaseMessage>(&choice))
    co_return co_await refuse(std::move(*reason));
  const connectors::CarrierRate& rate = std::get<ChosenRate>(choice).rate;
  co_await change(
      [&](StoredPurchase& at, Time now) {
        const Effect effect = domain::drafted(at.facts, draft.gateway_id, quote_of(rate, rate.id), now);
        if (effect != Effect::ignored) note_carrier(at, carrier, rate.service_code, *wanted);
        return effect;
      },
      Lease::needed, {});
}

}  // namespace waybill::worker
