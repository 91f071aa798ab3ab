#pragma once

#include <chrono>
#include <memory>

#include "net/http/http1_target.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

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

/// Completes a response with the times of its request.
inline void set_times(HttpResponse& response, const StartedRequest& request) {
  response.started_at = request.started_at;
  response.duration =
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - request.started);
}

}  // namespace waybill::net
