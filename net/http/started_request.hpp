#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "net/http/http1_target.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

/// The time for which a connection is kept without a request, as in libcurl.
inline constexpr auto max_idle_time = std::chrono::seconds(118);

/// A request that a client has begun to send, and the time that it has used.
struct StartedRequest {
  using Moment = std::chrono::steady_clock::time_point;

  std::shared_ptr<const Http1Target> target;
  HttpRequest request;
  HttpClient::Done done;
  Time started_at;
  Moment started;

  /// The end of its time.
  Moment end() const { return started + request.total_timeout; }
};

/// The earlier of two times, each of which may be missing.
inline std::optional<StartedRequest::Moment> earlier(std::optional<StartedRequest::Moment> a,
                                                     std::optional<StartedRequest::Moment> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// A limit of time in an error: "200 ms".
inline std::string milliseconds_text(Duration limit) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(limit).count()) + " ms";
}

/// Completes a response with the times of its request.
inline void set_times(HttpResponse& response, const StartedRequest& request) {
  response.started_at = request.started_at;
  response.duration =
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - request.started);
}

}  // namespace waybill::net
