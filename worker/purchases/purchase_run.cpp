#include "worker/purchases/purchase_run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/observe.hpp"
#include "connectors/gateways/rate_inquiry.hpp"
#include "worker/purchases/call_timer.hpp"
#include "worker/purchases/gateway_facts.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using connectors::ConnectedCarrier;
using connectors::GatewayError;
using connectors::Gateways;
using domain::Effect;
using domain::PurchaseMessage;
using domain::PurchaseStep;
using storage::StoredPurchase;

// The limits of a call with those that the connector makes to confirm it. Each request has a shorter one.
constexpr Duration look_up_limit = 60s;
constexpr Duration draft_limit = 30s;
constexpr Duration buy_limit = 110s;
constexpr Duration label_limit = 60s;
constexpr Duration void_limit = 100s;
static_assert(buy_limit < storage::purchase_lease);

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

void note_carrier(StoredPurchase& purchase, const ConnectedCarrier& carrier,
                  const std::string& service_code) {
  purchase.carrier_id = carrier.guid;
  purchase.test_mode = carrier.account.test_mode;
  purchase.service_level = carrier.level_of(service_code).value_or("");
}

/// Awaits an answer. An exception that the gateway's contract does not allow proves nothing.
template <typename Answer>
asio::awaitable<Answer> or_unknown(asio::awaitable<Answer> call, Answer unknown) {
  try {
    co_return co_await std::move(call);
  } catch (const std::exception& error) {
    observe(Observable::purchase_failed, {{"error", std::string_view(error.what())}});
  }
  co_return unknown;
}

connectors::CarrierMessage unreadable() { return {"ANSWER", "The answer of the gateway cannot be used."}; }

/// Awaits an answer or its failure.
template <typename Answer>
asio::awaitable<std::variant<Answer, GatewayError>> or_error(asio::awaitable<Answer> call) {
  try {
    co_return co_await std::move(call);
  } catch (const GatewayError& error) {
    co_return error;
  }
}

}  // namespace

PurchaseRun::PurchaseRun(PurchaseHost& host, StoredPurchase purchase)
    : host_(host), purchase_(std::move(purchase)), now_(purchase_.facts.next_at.value_or(host.now())) {}

asio::awaitable<void> PurchaseRun::perform() {
  while (may_begin()) {
    now_ = std::max(now_, host_.now());
    const PurchaseStep next = domain::next_step(purchase_.facts, now_);
    if (next == PurchaseStep::none) co_return;
    co_await step(next);
  }
}

asio::awaitable<void> PurchaseRun::step(PurchaseStep step) {
  switch (step) {
    case PurchaseStep::choose:
      co_return co_await choose();
    case PurchaseStep::look_up:
      co_return co_await look_up();
    case PurchaseStep::draft:
      co_return co_await draft();
    case PurchaseStep::buy:
      co_return co_await buy();
    case PurchaseStep::note_death:
      co_await change([](StoredPurchase& at, Time now) { return domain::worker_died(at.facts, now); },
                      Lease::needed, {});
      co_return;
    case PurchaseStep::fetch_label:
      co_return co_await fetch_label();
    case PurchaseStep::void_label:
      co_return co_await void_label(false);
    case PurchaseStep::look_up_void:
      co_return co_await void_label(true);
    case PurchaseStep::none:
      break;
  }
}

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
    auto failure = passing_failure(asked);
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
        note_carrier(at, carrier, rate.rate.service_code);
        return effect;
      },
      Lease::ended, {});
}

asio::awaitable<void> PurchaseRun::look_up() {
  const Connection carrier = co_await connection();
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier))
    co_return co_await fail({.message = *reason, .is_final = true, .retry_after = {}});
  if (!may_begin()) co_return;
  const auto gateway = open(std::get<ConnectedCarrier>(carrier), look_up_limit);
  CallTimer timer(purchase_.facts.connector, "look_up");
  auto answer = co_await or_error(gateway->find(purchase_.facts.gateway_id, purchase_.reference.to_string()));
  timer.stop();
  const auto* const error = std::get_if<GatewayError>(&answer);
  note_call(std::get<ConnectedCarrier>(carrier), error);
  if (error != nullptr) co_return co_await fail(failure_of(*error));
  const FoundWithFile found = found_of(std::get<connectors::FoundPurchase>(std::move(answer)));
  const auto* const label = std::get_if<domain::BoughtFacts>(&found.facts);
  co_await change([&](StoredPurchase& at, Time now) { return domain::looked_up(at.facts, found.facts, now); },
                  label == nullptr ? Lease::needed : Lease::optional,
                  {.label = label, .file = found.file ? &*found.file : nullptr});
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
  const auto* const error = std::get_if<GatewayError>(&answer);
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
        if (effect != Effect::ignored) note_carrier(at, carrier, rate.service_code);
        return effect;
      },
      Lease::needed, {});
}

