#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/harness/http.hpp"

namespace waybill::tests {

/// Holds a response back until the test opens the gate, which then stays open. Thread-safe.
class Gate {
 public:
  void open();
  void wait() const;

 private:
  std::atomic<bool> open_ = false;
};

/// A request as received.
struct Received {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  std::chrono::steady_clock::time_point at;  // time of its last byte
  std::chrono::system_clock::time_point wall_at;
  std::size_t connection = 0;  // from 0, in the order of acceptance

  std::string header(std::string_view name) const { return header_value(headers, name); }
  /// The body; null if it is not JSON.
  json::value json_body() const;
};

/// The response to a request.
struct Reply {
  enum class Kind {
    answer,   // status, headers, body
    hang,     // sends nothing and keeps the connection open
    trickle,  // a head with a large Content-Length, then one byte each 50 ms until the client closes
    reset,    // RST at once
    close,    // FIN at once
    cut,      // status, headers and half of the body, then FIN
    flood,    // a response with `flood_bytes` of body, written as fast as the client reads
  };
  Kind kind = Kind::answer;
  int status = 200;
  Headers headers = {};
  std::string body = {};
  std::shared_ptr<Gate> gate = {};  // sending waits until it opens
  std::size_t flood_bytes = 10UL * 1024 * 1024;

  static Reply with_status(int status, Headers headers = {}, std::string body = {}) {
    return {.status = status, .headers = std::move(headers), .body = std::move(body)};
  }
  static Reply of_kind(Kind kind) { return {.kind = kind}; }
  static Reply after(std::shared_ptr<Gate> gate, int status = 200) {
    return {.status = status, .gate = std::move(gate)};
  }
};

/// An HTTP/1.1 server on a local address, for the requests of waybill. Requests are kept by path, so that
/// tests can share a receiver. Thread-safe.
class Receiver {
 public:
  /// Port 0 picks a free port. Throws std::runtime_error if the address cannot be bound.
  explicit Receiver(std::string address = "127.0.0.1", int port = 0);
  /// Closes every connection and opens every gate given to it.
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  int port() const;
  std::string url(std::string_view path = "/") const;

  /// Answers all requests of the path that no `answer_next` is for. The default is 200 without a body.
  void answer(std::string_view path, Reply reply);
  /// Answers one request of the path; several calls are used in turn.
  void answer_next(std::string_view path, Reply reply);

  /// Waits for at least `count` requests of the path; returns those received by the deadline.
  std::vector<Received> wait_for(std::string_view path, std::size_t count,
                                 Deadline deadline = default_deadline);
  /// True as soon as the requests so far satisfy `done`; false at the deadline.
  bool wait_until(std::string_view path, const std::function<bool(const std::vector<Received>&)>& done,
                  Deadline deadline = default_deadline);
  std::vector<Received> received(std::string_view path) const;
  std::size_t count(std::string_view path) const;
  /// The number of connections accepted since the start.
  std::size_t connections() const;

  /// Decides the response to each request, on the thread of its connection; then no request is kept and no
  /// script is followed.
  void on_request(std::function<Reply(const Received&)> decide);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::tests
