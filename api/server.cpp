#include "api/server.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/connection.hpp"
#include "base/observe.hpp"

namespace waybill::api {
namespace {

using tcp = asio::ip::tcp;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t told_why =
    256;  // connections beyond the limit that get an answer; further ones are closed

/// Connections of all threads: how many there are, and when the last is gone.
class Census {
 public:
  void add() {
    count_.fetch_add(1);
    add_to_gauge(Gauge::api_connections, 1);
  }
  void remove() {
    add_to_gauge(Gauge::api_connections, -1);
    if (count_.fetch_sub(1) == 1) {
      const std::lock_guard lock(mutex_);
      gone_.notify_all();
    }
  }
  std::size_t count() const { return count_.load(); }
  /// False when some are left after `limit`.
  bool wait_until_empty(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return gone_.wait_for(lock, limit, [&] { return count() == 0; });
  }

 private:
  std::atomic<std::size_t> count_ = 0;
  std::mutex mutex_;
  std::condition_variable gone_;
};

/// Small enough to notice the shortest limit in time, and rare enough to cost nothing.
std::chrono::milliseconds sweep_interval(const HttpLimits& limits) {
  const auto shortest = std::min({limits.head_timeout, limits.body_timeout, limits.idle_timeout,
                                  limits.write_timeout, limits.linger_timeout});
  return std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(500));
}

tcp::endpoint resolve(asio::io_context& io, const std::string& host, std::uint16_t port) {
  tcp::resolver resolver(io);
  return resolver.resolve(host, std::to_string(port), tcp::resolver::passive).begin()->endpoint();
}

}  // namespace

/// One io_context with its thread, its responder and its connections.
class Server::IoThread : public Connection::Host {
 public:
  IoThread(const HttpLimits& limits, Census& census, const MakeResponder& make_responder)
      : limits_(limits), census_(census), sweep_(io_), responder_(make_responder(io_)) {}

  asio::io_context& io() { return io_; }

  void start() {
    thread_ = std::thread([this] { io_.run(); });
  }

  /// From any thread. One that is not welcome is told so and closed.
  void adopt(Socket socket, bool welcome) {
    census_.add();
    asio::post(io_, [this, welcome, socket = std::move(socket)]() mutable {
      asio::co_spawn(io_, serve(std::move(socket), welcome), asio::detached);
    });
  }

  /// From any thread.
  void for_each_connection(void (Connection::*action)()) {
    asio::post(io_, [this, action] {
      for (auto* const connection : connections_) (connection->*action)();
    });
  }

  void begin_stop() { stopping_ = true; }

