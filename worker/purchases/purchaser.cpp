#include "worker/purchases/purchaser.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/backoff.hpp"
#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "base/thread/thread.hpp"
#include "connectors/gateways/consignment.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/events/leases.hpp"
#include "storage/sql/carriers.sql.hpp"
#include "storage/sql/shipments.sql.hpp"
#include "worker/purchases/purchase_news.hpp"
#include "worker/purchases/purchase_run.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using storage::ChangedPurchase;
using storage::PurchaseChange;
using storage::PurchaseKey;

constexpr const char* purchases_channel = "waybill_purchases";
constexpr const char* pulls_channel = "waybill_pulls";
constexpr Duration look_every = 1s;        // without a notification
constexpr Duration shortest_look = 250ms;  // while due purchases wait for others of their business
constexpr Duration renew_every = 45s;      // four times in a lease
constexpr Duration renew_again = 5s;       // after a failure
constexpr Duration connect_again = 250ms;  // after a failure to connect
constexpr std::size_t most_running = 500;
constexpr std::size_t usual_of_business = 4;  // running purchases, to estimate how many businesses have room
constexpr auto time_to_store = 1s;            // at a stop, the answers of aborted calls
// A locked row delays the other purchases of this thread by this much at each try.
constexpr storage::SessionLimits session_limits{.lock = 100ms, .idle_in_transaction = 2s};

constexpr auto all_shards = [] {
  std::array<std::int16_t, storage::shard_count> shards{};
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i] = static_cast<std::int16_t>(i);
  return shards;
}();

}  // namespace

// All private methods, and those of PurchaseHost, run on the thread only.
class Purchaser::Impl final : public PurchaseHost {
 public:
  Impl(Options options, const SecretBox& secrets)
      : options_(std::move(options)),
        secrets_(secrets),
        connectors_(connectors::gateway_names()),
        gateways_(options_.gateways),
        session_(options_.database_url, "waybill purchases",
                 {"listen waybill_purchases", "listen waybill_pulls", "set statement_timeout = '30s'"},
                 session_limits) {}

  void start() {
    asio::co_spawn(io_, look_for_purchases(), asio::detached);
    asio::co_spawn(io_, renew_leases(), asio::detached);
    thread_.start([this](const std::stop_token&) { io_.run(); });
  }

  void stop_accepting() {
    if (!thread_.is_started() || std::exchange(is_stop_requested_, true)) return;
    asio::post(io_, [this] {
      is_stopping_ = true;
      look_timer_.cancel();
      end_if_idle();
    });
  }

  void drain(Moment until) {
    if (is_stop_requested_ && thread_.is_started()) idle_.wait_until(until);
  }

  void stop(Moment until) {
    stop_accepting();
    if (!thread_.is_started()) return;
    std::promise<void> closed;
    asio::post(io_, [this, until, &closed] {
      gateways_.close();
      gives_up_at_ = std::max(until, steady_clock::now() + time_to_store);
      closed.set_value();
    });
    closed.get_future().wait();
    gateways_.stop(until);  // no call begins after `close`
    work_guard_.reset();
    thread_.join();
    session_.close();
  }

  // PurchaseHost:

  Time now() const override { return database_clock().now(); }

  bool may_begin(const Guid& purchase) const override {
    const auto found = running_.find(purchase);
    return !is_stopping_ && found != running_.end() && steady_clock::now() < found->second.leased_until;
  }

  asio::awaitable<std::optional<ChangedPurchase>> change(PurchaseChange change) override {
    change.worker = options_.worker;
    const Guid purchase = change.key.guid;
    const bool needs_lease = change.needs_lease;
    co_return co_await repeated([this, change = std::move(change)] { return make(change); },
                                [this, purchase, needs_lease] {
                                  return needs_lease ? may_begin(purchase)
                                                     : steady_clock::now() < gives_up_at_;
                                });
  }

  asio::awaitable<std::vector<connectors::ConnectedCarrier>> carriers(PurchaseKey purchase,
                                                                      std::vector<Guid> named) override {
    const auto read = [this, purchase, named = std::move(named)] {
      std::vector<connectors::ConnectedCarrier> connected;
      const storage::sql::carriers::Connections statement{.business = purchase.business_id,
                                                          .carriers = named};
      for (const auto& row : session_->run(statement)) {
        if (auto carrier = connectors::connected_carrier(row, purchase.business_id, secrets_))
          connected.push_back(*std::move(carrier));
      }
      return connected;
    };
    co_return co_await repeated(read, [this, purchase] { return may_begin(purchase.guid); });
  }

