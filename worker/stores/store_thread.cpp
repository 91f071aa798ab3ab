#include "worker/stores/store_thread.hpp"

#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/database_clock.hpp"
#include "net/http/async_http.hpp"

namespace waybill::worker {
namespace {

using boost::asio::experimental::awaitable_operators::operator||;

/// The time for an interrupted attempt to release the lock of its order. Without it, others would wait until
/// the lock expires.
constexpr auto time_of_last_calls = std::chrono::seconds(1);

storage::Database::Options database_options(const StoreThread::Options& options) {
  using namespace std::chrono_literals;
  return {.url = options.database_url,
          .application_name = "waybill stores",
          .read_connections = options.read_connections,
          .write_connections = options.write_connections,
          .long_connections = 0,
          .statement_timeout = 30s,
          .wait_limit = 30s};  // a page waits for the pages of other stores
}

}  // namespace

StoreThread::StoreThread(const Options& options)
    : http_(std::make_unique<net::HttpClient>(
          net::HttpClient::Options{.policy = options.destinations, .ca_file = options.ca_file})),
      database_(std::make_unique<storage::Database>(io_, database_options(options))) {}

void StoreThread::start() {
  thread_.start([this](const std::stop_token&) { io_.run(); });
}

void StoreThread::stop(Moment /*until*/) {
  if (!thread_.is_started()) return;
  asio::post(io_, [this] {
    is_stopping_ = true;
    last_calls_.expires_after(time_of_last_calls);
    // The database must not be destroyed within a coroutine that it resumed.
    last_calls_.async_wait([this](const boost::system::error_code&) { database_.reset(); });
    end_if_idle();
  });
  thread_.join();
  database_.reset();
  http_.reset();
}

storage::Database& StoreThread::database() {
  if (!database_) throw storage::DatabaseUnavailable("the worker is stopping");
  return *database_;
}

void StoreThread::end_if_idle() {
  if (is_stopping_ && open_ == 0) io_.stop();
}

StoreTasks::StoreTasks(StoreThread& thread)
    : thread_(thread), stopped_(thread.io_, asio::steady_timer::time_point::max()) {}

void StoreTasks::spawn(asio::awaitable<void> work) {
  asio::co_spawn(thread_.io_, run(std::move(work)), asio::detached);
}

asio::awaitable<void> StoreTasks::run(asio::awaitable<void> work) {
  ++open_;
  ++thread_.open_;
  co_await std::move(work);
  --open_;
  if (!is_abandoned_) --thread_.open_;
  end_if_idle();
  thread_.end_if_idle();
}

asio::awaitable<net::HttpResponse> StoreTasks::fetch(net::HttpRequest request) {
  if (!is_stopping_) {
    auto result = co_await (net::fetch(*thread_.http_, std::move(request)) || until_stopped());
    if (auto* const response = std::get_if<net::HttpResponse>(&result)) co_return std::move(*response);
  }
  net::HttpResponse cancelled;
  cancelled.failure = net::HttpFailure::cancelled;
  cancelled.error = "the worker is stopping";
  cancelled.started_at = database_clock().now();
  co_return cancelled;
}

asio::awaitable<void> StoreTasks::until_stopped() {
  boost::system::error_code cancelled;
  co_await stopped_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

void StoreTasks::stop(std::function<void()> wake) {
  asio::post(thread_.io_, [this, wake = std::move(wake)] {
    is_stopping_ = true;
    stopped_.cancel();
    wake();
    end_if_idle();
  });
}

void StoreTasks::wait(Duration limit) {
  if (ended_.get_future().wait_for(limit) == std::future_status::ready) return;
  asio::post(thread_.io_, [this] {
    is_abandoned_ = true;
    thread_.open_ -= open_;
  });
}

void StoreTasks::end_if_idle() {
  if (is_stopping_ && open_ == 0 && !std::exchange(has_ended_, true)) ended_.set_value();
}

}  // namespace waybill::worker
