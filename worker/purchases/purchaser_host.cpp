#include <exception>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/backoff.hpp"
#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "connectors/gateways/consignment.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/shipments.sql.hpp"
#include "worker/purchases/purchase_news.hpp"
#include "worker/purchases/purchaser_impl.hpp"

// The database and the gateways of the purchases: PurchaseHost, on the session of the thread.
namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using storage::ChangedPurchase;
using storage::PurchaseChange;
using storage::PurchaseKey;

constexpr const char* purchases_channel = "waybill_purchases";
constexpr const char* pulls_channel = "waybill_pulls";
constexpr Duration connect_again = 250ms;  // after a failure to connect

}  // namespace

/// Calls `work` with an open session until the database takes it. Throws GivenUp when `goes_on` is false
/// after a failure, and StatementError if the database refuses the data.
template <typename F>
asio::awaitable<std::invoke_result_t<F>> Purchaser::Impl::repeated(F work, std::function<bool()> goes_on) {
  Backoff pauses(100ms, 1s);
  asio::steady_timer timer(io_);
  for (;;) {
    try {
      open_session();
      auto result = work();
      heed_notifications();
      co_return result;
    } catch (const storage::DatabaseUnavailable& error) {
      failed(error);
    } catch (const storage::StatementError& error) {
      if (storage::refuses_data(error)) throw;
      failed(error);
    }
    if (!goes_on()) throw GivenUp();
    co_await wait(timer, pauses.next());
  }
}

Time Purchaser::Impl::now() const { return database_clock().now(); }

bool Purchaser::Impl::may_begin(const Guid& purchase) const {
  const auto found = running_.find(purchase);
  return !is_stopping_ && found != running_.end() && steady_clock::now() < found->second.leased_until;
}

asio::awaitable<std::optional<ChangedPurchase>> Purchaser::Impl::change(PurchaseChange change) {
  change.worker = options_.worker;
  const Guid purchase = change.key.guid;
  const bool needs_lease = change.needs_lease;
  co_return co_await repeated([this, change = std::move(change)] { return make(change); },
                              [this, purchase, needs_lease] {
                                return needs_lease ? may_begin(purchase) : steady_clock::now() < gives_up_at_;
                              });
}

asio::awaitable<std::vector<connectors::ConnectedCarrier>> Purchaser::Impl::carriers(
    PurchaseKey purchase, std::vector<Guid> named) {
  const auto read = [this, purchase, named = std::move(named)] {
    std::vector<connectors::ConnectedCarrier> connected;
    const storage::sql::carriers::Connections statement{.business = purchase.business_id, .carriers = named};
    for (const auto& row : session_->run(statement)) {
      if (auto carrier = connectors::connected_carrier(row, purchase.business_id, secrets_))
        connected.push_back(*std::move(carrier));
    }
    return connected;
  };
  co_return co_await repeated(read, [this, purchase] { return may_begin(purchase.guid); });
}

asio::awaitable<std::variant<connectors::Consignment, domain::PurchaseMessage>> Purchaser::Impl::consignment(
    PurchaseKey purchase) {
  using Read = std::variant<connectors::Consignment, domain::PurchaseMessage>;
  const auto read = [this, purchase]() -> Read {
    const auto rows = session_->run(storage::sql::shipments::Consignment{.business = purchase.business_id,
                                                                         .shipment = purchase.shipment_id});
    if (rows.empty()) return domain::PurchaseMessage{"NO_RECORD", "The shipment is deleted."};
    if (const auto status = rows.front().status; domain::is_over(status))
      return domain::PurchaseMessage{"SHIPMENT_OVER", "The shipment is " + std::string(status) + "."};
    FieldErrors errors;
    auto consignment = connectors::consignment_of(rows.front(), errors);
    if (errors.empty()) return consignment;
    return domain::PurchaseMessage{"INVALID_SHIPMENT", errors.front().field + " " + errors.front().message};
  };
  co_return co_await repeated(read, [this, purchase] { return may_begin(purchase.guid); });
}

std::unique_ptr<connectors::Gateway> Purchaser::Impl::open(const connectors::ConnectedCarrier& carrier,
                                                           const Guid& business, Duration limit,
                                                           connectors::Gateways::Turn turn) {
  return gateways_.open(*carrier.connector, carrier.account, business, database_clock(), limit, turn);
}

void Purchaser::Impl::note_call(const Guid& business, const connectors::ConnectedCarrier& carrier,
                                const connectors::GatewayError* failure) {
  std::string text;
  const auto note = connectors::note_of_call(business, carrier, failure, text);
  if (!note) return;
  try {
    open_session();
    session_->run(*note);
    heed_notifications();
  } catch (const std::exception& error) {
    failed(error);
  }
}

/// The transaction of a change.
std::optional<ChangedPurchase> Purchaser::Impl::make(const PurchaseChange& change) {
  storage::Work work(*session_);
  auto changed = storage::change_purchase(*session_, change);
  work.commit();
  if (changed) report(*changed);
  return changed;
}

/// True if purchases were announced since the last call. Passes on that pulls were.
bool Purchaser::Impl::is_notified() {
  const auto channels = session_->notifications();
  if (channels.contains(pulls_channel) && options_.on_pulls) options_.on_pulls();
  return channels.contains(purchases_channel);
}

/// Looks at once if a notification came with the answer of a statement: the socket does not show it.
void Purchaser::Impl::heed_notifications() {
  try {
    if (is_notified()) look_timer_.cancel();
  } catch (const storage::DatabaseUnavailable& error) {
    failed(error);
  }
}

/// Throws DatabaseUnavailable also during the pause after a failure to connect, so that the coroutines do
/// not connect one after another. Only a failure to connect begins the pause: calls during the pause do not
/// extend it, however many purchases run.
void Purchaser::Impl::open_session() {
  if (session_.is_open()) return;
  if (steady_clock::now() < connects_at_)
    throw storage::DatabaseUnavailable("the session is opened again later");
  try {
    session_.open();
  } catch (...) {
    connects_at_ = steady_clock::now() + connect_again;
    throw;
  }
  socket_.close();
  socket_.assign(fcntl(session_->socket(), F_DUPFD_CLOEXEC, 0));
}

Duration Purchaser::Impl::failed(const std::exception& error) {
  const Duration pause = session_.failed(error);
  const auto* const refusal = dynamic_cast<const storage::StatementError*>(&error);
  const bool is_usual = dynamic_cast<const storage::DatabaseUnavailable*>(&error) != nullptr ||
                        (refusal != nullptr && storage::is_lock_conflict(*refusal));
  // LeaseKeeper logs that the database is unavailable.
  if (!is_usual)
    observe(Observable::statement_failed,
            {{"statement", "purchases"}, {"error", std::string_view(error.what())}});
  return pause;
}

/// Lets a notification end the wait for the next look.
void Purchaser::Impl::watch_socket() {
  if (!session_.is_open() || std::exchange(is_watched_, true)) return;
  socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [this](const boost::system::error_code& error) {
                       is_watched_ = false;
                       if (!error) look_timer_.cancel();
                     });
}

asio::awaitable<void> Purchaser::Impl::wait(asio::steady_timer& timer, Duration duration) {
  timer.expires_after(duration);
  boost::system::error_code cancelled;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

}  // namespace waybill::worker
