#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "connectors/gateways/gateways.hpp"
#include "domain/purchases/purchase.hpp"
#include "storage/carriers/purchases.hpp"
#include "worker/purchases/rate_choice.hpp"

namespace waybill::worker {

namespace asio = boost::asio;

/// The database and the gateways, as the run of a purchase uses them. One thread; all coroutines resume on
/// it.
class PurchaseHost {
 public:
  /// A change or a read was given up, because the lease is lost or the worker ends. It may have been
  /// committed.
  class GivenUp : public std::runtime_error {
   public:
    GivenUp() : std::runtime_error("the purchase is left to another worker") {}
  };

  virtual ~PurchaseHost() = default;

  virtual Time now() const = 0;
  /// True while this worker holds the lease and may begin a call.
  virtual bool may_begin(const Guid& purchase) const = 0;
  /// Makes a change and commits it. Repeats it while the database is unavailable or a row is locked: one that
  /// needs the lease while `may_begin`, another one until the end of the worker. So a change may be made
  /// again after it was committed. nullopt if the purchase does not exist. Throws GivenUp, or StatementError
  /// if the database refuses the data.
  virtual asio::awaitable<std::optional<storage::ChangedPurchase>> change(storage::PurchaseChange change) = 0;
  /// The active carriers of the business with a gateway: all, or those of `named` that have one. Throws
  /// GivenUp or StatementError.
  virtual asio::awaitable<std::vector<connectors::ConnectedCarrier>> carriers(storage::PurchaseKey purchase,
                                                                              std::vector<Guid> named) = 0;
  /// The shipment without a reference, or the reason why carriers cannot take it or it needs no label. Throws
  /// GivenUp or StatementError.
  virtual asio::awaitable<std::variant<connectors::Consignment, domain::PurchaseMessage>> consignment(
      storage::PurchaseKey purchase) = 0;
  /// A connection whose calls end within `limit`.
  virtual std::unique_ptr<connectors::Gateway> open(const connectors::ConnectedCarrier& carrier,
                                                    const Guid& business, Duration limit,
                                                    connectors::Gateways::Turn turn) = 0;
  /// Notes the account of a carrier after a call (connectors::note_of_call). Nothing is noted while the
  /// database is unavailable.
  virtual void note_call(const Guid& business, const connectors::ConnectedCarrier& carrier,
                         const connectors::GatewayError* failure) = 0;
};

/// Performs the steps of a purchase that this worker has claimed, until nothing is due, the lease is lost, or
/// the worker stops. A change is committed before the call that it announces, and there is at most one call
/// that buys in the life of the purchase. Without the lease no call begins, but the answer of the call in
/// flight is still applied. A crash leaves the last committed state, from which another worker continues: a
/// purchase that is `buying` becomes unknown and is looked up.
class PurchaseRun {
 public:
  PurchaseRun(PurchaseHost& host, storage::StoredPurchase purchase);

  /// Throws GivenUp, or StatementError if the database refuses the data of a change.
  asio::awaitable<void> perform();

 private:
  using Make = storage::PurchaseChange::Make;
  using Connection = std::variant<connectors::ConnectedCarrier, domain::PurchaseMessage>;
  /// `ended`: needed, and given up with the change.
  enum class Lease : std::uint8_t { optional, needed, ended };
  /// The parts that came with an answer; both outlive the change.
  struct Arrived {
    const domain::BoughtFacts* label = nullptr;
    const storage::LabelBytes* file = nullptr;
  };

  asio::awaitable<void> step(domain::PurchaseStep step);
  asio::awaitable<void> choose();
  asio::awaitable<void> look_up();
  asio::awaitable<void> draft();
  asio::awaitable<void> buy();
  asio::awaitable<void> fetch_label();
  asio::awaitable<void> void_label(bool after_unknown);

  asio::awaitable<domain::Effect> change(Make make, Lease lease, Arrived arrived);
  asio::awaitable<void> refuse(domain::PurchaseMessage message);
  asio::awaitable<void> fail(domain::FailedCall failure);
  asio::awaitable<Connection> connection();
  asio::awaitable<bool> begin_buying();
  asio::awaitable<void> apply_answer(const connectors::ConnectedCarrier& carrier,
                                     connectors::PurchaseAnswer answer);
  asio::awaitable<void> take_draft(const connectors::ConnectedCarrier& carrier, connectors::Draft draft);
  std::unique_ptr<connectors::Gateway> open(const connectors::ConnectedCarrier& carrier, Duration limit);
  void note_call(const connectors::ConnectedCarrier& carrier, const connectors::GatewayError* failure);
  bool may_begin() const { return goes_on_ && host_.may_begin(purchase_.key.guid); }

  PurchaseHost& host_;
  storage::StoredPurchase purchase_;  // after the last change
  Time now_;                          // at least the database's time of the last change
  bool goes_on_ = true;
};

}  // namespace waybill::worker
