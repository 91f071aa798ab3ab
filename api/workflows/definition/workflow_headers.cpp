// The values of a webhook's custom headers, for users who may change the workflow.
#include "api/workflows/definition/workflow_headers.hpp"

#include "api/endpoint/endpoint.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "matching/steps.hpp"
#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/workflows.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property headers_properties[] = {
    {.name = "headers", .kind = Kind::any, .nullable = false, .schema = &header_values_schema},
};
constexpr Schema headers_schema{"WorkflowHeaders", headers_properties};

asio::awaitable<Answer> get_headers(Call& call, Services& services) {
  const auto step = parse_number<std::int32_t>(call.parameter("step").value_or("1")).value_or(1);
  const auto rows = co_await services.db.read(
      storage::sql::workflows::GetHeaders{.business = call.business(), .workflow = call.id(), .step = step});
  if (rows.empty()) throw not_found("workflow");
  co_await services.db.write(storage::sql::audit_log::Note{.business = call.business(),
                                                           .action = "read",
                                                           .entity_type = "workflow",
                                                           .entity = call.id(),
                                                           .entity_name = rows.front().name},
                             call.cause());
  const auto found = rows.front();
  json::object values;
  if (found.headers) values = json::parse(*found.headers).as_object();
  const auto all = open_headers(services, found.sealed_credentials.value_or(""), call.id());
  const auto& stored = all.of_step(step, actions::credential_host(found.url.value_or("")));
  for (auto& header : values) {
    if (header.value() != json::value(actions::credential_stars)) continue;
    const auto* const value = stored.values.if_contains(header.key());
    header.value() = value == nullptr ? json::value() : *value;
  }
  co_return Answer::of(to_json(json::object{{"headers", std::move(values)}}));
}

constexpr Parameter headers_parameters[] = {{.name = "step",
                                             .kind = Kind::integer,
                                             .minimum = 1,
                                             .maximum = static_cast<double>(matching::max_steps),
                                             .description = "From 1. Default: 1."}};
constexpr HeaderField secret_headers[] = {{"Cache-Control", "no-store"}};

constexpr Endpoint workflow_header_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/configured/{guid}/headers",
     .permission = Permission::administer,
     .handler = get_headers,
     .operation_id = "getWorkflowHeaders",
     .summary = "Returns the headers of a webhook with their values",
     .description = "All other answers hide the values.",
     .tag = "Workflows",
     .query = headers_parameters,
     .answer = &headers_schema,
     .headers = secret_headers},
};

}  // namespace

actions::Credentials open_headers(const Services& services, std::string_view sealed, const Guid& workflow) {
  const auto bytes = unhex(sealed);
  if (!bytes || bytes->empty()) return {};
  return actions::Credentials::parse(services.secrets.open(*bytes, actions::Credentials::purpose(workflow)));
}

std::span<const Endpoint> workflow_header_endpoints() { return workflow_header_endpoint_table; }

}  // namespace waybill::api
