#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/openapi.hpp"
#include "api/endpoint/services.hpp"
#include "api/system/readiness.hpp"
#include "base/error.hpp"

namespace waybill::api {
namespace {

constexpr Property health_properties[] = {
    {.name = "status", .kind = Kind::string, .nullable = false, .description = "Always ok."},
};
constexpr Schema health_schema{"Health", health_properties};

constexpr Parameter readiness_query[] = {
    {.name = "worker",
     .kind = Kind::boolean,
     .description = "Also requires a live worker without a delay of more than a minute.",
     .flag = true}};

asio::awaitable<Answer> get_health(Call&, Services&) { co_return Answer::of(R"({"status":"ok"})"); }

asio::awaitable<Answer> get_readiness(Call& call, Services& services) {
  std::string fault = co_await services.readiness.database_fault(services.db);
  if (fault.empty() && call.parameter("worker") == "true")
    fault = co_await services.readiness.worker_fault(services.db);
  if (!fault.empty()) throw Failure(ErrorCode::unavailable, std::move(fault));
  co_return Answer::of(R"({"status":"ok"})");
}

asio::awaitable<Answer> get_openapi(Call&, Services&) {
  static const std::string document = openapi_document();
  co_return Answer::of_embedded(document);
}

constexpr Endpoint system_endpoint_table[] = {
    {.method = Method::get,
     .path = "/healthz",
     .permission = Permission::everyone,
     .handler = get_health,
     .operation_id = "getHealth",
     .summary = "Returns 200 while the process runs",
     .description = "Says nothing about the database.",
     .tag = "System",
     .answer = &health_schema},
    {.method = Method::get,
     .path = "/readyz",
     .permission = Permission::everyone,
     .handler = get_readiness,
     .operation_id = "getReadiness",
     .summary = "Returns 200 if the database accepts writes and has the current schema",
     .description = "503 with the reason otherwise.",
     .tag = "System",
     .query = readiness_query,
     .answer = &health_schema},
    {.method = Method::get,
     .path = "/openapi.json",
     .permission = Permission::everyone,
     .handler = get_openapi,
     .operation_id = "getOpenApiDocument",
     .summary = "Returns this document",
     .description = "OpenAPI 3.1.",
     .tag = "System",
     .answer_kind = Kind::object,
     .bare = true},
};

}  // namespace

std::span<const Endpoint> system_endpoints() { return system_endpoint_table; }

}  // namespace waybill::api
