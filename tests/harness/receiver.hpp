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

/// What holds an answer back until the test opens it. Thread-safe; open for good once opened.
class Gate {
 public:
  void open();
  void wait() const;

 private:
  std::atomic<bool> open_ = false;
};

/// A request as it arrived.
struct Received {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  std::chrono::steady_clock::time_point at;  // when its last byte was here
  std::chrono::system_clock::time_point wall_at;
  std::size_t connection = 0;  // from 0, in the order they were accepted

  std::string header(std::string_view name) const { return header_value(headers, name); }
  /// The body; null when it is no JSON.
  json::value json_body() const;
};

/// How a request is answered.
struct Reply {
  enum class Kind {
    answer,   // status, headers, body
    hang,     // nothing is ever sent; the connection stays
    trickle,  // a head that promises much, then one byte each 50 ms for as long as the other side stays
    reset,    // RST at once
    close,    // FIN at once
    cut,      // status, headers and half of the body, then FIN
    flood,    // an answer with `flood_bytes` of body, written as fast as it is read
  };
  Kind kind = Kind::answer;
  int status = 200;
  Headers headers = {};
  std::string body = {};
  std::shared_ptr<Gate> gate = {};  // waited for before anything is sent
  std::size_t flood_bytes = 10UL * 1024 * 1024;

  static Reply with_status(int status, Headers headers = {}, std::string body = {}) {
    return {.status = status, .headers = std::move(headers), .body = std::move(body)};
  }
  static Reply of_kind(Kind kind) { return {.kind = kind}; }
  static Reply after(std::shared_ptr<Gate> gate, int status = 200) {
    return {.status = status, .gate = std::move(gate)};
  }
};

/// An HTTP/1.1 server on a local address, for what waybill sends. Requests are kept by their path, so that
/// tests which share a receiver do not meet. Everything is thread-safe.
class Receiver {
 public:
  /// Port 0 picks a free one. Throws std::runtime_error when the address cannot be had.
  explicit Receiver(std::string address = "127.0.0.1", int port = 0);
  /// Closes every connection, opens every gate it knows.
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  int port() const;
  std::string url(std::string_view path = "/") const;

  /// From now on, for every request of the path that no `answer_next` is for. The default is 200 without
  /// body.
  void answer(std::string_view path, Reply reply);
  /// For one request of the path; several are used in turn.
  void answer_next(std::string_view path, Reply reply);

  /// At least `count` requests of the path; what there is when the deadline passes.
  std::vector<Received> wait_for(std::string_view path, std::size_t count, Deadline deadline = patience);
  /// True as soon as what came so far satisfies `done`; false at the deadline.
  bool wait_until(std::string_view path, const std::function<bool(const std::vector<Received>&)>& done,
                  Deadline deadline = patience);
  std::vector<Received> received(std::string_view path) const;
  std::size_t count(std::string_view path) const;
  /// Connections accepted since the start.
  std::size_t connections() const;

  /// Decides the answer of each request, on its connection's thread; nothing is kept then, and no script is
  /// followed.
  void on_request(std::function<Reply(const Received&)> decide);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace waybill::tests
