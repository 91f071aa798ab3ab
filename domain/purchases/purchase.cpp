#include "domain/purchases/purchase.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace waybill::domain {
namespace {

using namespace std::chrono_literals;
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

constexpr Duration retry_delays[] = {5s, 15s, 1min, 5min, 15min};
constexpr Duration longest_retry_after = 1h;
constexpr Duration late_fetch_every = 6h;
constexpr Duration late_void_every = 6h;
constexpr Duration watch_every = 1h;

template <std::size_t size>
Duration delay_of(const Duration (&delays)[size], int number, Duration then) {
  return number < static_cast<int>(size) ? delays[number] : then;
}

/// The first of the look-ups after `since` that is later than `now` and was not performed.
std::optional<Time> next_lookup(Time since, int performed, Time now) {
  for (std::size_t i = 0; i < std::size(lookup_times); ++i) {
    if (static_cast<int>(i) >= performed && since + lookup_times[i] > now) return since + lookup_times[i];
  }
  return std::nullopt;
}

/// The first of the times `since` + n * `every` that is later than `now`; nullopt after `longest`.
std::optional<Time> next_of(Time since, Duration every, Duration longest, Time now) {
  const auto number = std::max<Duration::rep>((now - since) / every, 0) + 1;
  if (every * number > longest) return std::nullopt;
  return since + every * number;
}

std::optional<Time> void_lookup(const Purchase& purchase, Time now) {
  const Time since = purchase.void_begun_at.value();
  // The first answer is that of the void itself.
  if (const auto next = next_lookup(since, std::max(purchase.lookups - 1, 0), now)) return next;
  return next_of(since, late_void_every, longest_void, now);
}

bool lacks_label(const Purchase& purchase) {
  return purchase.status == bought && !purchase.has_label && !purchase.erased_at &&
         purchase.resolution != Resolution::bought;
}

/// True for a label on the word of a person, which the gateway may confirm.
bool awaits_confirmation(const Purchase& purchase) {
  return purchase.status == bought && purchase.resolution == Resolution::bought;
}

/// Sets the time of the next step after a change. `failure`: a call failed.
void schedule(Purchase& purchase, Time now, const FailedCall* failure = nullptr) {
  const auto retry = [&](Duration delay) {
    if (failure != nullptr && failure->retry_after)
      delay = std::max(delay, std::min(*failure->retry_after, longest_retry_after));
    return now + delay;
  };
  purchase.next_at.reset();
  switch (purchase.status) {
    case requested:
      purchase.next_at =
          failure != nullptr ? retry(delay_of(retry_delays, purchase.attempts - 1, retry_delays[4])) : now;
      break;
    case buying:
      purchase.next_at = now;  // once the lease of the buying worker is over
      break;
    case unknown: {
      const Time since = purchase.unknown_since.value();
      purchase.next_at = next_lookup(since, purchase.lookups, now);
      if (!purchase.next_at && failure != nullptr)
        purchase.next_at = next_of(since, watch_every, longest_lookups, now);
      break;
    }
    case bought:
      if (awaits_confirmation(purchase)) {
        if (purchase.lookups == 0)
          purchase.next_at = now;
        else
          purchase.next_at = next_of(purchase.resolved_at.value(), watch_every, watched_after_resolve, now);
      } else if (lacks_label(purchase)) {
        const Duration delay = purchase.attempts == 0
                                   ? Duration::zero()
                                   : delay_of(lookup_times, purchase.attempts - 1, late_fetch_every);
        if (now + delay <= purchase.bought_at.value() + longest_fetch) purchase.next_at = retry(delay);
      }
      break;
    case refused:
      if (purchase.resolution == Resolution::not_bought && !purchase.connector.empty())
        purchase.next_at = next_of(purchase.resolved_at.value(), watch_every, watched_after_resolve, now);
      break;
    case voiding:
      purchase.next_at = purchase.void_begun_at ? void_lookup(purchase, now) : now;
      break;
    case voided:
      break;
  }
}

Effect move(Purchase& purchase, PurchaseStatus to, Time now) {
  purchase.status = to;
  purchase.attempts = 0;
  purchase.lookups = 0;
  schedule(purchase, now);
  return Effect::moved;
}

Effect note(Purchase& purchase, Time now, const FailedCall* failure = nullptr) {
  schedule(purchase, now, failure);
  return Effect::noted;
}

void set_error(Purchase& purchase, PurchaseMessage message) {
  purchase.error = std::move(message);
  if (purchase.erased_at) purchase.error.text.clear();
}

void set_label(Purchase& purchase, const BoughtFacts& label) {
  purchase.gateway_id = label.gateway_id;
  if (!label.tracking_numbers.empty()) purchase.tracking_numbers = label.tracking_numbers;
  if (!purchase.erased_at) purchase.tracking_url = label.tracking_url;
  purchase.service_code = label.service_code.empty() ? purchase.quote.service_code : label.service_code;
  purchase.service_name = label.service_name.empty() ? purchase.quote.service_name : label.service_name;
  purchase.estimated_delivery =
      label.estimated_delivery ? label.estimated_delivery : purchase.quote.estimated_delivery;
  purchase.price = label.price;
  if (label.has_label && !purchase.erased_at) purchase.has_label = true;
}

Effect buy(Purchase& purchase, const BoughtFacts& label, Time now) {
  set_label(purchase, label);
  purchase.is_dearer = purchase.quote.price.is_known() && is_dearer(label.price, purchase.quote.price);
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
  purchase.is_dearer = purchase.quote.price.is_known() && is_dearer(label.price, purchase.quote.price);
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

Effect become_unknown(Purchase& purchase, PurchaseMessage message, Time now) {
  set_error(purchase, std::move(message));
  purchase.unknown_since = now;
  return move(purchase, unknown, now);
}

/// The label was taken back in the gateway.
Effect end_taken_back(Purchase& purchase, const VoidedFacts& found, Time now) {
  // The numbers of a person stay with a voided label, because the shipment gives up those of its purchase.
  auto given = purchase.tracking_numbers;
  set_label(purchase, found.label);
  if (!found.is_pending && !given.empty()) purchase.tracking_numbers = std::move(given);
  purchase.resolution = Resolution::none;
  purchase.error = {};
  purchase.bought_at = purchase.bought_at.value_or(now);
  if (!found.is_pending) {
    purchase.voided_at = now;
    return move(purchase, voided, now);
  }
  // Without `voiding_since`, which the audit log takes for the request of a person.
  purchase.void_state = VoidState::pending;
  purchase.void_begun_at = now;
  return move(purchase, voiding, now);
}

Effect nothing_bought(Purchase& purchase, bool has_draft, Time now);

/// A look-up shows a label that was taken back.
Effect take_voided(Purchase& purchase, const VoidedFacts& found, Time now) {
  const bool names_it = purchase.gateway_id.empty() || purchase.gateway_id == found.label.gateway_id;
  const bool was_bought = !found.label.tracking_numbers.empty();
  switch (purchase.status) {
    case requested:
      if (found.is_pending || purchase.lookups < most_passed_over)
        return end_taken_back(purchase, found, now);
      return become_unknown(
          purchase, {"TOO_MANY_VOIDED", "The gateway has too many voided labels of the shipment."}, now);
    case unknown:
      if (names_it && was_bought) return end_taken_back(purchase, found, now);
      break;
    case bought:
      if (awaits_confirmation(purchase) && names_it && was_bought)
        return end_taken_back(purchase, found, now);
      break;
    case refused:
      // It may still be paid for.
      if (found.is_pending && purchase.resolution == Resolution::not_bought) return Effect::stray;
      break;
    case buying:
    case voiding:
    case voided:
      break;
  }
  return nothing_bought(purchase, false, now);
}

/// A look-up shows no label.
Effect nothing_bought(Purchase& purchase, bool has_draft, Time now) {
  switch (purchase.status) {
    case requested:
      // A draft that no call of this purchase has made: its facts are from before a loss, such as a restored
      // backup, and the draft may have been bought.
      if (has_draft && !purchase.draft_begun_at)
        return become_unknown(purchase, {"DRAFT_EXISTS", "The gateway has a draft that is not known here."},
                              now);
      purchase.looked_up_at = now;
      purchase.draft_begun_at = purchase.draft_begun_at.value_or(now);
      return note(purchase, now);
    case unknown:
    case refused:
    case bought:
      if (purchase.status == refused && purchase.resolution != Resolution::not_bought) return Effect::ignored;
      if (purchase.status == bought && !awaits_confirmation(purchase)) return Effect::ignored;
      purchase.looked_up_at = now;
      ++purchase.lookups;
      return note(purchase, now);
    case buying:
    case voiding:
    case voided:
      break;
  }
  return Effect::ignored;
}

Effect end_void(Purchase& purchase, Time now) {
  purchase.void_state = VoidState::none;
  purchase.voided_at = now;
  if (!purchase.is_stray) purchase.error = {};  // that of a stray label tells why it was voided
  return move(purchase, voided, now);
}

Effect refuse_void(Purchase& purchase, Time now) {
  purchase.void_state = VoidState::refused;
  purchase.voiding_since.reset();
  purchase.void_begun_at.reset();
  return move(purchase, bought, now);
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

bool can_void(const Purchase& purchase) {
  return purchase.status == bought && purchase.resolution != Resolution::bought;
}

Effect void_requested(Purchase& purchase, Time now) {
  if (!can_void(purchase)) return Effect::ignored;
  purchase.voiding_since = now;
  purchase.void_state = VoidState::none;
  purchase.void_begun_at.reset();
  purchase.error = {};
  return move(purchase, voiding, now);
}

Effect begin_voiding(Purchase& purchase, Time now) {
  if (purchase.status != voiding || purchase.void_begun_at) return Effect::ignored;
  purchase.void_begun_at = now;
  purchase.void_state = VoidState::unknown;
  return note(purchase, now);
}

Effect void_answered(Purchase& purchase, VoidAnswerKind answer, PurchaseMessage message, Time now) {
  // A void that was refused here may have happened: its answer is then late.
  if (answer == VoidAnswerKind::voided && purchase.status == bought &&
      purchase.void_state == VoidState::refused)
    return end_void(purchase, now);
  if (purchase.status != voiding || !purchase.void_begun_at) return Effect::ignored;
  switch (answer) {
    case VoidAnswerKind::voided:
      return end_void(purchase, now);
    case VoidAnswerKind::refused:
      set_error(purchase, std::move(message));
      return refuse_void(purchase, now);
    case VoidAnswerKind::pending:
    case VoidAnswerKind::unknown:
      break;
  }
  purchase.void_state = answer == VoidAnswerKind::pending ? VoidState::pending : VoidState::unknown;
  if (answer == VoidAnswerKind::unknown) {
    set_error(purchase, std::move(message));
  } else if (!purchase.is_stray) {
    purchase.error = {};
  }
  purchase.lookups += 1;
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
  stray.is_dearer = stray.quote.price.is_known() && is_dearer(label.price, stray.quote.price);
  stray.bought_at = now;
  stray.voiding_since = now;
  set_error(stray, {"SECOND_LABEL", "The label turned up in addition to the purchase of its shipment."});
  move(stray, voiding, now);
  return stray;
}

}  // namespace waybill::domain
