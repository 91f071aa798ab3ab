#include "worker/tracking/tracking_puller.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "base/thread/thread.hpp"
#include "storage/sql/tracking_pulls.sql.hpp"
#include "worker/tracking/lane_turn.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr Duration longest_rest = 30s;     // without `look`: a lane may be free whose worker has died
constexpr Duration shortest_rest = 100ms;  // while other workers claim what is due
constexpr Duration pause_after_error = 1s;
/// The time for the turns of a stop to free their lanes.
constexpr auto time_of_last_calls = 1s;

storage::Database::Options database_options(const TrackingPuller::Options& options) {
  return {.url = options.database_url,
          .application_name = "waybill tracking",
          .read_connections = 1,  // none is opened, because all statements are writes
          .write_connections = options.connections,
          .long_connections = 0,
          .statement_timeout = 30s,
          .wait_limit = 30s};  // an answer waits for those of other lanes
}

}  // namespace

// The private methods run on the thread only.
class TrackingPuller::Impl {
 public:
  Impl(Options options, const SecretBox& secrets)
      : options_(std::move(options)),
        gateways_(options_.gateways),
        database_(std::make_unique<storage::Database>(io_, database_options(options_))),
        parts_{.worker = options_.worker,
               .database = [this]() -> storage::Database& { return database(); },
               .secrets = secrets,
               .clock = database_clock(),
               .open =
                   [this](const connectors::ConnectedCarrier& carrier, const Guid& business, Duration limit) {
                     return gateways_.open(*carrier.connector, carrier.account, business, database_clock(),
                                           limit);
                   },
               .must_stop = [this] { return is_stopping_.load(); }} {}

  void start() {
    spawn(claim_lanes());
    thread_.start([this](const std::stop_token&) { io_.run(); });
  }

  void look() {
    asio::post(io_, [this] {
      find_at_ = steady_clock::now();
      look_again();
    });
  }

  void stop_accepting() {
    is_stopping_ = true;
    asio::post(io_, [this] { claim_timer_.cancel(); });
  }

  void stop() {
    if (!thread_.is_started()) return;
    stop_accepting();
    gateways_.close();
    // A call that had begun before `close` is in flight after this task.
    std::promise<void> begun;
    asio::post(io_, [&begun] { begun.set_value(); });
    begun.get_future().wait();
    gateways_.stop({});
    asio::post(io_, [this] {
      may_end_ = true;
      last_calls_.expires_after(time_of_last_calls);
      // The database must not be destroyed within a coroutine that it resumed.
      last_calls_.async_wait([this](const boost::system::error_code&) { database_.reset(); });
      end_if_idle();
    });
    thread_.join();
    database_.reset();
  }

 private:
  storage::Database& database() {
    if (!database_) throw storage::DatabaseUnavailable("the worker is stopping");
    return *database_;
  }

  void spawn(asio::awaitable<void> work) {
    ++open_;
    asio::co_spawn(io_, std::move(work), [this](const std::exception_ptr&) {
      --open_;
      end_if_idle();
    });
  }

  void end_if_idle() {
    if (may_end_ && open_ == 0) io_.stop();
  }

  /// Gives lanes their turns until the stop.
  asio::awaitable<void> claim_lanes() {
    const std::vector<std::string> connectors = connectors::gateway_names();
    while (!is_stopping_) {
      looks_again_ = false;
      Duration pause = pause_after_error;
      try {
        pause = co_await look(connectors);
        has_failed_ = false;
      } catch (const storage::DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): logged by LeaseKeeper
        looks_again_ = false;
      } catch (const std::exception& error) {
        looks_again_ = false;
        if (!std::exchange(has_failed_, true)) report(error);
      }
      if (is_stopping_) co_return;
      if (looks_again_) continue;
      claim_timer_.expires_after(pause);
      boost::system::error_code cancelled;
      co_await claim_timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
  }

  /// Claims lanes whose turn has come, if there is room. Returns the time until the next look.
  asio::awaitable<Duration> look(const std::vector<std::string>& connectors) {
    if (steady_clock::now() >= find_at_) {
      // Before the search, which may not see an account that `look` announces during it.
      find_at_ = steady_clock::now() + longest_rest;
      co_await database().write(sql::tracking_pulls::FindLanes{.connectors = connectors}, {});
    }
    auto next = co_await next_turn(connectors);
    if (next <= Duration::zero() && turns_ < options_.places) {
      co_await claim(connectors);
      next = co_await next_turn(connectors);
    }
    if (turns_ >= options_.places) co_return longest_rest;  // the end of a turn ends it
    co_return std::clamp(next, shortest_rest, longest_rest);
  }

  asio::awaitable<Duration> next_turn(const std::vector<std::string>& connectors) {
    const auto rows = co_await database().write(sql::tracking_pulls::NextLane{.connectors = connectors}, {});
    const auto wait = rows.front().wait_ms;
    co_return wait ? Duration(std::chrono::milliseconds(*wait)) : longest_rest;
  }

  void look_again() {
    looks_again_ = true;
    claim_timer_.cancel();
  }

  asio::awaitable<void> claim(const std::vector<std::string>& connectors) {
    const auto rows =
        co_await database().write(sql::tracking_pulls::Claim{.worker = options_.worker,
                                                             .connectors = connectors,
                                                             .limit = options_.places - turns_,
                                                             .lease = format_duration(options_.lease),
                                                             .sweep = format_duration(sweep_interval)},
                                  {});
    for (const auto& row : rows) {
      const auto* const connector = connectors::find_gateway(row.connector);
      ++turns_;
      spawn(give_turn(std::make_shared<LaneTurn>(
          parts_, Lane{.business = row.business_id, .connector = connector, .must_sweep = row.must_sweep},
          io_.get_executor())));
    }
  }

  asio::awaitable<void> give_turn(std::shared_ptr<LaneTurn> turn) {
    try {
      co_await turn->run();
    } catch (const storage::DatabaseUnavailable&) {  // NOLINT(bugprone-empty-catch): the lease expires
    } catch (const std::exception& error) {
      report(error);
    }
    --turns_;
    look_again();  // the lane is due again
  }

  static void report(const std::exception& error) {
    observe(Observable::pull_failed, {{"error", std::string_view(error.what())}});
  }

  const Options options_;
  connectors::Gateways gateways_;
  asio::io_context io_{1};
  const asio::executor_work_guard<asio::io_context::executor_type> work_guard_{io_.get_executor()};
  std::atomic<bool> is_stopping_ = false;
  // The following members are used by thread_ only.
  std::unique_ptr<storage::Database> database_;
  const TurnParts parts_;
  asio::steady_timer claim_timer_{io_};
  asio::steady_timer last_calls_{io_};
  steady_clock::time_point find_at_ = steady_clock::now();  // the next search for new lanes
  std::size_t open_ = 0;                                    // coroutines that have not ended
  std::size_t turns_ = 0;                                   // lanes that have their turn
  bool looks_again_ = false;                                // without a sleep
  bool has_failed_ = false;
  bool may_end_ = false;  // no call is in flight
  Thread thread_{ThreadKind::tracking};
};

TrackingPuller::TrackingPuller(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

TrackingPuller::~TrackingPuller() { stop_at_once(); }

void TrackingPuller::look() { impl_->look(); }

void TrackingPuller::start() { impl_->start(); }

void TrackingPuller::stop_accepting() { impl_->stop_accepting(); }

void TrackingPuller::stop(Moment /*until*/) { impl_->stop(); }

}  // namespace waybill::worker
