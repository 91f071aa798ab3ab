#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/purchases/purchase.hpp"
#include "storage/carriers/purchase_rows.hpp"

namespace waybill::storage {

class Session;
class Transaction;

/// The longest lease that a worker needs is that of a buy call: 90 s. It is renewed before.
inline constexpr Duration purchase_lease = std::chrono::minutes(3);
/// The most purchases of a business and connector at a time.
inline constexpr std::int64_t purchases_at_a_time = 4;
inline constexpr std::size_t largest_label = std::size_t{10} << 20U;

struct NewPurchase {
  Guid business_id, shipment_id;
  std::optional<Guid> carrier_id;  // nullopt: chosen later, and `connector` is empty
  std::string connector;
  std::string wanted = "{}";  // JSON of the request
  std::string cause;  // JSON {by: {type, guid, name}, depth}, stored with the later events of the shipment
  std::string service_level;               // may be empty
  std::optional<domain::Money> max_price;  // in the currency of the business
  std::string format;             // pdf, zpl or png; empty: the usual one of the carrier that is chosen later
  std::optional<bool> test_mode;  // that of the carrier; nullopt until it is chosen
};

struct RequestedPurchase {
  StoredPurchase purchase;
  bool is_new = false;  // false: the shipment has this open or bought purchase already
};

/// Requests the purchase of a shipment's label, or returns the open or bought one that it has. Of requests at
/// the same time one makes the purchase. nullopt if the shipment does not exist. All functions throw
/// DatabaseUnavailable or StatementError. Part of the caller's transaction; the shipment stays locked.
std::optional<RequestedPurchase> request_purchase(Session& session, const NewPurchase& wanted);
boost::asio::awaitable<std::optional<RequestedPurchase>> request_purchase(Transaction& transaction,
                                                                          NewPurchase wanted);

/// The label of a carrier as a gateway gave it.
struct LabelBytes {
  std::string format;  // pdf, zpl or png
  std::string bytes;   // larger than `largest_label`: not stored
};

/// A change of one purchase, which is made under the locks of its shipment and itself.
struct PurchaseChange {
  using Make = std::function<domain::Effect(StoredPurchase&, Time now)>;

  PurchaseKey key;
  Make make;  // applies a function of domain/purchases/purchase.hpp to `facts`; may set the carrier
  std::optional<Guid> worker;  // that holds the lease; nullopt: a request of the API
  bool needs_lease = false;    // without the lease, or while the business is suspended, nothing is changed
  bool ends_lease = false;     // the worker's
  const domain::BoughtFacts* label = nullptr;  // that of the answer, for a stray label; outlives the call
  const LabelBytes* file = nullptr;            // that came with the answer; outlives the call
  std::string resolved_by;                     // JSON of the person who resolves
  std::optional<std::string> cause;            // that of the events; nullopt: the request's
};

struct ChangedPurchase {
  domain::Effect effect = domain::Effect::ignored;
  bool had_lease = false;           // the worker held it, and the business is not suspended
  domain::PurchaseStatus before{};  // the status before the change
  StoredPurchase purchase;          // after the change
  std::optional<Guid>
      stray;  // the new purchase of a label that turned up in addition; not set if it is known
};

/// Changes a purchase, its label and its shipment in the open transaction, and requests the next attempt of
/// one that needs it (domain::needs_next_attempt): the shipment stays as it is then. The answer of a call is
/// applied also without the lease. nullopt if the purchase does not exist. After a crash before the commit
/// the change was not made: a purchase that is `buying` is then unknown.
std::optional<ChangedPurchase> change_purchase(Session& session, const PurchaseChange& change);
/// For requests of the API: without a worker.
boost::asio::awaitable<std::optional<ChangedPurchase>> change_purchase(Transaction& transaction,
                                                                       PurchaseChange change);

/// False if the carrier of a purchase is connected in another mode than that of the purchase, so that the
/// gateway cannot be asked for it. Keeps the account until the end of the transaction, which has locked the
/// shipment.
bool has_mode_of_carrier(Session& session, const StoredPurchase& purchase);
boost::asio::awaitable<bool> has_mode_of_carrier(Transaction& transaction, StoredPurchase purchase);

struct ClaimedPurchase {
  StoredPurchase purchase;
  std::string cause;  // JSON; may be empty
};

/// Businesses with due purchases in these shards, apart from those that had a turn; a business with many due
/// purchases hides no other one.
std::vector<Guid> due_purchase_businesses(Session& session, std::span<const std::int16_t> shards,
                                          std::span<const Guid> had_turn);
/// Leases due purchases, at most `purchases_at_a_time` of each business and connector, together with those
/// that are leased. `connectors` are all names that a purchase may have; the empty one is added. Its own
/// transaction, or part of the open one. Due purchases that nobody here can claim wait for a minute.
std::vector<ClaimedPurchase> claim_purchases(Session& session, const Guid& worker,
                                             std::span<const Guid> businesses,
                                             std::span<const std::string> connectors);
/// Returns the purchases that the worker still holds. It must not begin a call for another one.
std::vector<Guid> renew_purchases(Session& session, const Guid& worker, std::span<const PurchaseKey> keys);
/// Gives up leases; those of purchases that are being bought stay.
void release_purchases(Session& session, const Guid& worker, std::span<const PurchaseKey> keys);
/// The time until the next purchase of these shards is due, if that is within `within`.
std::optional<Duration> next_due_purchase(Session& session, std::span<const std::int16_t> shards,
                                          Duration within);

}  // namespace waybill::storage