  void join() {
    work_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Responder& responder() override { return *responder_; }
  bool stopping() const override { return stopping_; }

  std::string_view date() override {
    const auto now = static_cast<std::int64_t>(std::time(nullptr));
    if (now != date_second_) {
      date_second_ = now;
      date_ = http_date(now);
    }
    return date_;
  }

 private:
  /// Keeps the connection counted and known to the sweep while it is served.
  class Membership {
   public:
    Membership(IoThread& thread, Connection& connection) : thread_(thread), connection_(connection) {
      thread_.connections_.insert(&connection_);
      if (thread_.connections_.size() == 1) thread_.sweep_later();
    }
    ~Membership() {
      thread_.connections_.erase(&connection_);
      if (thread_.connections_.empty()) thread_.sweep_.cancel();
      thread_.census_.remove();
    }
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    IoThread& thread_;
    Connection& connection_;
  };

  asio::awaitable<void> serve(Socket socket, bool welcome) {
    Connection connection(std::move(socket), *this, limits_);
    const Membership membership(*this, connection);
    if (welcome) {
      co_await connection.serve();
    } else {
      co_await connection.refuse(
          {ErrorCode::unavailable, "The service has as many connections as it may have; try again."});
    }
  }

  void sweep_later() {
    sweep_.expires_after(sweep_interval(limits_));
    sweep_.async_wait([this](const boost::system::error_code& error) {
      if (error || connections_.empty()) return;
      const auto now = Connection::Steady::now();
      for (auto* const connection : connections_) connection->close_if_late(now);
      sweep_later();
    });
  }

  const HttpLimits& limits_;
  Census& census_;
  std::unordered_set<Connection*> connections_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  asio::steady_timer sweep_;
  std::unique_ptr<Responder> responder_;
  std::atomic<bool> stopping_ = false;
  std::int64_t date_second_ = -1;
  std::string date_;
  std::thread thread_;
};

class Server::Impl {
 public:
  Impl(Options options, const MakeResponder& make_responder)
      : options_(std::move(options)),
        threads_(make_threads(make_responder)),
        acceptor_(threads_.front()->io()) {
    const auto endpoint = resolve(threads_.front()->io(), options_.host, options_.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(tcp::acceptor::max_listen_connections);
    port_ = acceptor_.local_endpoint().port();
  }

  void start() {
    asio::co_spawn(threads_.front()->io(), accept(), asio::detached);
    for (auto& thread : threads_) thread->start();
    started_ = true;
  }

  void stop(std::chrono::milliseconds grace) {
    if (stopped_.exchange(true)) return;
    for (auto& thread : threads_) thread->begin_stop();
    asio::post(threads_.front()->io(), [this] { acceptor_.close(); });
    for (auto& thread : threads_) thread->for_each_connection(&Connection::finish);
    bool clean = !started_ || census_.wait_until_empty(grace);
    if (!clean) {
      for (auto& thread : threads_) thread->for_each_connection(&Connection::close);
      clean = census_.wait_until_empty(std::chrono::milliseconds(200));
    }
    for (auto& thread : threads_) thread->join();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!clean) keep_for_ever(std::move(threads_));
  }

  std::uint16_t port() const { return port_; }
  std::size_t open_connections() const { return census_.count(); }

 private:
  /// A request that outlived the grace still refers to its thread's responder, and the process is about to
  /// end.
  static void keep_for_ever(std::vector<std::unique_ptr<IoThread>> threads) {
    static auto& kept = *new std::vector<std::unique_ptr<IoThread>>;
    std::ranges::move(threads, std::back_inserter(kept));
  }

  std::vector<std::unique_ptr<IoThread>> make_threads(const MakeResponder& make_responder) {
    const auto processors = std::max<std::size_t>(1, std::thread::hardware_concurrency());
    std::vector<std::unique_ptr<IoThread>> threads(options_.threads != 0 ? options_.threads : processors);
    for (auto& thread : threads) {
      thread = std::make_unique<IoThread>(options_.limits, census_, make_responder);
    }
    return threads;
  }

  asio::awaitable<void> accept() {
    asio::steady_timer pause(acceptor_.get_executor());
    for (std::size_t turn = 0; acceptor_.is_open(); ++turn) {
      auto& thread = *threads_[turn % threads_.size()];
      auto [error, socket] = co_await acceptor_.async_accept(thread.io(), awaiting);
      const auto open = census_.count();
      if (!error && open < options_.limits.most_connections + told_why) {
        thread.adopt(std::move(socket), open < options_.limits.most_connections);
      } else if (error && error != asio::error::operation_aborted) {
        // Mostly a lack of file descriptors; those in use come back.
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(awaiting);
      }
    }
  }

  Options options_;
  Census census_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  asio::basic_socket_acceptor<tcp, asio::io_context::executor_type> acceptor_;
  std::uint16_t port_ = 0;
  bool started_ = false;
  std::atomic<bool> stopped_ = false;
};

Server::Server(Options options, const MakeResponder& make_responder)
    : impl_(std::make_unique<Impl>(std::move(options), make_responder)) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

void Server::start() { impl_->start(); }
void Server::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }
std::uint16_t Server::port() const { return impl_->port(); }
std::size_t Server::open_connections() const { return impl_->open_connections(); }

}  // namespace waybill::api
