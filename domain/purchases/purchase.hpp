#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/purchases/money.hpp"
#include "domain/records/state_machines.hpp"

// The purchase of a carrier's label through a gateway. All functions are pure: they change the facts of a
// purchase that the caller has read under a lock and writes in the same transaction.
//
// A refused void gives `bought` again, and an unanswered one stays `voiding`; `VoidState` tells how the last
// void ended. So the status of a shipment's label has no values for the two.
namespace waybill::domain {

enum class PurchaseStatus : std::uint8_t { requested, buying, bought, refused, unknown, voiding, voided };
std::string_view text_of(PurchaseStatus status);
/// Throws std::invalid_argument for another text.
PurchaseStatus purchase_status(std::string_view text);
/// The moves; `refused` and `voided` are final.
const StateMachine& purchase_states();
/// The `labelStatus` of a shipment with such a purchase: `buying` for a requested one.
std::string_view label_status(PurchaseStatus status);

/// The state of the last void that a gateway was asked for.
enum class VoidState : std::uint8_t { none, unknown, pending, refused };
/// The decision of a person about an unknown purchase.
enum class Resolution : std::uint8_t { none, bought, not_bought };

struct PurchaseMessage {
  std::string code, text;

  bool operator==(const PurchaseMessage&) const = default;
};

/// True for the status of a shipment for which no label is bought any more: delivered, returned, cancelled.
bool is_over(std::string_view shipment_status);

/// The rate that is bought. Its price is that of the rate for which the carrier was chosen, if the draft is
/// dearer.
struct Quote {
  std::string rate_id, service_code, service_name;
  Money price;
  std::optional<Time> estimated_delivery = {};  // midnight UTC: a day without a time

  bool operator==(const Quote&) const = default;
};

/// A label that a gateway confirms.
struct BoughtFacts {
  std::string gateway_id;
  std::vector<std::string> tracking_numbers;
  std::string tracking_url;
  std::string service_code, service_name;
  Money price;                                  // without a currency: in that of the quote
  std::optional<Time> estimated_delivery = {};  // as in Quote
  bool has_label = false;                       // its bytes are there
};
struct RefusedFacts {
  PurchaseMessage message;
};
struct UnknownFacts {
  PurchaseMessage message;
};
using AnswerFacts = std::variant<BoughtFacts, RefusedFacts, UnknownFacts>;

struct DraftFound {
  std::string gateway_id;
};
/// A label that was taken back in the gateway itself. Without a number it is a cancelled draft, and not known
/// to have been bought.
struct VoidedFacts {
  BoughtFacts label;
  bool is_pending = false;  // the void may still be rejected
};
struct NothingFound {};
using FoundFacts = std::variant<BoughtFacts, VoidedFacts, DraftFound, NothingFound>;

/// A call failed that changes nothing in the gateway.
struct FailedCall {
  PurchaseMessage message;
  bool is_final = false;  // no later attempt can succeed
  std::optional<Duration> retry_after;
};

/// The facts of a purchase. Empty texts and times are unknown.
struct Purchase {
  PurchaseStatus status = PurchaseStatus::requested;
  bool is_stray = false;  // a second label of a shipment, which is only recorded and voided
  std::string connector;  // empty until a carrier is chosen
  std::string gateway_id;
  Quote quote;
  std::optional<Money> max_price;
  Money price;             // charged
  bool is_dearer = false;  // the charged price is above the quote, unknown, or in another currency
  std::string service_code, service_name;
  std::optional<Time> estimated_delivery;  // that of the label, otherwise of the quote
  std::vector<std::string> tracking_numbers;
  std::string tracking_url;
  bool has_label = false;
  PurchaseMessage error;
  VoidState void_state = VoidState::none;
  Resolution resolution = Resolution::none;
  Time requested_at{};
  std::optional<Time> looked_up_at;    // by the present claim, or the last look-up of an unknown one
  std::optional<Time> draft_begun_at;  // from then on the gateway may have a draft of this purchase
  std::optional<Time> buy_begun_at;    // the one buy call
  std::optional<Time> unknown_since, resolved_at, bought_at, voiding_since, void_begun_at, voided_at;
  std::optional<Time> erased_at;
  int attempts = 0;  // failed calls of the present step
  int lookups = 0;   // those of the present schedule; of a requested one the attempts that it has passed over
  std::optional<Time> next_at;  // nullopt: nothing is to be done by itself

