#include "net/http/plain_client.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/database_clock.hpp"

namespace waybill::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t buffer_bytes = 64UL * 1024;
constexpr std::size_t max_spare_exchanges = 1024;
constexpr auto max_idle_time = std::chrono::seconds(118);  // as libcurl

std::string text_of(int error) { return "The connection broke: " + std::system_category().message(error); }

}  // namespace

PlainClient::PlainClient(Options options, CurlLoop& loop, Connect connect, Complete complete)
    : options_(std::move(options)),
      loop_(loop),
      connect_(std::move(connect)),
      complete_(std::move(complete)),
      buffer_(buffer_bytes) {}

PlainClient::~PlainClient() {
  for (auto* const connections : {&busy_, &idle_}) {
    for (const Connection& connection : *connections) {
      loop_.socket_closed(connection.socket);
      ::close(connection.socket);
    }
  }
}

void PlainClient::send(std::shared_ptr<const PlainTarget> target, HttpRequest request,
                       HttpClient::Done done) {
  if (spare_exchanges_.empty()) spare_exchanges_.emplace_back();
  const ExchangeRef exchange = spare_exchanges_.begin();
  exchanges_.splice(exchanges_.end(), spare_exchanges_, exchange);
  exchange->target = std::move(target);
  exchange->request = std::move(request);
  exchange->done = std::move(done);
  exchange->has_begun = false;
  exchange->started_at = database_clock().now();
  exchange->started = SteadyClock::now();
  const HttpRequest& sent = exchange->request;
  exchange->received.begin(sent.read_limit, sent.keep_limit);
  if (!write_head(exchange->head, *exchange->target, sent.method, sent.headers, sent.body.size(),
                  options_.user_agent))
    return fail(exchange, HttpFailure::refused_destination, std::string(unsendable));
  exchange->host = &host_of(*exchange->target, sent);
  begin(exchange);
}

/// Guarded requests have connections of their own, whose addresses were checked.
PlainClient::Host& PlainClient::host_of(const PlainTarget& target, const HttpRequest& request) {
  const std::string key = target.authority + (request.guarded ? " guarded " : " ") + request.owner;
  const auto [host, is_new] = hosts_.try_emplace(key);
  if (is_new) host->second.key = key;
  return host->second;
}

bool PlainClient::may_open(const Host& host) const {
  return host.places < options_.max_connections_per_host &&
         (places_ < options_.max_connections || !idle_.empty());
}

void PlainClient::begin(ExchangeRef exchange) {
  Host& host = *exchange->host;
  const auto kept = exchange->request.fresh_connection ? std::nullopt : take_idle(host);
  if (kept) {
    send_on(*kept, exchange);
  } else if (may_open(host)) {
    open_connection(exchange);
  } else {
    wait(exchange);
  }
}

/// Returns the last used idle connection, which is then busy. Closes those that have bytes to read: they
/// belong to no request, and must not become the answer to the next one.
std::optional<PlainClient::ConnectionRef> PlainClient::take_idle(Host& host) {
  while (!host.idle.empty()) {
    const ConnectionRef connection = host.idle.back();
    char byte = 0;
    const bool is_quiet = ::recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
                          (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!is_quiet) {
      drop(connection);
      continue;
    }
    host.idle.pop_back();
    connection->is_idle = false;
    busy_.splice(busy_.end(), idle_, connection);
    return connection;
  }
  return std::nullopt;
}

void PlainClient::wait(ExchangeRef exchange) {
  Host& host = *exchange->host;
  host.waiting.push_back(exchange);
  set_deadline(exchange);
  note_if_starved(host);
}

void PlainClient::open_connection(ExchangeRef exchange) {
  // Its place is given to the new connection.
  if (places_ >= options_.max_connections) {
    Host& other = idle_.front().host;
    drop(idle_.begin());
    note_if_unused(other);
  }
  ++exchange->host->places;
  ++places_;
  clear_deadline(*exchange);
  connect_(exchange);
}

HttpRequest PlainClient::connection_request(const Exchange& exchange) {
  HttpRequest request;
  request.method = "GET";
  request.url = "http://" + exchange.target->authority + '/';
  request.connect_timeout = exchange.request.connect_timeout;
  const auto elapsed = std::chrono::duration_cast<Duration>(SteadyClock::now() - exchange.started);
  request.total_timeout =
      std::max<Duration>(exchange.request.total_timeout - elapsed, std::chrono::milliseconds(1));
  request.guarded = exchange.request.guarded;
  request.fresh_connection = true;
  return request;
}

void PlainClient::connected(ExchangeRef exchange, int socket) {
  busy_.emplace_back(*this, *exchange->host, socket);
  const ConnectionRef connection = std::prev(busy_.end());
  connection->self = connection;
  loop_.adopt(socket, *connection);
  send_on(connection, exchange);
}

