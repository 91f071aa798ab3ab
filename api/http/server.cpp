#include "api/http/server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <iterator>
#include <linux/filter.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/client_network.hpp"
#include "api/http/connection.hpp"
#include "api/http/connection_lists.hpp"
#include "base/database_clock.hpp"
#include "base/error.hpp"
#include "base/free_memory.hpp"
#include "base/heartbeat.hpp"
#include "base/observe.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"

namespace waybill::api {
namespace {

using tcp = asio::ip::tcp;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_refused = 256;  // connections that are answered with a refusal at a time
// The time in which clients complete the handshakes that they have begun when the server stops.
constexpr std::chrono::milliseconds handshake_grace{20};
constexpr std::chrono::seconds release_interval{2};

/// Counts the connections of all threads, in total and for each network. Thread-safe.
class ConnectionCounts {
 public:
  struct Entry {
    std::string network;  // empty: not limited
    bool is_refused = false;
  };

  void add(const Entry& entry) {
    const Lock lock(mutex_);
    ++(entry.is_refused ? refused_ : served_);
    if (!entry.is_refused && !entry.network.empty()) ++networks_[entry.network];
    add_to_gauge(Gauge::api_connections, 1);
  }
  void remove(const Entry& entry) {
    const Lock lock(mutex_);
    --(entry.is_refused ? refused_ : served_);
    if (!entry.is_refused && !entry.network.empty()) {
      const auto network = networks_.find(entry.network);
      if (--network->second == 0) networks_.erase(network);
    }
    add_to_gauge(Gauge::api_connections, -1);
    if (served_ + refused_ == 0) gone_.notify_all();
  }
  std::size_t served() const {
    const Lock lock(mutex_);
    return served_;
  }
  std::size_t refused() const {
    const Lock lock(mutex_);
    return refused_;
  }
  std::size_t count() const {
    const Lock lock(mutex_);
    return served_ + refused_;
  }
  std::size_t count_of(const std::string& network) const {
    const Lock lock(mutex_);
    const auto found = networks_.find(network);
    return found == networks_.end() ? 0 : found->second;
  }
  /// False if some are left after `limit`.
  bool wait_until_empty(std::chrono::milliseconds limit) {
    Lock lock(mutex_);
    return gone_.wait_for(lock, limit, [this]() REQUIRES(mutex_) { return served_ + refused_ == 0; });
  }

 private:
  mutable Mutex mutex_;
  Condition gone_;
  std::size_t served_ GUARDED_BY(mutex_) = 0;
  std::size_t refused_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, std::size_t> networks_ GUARDED_BY(mutex_);
};

Failure server_is_full() {
  return {ErrorCode::unavailable, "The service has too many connections; try again."};
}

Failure network_is_full() {
  return Failure(ErrorCode::rate_limited, "Your network has too many connections; try again.")
      .with_retry_after(std::chrono::seconds(1));
}

/// The interval between two searches for late connections: short compared with the shortest timeout, long
/// enough to be cheap.
std::chrono::milliseconds sweep_interval(const HttpLimits& limits) {
  const auto shortest = std::min({limits.head_timeout, limits.body_timeout, limits.idle_timeout,
                                  limits.write_timeout, limits.linger_timeout});
  return std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(500));
}

/// Makes the kernel drop attempts to connect: packets with SYN and without ACK (RFC 9293, 3.5). A client
/// repeats them after a second. The filter sees a packet from its TCP header on, which has the flags in
/// byte 13. Without the filter, connections are established until the listener closes.
void drop_new_connections(int listener) {
  constexpr std::uint32_t flags = 13;
  constexpr std::uint32_t syn = 0x02;
  constexpr std::uint32_t ack = 0x10;
  constexpr std::uint32_t whole_packet = 0xffff'ffff;
  std::array<sock_filter, 5> code{{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flags),
                                   BPF_STMT(BPF_ALU | BPF_AND | BPF_K, syn | ack),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, syn, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, 0), BPF_STMT(BPF_RET | BPF_K, whole_packet)}};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  ::setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

tcp::endpoint resolve(asio::io_context& io, const std::string& host, std::uint16_t port) {
  tcp::resolver resolver(io);
  return resolver.resolve(host, std::to_string(port), tcp::resolver::passive).begin()->endpoint();
}

}  // namespace

/// An io_context with its thread, responder and connections.
class Server::IoThread : public Connection::Host {
 public:
  IoThread(ThreadKind kind, const HttpLimits& limits, ConnectionCounts& counts,
           const MakeResponder& make_responder)
      : limits_(limits),
        counts_(counts),
        sweep_(io_),
        release_(io_),
        responder_(make_responder(io_)),
        thread_(kind) {}

  asio::io_context& io() { return io_; }

  void start() {
    thread_.start([this](const std::stop_token&) { io_.run(); });
  }

