#include "net/http/http2_client.hpp"

#include <algorithm>
#include <sys/epoll.h>
#include <utility>

namespace waybill::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t buffer_bytes = 64UL * 1024;
constexpr std::size_t portion_bytes = 64UL * 1024;  // of frames that are written at once

std::string key_of(const Http1Target& target, const HttpRequest& request) {
  return target.authority + (request.guarded ? " guarded" : "");
}

}  // namespace

Http2Client::Http2Client(std::string user_agent, CurlLoop& loop, TlsSessions& sessions, Owner owner)
    : user_agent_(std::move(user_agent)),
      loop_(loop),
      sessions_(sessions),
      owner_(std::move(owner)),
      buffer_(buffer_bytes) {}

Http2Client::~Http2Client() {
  for (auto* const connections : {&busy_, &idle_}) {
    for (const Connection& connection : *connections) loop_.socket_closed(connection.stream->socket());
  }
}

Http2Client::Connection* Http2Client::with_room(const Host& host) {
  const auto found = std::ranges::find_if(host.connections, [](const Connection* connection) {
    return !connection->is_closing && connection->session.has_free_stream();
  });
  return found == host.connections.end() ? nullptr : *found;
}

/// True if requests wait for this host's connections: they have room, or are as many as they may be, or one
/// has not said yet how many requests it takes.
bool Http2Client::may_have_room(const Host& host) {
  return with_room(host) != nullptr || host.connections.size() >= max_connections_per_host ||
         std::ranges::any_of(host.connections, [](const Connection* connection) {
           return !connection->is_closing && !connection->session.has_settings();
         });
}

bool Http2Client::takes(const Http1Target& target, const HttpRequest& request) const {
  if (!target.is_secure || request.fresh_connection) return false;
  const auto host = hosts_.find(key_of(target, request));
  if (host == hosts_.end()) return false;
  return may_have_room(host->second);
}

Http2Client::ExchangeRef Http2Client::wait(StartedRequest request, Host& host) {
  host.waiting.emplace_back();
  const ExchangeRef exchange = std::prev(host.waiting.end());
  static_cast<StartedRequest&>(*exchange) = std::move(request);
  exchange->host = &host;
  exchange->self = exchange;
  // Most requests have the same time, so theirs is the last.
  exchange->deadline = deadlines_.emplace_hint(deadlines_.end(), exchange->end(), exchange);
  return exchange;
}

void Http2Client::send(StartedRequest request) {
  const auto host = hosts_.find(key_of(*request.target, request.request));
  // The last connection has just been closed.
  if (host == hosts_.end()) return owner_.send_again(std::move(request));
  const ExchangeRef exchange = wait(std::move(request), host->second);
  if (Connection* const connection = with_room(host->second)) begin(exchange, *connection);
}

void Http2Client::take_over(std::unique_ptr<Stream> stream, std::string session_key, StartedRequest first) {
  std::string key = key_of(*first.target, first.request);
  const auto [found, is_new] = hosts_.try_emplace(key);
  Host& host = found->second;
  if (is_new) host.key = std::move(key);
  busy_.emplace_back(*this, host, std::move(stream), std::move(session_key));
  const ConnectionRef connection = std::prev(busy_.end());
  connection->self = connection;
  connection->read_at = SteadyClock::now();
  // One connection too many carries this request only.
  connection->is_closing = host.connections.size() >= max_connections_per_host;
  host.connections.push_back(&*connection);
  loop_.adopt(connection->stream->socket(), *connection);
  if (!begin(wait(std::move(first), host), *connection)) return settle(connection);
  if (connection->stream->has_unread()) read(connection);
}

/// Sends a waiting request. Returns false if the connection did not take it.
bool Http2Client::begin(ExchangeRef exchange, Connection& connection) {
  switch (connection.session.send(*exchange)) {
    case Http2Session::Begun::unsendable:
      fail(exchange, HttpFailure::refused_destination, std::string(unsendable));
      return false;
    case Http2Session::Begun::connection_over:
      connection.is_closing = true;
      send_again(exchange);
      return false;
    case Http2Session::Begun::yes:
      break;
  }
  exchange->connection = &connection;
  connection.exchanges.splice(connection.exchanges.end(), exchange->host->waiting, exchange);
  if (std::exchange(connection.is_idle, false)) busy_.splice(busy_.end(), idle_, connection.self);
  flush_later(connection);
  return true;
}

