// The values of a webhook's custom headers, for users who may change the workflow.
#include "api/workflows/workflow_headers.hpp"

#include "api/route/route.hpp"
#include "api/workflows/workflow_schemas.hpp"
#include "base/crypto.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property headers_properties[] = {
    {.name = "headers", .kind = Kind::any, .nullable = false, .schema = &header_values_schema},
};
constexpr Schema headers_schema{"WorkflowHeaders", headers_properties};

asio::awaitable<Answer> get_headers(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      storage::sql::workflows::GetHeaders{.business = call.business(), .workflow = call.id()});
  if (rows.empty()) throw not_found("workflow");
  const auto found = rows.front();
  json::object values;
  if (found.headers) values = json::parse(*found.headers).as_object();
  const auto stored = open_headers(services, found.sealed_credentials.value_or(""), call.id());
  for (auto& header : values) {
    if (header.value() != json::value(actions::credential_stars)) continue;
    const auto* const value = stored.values.if_contains(header.key());
    header.value() = value == nullptr ? json::value() : *value;
  }
  co_return Answer::of(to_json(json::object{{"headers", std::move(values)}}));
}

constexpr HeaderField secret_headers[] = {{"Cache-Control", "no-store"}};

constexpr Route routes[] = {
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}/headers",
     .permission = Permission::administer,
     .handler = get_headers,
     .operation_id = "getWorkflowHeaders",
     .summary = "Returns the headers of a webhook with their values",
     .description = "All other answers hide the values.",
     .tag = "Workflows",
     .answer = &headers_schema,
     .headers = secret_headers},
};

}  // namespace

actions::Credentials open_headers(const Services& services, std::string_view sealed, const Guid& workflow) {
  const auto bytes = unhex(sealed);
  if (!bytes || bytes->empty()) return {};
  return actions::Credentials::parse(services.secrets.open(*bytes, actions::Credentials::purpose(workflow)));
}

std::span<const Route> workflow_header_routes() { return routes; }

}  // namespace waybill::api
