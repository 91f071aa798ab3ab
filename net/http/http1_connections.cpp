#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "net/http/http1_client.hpp"

// The connections of Http1Client: how they are opened, kept and closed, and which request gets a free one.
namespace waybill::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

/// The first connection to a host with TLS is alone until the server has chosen the protocol, because HTTP/2
/// needs no second one.
std::size_t Http1Client::max_places(const Host& host) const {
  return host.is_explored ? options_.max_connections_per_host : 1;
}

bool Http1Client::has_place() const {
  return places_ < options_.max_connections || !idle_.empty() || http2_.has_idle();
}

bool Http1Client::may_open(const Host& host) const { return host.places < max_places(host) && has_place(); }

/// Returns the last used idle connection, which is then busy. Closes those that have bytes to read: they
/// belong to no request, and must not become the answer to the next one.
std::optional<Http1Client::ConnectionRef> Http1Client::take_idle(Host& host) {
  while (!host.idle.empty()) {
    const ConnectionRef connection = host.idle.back();
    if (!connection->stream->is_quiet()) {
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

void Http1Client::open_connection(ExchangeRef exchange) {
  // Its place is given to the new connection.
  if (places_ >= options_.max_connections) {
    if (idle_.empty()) {
      http2_.close_idle();
      --places_;
    } else {
      Host& other = idle_.front().host;
      drop(idle_.begin());
      note_if_unused(other);
    }
  }
  ++exchange->host->places;
  ++places_;
  clear_deadline(*exchange);
  exchange->connect_until = std::min(exchange->end(), SteadyClock::now() + exchange->request.connect_timeout);
  connect_(exchange);
}

void Http1Client::connected(ExchangeRef exchange, int socket) {
  busy_.emplace_back(*this, *exchange->host, socket);
  const ConnectionRef connection = std::prev(busy_.end());
  connection->self = connection;
  loop_.adopt(socket, *connection);
  if (!exchange->target->is_secure) return send_on(connection, exchange);
  connection->stream->use_tls(
      tls_.open(socket, exchange->target->name, connection->host.key, SteadyClock::now()));
  connection->shakes_hands = true;
  attach(connection, exchange, exchange->connect_until);
  shake_hands(connection);
}

void Http1Client::attach(ConnectionRef connection, ExchangeRef exchange, Moment deadline) {
  connection->exchange = exchange;
  exchange->connection = connection;
  set_deadline(exchange, deadline);
}

/// Continues the beginning of TLS, and sends the request when it is complete.
void Http1Client::shake_hands(ConnectionRef connection) {
  Stream& stream = *connection->stream;
  const Stream::State state = stream.shake_hands();
  report_writing(*connection, state == Stream::State::blocked_writing);
  if (state == Stream::State::blocked_reading || state == Stream::State::blocked_writing) return;
  Host& host = connection->host;
  const ExchangeRef exchange = detach(connection);
  clear_deadline(*exchange);
  connection->shakes_hands = false;
  if (state == Stream::State::ready && stream.speaks_http2()) return hand_over(connection, exchange);
  host.is_explored = true;
  if (state != Stream::State::ready) {
    tls_.forget(host.key);
    std::string error = stream.error();
    close(connection);
    return fail(exchange, HttpFailure::tls, std::move(error));
  }
  send_on(connection, exchange);
  if (stream.has_unread()) read(connection);
  use_free_places(host);
}

/// Gives a connection and the requests of its host to Http2Client.
void Http1Client::hand_over(ConnectionRef connection, ExchangeRef first) {
  Host& host = connection->host;
  std::unique_ptr<Stream> stream = std::move(connection->stream);
  busy_.erase(connection);
  --host.places;
  http2_.take_over(std::move(stream), host.key, release(first));
  // The others open further connections, one after another, until there are enough.
  for (const ExchangeRef exchange : std::exchange(host.waiting, {})) {
    if (http2_.takes(*exchange->target, exchange->request)) {
      http2_.send(release(exchange));
    } else {
      host.waiting.push_back(exchange);
    }
  }
  use_free_places(host);
}

void Http1Client::use_places(std::size_t closed) {
  places_ -= closed;
  serve_starved();
}

void Http1Client::failed_to_connect(ExchangeRef exchange, HttpFailure failure, std::string error) {
  Host& host = *exchange->host;
  host.is_explored = true;
  fail(exchange, failure, std::move(error));
  free_place(host);
  use_free_places(host);
}

void Http1Client::give_back(ConnectionRef connection) {
  Host& host = connection->host;
  connection->is_kept = connection->is_idle = true;
  connection->idle_since = SteadyClock::now();
  idle_.splice(idle_.end(), busy_, connection);
  host.idle.push_back(connection);
  use_free_places(host);
}

void Http1Client::close(ConnectionRef connection) {
  Host& host = connection->host;
  drop(connection);
  use_free_places(host);
}

/// Closes a connection without an exchange. The caller uses its place.
void Http1Client::drop(ConnectionRef connection) {
  free_place(connection->host);
  if (SSL* const tls = connection->stream->sound_tls())
    tls_.keep(connection->host.key, tls, SteadyClock::now());
  loop_.socket_closed(connection->stream->socket());
  if (connection->is_idle) std::erase(connection->host.idle, connection);
  (connection->is_idle ? idle_ : busy_).erase(connection);
}

void Http1Client::free_place(Host& host) {
  --host.places;
  --places_;
}

void Http1Client::use_free_places(Host& host) {
  serve(host);
  serve_starved();
  note_if_unused(host);
}

/// Begins the requests that wait for a connection to this host, as far as there are connections.
void Http1Client::serve(Host& host) {
  while (!host.waiting.empty()) {
    const ExchangeRef exchange = host.waiting.front();
    const bool has_idle = !exchange->request.fresh_connection && !host.idle.empty();
    if (!has_idle && !may_open(host)) return;
    host.waiting.pop_front();
    begin(exchange);
  }
}

void Http1Client::serve_starved() {
  while (!starved_.empty() && has_place()) {
    Host& host = *starved_.front();
    starved_.pop_front();
    host.is_starved = false;
    serve(host);
    note_if_starved(host);
    if (host.is_starved) return;
    note_if_unused(host);
  }
}

void Http1Client::note_if_starved(Host& host) {
  const bool lacks_place = !host.waiting.empty() && host.places < max_places(host);
  if (lacks_place && !std::exchange(host.is_starved, true)) starved_.push_back(&host);
}

bool Http1Client::is_unused(const Host& host) {
  return host.places == 0 && host.waiting.empty() && !host.is_starved;
}

void Http1Client::note_if_unused(Host& host) {
  if (is_unused(host) && !std::exchange(host.is_noted, true)) unused_.push_back(&host);
}

void Http1Client::forget_unused() {
  for (Host* const host : unused_) {
    host->is_noted = false;
    if (is_unused(*host)) hosts_.erase(host->key);
  }
  unused_.clear();
}

}  // namespace waybill::net