void Http2Client::serve(Host& host) {
  while (!host.waiting.empty()) {
    Connection* const connection = with_room(host);
    if (connection == nullptr) break;
    begin(host.waiting.begin(), *connection);
  }
  // Further connections take what these have no room for.
  if (host.waiting.empty() || may_have_room(host)) return;
  std::list<Exchange> waiting = std::move(host.waiting);
  send_again(std::move(waiting));
}

void Http2Client::flush_later(Connection& connection) {
  if (!std::exchange(connection.is_unflushed, true)) unflushed_.push_back(&connection);
}

void Http2Client::flush() {
  while (!unflushed_.empty()) {
    Connection& connection = *unflushed_.back();
    unflushed_.pop_back();
    connection.is_unflushed = false;
    write(connection);
    // A stream that broke the protocol ends when its reset is written.
    if (connection.session.has_ended()) {
      take_ended(connection.self);
      settle(connection.self);
    }
  }
}

void Http2Client::write(Connection& connection) {
  auto state = Stream::State::ready;
  while (state == Stream::State::ready) {
    if (connection.written == connection.out.size()) {
      connection.out.clear();
      connection.written = 0;
      connection.session.write(connection.out, portion_bytes);
      if (connection.out.empty()) break;
    }
    const Stream::Moved sent = connection.stream->send(connection.out, {}, connection.written);
    connection.written += sent.bytes;
    state = sent.state;
  }
  // If the connection is broken, it is ready to be read, and perhaps has answers.
  const bool is_awaited = state == Stream::State::blocked_writing;
  if (std::exchange(connection.awaits_writing, is_awaited) != is_awaited)
    loop_.report(connection.stream->socket(), is_awaited ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Http2Client::on_ready(ConnectionRef connection, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush_later(*connection);
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
}

void Http2Client::read(ConnectionRef connection) {
  do {
    const auto [state, bytes] = connection->stream->receive(buffer_);
    if (state == Stream::State::blocked_reading || state == Stream::State::blocked_writing) break;
    if (state != Stream::State::ready) {
      take_ended(connection);
      return lose(connection, state == Stream::State::ended ? "The server closed the connection."
                                                            : connection->stream->error());
    }
    connection->read_at = SteadyClock::now();
    if (!connection->session.take({buffer_.data(), bytes})) {
      write(*connection);
      take_ended(connection);
      return lose(connection, connection->session.is_flooded()
                                  ? "The server sent too many HTTP/2 frames that belong to no answer."
                                  : "The server broke the protocol HTTP/2.");
    }
  } while (connection->stream->has_unread());
  take_ended(connection);
  flush_later(*connection);
  settle(connection);
}

void Http2Client::take_ended(ConnectionRef connection) {
  for (const Http2Session::Ended& ended : connection->session.take_ended())
    end(static_cast<Exchange*>(ended.exchange)->self, ended);
}

void Http2Client::end(ExchangeRef exchange, const Http2Session::Ended& ended) {
  switch (ended.end) {
    case Http2Session::End::answered:
    case Http2Session::End::cut: {
      exchange->connection->has_answered = true;
      HttpResponse response = exchange->received.take();
      response.status = exchange->status;
      return complete(exchange, std::move(response));
    }
    case Http2Session::End::too_large:
      return fail(exchange, HttpFailure::protocol, headers_too_large);
    case Http2Session::End::refused:
      if (exchange->request.fresh_connection)
        return fail(exchange, HttpFailure::protocol, "The server refused the request (REFUSED_STREAM).");
      exchange->request.fresh_connection = true;
      return send_again(exchange);
    case Http2Session::End::reset:
      return fail(exchange, HttpFailure::protocol,
                  std::string("The server ended the request without an answer: ") +
                      nghttp2_http2_strerror(ended.code) + '.');
  }
}

/// Uses the room of a connection, keeps it as idle, or closes it.
void Http2Client::settle(ConnectionRef connection) {
  Host& host = connection->host;
  serve(host);
  if (!connection->exchanges.empty()) return;
  if (connection->is_closing || !connection->session.is_open()) {
    drop(connection);
    return owner_.has_place(1);
  }
  if (connection->is_idle) return;
  connection->is_idle = true;
  connection->idle_since = SteadyClock::now();
  idle_.splice(idle_.end(), busy_, connection);
  owner_.has_place(0);
}

/// Ends the exchanges of a connection that broke, or sends them again.
void Http2Client::lose(ConnectionRef connection, const std::string& error) {
  connection->is_closing = true;
  while (!connection->exchanges.empty()) {
    const ExchangeRef exchange = connection->exchanges.begin();
    connection->session.cancel(*exchange);
    if (connection->has_answered && !exchange->has_begun && !exchange->request.fresh_connection) {
      exchange->request.fresh_connection = true;
      send_again(exchange);
    } else {
      fail(exchange, HttpFailure::protocol, error);
    }
  }
  drop(connection);
  owner_.has_place(1);
}

/// Closes a connection without exchanges. The requests that wait for the last one are returned.
void Http2Client::drop(ConnectionRef connection) {
  Host& host = connection->host;
  std::erase(host.connections, &*connection);
  if (connection->is_unflushed) {
    write(*connection);
    std::erase(unflushed_, &*connection);
  }
  if (SSL* const tls = connection->stream->sound_tls())
    sessions_.keep(connection->session_key, tls, SteadyClock::now());
  loop_.socket_closed(connection->stream->socket());
  (connection->is_idle ? idle_ : busy_).erase(connection);
  if (!host.connections.empty()) return;
  std::list<Exchange> waiting = std::move(host.waiting);
  hosts_.erase(std::string(host.key));
  send_again(std::move(waiting));
}

/// Returns requests that were not sent.
void Http2Client::send_again(std::list<Exchange> waiting) {
  for (Exchange& exchange : waiting) {
    deadlines_.erase(exchange.deadline);
    owner_.send_again(std::move(static_cast<StartedRequest&>(exchange)));
  }
}

void Http2Client::close_idle() { drop(idle_.begin()); }

std::optional<Http2Client::Moment> Http2Client::deadline() const {
  std::optional<Moment> request_ends;
  std::optional<Moment> idle_ends;
  if (!deadlines_.empty()) request_ends = deadlines_.begin()->first;
  if (!idle_.empty()) idle_ends = idle_.front().idle_since + max_idle_time;
  return earlier(request_ends, idle_ends);
}

void Http2Client::run_due() {
  if (deadlines_.empty() && idle_.empty()) return;
  const Moment now = SteadyClock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) expire(deadlines_.begin()->second);
  while (!idle_.empty() && idle_.front().idle_since + max_idle_time <= now) {
    close_idle();
    owner_.has_place(1);
  }
}

void Http2Client::expire(ExchangeRef exchange) {
  const std::string time = milliseconds_text(exchange->request.total_timeout);
  Connection* const connection = exchange->connection;
  if (connection == nullptr)
    return fail(exchange, HttpFailure::timeout, "No connection was free within " + time + '.');
  connection->session.cancel(*exchange);
  // The other side may be gone; requests that are sent from now on use another connection.
  if (connection->read_at < exchange->started) connection->is_closing = true;
  fail(exchange, HttpFailure::timeout, "There was no complete answer within " + time + '.');
  flush_later(*connection);
  settle(connection->self);
}

/// Removes an exchange that has ended, and returns its request.
StartedRequest Http2Client::release(ExchangeRef exchange) {
  deadlines_.erase(exchange->deadline);
  StartedRequest request = std::move(static_cast<StartedRequest&>(*exchange));
  (exchange->connection != nullptr ? exchange->connection->exchanges : exchange->host->waiting)
      .erase(exchange);
  return request;
}

void Http2Client::send_again(ExchangeRef exchange) { owner_.send_again(release(exchange)); }

void Http2Client::complete(ExchangeRef exchange, HttpResponse response) {
  StartedRequest request = release(exchange);
  set_times(response, request);
  owner_.complete(std::move(request.done), std::move(response));
}

void Http2Client::fail(ExchangeRef exchange, HttpFailure failure, std::string error) {
  HttpResponse response;
  response.failure = failure;
  response.error = std::move(error);
  complete(exchange, std::move(response));
}

void Http2Client::cancel_all() {
  while (!deadlines_.empty()) {
    const ExchangeRef exchange = deadlines_.begin()->second;
    if (exchange->connection != nullptr) exchange->connection->session.cancel(*exchange);
    fail(exchange, HttpFailure::cancelled, std::string(client_stopped));
  }
}

}  // namespace waybill::net
