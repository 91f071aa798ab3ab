#include "api/match_lag.hpp"
#include "api/openapi.hpp"
#include "api/route.hpp"
#include "api/services.hpp"
#include "base/error.hpp"

namespace waybill::api {
namespace {

constexpr Property health_properties[] = {
    {.name = "status", .kind = Kind::string, .description = "always ok"},
};
constexpr Schema health_schema{"Health", health_properties};

constexpr double longest_lag = 60;  // seconds

asio::awaitable<Answer> get_health(Call&, Services&) { co_return Answer::of(R"({"status":"ok"})"); }

asio::awaitable<Answer> get_readiness(Call&, Services& services) {
  if (!co_await services.db.reachable()) {
    throw Failure(ErrorCode::unavailable, "The service cannot reach its database; try again.");
  }
  if (services.match_lag && co_await services.match_lag->seconds(services.db) > longest_lag) {
    throw Failure(ErrorCode::unavailable,
                  "Events wait for more than a minute: no worker keeps up with them.");
  }
  co_return Answer::of(R"({"status":"ok"})");
}

asio::awaitable<Answer> get_openapi(Call&, Services&) {
  static const std::string document = openapi_document();
  co_return Answer::of(document);
}

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/healthz",
     .permission = Permission::everyone,
     .handler = get_health,
     .summary = "Whether the process answers",
     .tag = "System",
     .answer = &health_schema},
    {.method = Method::get,
     .path = "/readyz",
     .permission = Permission::everyone,
     .handler = get_readiness,
     .summary = "Whether the database answers too, and events are matched within a minute",
     .tag = "System",
     .answer = &health_schema},
    {.method = Method::get,
     .path = "/openapi.json",
     .permission = Permission::everyone,
     .handler = get_openapi,
     .summary = "This document",
     .tag = "System",
     .bare = true},
};

}  // namespace

std::span<const Route> system_routes() { return routes; }

}  // namespace waybill::api