void PlainClient::failed_to_connect(ExchangeRef exchange, HttpFailure failure, std::string error) {
  Host& host = *exchange->host;
  fail(exchange, failure, std::move(error));
  free_place(host);
  use_free_places(host);
}

void PlainClient::send_on(ConnectionRef connection, ExchangeRef exchange) {
  connection->exchange = exchange;
  exchange->connection = connection;
  exchange->written = 0;
  exchange->parser.begin(exchange->received, exchange->request.method == "HEAD");
  set_deadline(exchange);
  write(*connection);
}

void PlainClient::write(Connection& connection) {
  Exchange& exchange = **connection.exchange;
  const std::array parts{std::string_view(exchange.head), std::string_view(exchange.request.body)};
  bool is_full = false;
  while (exchange.written < exchange.size()) {
    std::array<iovec, 2> vectors{};
    std::size_t count = 0;
    std::size_t skipped = exchange.written;
    for (const std::string_view part : parts) {
      const std::size_t skip = std::min(skipped, part.size());
      skipped -= skip;
      if (skip < part.size())
        vectors.at(count++) = {.iov_base = const_cast<char*>(part.data()) + skip,
                               .iov_len = part.size() - skip};
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    const ssize_t sent = ::sendmsg(connection.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      exchange.written += static_cast<std::size_t>(sent);
    } else if (errno != EINTR) {
      // If the connection is broken, it is ready to be read, and perhaps has an answer.
      is_full = errno == EAGAIN || errno == EWOULDBLOCK;
      break;
    }
  }
  if (std::exchange(connection.awaits_writing, is_full) != is_full)
    loop_.report(connection.socket, is_full ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void PlainClient::on_ready(ConnectionRef connection, std::uint32_t events) {
  // An idle connection was closed by the other side, or carries bytes that belong to no request.
  if (!connection->exchange) return close(connection);
  if ((events & EPOLLOUT) != 0) write(*connection);
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
}

void PlainClient::read(ConnectionRef connection) {
  const ssize_t got = ::recv(connection->socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (got < 0) {
    const int error = errno;
    if (error != EINTR && error != EAGAIN && error != EWOULDBLOCK) lose(connection, text_of(error));
    return;
  }
  Exchange& exchange = **connection->exchange;
  exchange.has_begun = exchange.has_begun || got > 0;
  const auto state = got == 0 ? exchange.parser.end()
                              : exchange.parser.take({buffer_.data(), static_cast<std::size_t>(got)});
  if (!exchange.has_begun) return lose(connection, exchange.parser.problem());
  if (state != ResponseParser::State::incomplete) end_exchange(connection, state);
}

void PlainClient::end_exchange(ConnectionRef connection, ResponseParser::State state) {
  const ExchangeRef exchange = detach(connection);
  const ResponseParser& parser = exchange->parser;
  // A request that was answered before all of it was sent leaves its rest in the connection.
  const bool is_reusable = parser.keeps_connection() && exchange->written == exchange->size();
  if (state == ResponseParser::State::malformed) {
    close(connection);
    return fail(exchange, HttpFailure::protocol, parser.problem());
  }
  if (is_reusable) {
    give_back(connection);
  } else {
    close(connection);
  }
  HttpResponse response = exchange->received.take();
  response.status = parser.status();
  complete(exchange, std::move(response));
}

/// Ends an exchange whose connection broke, or sends it again.
void PlainClient::lose(ConnectionRef connection, const std::string& error) {
  const bool sends_again = connection->is_kept && !(*connection->exchange)->has_begun;
  const ExchangeRef exchange = detach(connection);
  if (!sends_again) {
    close(connection);
    return fail(exchange, HttpFailure::protocol, error);
  }
  Host& host = *exchange->host;
  drop(connection);
  exchange->request.fresh_connection = true;
  begin(exchange);
  use_free_places(host);
}

PlainClient::ExchangeRef PlainClient::detach(ConnectionRef connection) {
  const ExchangeRef exchange = *connection->exchange;
  connection->exchange.reset();
  exchange->connection.reset();
  return exchange;
}

void PlainClient::give_back(ConnectionRef connection) {
  Host& host = connection->host;
  connection->is_kept = connection->is_idle = true;
  connection->idle_since = SteadyClock::now();
  idle_.splice(idle_.end(), busy_, connection);
  host.idle.push_back(connection);
  use_free_places(host);
}

void PlainClient::close(ConnectionRef connection) {
  Host& host = connection->host;
  drop(connection);
  use_free_places(host);
}

/// Closes a connection without an exchange. The caller uses its place.
void PlainClient::drop(ConnectionRef connection) {
  free_place(connection->host);
  loop_.socket_closed(connection->socket);
  ::close(connection->socket);
  if (connection->is_idle) std::erase(connection->host.idle, connection);
  (connection->is_idle ? idle_ : busy_).erase(connection);
}

void PlainClient::free_place(Host& host) {
  --host.places;
  --places_;
}

void PlainClient::use_free_places(Host& host) {
  serve(host);
  serve_starved();
  note_if_unused(host);
}

/// Begins the requests that wait for a connection to this host, as far as there are connections.
void PlainClient::serve(Host& host) {
  while (!host.waiting.empty()) {
    const ExchangeRef exchange = host.waiting.front();
    const bool has_idle = !exchange->request.fresh_connection && !host.idle.empty();
    if (!has_idle && !may_open(host)) return;
    host.waiting.pop_front();
    begin(exchange);
  }
}

void PlainClient::serve_starved() {
  while (!starved_.empty() && (places_ < options_.max_connections || !idle_.empty())) {
    Host& host = *starved_.front();
    starved_.pop_front();
    host.is_starved = false;
    serve(host);
    note_if_starved(host);
    if (host.is_starved) return;
    note_if_unused(host);
  }
}

void PlainClient::note_if_starved(Host& host) {
  const bool lacks_place = !host.waiting.empty() && host.places < options_.max_connections_per_host;
  if (lacks_place && !std::exchange(host.is_starved, true)) starved_.push_back(&host);
}

bool PlainClient::is_unused(const Host& host) {
  return host.places == 0 && host.waiting.empty() && !host.is_starved;
}

void PlainClient::note_if_unused(Host& host) {
  if (is_unused(host) && !std::exchange(host.is_noted, true)) unused_.push_back(&host);
}

void PlainClient::forget_unused() {
  for (Host* const host : unused_) {
    host->is_noted = false;
    if (is_unused(*host)) hosts_.erase(host->key);
  }
  unused_.clear();
}

std::optional<PlainClient::Moment> PlainClient::deadline() const {
  std::optional<Moment> next;
  if (!deadlines_.empty()) next = deadlines_.begin()->first;
  if (!idle_.empty()) {
    const Moment end = idle_.front().idle_since + max_idle_time;
    next = next ? std::min(*next, end) : end;
  }
  return next;
}

void PlainClient::run_due() {
  forget_unused();
  if (deadlines_.empty() && idle_.empty()) return;
  const Moment now = SteadyClock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) expire(deadlines_.begin()->second);
  while (!idle_.empty() && idle_.front().idle_since + max_idle_time <= now) close(idle_.begin());
}

void PlainClient::set_deadline(ExchangeRef exchange) {
  if (exchange->deadline) return;
  // Most requests have the same time, so theirs is the last.
  exchange->deadline = deadlines_.emplace_hint(deadlines_.end(),
                                               exchange->started + exchange->request.total_timeout, exchange);
}

void PlainClient::clear_deadline(Exchange& exchange) {
  if (exchange.deadline) deadlines_.erase(*exchange.deadline);
  exchange.deadline.reset();
}

void PlainClient::expire(ExchangeRef exchange) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(exchange->request.total_timeout);
  const std::string time = std::to_string(limit.count()) + " ms";
  if (exchange->connection) {
    const ConnectionRef connection = *exchange->connection;
    detach(connection);
    close(connection);
    fail(exchange, HttpFailure::timeout, "There was no complete answer within " + time + '.');
  } else {
    std::erase(exchange->host->waiting, exchange);
    note_if_unused(*exchange->host);
    fail(exchange, HttpFailure::timeout, "No connection was free within " + time + '.');
  }
}

void PlainClient::complete(ExchangeRef exchange, HttpResponse response) {
  clear_deadline(*exchange);
  response.started_at = exchange->started_at;
  response.duration = std::chrono::duration_cast<Duration>(SteadyClock::now() - exchange->started);
  HttpClient::Done done = std::move(exchange->done);
  exchange->target.reset();
  exchange->request = {};
  if (spare_exchanges_.size() < max_spare_exchanges) {
    spare_exchanges_.splice(spare_exchanges_.end(), exchanges_, exchange);
  } else {
    exchanges_.erase(exchange);
  }
  complete_(std::move(done), std::move(response));
}

void PlainClient::fail(ExchangeRef exchange, HttpFailure failure, std::string error) {
  HttpResponse response;
  response.failure = failure;
  response.error = std::move(error);
  complete(exchange, std::move(response));
}

void PlainClient::cancel_all() {
  for (auto& [key, host] : hosts_) host.waiting.clear();
  while (!exchanges_.empty()) {
    const ExchangeRef exchange = exchanges_.begin();
    if (exchange->connection) {
      const ConnectionRef connection = *exchange->connection;
      detach(connection);
      drop(connection);
    }
    fail(exchange, HttpFailure::cancelled, std::string(client_stopped));
  }
}

}  // namespace waybill::net
