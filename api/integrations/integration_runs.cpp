#include <charconv>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/paging.hpp"
#include "api/route/params.hpp"
#include "api/route/services.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::integrations;

constexpr Property error_properties[] = {
    {.name = "externalId",
     .kind = Kind::string,
     .description = "The id of the failed order or product in the store."},
    {.name = "orderNumber", .kind = Kind::string},
    {.name = "reason", .kind = Kind::text, .nullable = false},
};
constexpr Schema error_schema{"IntegrationRunError", error_properties};

constexpr Property run_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "startedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "finishedAt", .kind = Kind::timestamp},
    {.name = "imported", .kind = Kind::integer, .nullable = false},
    {.name = "updated", .kind = Kind::integer, .nullable = false},
    {.name = "unchanged", .kind = Kind::integer, .nullable = false},
    {.name = "failed", .kind = Kind::integer, .nullable = false},
    {.name = "errors",
     .kind = Kind::array,
     .nullable = false,
     .schema = &error_schema,
     .description = "The first 100 errors."},
};
constexpr Schema run_schema{"IntegrationRun", run_properties};

constexpr Property requested_properties[] = {
    {.name = "runId",
     .kind = Kind::uuid,
     .nullable = false,
     .description = "The guid of the run in the list of imports."},
};
constexpr Schema requested_schema{"IntegrationSync", requested_properties};

asio::awaitable<Answer> request_run(Call& call, Services& services) {
  enum Column { is_active, run };
  auto params = key_params(call);
  params.add(Guid::timed_random(to_unix_ms(services.clock.now())).to_string());
  const auto rows = co_await services.db.write(sql::request_run, std::move(params), call.cause());
  if (rows.empty()) throw not_found("integration");
  const storage::RowView row(rows, 0);
  if (!row.boolean(is_active)) throw conflict("The integration is disabled.");
  co_return Answer::of(to_json(json::object{{"runId", row.string(run)}}));
}

asio::awaitable<Answer> list_runs(Call& call, Services& services) {
  const auto page = page_of(call);
  const auto counted = co_await services.db.read(sql::count_runs, key_params(call));
  if (counted.empty()) throw not_found("integration");
  auto params = key_params(call);
  params.add(page.limit()).add(page.offset());
  const auto rows = co_await services.db.read(sql::runs, std::move(params));
  co_return page_answer(json_array(rows), page, storage::RowView(counted, 0).number(0));
}

constexpr Parameter list_parameters_of_runs[] = {page_parameter, page_size_parameter};

constexpr Route routes[] = {
    {.method = Method::post,
     .path = "/api/integrations/{guid}/sync",
     .permission = Permission::operate,
     .handler = request_run,
     .operation_id = "syncIntegration",
     .summary = "Starts an import from a store",
     .description = "Returns the requested import that has not begun, if there is one.",
     .tag = "Integrations",
     .answer = &requested_schema},
    {.method = Method::get,
     .path = "/api/integrations/{guid}/runs",
     .permission = Permission::read,
     .handler = list_runs,
     .operation_id = "listIntegrationRuns",
     .summary = "Lists the imports from a store, newest first",
     .tag = "Integrations",
     .query = list_parameters_of_runs,
     .answer = &run_schema,
     .paginated = true},
};

}  // namespace

std::span<const Route> integration_run_routes() { return routes; }

}  // namespace waybill::api
