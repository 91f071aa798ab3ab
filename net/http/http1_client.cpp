#include "net/http/http1_client.hpp"

#include <algorithm>
#include <string_view>
#include <sys/epoll.h>
#include <utility>

namespace waybill::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t buffer_bytes = 64UL * 1024;
constexpr std::size_t max_spare_exchanges = 1024;

}  // namespace

Http1Client::Http1Client(Options options, CurlLoop& loop, TlsSessions& sessions, Http2Client& http2,
                         Connect connect, Complete complete)
    : options_(std::move(options)),
      loop_(loop),
      connect_(std::move(connect)),
      complete_(std::move(complete)),
      tls_(sessions),
      http2_(http2),
      buffer_(buffer_bytes) {}

Http1Client::~Http1Client() {
  for (auto* const connections : {&busy_, &idle_}) {
    for (const Connection& connection : *connections) loop_.socket_closed(connection.stream->socket());
  }
}

std::shared_ptr<const Http1Target> Http1Client::target_of(const std::string& url) {
  return targets_.find(url);
}

void Http1Client::send(StartedRequest request) {
  if (spare_exchanges_.empty()) spare_exchanges_.emplace_back();
  const ExchangeRef exchange = spare_exchanges_.begin();
  exchanges_.splice(exchanges_.end(), spare_exchanges_, exchange);
  static_cast<StartedRequest&>(*exchange) = std::move(request);
  exchange->has_begun = false;
  const HttpRequest& sent = exchange->request;
  exchange->received.begin(sent.read_limit, sent.keep_limit);
  if (!write_head(exchange->head, *exchange->target, sent.method, sent.headers, sent.body.size(),
                  options_.user_agent))
    return fail(exchange, HttpFailure::refused_destination, std::string(unsendable));
  exchange->host = &host_of(*exchange->target, sent);
  begin(exchange);
}

/// Guarded requests have connections of their own, whose addresses were checked.
Http1Client::Host& Http1Client::host_of(const Http1Target& target, const HttpRequest& request) {
  std::string key = target.authority;
  key.append(target.is_secure ? " secure" : "")
      .append(request.guarded ? " guarded " : " ")
      .append(request.owner);
  const auto [host, is_new] = hosts_.try_emplace(key);
  if (is_new) {
    host->second.key = std::move(key);
    host->second.is_explored = !target.is_secure;
  }
  return host->second;
}