asio::awaitable<void> PurchaseRun::buy() {
  const Connection carrier = co_await connection();
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier))
    co_return co_await fail({.message = *reason, .is_final = true, .retry_after = {}});
  if (!may_begin() || !co_await begin_buying()) co_return;
  // Nothing may be awaited between the commit and the call.
  const auto gateway = open(std::get<ConnectedCarrier>(carrier), buy_limit);
  CallTimer timer(purchase_.facts.connector, "buy");
  auto answer = co_await or_unknown<connectors::PurchaseAnswer>(
      gateway->buy(purchase_.facts.gateway_id, purchase_.facts.quote.rate_id, purchase_.reference.to_string(),
                   label_format(purchase_.format)),
      connectors::UnknownPurchase{unreadable()});
  timer.stop();
  co_await apply_answer(std::move(answer));
}

/// True if this worker has moved the purchase to `buying`, and the move is committed: at most once in its
/// life.
asio::awaitable<bool> PurchaseRun::begin_buying() {
  std::vector<Time> moved;  // of each try; the connection may break in a commit
  const Effect effect = co_await change(
      [&moved](StoredPurchase& at, Time now) {
        const Effect made = domain::begin_buying(at.facts, now);
        if (made == Effect::moved) moved.push_back(now);
        return made;
      },
      Lease::needed, {});
  if (effect == Effect::moved) co_return true;
  // A try whose commit had no answer was committed after all: the row has its time.
  const auto& facts = purchase_.facts;
  const bool is_ours = facts.status == domain::PurchaseStatus::buying && facts.buy_begun_at &&
                       std::ranges::find(moved, *facts.buy_begun_at) != moved.end();
  if (!is_ours || !host_.may_begin(purchase_.key.guid)) co_return false;
  goes_on_ = true;
  co_return true;
}

/// Applies the answer of the buy call, whoever holds the lease now. An answer that the database refuses is
/// unknown: it is looked up.
asio::awaitable<void> PurchaseRun::apply_answer(connectors::PurchaseAnswer answer) {
  const AnswerWithFile given = answer_of(std::move(answer));
  std::string refusal;
  try {
    co_await change(
        [&](StoredPurchase& at, Time now) { return domain::answered(at.facts, given.facts, now); },
        Lease::optional,
        {.label = std::get_if<domain::BoughtFacts>(&given.facts),
         .file = given.file ? &*given.file : nullptr});
    co_return;
  } catch (const PurchaseHost::GivenUp&) {
    throw;
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  observe(Observable::purchase_failed,
          {{"purchase", purchase_.key.guid.to_string()}, {"error", std::string_view(refusal)}});
  const domain::AnswerFacts unknown = domain::UnknownFacts{message_of(unreadable())};
  co_await change([&](StoredPurchase& at, Time now) { return domain::answered(at.facts, unknown, now); },
                  Lease::optional, {});
}

asio::awaitable<void> PurchaseRun::fetch_label() {
  const Connection carrier = co_await connection();
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier))
    co_return co_await fail({.message = *reason, .is_final = false, .retry_after = {}});
  if (!may_begin()) co_return;
  const auto gateway = open(std::get<ConnectedCarrier>(carrier), label_limit);
  CallTimer timer(purchase_.facts.connector, "label");
  auto answer = co_await or_error(gateway->label(purchase_.facts.gateway_id, label_format(purchase_.format)));
  timer.stop();
  const auto* const error = std::get_if<GatewayError>(&answer);
  note_call(std::get<ConnectedCarrier>(carrier), error);
  if (error != nullptr) co_return co_await fail(failure_of(*error));
  const auto file = file_of(std::get<connectors::LabelFile>(std::move(answer)));
  if (!file) {
    co_return co_await fail({.message = {"LABEL_SIZE", "The gateway's label is empty or larger than 10 MiB."},
                             .is_final = false,
                             .retry_after = {}});
  }
  co_await change([](StoredPurchase& at, Time now) { return domain::label_fetched(at.facts, now); },
                  Lease::optional, {.file = &*file});
}

