#include "domain/purchases/purchase.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "domain/purchases/purchase_changes.hpp"

namespace waybill::domain {
namespace {

using namespace purchases;
using State = std::string_view;
using enum PurchaseStatus;

constexpr auto state_names =
    std::to_array<State>({"requested", "buying", "bought", "refused", "unknown", "voiding", "voided"});
constexpr auto from_requested =
    std::to_array<State>({"buying", "bought", "refused", "unknown", "voiding", "voided"});
constexpr auto from_buying = std::to_array<State>({"bought", "refused", "unknown"});
constexpr auto from_unknown = std::to_array<State>({"bought", "refused", "voiding", "voided"});
constexpr auto from_bought = std::to_array<State>({"voiding", "voided"});
constexpr auto from_voiding = std::to_array<State>({"bought", "voided"});
constexpr auto moves = std::to_array<StateMachine::Move>({
    {"requested", from_requested},
    {"buying", from_buying},
    {"unknown", from_unknown},
    {"bought", from_bought},
    {"voiding", from_voiding},
});
constexpr StateMachine states{"purchase", state_names, moves};

bool is_above_quote(const Purchase& purchase) {
  return purchase.quote.price.is_known() && is_dearer(purchase.price, purchase.quote.price);
}

Effect buy(Purchase& purchase, const BoughtFacts& label, Time now) {
  set_label(purchase, label);
  purchase.is_dearer = is_above_quote(purchase);
  purchase.bought_at = now;
  purchase.error = {};
  return move(purchase, bought, now);
}

/// The gateway confirms the label that a person has resolved as bought. Its facts count; another number than
/// the person's is noted as an error.
void confirm(Purchase& purchase, const BoughtFacts& label) {
  const std::string given = purchase.tracking_numbers.empty() ? "" : purchase.tracking_numbers.front();
  const bool is_known = given.empty() || label.tracking_numbers.empty() ||
                        std::ranges::find(label.tracking_numbers, given) != label.tracking_numbers.end();
  purchase.resolution = Resolution::none;
  set_label(purchase, label);
  purchase.is_dearer = is_above_quote(purchase);
  purchase.attempts = 0;
  if (is_known) return;
  set_error(purchase,
            {std::string(other_number_code), "The gateway has the number " + label.tracking_numbers.front() +
                                                 ", and not " + given + ", which a person has given."});
}

Effect take_label(Purchase& purchase, const BoughtFacts& label, Time now) {
  const bool names_it = purchase.gateway_id.empty() || purchase.gateway_id == label.gateway_id;
  switch (purchase.status) {
    case requested:
      return buy(purchase, label, now);  // bought before with the same reference: adopted
    case buying:
    case unknown:
      return names_it ? buy(purchase, label, now) : Effect::stray;
    case bought:
    case voiding:
    case voided: {
      if (!names_it) return Effect::stray;
      if (purchase.resolution == Resolution::bought) {
        confirm(purchase, label);
        return note(purchase, now);
      }
      const bool brings_label = label.has_label && !purchase.has_label && !purchase.erased_at;
      const bool brings_numbers = purchase.tracking_numbers.empty() && !label.tracking_numbers.empty();
      if (!brings_label && !brings_numbers) return Effect::ignored;
      if (brings_label) purchase.has_label = true;
      if (brings_numbers) purchase.tracking_numbers = label.tracking_numbers;
      return note(purchase, now);
    }
    case refused:
      break;
  }
  return Effect::stray;
}

}  // namespace

std::string_view text_of(PurchaseStatus status) { return state_names[static_cast<std::size_t>(status)]; }

PurchaseStatus purchase_status(std::string_view text) {
  const auto found = std::ranges::find(state_names, text);
  if (found == state_names.end()) throw std::invalid_argument("not a status of a purchase");
  return static_cast<PurchaseStatus>(found - state_names.begin());
}

const StateMachine& purchase_states() { return states; }

std::string_view label_status(PurchaseStatus status) {
  return text_of(status == requested ? buying : status);
}

bool is_over(std::string_view shipment_status) {
  return shipment_status == "delivered" || shipment_status == "returned" || shipment_status == "cancelled";
}

bool Purchase::is_open_or_bought() const { return !is_stray && status != refused && status != voided; }

bool Purchase::is_settled() const { return status == bought || status == refused || status == voided; }

Guid purchase_guid(const Guid& shipment, int attempt) {
  return Guid::from_name(shipment, "purchase " + std::to_string(attempt));
}

Guid stray_guid(const Guid& purchase, std::string_view gateway_id) {
  return Guid::from_name(purchase, gateway_id);
}

PurchaseStep next_step(const Purchase& purchase, Time now) {
  if (!purchase.next_at || *purchase.next_at > now) return PurchaseStep::none;
  switch (purchase.status) {
    case requested:
      if (purchase.connector.empty()) return PurchaseStep::choose;
      if (!purchase.looked_up_at) return PurchaseStep::look_up;
      return purchase.gateway_id.empty() ? PurchaseStep::draft : PurchaseStep::buy;
    case buying:
      return PurchaseStep::note_death;
    case unknown:
    case refused:
      return PurchaseStep::look_up;
    case bought:
      return awaits_confirmation(purchase) ? PurchaseStep::look_up : PurchaseStep::fetch_label;
    case voiding:
      return purchase.void_begun_at ? PurchaseStep::look_up_void : PurchaseStep::void_label;
    case voided:
      break;
  }
  return PurchaseStep::none;
}

void claimed(Purchase& purchase) {
  if (purchase.status == requested) purchase.looked_up_at.reset();
}

Effect chosen(Purchase& purchase, std::string connector, Time now) {
  if (purchase.status != requested || !purchase.connector.empty() || connector.empty())
    return Effect::ignored;
  purchase.connector = std::move(connector);
  purchase.attempts = 0;
  return note(purchase, now);
}

Effect looked_up(Purchase& purchase, const FoundFacts& found, Time now) {
  const auto* const label = std::get_if<BoughtFacts>(&found);
  const auto* const voided_label = std::get_if<VoidedFacts>(&found);
  if (label != nullptr || voided_label != nullptr) {
    const Effect effect =
        label != nullptr ? take_label(purchase, *label, now) : take_voided(purchase, *voided_label, now);
    if (effect != Effect::stray) return effect;
    // The label is recorded; nothing more can turn up for a purchase that did not happen.
    ++purchase.lookups;
    schedule(purchase, now);
    if (purchase.status == refused) purchase.next_at.reset();
    return effect;
  }
  return nothing_bought(purchase, std::holds_alternative<DraftFound>(found), now);
}

bool needs_next_attempt(const Purchase& before, const Purchase& after) {
  return before.status == requested && after.status == voided;
}

bool was_passed_over(const Purchase& purchase) {
  // Its label was never held here: an adopted one is voided later than it is bought.
  return purchase.status == voided && !purchase.buy_begun_at && !purchase.unknown_since &&
         purchase.bought_at == purchase.voided_at;
}

Purchase next_attempt(const Purchase& before, Time now) {
  Purchase next;
  next.connector = before.connector;
  next.quote = before.quote;
  next.quote.rate_id.clear();  // the draft has a rate of its own
  next.max_price = before.max_price;
  next.requested_at = before.requested_at;
  next.lookups = before.lookups + 1;
  next.next_at = now;
  return next;
}

Effect drafted(Purchase& purchase, std::string gateway_id, Quote quote, Time now) {
  if (purchase.status != requested || !purchase.looked_up_at || !purchase.gateway_id.empty() ||
      gateway_id.empty())
    return Effect::ignored;
  purchase.gateway_id = std::move(gateway_id);
  const Money chosen = std::exchange(purchase.quote, std::move(quote)).price;
  const Money offered = purchase.quote.price;
  // A draft above the rate for which the carrier was chosen makes the purchase dearer.
  if (chosen.is_known() && is_dearer(offered, chosen)) purchase.quote.price = chosen;
  purchase.attempts = 0;
  const auto refusal = price_refusal(offered, purchase.max_price);
  if (!refusal.empty())
    return refuse(purchase,
                  {std::string(refusal),
                   "The price is not accepted by maxPrice: " + offered.amount + " " + offered.currency + "."},
                  now);
  return note(purchase, now);
}

Effect refuse(Purchase& purchase, PurchaseMessage message, Time now) {
  if (purchase.status != requested || purchase.buy_begun_at) return Effect::ignored;
  set_error(purchase, std::move(message));
  return move(purchase, refused, now);
}

Effect withdraw(Purchase& purchase, Time now) {
  if (purchase.status != requested || purchase.buy_begun_at) return Effect::ignored;
  purchase.resolution = Resolution::not_bought;
  purchase.resolved_at = now;
  return refuse(purchase,
                {std::string(withdrawn_code), "The purchase was withdrawn before anything was bought."}, now);
}

Effect begin_buying(Purchase& purchase, Time now) {
  if (purchase.status != requested || purchase.buy_begun_at || !purchase.looked_up_at ||
      purchase.gateway_id.empty())
    return Effect::ignored;
  purchase.buy_begun_at = now;
  return move(purchase, buying, now);
}

Effect answered(Purchase& purchase, const AnswerFacts& answer, Time now) {
  if (const auto* const label = std::get_if<BoughtFacts>(&answer)) return take_label(purchase, *label, now);
  // A fail-over has lost the commit before the call, which happened all the same.
  if (purchase.status == requested) purchase.buy_begun_at = now;
  const bool awaits = purchase.status == requested || purchase.status == buying;
  if (const auto* const refusal = std::get_if<RefusedFacts>(&answer)) {
    if (!awaits && (purchase.status != unknown || !purchase.buy_begun_at)) return Effect::ignored;
    set_error(purchase, refusal->message);
    return move(purchase, refused, now);
  }
  if (!awaits) return Effect::ignored;
  return become_unknown(purchase, std::get<UnknownFacts>(answer).message, now);
}

Effect worker_died(Purchase& purchase, Time now) {
  if (purchase.status != buying) return Effect::ignored;
  return become_unknown(purchase, {"WORKER_LOST", "The worker ended before the gateway's answer came."}, now);
}

Effect call_failed(Purchase& purchase, const FailedCall& failure, Time now) {
  switch (purchase.status) {
    case requested:
      if (failure.is_final || now >= purchase.requested_at + longest_request)
        return refuse(purchase, failure.message, now);
      set_error(purchase, failure.message);
      ++purchase.attempts;
      return note(purchase, now, &failure);
    case unknown:
      ++purchase.lookups;
      return note(purchase, now, &failure);
    case refused:
      if (purchase.resolution != Resolution::not_bought) return Effect::ignored;
      return note(purchase, now, &failure);
    case bought:
      if (awaits_confirmation(purchase)) {
        ++purchase.lookups;
        return note(purchase, now, &failure);
      }
      if (!lacks_label(purchase)) return Effect::ignored;
      set_error(purchase, failure.message);
      ++purchase.attempts;
      return note(purchase, now, &failure);
    case buying:
    case voiding:
    case voided:
      break;
  }
  return Effect::ignored;
}

Effect label_fetched(Purchase& purchase, Time now) {
  const bool is_paid = purchase.status == bought || purchase.status == voiding || purchase.status == voided;
  if (!is_paid || purchase.has_label || purchase.erased_at) return Effect::ignored;
  purchase.has_label = true;
  const bool is_of_fetch =
      purchase.void_state != VoidState::refused && purchase.error.code != other_number_code;
  if (purchase.status == bought && is_of_fetch) purchase.error = {};
  purchase.attempts = 0;
  return note(purchase, now);
}

Effect resolved(Purchase& purchase, Resolution outcome, std::string tracking_number, Time now) {
  if (outcome == Resolution::none) return Effect::ignored;
  const bool is_bought = outcome == Resolution::bought;
  if (purchase.status == unknown) {
    purchase.resolution = outcome;
    purchase.resolved_at = now;
    if (!is_bought) return move(purchase, refused, now);
    purchase.error = {};  // that of the lost answer
    if (!tracking_number.empty()) purchase.tracking_numbers = {std::move(tracking_number)};
    purchase.service_code = purchase.quote.service_code;
    purchase.service_name = purchase.quote.service_name;
    purchase.estimated_delivery = purchase.quote.estimated_delivery;
    purchase.price = purchase.quote.price;
    purchase.bought_at = now;
    return move(purchase, bought, now);
  }
  if (purchase.status == voiding && purchase.void_begun_at) {
    purchase.resolved_at = now;
    if (!is_bought) return end_void(purchase, now);
    set_error(purchase, {"RESOLVED", "An admin has found that the label was not voided."});
    return refuse_void(purchase, now);
  }
  const bool is_left_to_person =
      purchase.resolution == Resolution::bought || purchase.void_state == VoidState::refused;
  if (purchase.status == bought && is_left_to_person && !is_bought) {
    purchase.resolved_at = now;
    return end_void(purchase, now);
  }
  return Effect::ignored;
}

Purchase stray_of(const Purchase& purchase, const BoughtFacts& label, Time now) {
  Purchase stray;
  stray.is_stray = true;
  stray.connector = purchase.connector;
  stray.erased_at = purchase.erased_at;
  stray.quote = purchase.quote;
  stray.requested_at = purchase.requested_at;
  set_label(stray, label);
  stray.is_dearer = is_above_quote(stray);
  stray.bought_at = now;
  stray.voiding_since = now;
  set_error(stray, {"SECOND_LABEL", "The label turned up in addition to the purchase of its shipment."});
  move(stray, voiding, now);
  return stray;
}

}  // namespace waybill::domain
