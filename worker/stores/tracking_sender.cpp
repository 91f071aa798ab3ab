#include "worker/stores/tracking_sender.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "connectors/store_line.hpp"
#include "connectors/stored_credentials.hpp"
#include "storage/database.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::worker {
namespace {

namespace asio = boost::asio;
using actions::AttemptResult;
using actions::Done;
using actions::Never;
using actions::Retry;
using actions::Skip;
using connectors::Store;
using connectors::StoreCredentials;
using connectors::StoreError;
using connectors::StoreProblem;

constexpr auto full_pause =
    std::chrono::seconds(2);  // until a push is worth trying that found all places taken
constexpr auto away_pause = std::chrono::seconds(1);   // likewise, the database away
constexpr auto hold_margin = std::chrono::seconds(5);  // of an order, beyond the end of a try
constexpr int database_tries = 3;
constexpr auto database_pause = std::chrono::milliseconds(100);

/// A shipment, its order and the order's store, as they are now.
struct Target {
  std::string tracking_number;
  std::optional<std::string> external_id;  // none: the order was made here
  std::string carrier_name, carrier_code;
  Guid integration;
  std::string provider;
  std::string store_url;
  std::string sealed_key;
  std::optional<std::string> sealed_secret;
  bool is_on = false;

  /// Changes with what a connection is opened with.
  std::string fingerprint() const {
    return provider + " " + store_url + " " + sealed_key + " " + sealed_secret.value_or("");
  }
};

Target read_target(const storage::RowView& row) {
  enum Column {
    tracking_number,
    external_id,
    carrier_name,
    carrier_code,
    integration,
    provider,
    store_url,
    api_key,
    api_secret,
    is_on
  };
  return {.tracking_number = row.string(tracking_number),
          .external_id = row.maybe_string(external_id),
          .carrier_name = row.string(carrier_name),
          .carrier_code = row.string(carrier_code),
          .integration = row.guid(integration),
          .provider = row.string(provider),
          .store_url = row.string(store_url),
          .sealed_key = row.string(api_key),
          .sealed_secret = row.maybe_string(api_secret),
          .is_on = row.boolean(is_on)};
}

/// Credentials may be mended, and another site may be a passing page of maintenance: only what the store
/// itself says no to is the end.
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
      return Retry{.code = "STORE_BUSY", .retry_after = error.retry_after()};
    case StoreProblem::refused:
      return Never{"STORE_REFUSED"};
  }
  return Never{"STORE_REFUSED"};
}

bool speaks_against(StoreProblem problem) {
  return problem == StoreProblem::unreachable || problem == StoreProblem::tls ||
         problem == StoreProblem::busy;
}

void skip(AttemptResult& result, std::string_view code, std::string_view why) {
  result.outcome = Skip{std::string(code)};
  result.error = why;
}

void put_off(AttemptResult& result, Time until) {
  result.cancelled = true;
  result.again_at = until;
}

}  // namespace

class StoreTrackingSender::Impl {
 public:
  Impl(Options options, const SecretBox& secrets, net::HttpClient& http, const Clock& clock)
      : options_(std::move(options)),
        secrets_(secrets),
        http_(http),
        clock_(clock),
        breaker_(options_.breaker),
        database_(std::make_unique<storage::Database>(
            io_, storage::Database::Options{.url = options_.database_url,
                                            .application_name = "waybill tracking",
                                            .read_connections = 1,
                                            .write_connections = 1})),
        thread_([this] { io_.run(); }) {}

