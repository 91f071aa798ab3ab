#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "api/http/address_block.hpp"
#include "api/http/message.hpp"
#include "base/thread/service.hpp"
#include "base/thread/threads.hpp"

namespace waybill::api {

/// Limits for clients.
struct HttpLimits {
  std::size_t head_bytes = 16'384;                  // request line and headers
  std::chrono::milliseconds head_timeout{10'000};   // from the first byte, or from connecting
  std::chrono::milliseconds body_timeout{30'000};   // from the first read; and a second for each …
  std::size_t body_rate = 16'384;                   // … bytes of the body itself that have arrived
  std::chrono::milliseconds idle_timeout{60'000};   // between requests
  std::chrono::milliseconds write_timeout{30'000};  // for the client to take a response
  std::chrono::milliseconds linger_timeout{2'000};  // for a refused client to read why
  /// One more replaces the connection that has waited longest for a request; if none waits, the one whose
  /// client has neither sent nor taken anything for the longest time during a request. If all work, it is
  /// answered 503 and closed.
  std::size_t most_connections = 4'096;
  /// The connections of one network (an IPv4 address, or the first 64 bits of an IPv6 address): a quarter, so
  /// that one or two clients leave room for others, and a company behind one address has enough. One more is
  /// answered 429 and closed.
  std::size_t most_of_one_network = 1'024;
};

/// HTTP/1.1 (RFC 9112) over TCP: keep-alive, pipelining, HTTP/1.0 clients. Malformed requests, oversized
/// heads and slow clients get a 4xx or a closed connection. Each io thread has its io_context and
/// Responder; the first accepts for all.
class Server final : public Service {
 public:
  struct Options {
    std::string host = "127.0.0.1";  // an address, without brackets, or a name
    std::uint16_t port = 8080;       // 0 picks a free one
    std::size_t threads = 0;         // 0: one for each processor
    ThreadKind kind = ThreadKind::io;
    HttpLimits limits = {};
    // Addresses with many clients, which are not limited as one network.
    std::vector<AddressBlock> proxies = {};
  };

  /// Called once for each io thread, before it runs, on the caller's thread.
  using MakeResponder = std::function<std::unique_ptr<Responder>(asio::io_context&)>;

  /// Binds and listens; connections wait in the backlog until `start`. Throws boost::system::system_error.
  Server(Options options, const MakeResponder& make_responder);
  ~Server() override;

  void start() override;
  std::uint16_t port() const;
  std::size_t open_connections() const;

  /// Checks that no io thread is stuck: returns true if each has answered the prompt of an earlier call
  /// within the limit, and prompts them again. Call it several times within each limit, between `start` and
  /// `stop`.
  bool turns(std::chrono::steady_clock::duration limit);

  /// Stops accepting, serves one request of each connection that was in the backlog, closes idle connections,
  /// lets requests in flight finish until `until`, then closes their connections and joins the threads. Not
  /// for the threads of the server.
  void stop(Moment until) override;

 private:
  class IoThread;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::api