  bool operator==(const Purchase&) const = default;
  /// True while no other purchase of the shipment may begin.
  bool is_open_or_bought() const;
  /// True if nothing but a void can change it any more.
  bool is_settled() const;
};

/// The guid of a shipment's purchase, which is also the reference that the gateway gets. Attempts count from
/// 1.
Guid purchase_guid(const Guid& shipment, int attempt);
/// The guid of a label that turned up in addition to a purchase, the same for each finding.
Guid stray_guid(const Guid& purchase, std::string_view gateway_id);

/// The next thing that the worker which has claimed the purchase does.
enum class PurchaseStep : std::uint8_t {
  none,
  choose,        // compare the carriers and choose one
  look_up,       // Gateway::find, then `looked_up`
  draft,         // Gateway::draft, then `drafted`
  buy,           // `begin_buying`, a commit, Gateway::buy, then `answered`
  note_death,    // `worker_died`: the call of another worker has no answer
  fetch_label,   // Gateway::label, then `label_fetched`
  void_label,    // `begin_voiding`, a commit, Gateway::void_label, then `void_answered`
  look_up_void,  // Gateway::void_label with after_unknown, then `void_answered`
};
/// The step at `now`. The purchase is claimed: no other worker is at work on it.
PurchaseStep next_step(const Purchase& purchase, Time now);

/// The result of a change of facts.
enum class Effect : std::uint8_t {
  moved,    // the status is another
  noted,    // other facts have changed
  ignored,  // nothing has changed; the change does not fit the state
  stray,    // at most the look-ups have changed; the label belongs into a purchase of its own (`stray_of`)
};

/// A worker begins: what an earlier one looked up does not count.
void claimed(Purchase& purchase);
Effect chosen(Purchase& purchase, std::string connector, Time now);
/// A look-up has an answer. A label of lost facts, such as those before the restoring of a backup, is adopted
/// by a requested purchase. If it was taken back, the purchase is `voided` and has a successor
/// (`next_attempt`), because a later attempt of the lost facts may be paid; after `most_passed_over` in a row
/// it is unknown, and its next look-up ends it as `voided` without a successor.
Effect looked_up(Purchase& purchase, const FoundFacts& found, Time now);
inline constexpr int most_passed_over = 20;
/// True if the change from `before` has to be followed by a request of the next attempt.
bool needs_next_attempt(const Purchase& before, const Purchase& after);
/// True for a purchase that the next attempt has followed.
bool was_passed_over(const Purchase& purchase);
/// The request of the next attempt with the choice of `before`.
Purchase next_attempt(const Purchase& before, Time now);
/// A draft with the rate to buy. Refuses the purchase if the price of the draft is not accepted.
Effect drafted(Purchase& purchase, std::string gateway_id, Quote quote, Time now);
/// Refuses a purchase whose buy call has not begun.
Effect refuse(Purchase& purchase, PurchaseMessage message, Time now);
inline constexpr std::string_view withdrawn_code = "WITHDRAWN";
/// A person gives up a purchase whose buy call has not begun: it is refused, as if resolved as not bought. It
/// is looked up like one, because the facts may be older than a purchase, such as those of a restored backup.
Effect withdraw(Purchase& purchase, Time now);
/// `moved` at most once in the life of a purchase: only then may the caller buy, after its commit.
Effect begin_buying(Purchase& purchase, Time now);
/// The answer of the buy call, however late.
Effect answered(Purchase& purchase, const AnswerFacts& answer, Time now);
Effect worker_died(Purchase& purchase, Time now);
/// A look-up, a draft or the loading of a label failed.
Effect call_failed(Purchase& purchase, const FailedCall& failure, Time now);
Effect label_fetched(Purchase& purchase, Time now);
inline constexpr std::string_view other_number_code = "OTHER_NUMBER";
/// Ignored unless `can_void`.
Effect void_requested(Purchase& purchase, Time now);
Effect begin_voiding(Purchase& purchase, Time now);
enum class VoidAnswerKind : std::uint8_t { voided, pending, refused, unknown };
Effect void_answered(Purchase& purchase, VoidAnswerKind answer, PurchaseMessage message, Time now);
/// The decision of a person. `tracking_number` may be empty. For an unknown purchase; for a void without an
/// answer (`not_bought`: it is voided); and for a purchase that a person resolved as bought, or whose void
/// was refused, so that the gateway does not void the label (`not_bought`: it is voided).
Effect resolved(Purchase& purchase, Resolution outcome, std::string tracking_number, Time now);

/// False for a label that a person resolved as bought, while the gateway does not confirm it.
bool can_void(const Purchase& purchase);
/// The record of a label that turned up in addition to `purchase`; it is voided.
Purchase stray_of(const Purchase& purchase, const BoughtFacts& label, Time now);

/// The look-ups of an unknown purchase, after it became unknown; then a person decides.
inline constexpr Duration lookup_times[] = {std::chrono::seconds(5), std::chrono::seconds(30),
                                            std::chrono::minutes(2), std::chrono::minutes(10),
                                            std::chrono::hours(1)};
/// If the last of them fails, it is repeated every hour for this long after the purchase became unknown.
inline constexpr Duration longest_lookups = std::chrono::hours(24);
/// A purchase resolved by a person, or withdrawn after its carrier was chosen, is looked up every hour for
/// this long; one resolved as bought at once, too, until the gateway confirms it.
inline constexpr Duration watched_after_resolve = std::chrono::hours(24);
/// A request whose draft cannot be made is refused after this time.
inline constexpr Duration longest_request = std::chrono::hours(24);
/// A void without an answer is looked up at `lookup_times`, then every six hours, for this long. A label that
/// is missing is fetched for as long.
inline constexpr Duration longest_void = std::chrono::days(60);
inline constexpr Duration longest_fetch = std::chrono::days(60);

}  // namespace waybill::domain
