#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "net/destination.hpp"

namespace waybill::net {

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration connect_timeout = std::chrono::seconds(5);
  Duration total_timeout = std::chrono::seconds(15);
  std::size_t read_limit = 64UL * 1024;  // of the answer's body; beyond it the rest is not awaited
  std::size_t keep_limit = 4UL * 1024;   // how much of it is handed back
  bool guarded = true;                   // false only for what the operator names (geocoder, OSRM)
  // For what must not arrive twice: a request that a reused connection took without answering is sent again.
  bool fresh_connection = false;
};

enum class HttpFailure {
  none,
  refused_destination,  // the guard: the address connected to, or the URL
  dns,
  connect,
  tls,
  timeout,
  protocol,  // reset, malformed answer, anything else on the wire
  cancelled,
};

std::string_view failure_text(HttpFailure failure);

struct HttpResponse {
  HttpFailure failure = HttpFailure::none;
  std::string error;                                         // a sentence for a person; empty without failure
  int status = 0;                                            // 0 with a failure
  std::string body;                                          // at most keep_limit bytes, as received
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  Time started_at;
  Duration duration{};

  std::optional<std::string_view> header(std::string_view lower_case_name) const;
};

/// Thousands of requests in flight on one thread of its own (libcurl multi over epoll), connections reused,
/// redirects never followed. Destinations are checked on the address that is connected to, for each new
/// connection. Nothing survives a crash: who needs that keeps the request until `done` was called.
class HttpClient {
 public:
  struct Options {
    DestinationPolicy policy;
    std::string ca_file;  // further CA certificates; empty for the system's alone
    std::size_t max_connections = 1024;
    std::size_t max_connections_per_host = 512;
    std::string user_agent = "waybill";
  };

  explicit HttpClient(const Options& options);
  /// Cancels what is in flight (their `done` is called) and joins the thread.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  using Done = std::function<void(HttpResponse)>;

  /// May be called from any thread, also from within `done`. `done` is called exactly once, on the client's
  /// thread, and must not block or throw.
  void send(HttpRequest request, Done done);

  /// Requests accepted and not done.
  std::size_t in_flight() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace waybill::net
