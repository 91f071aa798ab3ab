#include <utility>

#include "domain/purchases/purchase.hpp"
#include "domain/purchases/purchase_changes.hpp"

namespace waybill::domain {
namespace purchases {

using enum PurchaseStatus;

namespace {

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

}  // namespace

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

}  // namespace purchases

using namespace purchases;

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

}  // namespace waybill::domain
