#include "domain/purchases/purchase_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace waybill::domain::purchases {
namespace {

using namespace std::chrono_literals;
using enum PurchaseStatus;

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

/// The price that a gateway has charged. Without a currency it is in that of the quote, which is of the same
/// account. An amount that cannot be read, or has no currency at all, is not known.
Money charged_price(const BoughtFacts& label, const Quote& quote) {
  Money price = label.price;
  if (price.currency.empty()) price.currency = quote.price.currency;
  return is_amount(price.amount) && !price.currency.empty() ? price : Money();
}

std::optional<Time> void_lookup(const Purchase& purchase, Time now) {
  const Time since = purchase.void_begun_at.value();
  // The first answer is that of the void itself.
  if (const auto next = next_lookup(since, std::max(purchase.lookups - 1, 0), now)) return next;
  return next_of(since, late_void_every, longest_void, now);
}

}  // namespace

bool lacks_label(const Purchase& purchase) {
  return purchase.status == bought && !purchase.has_label && !purchase.erased_at &&
         purchase.resolution != Resolution::bought;
}

bool awaits_confirmation(const Purchase& purchase) {
  return purchase.status == bought && purchase.resolution == Resolution::bought;
}

void schedule(Purchase& purchase, Time now, const FailedCall* failure) {
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

Effect note(Purchase& purchase, Time now, const FailedCall* failure) {
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
  purchase.price = charged_price(label, purchase.quote);
  if (label.has_label && !purchase.erased_at) purchase.has_label = true;
}

Effect become_unknown(Purchase& purchase, PurchaseMessage message, Time now) {
  set_error(purchase, std::move(message));
  purchase.unknown_since = now;
  return move(purchase, unknown, now);
}

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

}  // namespace waybill::domain::purchases