/// Asks the gateway for the void. Without a connection to it the void is unknown, and is asked for later.
asio::awaitable<void> PurchaseRun::void_label(bool after_unknown) {
  const Connection carrier = co_await connection();
  if (!may_begin()) co_return;
  if (!after_unknown) {
    const Effect begun = co_await change(
        [](StoredPurchase& at, Time now) { return domain::begin_voiding(at.facts, now); }, Lease::needed, {});
    if (begun == Effect::ignored) co_return;
  }
  VoidFacts result;
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier)) {
    result.message = *reason;
  } else {
    const auto gateway = open(std::get<ConnectedCarrier>(carrier), void_limit);
    CallTimer timer(purchase_.facts.connector, "void");
    result = void_of(co_await or_unknown<connectors::VoidResult>(
        gateway->void_label(purchase_.facts.gateway_id, after_unknown), {.message = unreadable()}));
  }
  co_await change(
      [&](StoredPurchase& at, Time now) {
        return domain::void_answered(at.facts, result.answer, result.message, now);
      },
      Lease::optional, {});
}

asio::awaitable<Effect> PurchaseRun::change(Make make, Lease lease, Arrived arrived) {
  storage::PurchaseChange change;
  change.key = purchase_.key;
  change.needs_lease = lease != Lease::optional;
  change.ends_lease = lease == Lease::ended;
  change.label = arrived.label;
  change.file = arrived.file;
  change.make = [this, &make](StoredPurchase& at, Time now) {
    now_ = std::max(now_, now);
    return make(at, now);
  };
  auto changed = co_await host_.change(std::move(change));
  if (!changed) {
    goes_on_ = false;
    co_return Effect::ignored;
  }
  purchase_ = std::move(changed->purchase);
  if (!changed->had_lease || changed->effect == Effect::ignored || lease == Lease::ended) goes_on_ = false;
  co_return changed->effect;
}

asio::awaitable<void> PurchaseRun::refuse(PurchaseMessage message) {
  co_await change([&](StoredPurchase& at, Time now) { return domain::refuse(at.facts, message, now); },
                  Lease::needed, {});
}

/// Notes a failed call. At a stop, which aborts calls, another worker repeats it.
asio::awaitable<void> PurchaseRun::fail(domain::FailedCall failure) {
  if (!may_begin()) co_return;
  co_await change([&](StoredPurchase& at, Time now) { return domain::call_failed(at.facts, failure, now); },
                  Lease::needed, {});
}

/// The carrier's connection as it is configured now, or the reason why this purchase must not use it.
asio::awaitable<PurchaseRun::Connection> PurchaseRun::connection() {
  const std::string& connector = purchase_.facts.connector;
  std::vector<ConnectedCarrier> found;
  if (purchase_.carrier_id)
    found = co_await host_.carriers(purchase_.key, std::vector<Guid>{*purchase_.carrier_id});
  if (found.empty() || found.front().connector->name() != connector)
    co_return PurchaseMessage{"NOT_CONNECTED", "The carrier is no longer connected to " + connector + "."};
  if (purchase_.test_mode && *purchase_.test_mode != found.front().account.test_mode)
    co_return PurchaseMessage{"MODE", "The carrier's testMode is another than at the time of the request."};
  co_return std::move(found.front());
}

/// Calls that a stop has aborted say nothing of the account.
void PurchaseRun::note_call(const ConnectedCarrier& carrier, const GatewayError* failure) {
  if (may_begin()) host_.note_call(purchase_.key.business_id, carrier, failure);
}

std::unique_ptr<connectors::Gateway> PurchaseRun::open(const ConnectedCarrier& carrier, Duration limit) {
  return host_.open(carrier, purchase_.key.business_id, limit, Gateways::Turn::at_once);
}

}  // namespace waybill::worker