  ~Impl() {
    close();
    asio::post(io_, [this] { database_.reset(); });  // who waits for it fails
    work_.reset();
    thread_.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void push(actions::TrackingNotice push, actions::Action::Finish finish) {
    asio::co_spawn(io_, serve(push, std::move(finish)), asio::detached);
  }

  void close() {
    std::promise<void> done;
    asio::post(io_, [&] {
      closed_ = true;
      for (auto& [integration, line] : lines_) {
        for (auto* const timer : line.waiting) timer->cancel();
      }
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  /// A connection to a store; used by one push at a time.
  struct Connection {
    std::string fingerprint;
    StoreCredentials credentials;
    std::shared_ptr<Time> deadline;
    std::unique_ptr<Store> store;
  };

  /// The way to one store.
  struct Line {
    std::vector<std::unique_ptr<Connection>> idle;
    std::deque<asio::steady_timer*> waiting;  // for a place, the longest first
    std::set<std::string> orders;             // that are told of a shipment now
    std::size_t users = 0;                    // pushes that have this line
  };

  asio::awaitable<void> serve(actions::TrackingNotice push, actions::Action::Finish finish) {
    const Time begun = clock_.now();
    AttemptResult result{.outcome = Retry{.code = "INTERNAL"},
                         .started_at = begun,
                         .status_code = {},
                         .response = {},
                         .error = {}};
    try {
      co_await attempt(push, begun + options_.try_limit, result);
    } catch (const storage::DatabaseUnavailable&) {
      put_off(result, clock_.now() + away_pause);
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    // What was interrupted by the worker's end was no try.
    if (closed_ && std::holds_alternative<Retry>(result.outcome)) result.cancelled = true;
    result.duration = std::chrono::duration_cast<Duration>(clock_.now() - result.started_at);
    finish(std::move(result));
  }

  asio::awaitable<void> attempt(const actions::TrackingNotice& push, Time deadline, AttemptResult& result) {
    const auto target = co_await find(push);
    if (!target) {
      skip(result, "NO_RECORD", "the shipment or its order is gone");
    } else if (!target->external_id) {
      skip(result, "NOT_IMPORTED", "the order was not imported from a store");
    } else if (!target->is_on) {
      skip(result, "PUSH_OFF", "tracking is not pushed to the order's store");
    } else if (connectors::find_connector(target->provider) == nullptr) {
      result.outcome = Never{"NO_CONNECTOR"};
      result.error = "nothing here speaks to stores of " + target->provider;
    } else {
      Line& line = line_of(target->integration);
      ++line.users;
      co_await tell_in_turn(line, push, *target, deadline, result);
      --line.users;
    }
  }

  asio::awaitable<std::optional<Target>> find(const actions::TrackingNotice& push) {
    for (int tries = 1;; ++tries) {
      if (closed_) throw storage::DatabaseUnavailable("the worker ends");
      try {
        const auto rows = co_await database_->read(
            storage::sql::integrations::push_target,
            storage::Params().add(push.business.to_string()).add(push.shipment.to_string()));
        if (rows.empty()) co_return std::nullopt;
        co_return read_target(storage::RowView(rows, 0));
      } catch (const storage::DatabaseUnavailable&) {
        if (tries == database_tries) throw;
      }
      asio::steady_timer pause(io_, database_pause);
      co_await pause.async_wait(asio::use_awaitable);
    }
  }

  Line& line_of(const Guid& integration) {
    if (lines_.size() >= options_.most_stores && !lines_.contains(integration)) {
      std::erase_if(lines_, [](const auto& entry) { return entry.second.users == 0; });
    }
    return lines_[integration];
  }

  /// Never throws.
  asio::awaitable<void> tell_in_turn(Line& line, const actions::TrackingNotice& push, const Target& target,
                                     Time deadline, AttemptResult& result) {
    const std::string name = target.integration.to_string();
    const auto later = co_await take_place(line, name, *target.external_id);
    if (later) {
      put_off(result, *later);
      co_return;
    }
    result.started_at = clock_.now();
    std::optional<StoreProblem> problem;
    bool is_ours = false;
    try {
      is_ours = co_await hold(push.business, target);
      if (is_ours) {
        problem = co_await tell(line, push, target, deadline, result);
      } else {
        put_off(result, clock_.now() + full_pause);
      }
    } catch (const SecretError&) {
      result.outcome = Never{"UNREADABLE"};
      result.error = "the store's credentials cannot be read";
    } catch (const storage::DatabaseUnavailable&) {
      put_off(result, clock_.now() + away_pause);
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    if (is_ours) co_await release(push.business, target);
    const Time now = clock_.now();
    if (closed_ || !is_ours) {
      breaker_.released(name, now);
    } else if (problem && speaks_against(*problem)) {
      breaker_.failed(name, now);
    } else {
      breaker_.succeeded(name, now);
    }
    line.orders.erase(*target.external_id);
    // The others that wait see for themselves whether there is a place, or must go.
    for (auto* const timer : line.waiting) timer->cancel();
  }

  /// The order, of which another worker may be telling the store.
  asio::awaitable<bool> hold(const Guid& business, const Target& target) {
    const auto rows = co_await database_->write(
        storage::sql::integrations::hold_push,
        order_key(business, target).add(format_duration(options_.try_limit + hold_margin)), {});
    co_return !rows.empty();
  }

  /// Never throws: what stays held is this worker's, and ends by itself.
  asio::awaitable<void> release(const Guid& business, const Target& target) {
    try {
      co_await database_->write(storage::sql::integrations::release_push, order_key(business, target), {});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
  }

  storage::Params order_key(const Guid& business, const Target& target) const {
    return storage::Params()
        .add(business.to_string())
        .add(target.integration.to_string())
        .add(*target.external_id)
        .add(options_.worker.to_string());
  }

  /// A place at the store and the order for itself, to be given back; else when it is worth asking again. Of
  /// two at a time for one order neither would see what the other adds.
  asio::awaitable<std::optional<Time>> take_place(Line& line, const std::string& name,
                                                  const std::string& order) {
    const Time give_up = clock_.now() + options_.place_patience;
    bool in_line = false;
    asio::steady_timer timer(io_);
    for (;;) {
      const Time now = clock_.now();
      const bool is_next = !line.orders.contains(order) &&
                           (line.waiting.empty() || (in_line && line.waiting.front() == &timer));
      std::optional<Time> later;
      if (closed_) {
        later = now;
      } else if (is_next && breaker_.try_start(name, now)) {
        line.orders.insert(order);
        leave(line, timer);
        co_return std::nullopt;
      } else if (breaker_.state(name) == net::CircuitBreaker::State::open) {
        later = std::max<Time>(breaker_.retry_at(name, now), now + full_pause);
      } else if (now >= give_up || (!in_line && line.waiting.size() >= options_.most_waiting)) {
        later = now + full_pause;
      }
      if (later) {
        leave(line, timer);
        co_return later;
      }
      if (!in_line) line.waiting.push_back(&timer);
      in_line = true;
      timer.expires_after(give_up - now);
      boost::system::error_code ignored;
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }

  static void leave(Line& line, asio::steady_timer& timer) {
    const bool was_first = !line.waiting.empty() && line.waiting.front() == &timer;
    std::erase(line.waiting, &timer);
    if (was_first && !line.waiting.empty()) line.waiting.front()->cancel();  // it is next now
  }

  /// What stood in the way, if anything.
  asio::awaitable<std::optional<StoreProblem>> tell(Line& line, const actions::TrackingNotice& push,
                                                    const Target& target, Time deadline,
                                                    AttemptResult& result) {
    auto connection = connect(line, push.business, target);
    *connection->deadline = deadline;
    const std::string order = "the store's order " + *target.external_id;
    std::optional<StoreProblem> problem;
    try {
      const bool is_new =
          co_await connection->store->push_tracking({.order_id = *target.external_id,
                                                     .tracking_number = target.tracking_number,
                                                     .carrier_name = target.carrier_name,
                                                     .carrier_code = target.carrier_code,
                                                     .tracking_url = {},
                                                     .shipped_at = push.shipped_at});
      result.outcome = Done{};
      result.response = order + (is_new ? " shows " : " had shown already ") + target.tracking_number;
    } catch (const StoreError& error) {
      problem = error.problem();
      result.outcome = outcome_of(error);
      result.error = connectors::without_secrets(error.what(), connection->credentials);
    }
    if (problem == StoreProblem::credentials) {
      line.idle.clear();  // they may be mended without a change here: begin anew
    } else {
      line.idle.push_back(std::move(connection));
    }
    co_return problem;
  }

  /// One that is idle, if its credentials are the present ones, or a new one.
  std::unique_ptr<Connection> connect(Line& line, const Guid& business, const Target& target) {
    const auto fingerprint = target.fingerprint();
    std::erase_if(line.idle, [&](const auto& each) { return each->fingerprint != fingerprint; });
    if (!line.idle.empty()) {
      auto connection = std::move(line.idle.back());
      line.idle.pop_back();
      return connection;
    }
    auto connection = std::make_unique<Connection>();
    connection->fingerprint = fingerprint;
    connection->credentials = connectors::open_credentials(
        secrets_, business, target.integration, target.sealed_key, target.sealed_secret, target.store_url);
    connection->deadline = std::make_shared<Time>();
    connection->store =
        connectors::find_connector(target.provider)
            ->open(connection->credentials, sender(connection->deadline), clock_, options_.connectors);
    return connection;
  }

  connectors::Send sender(const std::shared_ptr<const Time>& deadline) {
    return [this, send = connectors::send_until(http_, clock_, deadline)](
               net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      if (!closed_) co_return co_await send(std::move(request));
      net::HttpResponse response;
      response.failure = net::HttpFailure::cancelled;
      response.error = "the worker ends";
      response.started_at = clock_.now();
      co_return response;
    };
  }

  const Options options_;
  const SecretBox& secrets_;
  net::HttpClient& http_;
  const Clock& clock_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  // The rest is the thread's.
  bool closed_ = false;
  net::CircuitBreaker breaker_;  // of stores, by their integrations
  std::unordered_map<Guid, Line> lines_;
  std::unique_ptr<storage::Database> database_;
  std::thread thread_;
};

StoreTrackingSender::StoreTrackingSender(Options options, const SecretBox& secrets, net::HttpClient& http,
                                         const Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), secrets, http, clock)) {}

StoreTrackingSender::~StoreTrackingSender() = default;

void StoreTrackingSender::push(actions::TrackingNotice push, actions::Action::Finish finish) {
  impl_->push(push, std::move(finish));
}

void StoreTrackingSender::close() { impl_->close(); }

}  // namespace waybill::worker
