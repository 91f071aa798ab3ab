#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/thread/service.hpp"
#include "net/destination/destination.hpp"

namespace waybill::net {

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration connect_timeout = std::chrono::seconds(5);
  Duration total_timeout = std::chrono::seconds(15);
  std::size_t read_limit = 64UL * 1024;  // bytes of the answer's body; a longer body is cut off
  std::size_t keep_limit = 4UL * 1024;   // bytes of the body that the response contains
  bool guarded = true;                   // false only for URLs of the operator (geocoder, OSRM)
  // True for requests that must not arrive twice: on a reused connection, a request without an answer is sent
  // again.
  bool fresh_connection = false;
  // The owner of the request, such as the guid of a business. Requests of two owners never share a connection
  // of HTTP/1.1: a destination that answers twice on one can only mislead its own owner.
  std::string owner = {};
};

enum class HttpFailure {
  none,
  refused_destination,  // the address or the URL is not allowed
  dns,
  connect,
  tls,
  timeout,
  protocol,  // a reset, a malformed answer, or another error on the wire
  cancelled,
};

/// The errors of requests that were not sent.
inline constexpr std::string_view unsendable = "The URL or a header cannot be sent.";
inline constexpr std::string_view client_stopped = "The client was stopped.";

struct HttpResponse {
  HttpFailure failure = HttpFailure::none;
  std::string error;                                         // a sentence for people; empty without a failure
  int status = 0;                                            // 0 with a failure
  std::string body;                                          // at most keep_limit bytes, as received
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  Time started_at;
  Duration duration{};

  std::optional<std::string_view> header(std::string_view lower_case_name) const;
};

/// Sends requests. An interface, because tests/simulate has a model of the destinations.
class HttpSender {
 public:
  using Done = std::function<void(HttpResponse)>;

  virtual ~HttpSender() = default;
  /// Calls `done` exactly once, on any thread; it must not block or throw. Any thread, also from within
  /// `done`.
  virtual void send(HttpRequest request, Done done) = 0;
};

/// Runs thousands of requests at a time on its own thread (epoll); reuses connections, never follows
/// redirects. Http1Client sends them, or Http2Client if the server chooses HTTP/2, or libcurl for unusual
/// URLs. Checks the address of each new connection. A crash loses the requests: a caller that needs them
/// keeps them until `done` is called.
class HttpClient final : public HttpSender, public Service {
 public:
  struct Options {
    DestinationPolicy policy;
    std::string ca_file;  // additional CA certificates; only the system's if empty
    std::size_t max_connections = 1024;
    std::size_t max_connections_per_host = 512;
    std::string user_agent = "waybill";
  };

  explicit HttpClient(const Options& options);
  ~HttpClient() override;

  /// Cancels the requests in flight, calls their `done` and joins the thread.
  void stop(Moment until) override;

  /// Calls `done` on the client's thread. Any thread, until `stop` has returned.
  void send(HttpRequest request, Done done) override;

  /// The number of requests sent whose `done` has not been called.
  std::size_t in_flight() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::net
