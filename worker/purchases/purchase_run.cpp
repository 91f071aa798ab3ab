#include "worker/purchases/purchase_run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/observe.hpp"
#include "worker/purchases/call_timer.hpp"
#include "worker/purchases/gateway_answer.hpp"
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
constexpr Duration buy_limit = 110s;
constexpr Duration label_limit = 60s;
constexpr Duration void_limit = 100s;
static_assert(buy_limit < storage::purchase_lease);

connectors::CarrierMessage unreadable() { return {"ANSWER", "The answer of the gateway cannot be used."}; }

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
  const auto* label = std::get_if<domain::BoughtFacts>(&found.facts);
  if (const auto* const voided = std::get_if<domain::VoidedFacts>(&found.facts)) label = &voided->label;
  co_await change(
      [&](StoredPurchase& at, Time now) {
        const Effect effect = domain::looked_up(at.facts, found.facts, now);
        if (effect != Effect::ignored) note_sold(at, std::get<ConnectedCarrier>(carrier));
        return effect;
      },
      label == nullptr ? Lease::needed : Lease::optional,
      {.label = label, .file = found.file ? &*found.file : nullptr});
}

asio::awaitable<void> PurchaseRun::buy() {
  const Connection carrier = co_await connection();
  if (const auto* const reason = std::get_if<PurchaseMessage>(&carrier))
    co_return co_await fail({.message = *reason, .is_final = true, .retry_after = {}});
  // The shipment may be over since the draft, which costs nothing.
  const auto shipment = co_await host_.consignment(purchase_.key);
  if (const auto* const reason = std::get_if<PurchaseMessage>(&shipment)) co_return co_await refuse(*reason);
  if (!may_begin() || !co_await begin_buying()) co_return;
  // Nothing may be awaited between the commit and the call.
  const auto gateway = open(std::get<ConnectedCarrier>(carrier), buy_limit);
  CallTimer timer(purchase_.facts.connector, "buy");
  auto answer = co_await or_unknown<connectors::PurchaseAnswer>(
      gateway->buy(purchase_.facts.gateway_id, purchase_.facts.quote.rate_id, purchase_.reference.to_string(),
                   label_format(purchase_.format)),
      connectors::UnknownPurchase{unreadable()});
  timer.stop();
  co_await apply_answer(std::get<ConnectedCarrier>(carrier), std::move(answer));
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
asio::awaitable<void> PurchaseRun::apply_answer(const ConnectedCarrier& carrier,
                                                connectors::PurchaseAnswer answer) {
  const AnswerWithFile given = answer_of(std::move(answer));
  std::string refusal;
  try {
    co_await change(
        [&](StoredPurchase& at, Time now) {
          const Effect effect = domain::answered(at.facts, given.facts, now);
          if (effect != Effect::ignored) note_sold(at, carrier);
          return effect;
        },
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
    co_return co_await fail(
        {.message = {"LABEL_FILE", "The gateway's label is not a PDF, PNG or ZPL of at most 10 MiB."},
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
