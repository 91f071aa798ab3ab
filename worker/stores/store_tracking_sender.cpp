#include "worker/stores/store_tracking_sender.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "connectors/store_send.hpp"
#include "connectors/store_text.hpp"
#include "connectors/stored_credentials.hpp"
#include "matching/tracking_links.hpp"
#include "storage/sql/integrations.sql.hpp"
#include "worker/stores/parcel_items.hpp"

namespace waybill::worker {
namespace {

namespace asio = boost::asio;
using actions::AttemptResult;
using actions::Dead;
using actions::Done;
using actions::Retry;
using actions::Skip;
using connectors::Store;
using connectors::StoreCredentials;
using connectors::StoreError;
using connectors::StoreProblem;

// The delays before an attempt that found no free slot, or no database, is made again.
constexpr auto no_slot_pause = std::chrono::seconds(2);
constexpr auto no_database_pause = std::chrono::seconds(1);
constexpr auto lock_margin = std::chrono::seconds(5);  // the lock of an order outlasts the attempt by this
constexpr int database_attempts = 3;
constexpr auto database_pause = std::chrono::milliseconds(100);

/// The integration with the store of an order, and its credentials.
struct StoreAccount {
  Guid integration;
  std::string provider;
  std::string url;
  std::string sealed_key;
  std::optional<std::string> sealed_secret;

  explicit StoreAccount(const sql::integrations::TrackingTarget::Row& row)
      : integration(row.integration_id.value_or(Guid())),
        provider(row.provider.value_or("")),
        url(row.store_url.value_or("")),
        sealed_key(row.sealed_key.value_or("")),
        sealed_secret(row.sealed_secret) {}

  /// Changes with the parameters of a connection.
  std::string fingerprint() const {
    return provider + " " + url + " " + sealed_key + " " + sealed_secret.value_or("");
  }

  /// Throws SecretError.
  StoreCredentials credentials(const SecretBox& secrets, const Guid& business) const {
    return connectors::open_credentials(secrets, business, integration, sealed_key, sealed_secret, url);
  }
};

/// The current state of a shipment, its order and the order's store.
struct Target {
  std::string tracking_number;                // ours
  std::optional<std::string> carrier_number;  // the carrier's, if known
  std::string carrier_url;                    // may be empty
  std::optional<std::string> token;           // token of the tracking page
  std::optional<Time> shipped_at;
  std::optional<std::string> external_id;  // nullopt if the order was not imported
  std::string carrier_name, carrier_code;
  StoreAccount store;
  bool is_on = false;
  bool is_test = false;  // the carrier is in test mode
  Guid order;
  bool is_part = false;                            // made of chosen items of the order
  std::vector<connectors::StoreParcelItem> items;  // empty if it is unknown which the shipment has

  explicit Target(const sql::integrations::TrackingTarget::Row& row)
      : tracking_number(row.tracking_number),
        carrier_number(row.carrier_number),
        carrier_url(row.carrier_url.value_or("")),
        token(row.token),
        shipped_at(row.shipped_at),
        external_id(row.external_id),
        carrier_name(row.carrier_name.value_or("")),
        carrier_code(row.carrier_code.value_or("")),
        store(row),
        is_on(row.is_on),
        is_test(row.is_test),
        order(row.order_id),
        is_part(row.is_part) {
    if (row.items) items = parcel_items(*row.items, row.parcel, row.sent.value_or("[]"));
  }
};

/// Only a refusal by the store itself is final: credentials may be corrected, and a wrong store may be a
/// temporary maintenance page.
actions::Outcome outcome_of(const StoreError& error) {
  switch (error.problem()) {
    case StoreProblem::credentials:
      return Retry{.code = "STORE_CREDENTIALS"};
    case StoreProblem::wrong_store:
      return Retry{.code = "WRONG_STORE"};
    case StoreProblem::unreachable:
      return Retry{.code = "STORE_UNREACHABLE"};
    case StoreProblem::tls:
      return Retry{.code = "STORE_TLS"};
    case StoreProblem::busy:
    case StoreProblem::failing:
      return Retry{.code = "STORE_BUSY", .retry_after = error.retry_after()};
    case StoreProblem::refused:
      return Dead{"STORE_REFUSED"};
  }
  return Dead{"STORE_REFUSED"};
}

bool is_down(StoreProblem problem) {
  return problem == StoreProblem::unreachable || problem == StoreProblem::tls ||
         connectors::may_pass(problem);
}

void skip(AttemptResult& result, std::string_view code, std::string_view reason) {
  result.outcome = Skip{std::string(code)};
  result.error = reason;
}

void requeue(AttemptResult& result, Time until) {
  result.cancelled = true;
  result.next_attempt_at = until;
}

}  // namespace

class StoreTrackingSender::Impl {
 public:
  Impl(Options options, const SecretBox& secrets, const Clock& clock, StoreThread& thread)
      : options_(std::move(options)),
        secrets_(secrets),
        clock_(clock),
        thread_(thread),
        breaker_(options_.breaker) {}

