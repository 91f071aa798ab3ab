#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http/curl_loop.hpp"
#include "net/http/http1_target.hpp"
#include "net/http/http2_client.hpp"
#include "net/http/http_client.hpp"
#include "net/http/received_response.hpp"
#include "net/http/response_parser.hpp"
#include "net/http/started_request.hpp"
#include "net/http/stream.hpp"
#include "net/http/tls_sessions.hpp"

namespace waybill::net {

/// Sends requests on connections that it keeps, one request at a time on each (HTTP/1.1), to `http:` and
/// `https:` URLs. libcurl opens the connections (docs/decisions/0048). Those whose servers choose HTTP/2 go
/// to Http2Client, with their requests (docs/decisions/0086). Each owner of requests has connections of its
/// own, and a kept connection with unread bytes carries no further request. A request on a kept connection
/// that breaks before the answer begins is sent once more, on a new one. One thread.
class Http1Client {
 public:
  using Moment = StartedRequest::Moment;

  /// A request and its answer.
  struct Exchange;
  using ExchangeRef = std::list<Exchange>::iterator;

  struct Options {
    std::size_t max_connections = 0;
    std::size_t max_connections_per_host = 0;
    std::string user_agent;
  };
  /// Opens a connection for an exchange, and later calls `connected` or `failed_to_connect`.
  using Connect = std::function<void(ExchangeRef)>;
  /// Is called once for each request, when its connection is free again or closed.
  using Complete = std::function<void(HttpClient::Done, HttpResponse)>;

  /// `loop`, `sessions` and `http2` must outlive the client.
  Http1Client(Options options, CurlLoop& loop, TlsSessions& sessions, Http2Client& http2, Connect connect,
              Complete complete);
  /// Closes all connections.
  ~Http1Client();
  Http1Client(const Http1Client&) = delete;
  Http1Client& operator=(const Http1Client&) = delete;

  /// The parts of a URL to which this client sends requests; null for other URLs.
  std::shared_ptr<const Http1Target> target_of(const std::string& url);

  void send(StartedRequest request);

  /// Uses the places of connections that Http2Client took over and has closed, or could close.
  void use_places(std::size_t closed);

  /// A request for the connection that an exchange needs, without TLS: the URL of its host, the guard and the
  /// time left.
  static HttpRequest connection_request(const Exchange& exchange);
  /// Takes over the socket of the connection.
  void connected(ExchangeRef exchange, int socket);
  void failed_to_connect(ExchangeRef exchange, HttpFailure failure, std::string error);

  /// The time at which `run_due` has something to do; nullopt if no such time is known.
  std::optional<Moment> deadline() const;
  /// Ends the requests whose time is over, closes connections that were idle for two minutes, and forgets
  /// hosts without connections. Call it regularly.
  void run_due();

  /// Completes all requests as cancelled. No connection may be in the hands of `Connect` any more.
  void cancel_all();

 private:
  struct Connection;
  using ConnectionRef = std::list<Connection>::iterator;

  struct Host {
    std::string key;                  // in hosts_
    std::size_t places = 0;           // connections that are open or being opened
    std::vector<ConnectionRef> idle;  // the last used one last
    std::deque<ExchangeRef> waiting;
    bool is_starved = false;   // in starved_
    bool is_noted = false;     // in unused_
    bool is_explored = false;  // a first connection has shown how the host answers, or that it does not
  };
  using Deadlines = std::multimap<Moment, ExchangeRef>;

  Host& host_of(const Http1Target& target, const HttpRequest& request);
  std::size_t max_places(const Host& host) const;
  bool has_place() const;
  bool may_open(const Host& host) const;
  void begin(ExchangeRef exchange);
  std::optional<ConnectionRef> take_idle(Host& host);
  void wait(ExchangeRef exchange);
  void open_connection(ExchangeRef exchange);
  void attach(ConnectionRef connection, ExchangeRef exchange, Moment deadline);
  void shake_hands(ConnectionRef connection);
  void hand_over(ConnectionRef connection, ExchangeRef first);
  void send_on(ConnectionRef connection, ExchangeRef exchange);
  void write(Connection& connection);
  void on_ready(ConnectionRef connection, std::uint32_t events);
  void read(ConnectionRef connection);
  void end_exchange(ConnectionRef connection, ResponseParser::State state);
  void lose(ConnectionRef connection, std::string error);
  ExchangeRef detach(ConnectionRef connection);
  void give_back(ConnectionRef connection);
  void close(ConnectionRef connection);
  void drop(ConnectionRef connection);
  void free_place(Host& host);
  void use_free_places(Host& host);
  void serve(Host& host);
  void serve_starved();
  void note_if_starved(Host& host);
  static bool is_unused(const Host& host);
  void note_if_unused(Host& host);
  void forget_unused();
  void report_writing(Connection& connection, bool is_awaited);
  void set_deadline(ExchangeRef exchange, Moment deadline);
  void clear_deadline(Exchange& exchange);
  void expire(ExchangeRef exchange);
  StartedRequest release(ExchangeRef exchange);
  void complete(ExchangeRef exchange, HttpResponse response);
  void fail(ExchangeRef exchange, HttpFailure failure, std::string error);

  const Options options_;
  CurlLoop& loop_;
  const Connect connect_;
  const Complete complete_;
  Http1Targets targets_;
  TlsSessions& tls_;
  Http2Client& http2_;
  std::unordered_map<std::string, Host> hosts_;
  std::size_t places_ = 0;     // of all hosts, those of Http2Client too
  std::deque<Host*> starved_;  // hosts whose requests wait until there are fewer connections
  std::vector<Host*> unused_;  // hosts that `run_due` forgets unless they are used again
  std::list<Exchange> exchanges_;
  std::list<Exchange> spare_exchanges_;  // their memory serves the next requests
  std::list<Connection> busy_;
  std::list<Connection> idle_;  // the longest idle one first
  Deadlines deadlines_;
  std::vector<char> buffer_;  // for received bytes
};

struct Http1Client::Exchange : StartedRequest {
  std::string head;  // request line and headers
  std::size_t written = 0;
  ReceivedResponse received;
  ResponseParser parser;
  bool has_begun = false;  // a byte of the answer has arrived
  Host* host = nullptr;
  std::optional<ConnectionRef> connection;
  std::optional<Deadlines::iterator> deadline;  // none while the connection is opened, which has its own
  Moment connect_until;                         // the end of the time for a connection, TLS included

  std::size_t size() const { return head.size() + request.body.size(); }
};

struct Http1Client::Connection final : CurlLoop::SocketOwner {
  Connection(Http1Client& owner, Host& of, int descriptor)
      : client(owner), host(of), stream(std::make_unique<Stream>(descriptor)) {}
  void on_ready(std::uint32_t events) override { client.on_ready(self, events); }

  Http1Client& client;
  Host& host;
  std::unique_ptr<Stream> stream;
  ConnectionRef self;
  std::optional<ExchangeRef> exchange;
  bool shakes_hands = false;    // TLS has not begun
  bool is_idle = false;         // in idle_
  bool is_kept = false;         // has carried a request before
  bool awaits_writing = false;  // the socket's buffer is full
  Moment idle_since;
};

}  // namespace waybill::net