  /// Serves the connection; with a refusal, answers with it and closes. Any thread.
  void adopt(Socket socket, std::string network, std::optional<Failure> refusal) {
    ConnectionCounts::Entry entry{std::move(network), refusal.has_value()};
    counts_.add(entry);
    asio::post(io_, [this, entry = std::move(entry), refusal = std::move(refusal),
                     socket = std::move(socket)]() mutable {
      asio::co_spawn(io_, serve(std::move(socket), std::move(entry), std::move(refusal)), asio::detached);
    });
  }

  /// See ConnectionLists. Any thread.
  std::int64_t waiting_since() const { return connections_.waiting_since(); }
  std::int64_t stalled_since() const { return connections_.stalled_since(); }

  /// Closes the connection that `find` returns. Any thread.
  void close_longest(Connection* (ConnectionLists::*find)() const) {
    asio::post(io_, [this, find] {
      Connection* const connection = (connections_.*find)();
      if (connection == nullptr) return;
      begins_to_work(*connection);
      connection->close();
    });
  }

  /// Any thread.
  void for_each_connection(void (Connection::*action)()) {
    asio::post(io_, [this, action] {
      connections_.for_all([action](Connection& connection) { (connection.*action)(); });
    });
  }

  /// See Server::turns. Any thread.
  bool turns(std::chrono::steady_clock::duration limit) {
    const bool answered = heartbeat_.age() < limit;
    asio::post(io_, [this] { heartbeat_.beat(); });
    return answered;
  }

  void begin_stop() { stopping_ = true; }

  void join() {
    work_.reset();
    io_.stop();
    thread_.join();
  }

  Responder& responder() override { return *responder_; }
  bool stopping() const override { return stopping_; }
  void begins_to_wait(Connection& connection) override {
    release_memory_later();
    connections_.begins_to_wait(connection, Connection::Steady::now());
  }
  void begins_to_stall(Connection& connection) override {
    connections_.begins_to_stall(connection, Connection::Steady::now());
  }
  void begins_to_work(Connection& connection) override {
    connections_.begins_to_work(connection, Connection::Steady::now());
  }

  std::string_view date() override {
    const auto now = to_unix_seconds(database_clock().now());
    if (now != date_second_) {
      date_second_ = now;
      date_ = http_date(now);
    }
    return date_;
  }

 private:
  /// Counts and lists the connection while it is served.
  class Membership {
   public:
    Membership(IoThread& thread, Connection& connection, ConnectionCounts::Entry entry)
        : thread_(thread), connection_(connection), entry_(std::move(entry)) {
      if (thread_.connections_.empty()) thread_.sweep_later();
      thread_.connections_.add(connection_);
    }
    ~Membership() {
      thread_.connections_.remove(connection_);
      thread_.release_memory_later();
      if (thread_.connections_.empty()) thread_.sweep_.cancel();
      thread_.counts_.remove(entry_);
    }
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    IoThread& thread_;
    Connection& connection_;
    ConnectionCounts::Entry entry_;
  };

  asio::awaitable<void> serve(Socket socket, ConnectionCounts::Entry entry, std::optional<Failure> refusal) {
    Connection connection(std::move(socket), *this, limits_);
    const Membership membership(*this, connection, std::move(entry));
    if (refusal) {
      co_await connection.refuse(*std::move(refusal));
    } else {
      co_await connection.serve();
    }
  }

  void sweep_later() {
    sweep_.expires_after(sweep_interval(limits_));
    sweep_.async_wait([this](const boost::system::error_code& error) {
      if (error || connections_.empty()) return;
      const auto now = Connection::Steady::now();
      connections_.for_all([now](Connection& connection) { connection.close_if_late(now); });
      sweep_later();
    });
  }

  /// Gives memory back to the system a while after it was used, and not more often.
  void release_memory_later() {
    if (is_release_due_) return;
    is_release_due_ = true;
    release_.expires_after(release_interval);
    release_.async_wait([this](const boost::system::error_code& error) {
      is_release_due_ = false;
      if (!error) release_free_memory();
    });
  }