void Http1Client::begin(ExchangeRef exchange) {
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

void Http1Client::wait(ExchangeRef exchange) {
  Host& host = *exchange->host;
  host.waiting.push_back(exchange);
  set_deadline(exchange, exchange->end());
  note_if_starved(host);
}

HttpRequest Http1Client::connection_request(const Exchange& exchange) {
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

void Http1Client::send_on(ConnectionRef connection, ExchangeRef exchange) {
  exchange->written = 0;
  exchange->parser.begin(exchange->received, exchange->request.method == "HEAD");
  attach(connection, exchange, exchange->end());
  write(*connection);
}

void Http1Client::write(Connection& connection) {
  Exchange& exchange = **connection.exchange;
  auto state = Stream::State::ready;
  while (exchange.written < exchange.size() && state == Stream::State::ready) {
    const Stream::Moved sent =
        connection.stream->send(exchange.head, exchange.request.body, exchange.written);
    exchange.written += sent.bytes;
    state = sent.state;
  }
  // If the connection is broken, it is ready to be read, and perhaps has an answer.
  report_writing(connection, state == Stream::State::blocked_writing);
}

void Http1Client::report_writing(Connection& connection, bool is_awaited) {
  if (std::exchange(connection.awaits_writing, is_awaited) != is_awaited)
    loop_.report(connection.stream->socket(), is_awaited ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Http1Client::on_ready(ConnectionRef connection, std::uint32_t events) {
  if (connection->shakes_hands) return shake_hands(connection);
  if (!connection->exchange) {
    // An idle connection was closed by the other side, or carries bytes that belong to no request.
    if (!connection->stream->is_quiet()) close(connection);
    return;
  }
  if ((events & EPOLLOUT) != 0) write(*connection);
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
}

void Http1Client::read(ConnectionRef connection) {
  Exchange& exchange = **connection->exchange;
  do {
    const auto [state, bytes] = connection->stream->receive(buffer_);
    if (state == Stream::State::blocked_reading || state == Stream::State::blocked_writing) return;
    if (state == Stream::State::broken) return lose(connection, connection->stream->error());
    exchange.has_begun = exchange.has_begun || bytes > 0;
    const auto parsed =
        state == Stream::State::ended ? exchange.parser.end() : exchange.parser.take({buffer_.data(), bytes});
    if (!exchange.has_begun) return lose(connection, exchange.parser.problem());
    if (parsed != ResponseParser::State::incomplete) return end_exchange(connection, parsed);
  } while (connection->stream->has_unread());
}

void Http1Client::end_exchange(ConnectionRef connection, ResponseParser::State state) {
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
void Http1Client::lose(ConnectionRef connection, std::string error) {
  const bool sends_again = connection->is_kept && !(*connection->exchange)->has_begun;
  const ExchangeRef exchange = detach(connection);
  if (!sends_again) {
    close(connection);
    return fail(exchange, HttpFailure::protocol, std::move(error));
  }
  Host& host = *exchange->host;
  drop(connection);
  exchange->request.fresh_connection = true;
  begin(exchange);
  use_free_places(host);
}

Http1Client::ExchangeRef Http1Client::detach(ConnectionRef connection) {
  const ExchangeRef exchange = *connection->exchange;
  connection->exchange.reset();
  exchange->connection.reset();
  return exchange;
}

std::optional<Http1Client::Moment> Http1Client::deadline() const {
  std::optional<Moment> request_ends;
  std::optional<Moment> idle_ends;
  if (!deadlines_.empty()) request_ends = deadlines_.begin()->first;
  if (!idle_.empty()) idle_ends = idle_.front().idle_since + max_idle_time;
  return earlier(request_ends, idle_ends);
}

void Http1Client::run_due() {
  forget_unused();
  if (deadlines_.empty() && idle_.empty()) return;
  const Moment now = SteadyClock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) expire(deadlines_.begin()->second);
  while (!idle_.empty() && idle_.front().idle_since + max_idle_time <= now) close(idle_.begin());
}

void Http1Client::set_deadline(ExchangeRef exchange, Moment deadline) {
  if (exchange->deadline) return;
  // Most requests have the same time, so theirs is the last.
  exchange->deadline = deadlines_.emplace_hint(deadlines_.end(), deadline, exchange);
}

void Http1Client::clear_deadline(Exchange& exchange) {
  if (exchange.deadline) deadlines_.erase(*exchange.deadline);
  exchange.deadline.reset();
}

void Http1Client::expire(ExchangeRef exchange) {
  const HttpRequest& request = exchange->request;
  const std::string time = milliseconds_text(request.total_timeout);
  if (exchange->connection) {
    const ConnectionRef connection = *exchange->connection;
    const bool has_tls = !connection->shakes_hands;
    detach(connection);
    connection->host.is_explored = true;
    close(connection);
    fail(exchange, HttpFailure::timeout,
         has_tls ? "There was no complete answer within " + time + '.'
                 : "The server did not begin TLS within " +
                       milliseconds_text(std::min(request.connect_timeout, request.total_timeout)) + '.');
  } else {
    std::erase(exchange->host->waiting, exchange);
    note_if_unused(*exchange->host);
    fail(exchange, HttpFailure::timeout, "No connection was free within " + time + '.');
  }
}

void Http1Client::complete(ExchangeRef exchange, HttpResponse response) {
  set_times(response, *exchange);
  complete_(release(exchange).done, std::move(response));
}

/// Returns the request of an exchange that has ended, and keeps the exchange's memory.
StartedRequest Http1Client::release(ExchangeRef exchange) {
  clear_deadline(*exchange);
  StartedRequest request = std::move(static_cast<StartedRequest&>(*exchange));
  if (spare_exchanges_.size() < max_spare_exchanges) {
    spare_exchanges_.splice(spare_exchanges_.end(), exchanges_, exchange);
  } else {
    exchanges_.erase(exchange);
  }
  return request;
}

void Http1Client::fail(ExchangeRef exchange, HttpFailure failure, std::string error) {
  HttpResponse response;
  response.failure = failure;
  response.error = std::move(error);
  complete(exchange, std::move(response));
}

void Http1Client::cancel_all() {
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
