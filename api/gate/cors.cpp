#include "api/gate/cors.hpp"

#include <algorithm>

namespace waybill::api {
namespace {

bool is_allowed(const std::vector<std::string>& origins, std::string_view origin) {
  return !origin.empty() && std::ranges::any_of(origins, [&](const auto& allowed) {
    return allowed == "*" || allowed == origin;
  });
}

}  // namespace

void add_cors_headers(const std::vector<std::string>& origins, std::string_view origin, Response& response) {
  if (origins.empty()) return;
  response.add_vary("Origin");
  if (!is_allowed(origins, origin)) return;
  response.add_header("Access-Control-Allow-Origin", origin);
  response.add_header(
      "Access-Control-Expose-Headers",
      "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, "
      "Location, Idempotency-Replayed, Preference-Applied, X-Commit-Position, ETag");
}

void answer_options(const std::vector<std::string>& origins, std::string_view origin,
                    std::string_view methods, Response& response) {
  response.status = 204;
  response.add_header("Allow", methods);
  add_cors_headers(origins, origin, response);
  if (!is_allowed(origins, origin)) return;
  response.add_header("Access-Control-Allow-Methods", methods);
  response.add_header("Access-Control-Allow-Headers",
                      "Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-Id, "
                      "X-Commit-Position");
  response.add_header("Access-Control-Max-Age", 600);
}

}  // namespace waybill::api