  const HttpLimits& limits_;
  ConnectionCounts& counts_;
  ConnectionLists connections_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  asio::steady_timer sweep_;
  asio::steady_timer release_;
  bool is_release_due_ = false;
  std::unique_ptr<Responder> responder_;
  std::atomic<bool> stopping_ = false;
  Heartbeat heartbeat_;
  std::int64_t date_second_ = -1;
  std::string date_;
  Thread thread_;
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
    close_acceptor(grace);
    for (auto& thread : threads_) thread->for_each_connection(&Connection::finish);
    bool clean = !started_ || counts_.wait_until_empty(grace);
    if (!clean) {
      for (auto& thread : threads_) thread->for_each_connection(&Connection::close);
      clean = counts_.wait_until_empty(std::chrono::milliseconds(200));
    }
    for (auto& thread : threads_) thread->join();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!clean) keep_for_ever(std::move(threads_));
  }

  bool turns(std::chrono::steady_clock::duration limit) {
    bool all_turn = true;
    for (auto& thread : threads_) all_turn = thread->turns(limit) && all_turn;
    return all_turn;
  }

  std::uint16_t port() const { return port_; }
  std::size_t open_connections() const { return counts_.count(); }

 private:
  /// Leaks the threads: a request that is not finished still refers to its thread's responder, and the
  /// process is about to end.
  static void keep_for_ever(std::vector<std::unique_ptr<IoThread>> threads) {
    static auto& kept = *new std::vector<std::unique_ptr<IoThread>>;
    std::ranges::move(threads, std::back_inserter(kept));
  }

  std::vector<std::unique_ptr<IoThread>> make_threads(const MakeResponder& make_responder) {
    const auto processors = std::max<std::size_t>(1, std::thread::hardware_concurrency());
    std::vector<std::unique_ptr<IoThread>> threads(options_.threads != 0 ? options_.threads : processors);
    for (auto& thread : threads) {
      thread = std::make_unique<IoThread>(options_.kind, options_.limits, counts_, make_responder);
    }
    return threads;
  }

  IoThread& next_thread() { return *threads_[turn_++ % threads_.size()]; }

  asio::awaitable<void> accept() {
    asio::steady_timer pause(acceptor_.get_executor());
    while (acceptor_.is_open()) {
      auto& thread = next_thread();
      auto [error, socket] = co_await acceptor_.async_accept(thread.io(), awaiting);
      if (!error) {
        admit(thread, std::move(socket));
      } else if (error != asio::error::operation_aborted) {
        // Usually a lack of file descriptors, which become free again.
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(awaiting);
      }
    }
  }

  /// Stops accepting, and waits until that is done, for up to `limit`.
  void close_acceptor(std::chrono::milliseconds limit) {
    const auto closed = std::make_shared<std::promise<void>>();
    asio::co_spawn(threads_.front()->io(), empty_backlog(std::min(handshake_grace, limit)),
                   [this, closed](const std::exception_ptr&) {
                     boost::system::error_code ignored;
                     acceptor_.close(ignored);
                     closed->set_value();
                   });
    if (started_) closed->get_future().wait_for(limit);
  }

  /// Admits all connections that are established or about to be. When a listener closes, the kernel resets
  /// those that it has not accepted, although their clients may have sent a request.
  asio::awaitable<void> empty_backlog(std::chrono::milliseconds grace) {
    drop_new_connections(acceptor_.native_handle());
    asio::steady_timer handshakes(acceptor_.get_executor(), grace);
    co_await handshakes.async_wait(awaiting);
    boost::system::error_code error;
    acceptor_.non_blocking(true, error);
    for (int count = 0; !error && count < tcp::acceptor::max_listen_connections; ++count) {
      auto& thread = next_thread();
      Socket socket = acceptor_.accept(thread.io(), error);
      if (!error) admit(thread, std::move(socket));
    }
  }

  void admit(IoThread& thread, Socket socket) {
    const auto& limits = options_.limits;
    auto network = network_of_client(socket);
    std::optional<Failure> refusal;
    if (!network.empty() && counts_.count_of(network) >= limits.most_of_one_network) {
      refusal = network_is_full();
    } else if (counts_.served() >= limits.most_connections && !make_room()) {
      refusal = server_is_full();
    }
    if (!refusal || counts_.refused() < most_refused) {
      thread.adopt(std::move(socket), std::move(network), std::move(refusal));
    }
  }

  /// The network that the connection counts for; empty for a trusted proxy.
  std::string network_of_client(const Socket& socket) const {
    boost::system::error_code ignored;
    const auto address = address_text(socket.remote_endpoint(ignored).address());
    return AddressBlock::any_has(options_.proxies, address) ? std::string() : network_of(address);
  }

  /// Closes the connection that has waited longest for a request; if none waits, the one that has waited
  /// longest for its client during a request. False if all work.
  bool make_room() {
    return close_longest(&IoThread::waiting_since, &ConnectionLists::longest_waiting) ||
           close_longest(&IoThread::stalled_since, &ConnectionLists::longest_stalled);
  }

  bool close_longest(std::int64_t (IoThread::*since)() const, Connection* (ConnectionLists::*find)() const) {
    auto& thread = **std::ranges::min_element(
        threads_, {}, [since](const auto& candidate) { return (candidate.get()->*since)(); });
    if ((thread.*since)() == ConnectionLists::never) return false;
    thread.close_longest(find);
    return true;
  }

  Options options_;
  ConnectionCounts counts_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  asio::basic_socket_acceptor<tcp, asio::io_context::executor_type> acceptor_;
  std::uint16_t port_ = 0;
  std::size_t turn_ = 0;  // used by the accepting thread
  bool started_ = false;
  std::atomic<bool> stopped_ = false;
};

Server::Server(Options options, const MakeResponder& make_responder)
    : impl_(std::make_unique<Impl>(std::move(options), make_responder)) {}

Server::~Server() { stop_at_once(); }

void Server::start() { impl_->start(); }
void Server::stop(Moment until) {
  const auto grace = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  impl_->stop(std::max(grace, std::chrono::milliseconds(0)));
}
std::uint16_t Server::port() const { return impl_->port(); }
bool Server::turns(std::chrono::steady_clock::duration limit) { return impl_->turns(limit); }
std::size_t Server::open_connections() const { return impl_->open_connections(); }

}  // namespace waybill::api