  void send(actions::TrackingNotice notice, actions::Action::Finish finish) {
    tasks_.spawn(serve(notice, std::move(finish)));
  }

  void stop() {
    if (std::exchange(is_stopped_, true)) return;
    tasks_.stop([this] {
      for (auto& [integration, queue] : queues_) {
        for (auto* const timer : queue.waiting) timer->cancel();
      }
    });
  }

 private:
  /// A connection to a store; used by one attempt at a time.
  struct Connection {
    std::string fingerprint;
    StoreCredentials credentials;
    std::shared_ptr<Time> deadline;
    std::unique_ptr<Store> store;
  };

  /// The attempts and connections of one store.
  struct StoreQueue {
    std::vector<std::unique_ptr<Connection>> idle;
    std::deque<asio::steady_timer*> waiting;  // attempts that wait for a slot, oldest first
    std::set<std::string> orders;             // external ids of the orders in use by an attempt
    std::size_t users = 0;                    // attempts that refer to this queue
  };

  asio::awaitable<void> serve(actions::TrackingNotice notice, actions::Action::Finish finish) {
    const Time begun = clock_.now();
    AttemptResult result{.outcome = Retry{.code = "INTERNAL"},
                         .started_at = begun,
                         .status_code = {},
                         .response = {},
                         .error = {}};
    try {
      co_await attempt(notice, begun + options_.attempt_limit, result);
    } catch (const storage::DatabaseUnavailable&) {
      requeue(result, clock_.now() + no_database_pause);
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    // An attempt that the worker's stop interrupted does not count.
    if (tasks_.is_stopping() && std::holds_alternative<Retry>(result.outcome)) result.cancelled = true;
    result.duration = std::chrono::duration_cast<Duration>(clock_.now() - result.started_at);
    finish(std::move(result));
  }

  asio::awaitable<void> attempt(const actions::TrackingNotice& notice, Time deadline, AttemptResult& result) {
    const auto target = co_await find(notice);
    if (!target) {
      skip(result, "NO_RECORD", "The shipment or its order no longer exists, or it is a return.");
    } else if (!target->external_id) {
      skip(result, "NOT_IMPORTED", "The order was not imported from a store.");
    } else if (!target->is_on) {
      skip(result, "PUSH_OFF", "Tracking is not sent to the store of the order.");
    } else if (target->is_test) {
      skip(result, "TEST_MODE", "The carrier of the shipment is in test mode.");
    } else if (connectors::find_connector(target->store.provider) == nullptr) {
      result.outcome = Dead{"NO_CONNECTOR"};
      result.error = "There is no connector for " + target->store.provider + ".";
    } else {
      StoreQueue& queue = queue_of(target->store.integration);
      ++queue.users;
      co_await send_in_turn(queue, notice, *target, deadline, result);
      --queue.users;
    }
  }

  asio::awaitable<std::optional<Target>> find(const actions::TrackingNotice& notice) {
    for (int attempt = 1;; ++attempt) {
      if (tasks_.is_stopping()) throw storage::DatabaseUnavailable("the worker is stopping");
      try {
        const auto rows = co_await thread_.database().read(
            sql::integrations::TrackingTarget{.business = notice.business, .shipment = notice.shipment});
        if (rows.empty()) co_return std::nullopt;
        co_return Target(rows.front());
      } catch (const storage::DatabaseUnavailable&) {
        if (attempt == database_attempts) throw;
      }
      asio::steady_timer pause(thread_.io(), database_pause);
      co_await pause.async_wait(asio::use_awaitable);
    }
  }

  StoreQueue& queue_of(const Guid& integration) {
    if (queues_.size() >= options_.max_stores && !queues_.contains(integration)) {
      std::erase_if(queues_, [](const auto& entry) { return entry.second.users == 0; });
    }
    return queues_[integration];
  }

  /// Must not throw.
  asio::awaitable<void> send_in_turn(StoreQueue& queue, const actions::TrackingNotice& notice,
                                     const Target& target, Time deadline, AttemptResult& result) {
    const std::string name = target.store.integration.to_string();
    const auto later = co_await take_slot(queue, name, *target.external_id);
    if (later) {
      requeue(result, *later);
      co_return;
    }
    result.started_at = clock_.now();
    std::optional<StoreProblem> problem;
    bool has_lock = false;
    try {
      has_lock = co_await lock_order(notice.business, target);
      if (has_lock) {
        problem = co_await send_to_store(queue, notice, target, deadline, result);
      } else {
        requeue(result, clock_.now() + no_slot_pause);
      }
    } catch (const SecretError&) {
      result.outcome = Dead{"UNREADABLE"};
      result.error = "The credentials of the store cannot be read.";
    } catch (const storage::DatabaseUnavailable&) {
      requeue(result, clock_.now() + no_database_pause);
    } catch (const storage::StatementError& error) {
      if (storage::is_disk_full(error)) {
        requeue(result, clock_.now() + no_database_pause);
      } else {
        result.error = error.what();
      }
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    if (has_lock) co_await unlock_order(notice.business, target);
    const Time now = clock_.now();
    if (tasks_.is_stopping() || !has_lock) {
      breaker_.released(name, now);
    } else if (problem && is_down(*problem)) {
      breaker_.failed(name, now);
    } else {
      breaker_.succeeded(name, now);
    }
    if (!tasks_.is_stopping() && has_lock) count(notice, target, result, now);
    queue.orders.erase(*target.external_id);
    // The waiting attempts check again whether a slot is free.
    for (auto* const timer : queue.waiting) timer->cancel();
  }

  /// Counts an attempt at a store. One that waited for the database says nothing about the store.
  void count(const actions::TrackingNotice& notice, const Target& target, const AttemptResult& result,
             Time now) {
    const auto destination = net::parse_destination(target.store.url);
    if (options_.counts == nullptr || result.cancelled || !destination) return;
    options_.counts->note({.business = notice.business,
                           .kind = net::DestinationKind::store,
                           .destination = destination->key(),
                           .workflow = notice.workflow,
                           .succeeded = std::holds_alternative<Done>(result.outcome),
                           .duration = now - result.started_at,
                           .at = now,
                           .health = breaker_.health(target.store.integration.to_string())});
  }

  /// Locks the order against other workers; false if another worker has the lock.
  asio::awaitable<bool> lock_order(const Guid& business, const Target& target) {
    const auto rows = co_await thread_.database().write(
        sql::integrations::HoldOrder{.business = business,
                                     .integration = target.store.integration,
                                     .external_id = *target.external_id,
                                     .worker = options_.worker,
                                     .duration = format_duration(options_.attempt_limit + lock_margin)},
        {});
    co_return !rows.empty();
  }

  /// Must not throw. A lock that cannot be released expires.
  asio::awaitable<void> unlock_order(const Guid& business, const Target& target) {
    try {
      co_await thread_.database().write(
          sql::integrations::ReleaseOrder{.business = business,
                                          .integration = target.store.integration,
                                          .external_id = *target.external_id,
                                          .worker = options_.worker},
          {});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
  }

  /// Takes a slot at the store and reserves the order. Returns nullopt, or the time of the next attempt if
  /// none is free. Attempts for one order must not overlap: neither would see the tracking of the other.
  asio::awaitable<std::optional<Time>> take_slot(StoreQueue& queue, const std::string& name,
                                                 const std::string& order) {
    const Time give_up = clock_.now() + options_.slot_wait_limit;
    bool is_queued = false;
    asio::steady_timer timer(thread_.io());
    for (;;) {
      const Time now = clock_.now();
      const bool is_next = !queue.orders.contains(order) &&
                           (queue.waiting.empty() || (is_queued && queue.waiting.front() == &timer));
      std::optional<Time> later;
      if (tasks_.is_stopping()) {
        later = now;
      } else if (is_next && breaker_.try_start(name, now)) {
        queue.orders.insert(order);
        leave_queue(queue, timer);
        co_return std::nullopt;
      } else if (breaker_.state(name) == net::CircuitBreaker::State::open) {
        later = std::max<Time>(breaker_.retry_at(name, now), now + no_slot_pause);
      } else if (now >= give_up || (!is_queued && queue.waiting.size() >= options_.max_waiting)) {
        later = now + no_slot_pause;
      }
      if (later) {
        leave_queue(queue, timer);
        co_return later;
      }
      if (!is_queued) queue.waiting.push_back(&timer);
      is_queued = true;
      timer.expires_after(give_up - now);
      boost::system::error_code ignored;
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }

  static void leave_queue(StoreQueue& queue, asio::steady_timer& timer) {
    const bool was_first = !queue.waiting.empty() && queue.waiting.front() == &timer;
    std::erase(queue.waiting, &timer);
    if (was_first && !queue.waiting.empty())
      queue.waiting.front()->cancel();  // the next attempt is now first
  }

  /// Uses the carrier's number and link if there is a carrier's number. Otherwise uses our number and names
  /// no carrier, because the store would link our number to the carrier's site. Without a carrier's link, the
  /// parcel links to our tracking page.
  connectors::StoreTracking tracking_of(const actions::TrackingNotice& notice, const Target& target) const {
    connectors::StoreTracking tracking{
        .order_id = *target.external_id,
        .tracking_number = target.carrier_number.value_or(target.tracking_number),
        .carrier_name = {},
        .carrier_code = {},
        .tracking_url = {},
        .shipped_at = target.shipped_at.value_or(notice.shipped_at),
        .order = target.order,
        .items = target.items,
        .is_part = target.is_part};
    if (target.carrier_number) {
      tracking.carrier_name = target.carrier_name;
      tracking.carrier_code = target.carrier_code;
      tracking.tracking_url = target.carrier_url;
    }
    if (tracking.tracking_url.empty() && target.token && !options_.public_url.empty()) {
      tracking.tracking_url = matching::tracking_page_url(options_.public_url, *target.token);
    }
    return tracking;
  }

  /// Adds the numbers that earlier calls sent to the store. Records this call first, so that a call whose
  /// answer is lost is included later.
  asio::awaitable<void> add_earlier(const actions::TrackingNotice& notice, const Target& target,
                                    connectors::StoreTracking& tracking) {
    std::set<std::string> numbers{target.tracking_number};  // earlier versions of waybill sent it
    const auto rows =
        co_await thread_.database().write(sql::integrations::BeginSending{.business = notice.business,
                                                                          .shipment = notice.shipment,
                                                                          .number = tracking.tracking_number,
                                                                          .url = tracking.tracking_url},
                                          {});
    for (const auto& row : rows) {
      numbers.emplace(row.number);
      if (row.number == tracking.tracking_number) tracking.has_new_url = row.url != tracking.tracking_url;
    }
    numbers.erase(tracking.tracking_number);
    tracking.earlier_numbers.assign(numbers.begin(), numbers.end());
  }

  /// Returns the problem of the store, if any.
  asio::awaitable<std::optional<StoreProblem>> send_to_store(StoreQueue& queue,
                                                             const actions::TrackingNotice& notice,
                                                             const Target& target, Time deadline,
                                                             AttemptResult& result) {
    auto connection = connect(queue, notice.business, target.store);
    *connection->deadline = deadline;
    const std::string order = "The store's order " + *target.external_id;
    auto tracking = tracking_of(notice, target);
    co_await add_earlier(notice, target, tracking);
    std::optional<StoreProblem> problem;
    try {
      const bool is_new = co_await connection->store->send_tracking(tracking);
      result.outcome = Done{};
      result.response = order + (is_new ? " shows " : " already showed ") + tracking.tracking_number;
    } catch (const StoreError& error) {
      problem = error.problem();
      result.outcome = outcome_of(error);
      result.error = connectors::without_secrets(error.what(), connection->credentials);
    }
    if (!problem && tracking.has_new_url) {
      co_await thread_.database().write(sql::integrations::EndSending{.business = notice.business,
                                                                      .shipment = notice.shipment,
                                                                      .number = tracking.tracking_number,
                                                                      .url = tracking.tracking_url},
                                        {});
    }
    if (problem == StoreProblem::credentials) {
      queue.idle.clear();  // the store may accept the same credentials later, on a new connection
    } else {
      queue.idle.push_back(std::move(connection));
    }
    co_return problem;
  }

  /// Returns an idle connection with the current credentials, or a new one.
  std::unique_ptr<Connection> connect(StoreQueue& queue, const Guid& business, const StoreAccount& store) {
    const auto fingerprint = store.fingerprint();
    std::erase_if(queue.idle, [&](const auto& each) { return each->fingerprint != fingerprint; });
    if (!queue.idle.empty()) {
      auto connection = std::move(queue.idle.back());
      queue.idle.pop_back();
      return connection;
    }
    auto connection = std::make_unique<Connection>();
    connection->fingerprint = fingerprint;
    connection->credentials = store.credentials(secrets_, business);
    connection->deadline = std::make_shared<Time>();
    connection->store = connectors::find_connector(store.provider)
                            ->open(connection->credentials, sender(business, connection->deadline), clock_,
                                   options_.connectors);
    return connection;
  }

  connectors::Send sender(const Guid& business, const std::shared_ptr<const Time>& deadline) {
    return connectors::send_until(
        [this, owner = business.to_string()](net::HttpRequest request) {
          request.owner = owner;
          return tasks_.fetch(std::move(request));
        },
        clock_, deadline);
  }

  const Options options_;
  const SecretBox& secrets_;
  const Clock& clock_;
  StoreThread& thread_;
  StoreTasks tasks_{thread_};
  bool is_stopped_ = false;  // used by the owner's thread only
  // The following members are used on the thread only.
  net::CircuitBreaker breaker_;  // by integration
  std::unordered_map<Guid, StoreQueue> queues_;
};

StoreTrackingSender::StoreTrackingSender(Options options, const SecretBox& secrets, const Clock& clock,
                                         StoreThread& thread)
    : impl_(std::make_unique<Impl>(std::move(options), secrets, clock, thread)) {}

StoreTrackingSender::~StoreTrackingSender() = default;

void StoreTrackingSender::send(actions::TrackingNotice notice, actions::Action::Finish finish) {
  impl_->send(notice, std::move(finish));
}

void StoreTrackingSender::stop_accepting() { impl_->stop(); }

}  // namespace waybill::worker