  asio::awaitable<std::variant<connectors::Consignment, domain::PurchaseMessage>> consignment(
      PurchaseKey purchase) override {
    using Read = std::variant<connectors::Consignment, domain::PurchaseMessage>;
    const auto read = [this, purchase]() -> Read {
      const auto rows = session_->run(storage::sql::shipments::Consignment{.business = purchase.business_id,
                                                                           .shipment = purchase.shipment_id});
      if (rows.empty()) return domain::PurchaseMessage{"NO_RECORD", "The shipment is deleted."};
      FieldErrors errors;
      auto consignment = connectors::consignment_of(rows.front(), errors);
      if (errors.empty()) return consignment;
      return domain::PurchaseMessage{"INVALID_SHIPMENT", errors.front().field + " " + errors.front().message};
    };
    co_return co_await repeated(read, [this, purchase] { return may_begin(purchase.guid); });
  }

  std::unique_ptr<connectors::Gateway> open(const connectors::ConnectedCarrier& carrier, const Guid& business,
                                            Duration limit, connectors::Gateways::Turn turn) override {
    return gateways_.open(*carrier.connector, carrier.account, business, database_clock(), limit, turn);
  }

  void note_call(const Guid& business, const connectors::ConnectedCarrier& carrier,
                 const connectors::GatewayError* failure) override {
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

 private:
  struct Running {
    PurchaseKey key;
    steady_clock::time_point leased_until;  // the past: the lease is lost
  };

  /// Claims due purchases until the worker stops.
  asio::awaitable<void> look_for_purchases() {
    while (!is_stopping_) {
      Duration pause = look_every;
      try {
        pause = look();
        session_.worked();
      } catch (const std::exception& error) {
        pause = failed(error);
      }
      watch_socket();
      co_await wait(look_timer_, pause);
    }
    socket_.close();
  }

  /// Claims what is due, each business in its turn. Returns the time until the next look.
  Duration look() {
    open_session();
    is_notified();  // which has ended the wait
    std::vector<Guid> had_turn;
    while (running_.size() < most_running) {
      auto businesses = storage::due_purchase_businesses(*session_, all_shards, had_turn);
      if (businesses.empty()) break;
      // No business is always the first one when there is little room.
      std::ranges::shuffle(businesses, random_);
      const std::size_t room = (most_running - running_.size()) / usual_of_business + 1;
      if (businesses.size() > room) businesses.resize(room);
      const auto asked_at = steady_clock::now();
      for (auto& claimed : storage::claim_purchases(*session_, options_.worker, businesses, connectors_))
        begin(std::move(claimed), asked_at + storage::purchase_lease);
      had_turn.insert(had_turn.end(), businesses.begin(), businesses.end());
    }
    const auto next = storage::next_due_purchase(*session_, all_shards, look_every);
    if (is_notified()) return Duration::zero();  // of purchases that were not seen
    return std::clamp(next.value_or(look_every), shortest_look, look_every);
  }

  /// A purchase whose lease ended during its run, and was claimed here again, continues where it is.
  void begin(storage::ClaimedPurchase claimed, steady_clock::time_point leased_until) {
    const PurchaseKey key = claimed.purchase.key;
    const auto [running, is_new] = running_.try_emplace(key.guid, Running{key, leased_until});
    running->second.leased_until = leased_until;
    if (is_new) asio::co_spawn(io_, perform(std::move(claimed.purchase)), asio::detached);
  }

  asio::awaitable<void> perform(storage::StoredPurchase purchase) {
    const PurchaseKey key = purchase.key;
    bool is_defect = false;
    try {
      PurchaseRun run(*this, std::move(purchase));
      co_await run.perform();
    } catch (const GivenUp&) {  // NOLINT(bugprone-empty-catch): another worker continues
    } catch (const std::exception& error) {
      is_defect = true;
      observe(Observable::purchase_failed,
              {{"purchase", key.guid.to_string()}, {"error", std::string_view(error.what())}});
    }
    // After a defect the lease stays until its end, so that it is not repeated at once.
    if (!is_defect) release(key);
    running_.erase(key.guid);
    look_timer_.cancel();
    end_if_idle();
  }

  void release(const PurchaseKey& key) {
    if (steady_clock::now() >= running_.at(key.guid).leased_until) return;
    try {
      open_session();
      storage::release_purchases(*session_, options_.worker, std::span(&key, 1));
    } catch (const std::exception& error) {
      failed(error);  // the lease ends by itself
    }
  }

  /// Renews the leases of running purchases, until the last one has ended at a stop.
  asio::awaitable<void> renew_leases() {
    Duration pause = renew_every;
    while (!is_idle()) {
      co_await wait(renewal_timer_, pause);
      pause = renew_every;
      try {
        renew();
      } catch (const std::exception& error) {
        failed(error);
        pause = renew_again;
      }
    }
  }

  void renew() {
    std::vector<PurchaseKey> keys;
    keys.reserve(running_.size());
    for (const auto& [guid, running] : running_) keys.push_back(running.key);
    if (keys.empty()) return;
    open_session();
    const auto asked_at = steady_clock::now();
    const std::vector<Guid> held = storage::renew_purchases(*session_, options_.worker, keys);
    heed_notifications();
    for (const PurchaseKey& key : keys) {
      const bool is_held = std::ranges::find(held, key.guid) != held.end();
      running_.at(key.guid).leased_until =
          is_held ? asked_at + storage::purchase_lease : steady_clock::time_point();
    }
  }

  /// The transaction of a change.
  std::optional<ChangedPurchase> make(const PurchaseChange& change) {
    storage::Work work(*session_);
    auto changed = storage::change_purchase(*session_, change);
    work.commit();
    if (changed) report(*changed);
    return changed;
  }

  /// Calls `work` with an open session until the database takes it. Throws GivenUp when `goes_on` is false
  /// after a failure, and StatementError if the database refuses the data.
  template <typename F>
  asio::awaitable<std::invoke_result_t<F>> repeated(F work, std::function<bool()> goes_on) {
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

  /// True if purchases were announced since the last call. Passes on that pulls were.
  bool is_notified() {
    const auto channels = session_->notifications();
    if (channels.contains(pulls_channel) && options_.on_pulls) options_.on_pulls();
    return channels.contains(purchases_channel);
  }

  /// Looks at once if a notification came with the answer of a statement: the socket does not show it.
  void heed_notifications() {
    try {
      if (is_notified()) look_timer_.cancel();
    } catch (const storage::DatabaseUnavailable& error) {
      failed(error);
    }
  }

  /// Throws DatabaseUnavailable also during the pause after a failure to connect, so that the coroutines do
  /// not connect one after another. Only a failure to connect begins the pause: calls during the pause do not
  /// extend it, however many purchases run.
  void open_session() {
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

  Duration failed(const std::exception& error) {
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
  void watch_socket() {
    if (!session_.is_open() || std::exchange(is_watched_, true)) return;
    socket_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         is_watched_ = false;
                         if (!error) look_timer_.cancel();
                       });
  }

  static asio::awaitable<void> wait(asio::steady_timer& timer, Duration duration) {
    timer.expires_after(duration);
    boost::system::error_code cancelled;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }

  bool is_idle() const { return is_stopping_ && running_.empty(); }

  void end_if_idle() {
    if (!is_idle() || std::exchange(was_idle_, true)) return;
    renewal_timer_.cancel();
    became_idle_.set_value();
  }

  const Options options_;
  const SecretBox& secrets_;
  const std::vector<std::string> connectors_;
  connectors::Gateways gateways_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_guard_{io_.get_executor()};
  std::promise<void> became_idle_;
  const std::future<void> idle_ = became_idle_.get_future();
  bool is_stop_requested_ = false;  // used by the owner's thread only
  // The following members are used by thread_ only.
  ThreadSession session_;
  steady_clock::time_point connects_at_;
  asio::posix::stream_descriptor socket_{io_};  // a copy of the session's
  bool is_watched_ = false;
  asio::steady_timer look_timer_{io_};
  asio::steady_timer renewal_timer_{io_};
  std::map<Guid, Running> running_;
  std::minstd_rand random_{std::random_device{}()};
  bool is_stopping_ = false;
  bool was_idle_ = false;
  steady_clock::time_point gives_up_at_ = steady_clock::time_point::max();
  Thread thread_{ThreadKind::purchases};
};

Purchaser::Purchaser(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

Purchaser::~Purchaser() { stop_at_once(); }

void Purchaser::start() { impl_->start(); }

void Purchaser::stop_accepting() { impl_->stop_accepting(); }

void Purchaser::drain(Moment until) { impl_->drain(until); }

void Purchaser::stop(Moment until) { impl_->stop(until); }

}  // namespace waybill::worker
