#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http/curl_loop.hpp"
#include "net/http/http2_session.hpp"
#include "net/http/stream.hpp"
#include "net/http/tls_sessions.hpp"

namespace waybill::net {

/// Sends requests on connections whose servers chose HTTP/2, many at a time on each. It opens none:
/// Http1Client does, and hands them over. The requests of all owners to a host share its connections, because
/// an answer names its request; guarded requests have their own. What is written during a turn of the loop
/// leaves with `flush`. A request that the server did not process is returned, to be sent on a new
/// connection; so is one on a connection that has carried answers and breaks before this one begins. One
/// thread.
class Http2Client {
 public:
  using Moment = StartedRequest::Moment;

  static constexpr std::size_t max_connections_per_host = 8;

  struct Owner {
    /// Is called once for each request that has ended.
    std::function<void(HttpClient::Done, HttpResponse)> complete;
    /// Takes a request that must be sent again, or that the connections have no room for, for a new
    /// connection.
    std::function<void(StartedRequest)> send_again;
    /// Is called when a connection was closed (1), or is idle (0): `close_idle` would close it.
    std::function<void(std::size_t closed)> has_place;
  };

  /// `loop` and `sessions` must outlive the client.
  Http2Client(std::string user_agent, CurlLoop& loop, TlsSessions& sessions, Owner owner);
  /// Closes all connections.
  ~Http2Client();
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  /// True if a connection to the host has room for the request, or will say how much it has, or if the host
  /// has as many connections as it may have.
  bool takes(const Http1Target& target, const HttpRequest& request) const;

  /// Sends a request for which a connection exists, at once or when a stream is free.
  void send(StartedRequest request);

  /// Takes over an open connection, and sends its first request. `session_key` is its key in `sessions`.
  void take_over(std::unique_ptr<Stream> stream, std::string session_key, StartedRequest first);

  bool has_idle() const { return !idle_.empty(); }
  /// Closes the connection that has been idle longest, without a call of `has_place`.
  void close_idle();

  /// The time at which `run_due` has something to do; nullopt if no such time is known.
  std::optional<Moment> deadline() const;
  /// Ends the requests whose time is over, and closes connections that were idle for two minutes.
  void run_due();
  /// Writes what waits.
  void flush();

  /// Completes all requests as cancelled.
  void cancel_all();

 private:
  struct Exchange;
  struct Connection;
  struct Host;
  using ExchangeRef = std::list<Exchange>::iterator;
  using ConnectionRef = std::list<Connection>::iterator;
  using Deadlines = std::multimap<Moment, ExchangeRef>;

  static Connection* with_room(const Host& host);
  static bool may_have_room(const Host& host);
  ExchangeRef wait(StartedRequest request, Host& host);
  bool begin(ExchangeRef exchange, Connection& connection);
  void serve(Host& host);
  void on_ready(ConnectionRef connection, std::uint32_t events);
  void read(ConnectionRef connection);
  void take_ended(ConnectionRef connection);
  void end(ExchangeRef exchange, const Http2Session::Ended& ended);
  void settle(ConnectionRef connection);
  void lose(ConnectionRef connection, const std::string& error);
  void drop(ConnectionRef connection);
  void flush_later(Connection& connection);
  void write(Connection& connection);
  void expire(ExchangeRef exchange);
  StartedRequest release(ExchangeRef exchange);
  void send_again(ExchangeRef exchange);
  void send_again(std::list<Exchange> waiting);
  void complete(ExchangeRef exchange, HttpResponse response);
  void fail(ExchangeRef exchange, HttpFailure failure, std::string error);

  const std::string user_agent_;
  CurlLoop& loop_;
  TlsSessions& sessions_;
  const Owner owner_;
  std::unordered_map<std::string, Host> hosts_;
  std::list<Connection> busy_;
  std::list<Connection> idle_;  // the longest idle one first
  std::vector<Connection*> unflushed_;
  Deadlines deadlines_;
  std::vector<char> buffer_;  // for received bytes
};

struct Http2Client::Exchange : Http2Session::Exchange {
  Host* host = nullptr;
  Connection* connection = nullptr;  // null while it waits
  Deadlines::iterator deadline;
  ExchangeRef self;
};

struct Http2Client::Host {
  std::string key;  // in hosts_
  std::vector<Connection*> connections;
  std::list<Exchange> waiting;  // for a free stream
};

struct Http2Client::Connection final : CurlLoop::SocketOwner {
  Connection(Http2Client& owner, Host& of, std::unique_ptr<Stream> bytes, std::string key)
      : client(owner),
        host(of),
        stream(std::move(bytes)),
        session_key(std::move(key)),
        session(owner.user_agent_) {}
  void on_ready(std::uint32_t events) override { client.on_ready(self, events); }

  Http2Client& client;
  Host& host;
  std::unique_ptr<Stream> stream;
  const std::string session_key;
  Http2Session session;
  ConnectionRef self;
  std::list<Exchange> exchanges;
  std::string out;              // bytes for the stream
  std::size_t written = 0;      // of `out`
  bool is_idle = false;         // in idle_
  bool is_unflushed = false;    // in unflushed_
  bool is_closing = false;      // takes no further request
  bool has_answered = false;    // has carried an answer
  bool awaits_writing = false;  // the socket's buffer is full
  Moment read_at;               // the last time that bytes arrived
  Moment idle_since;
};

}  // namespace waybill::net
