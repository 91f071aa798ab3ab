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
    {.name = "externalId", .kind = Kind::string, .description = "the store's id of what failed"},
    {.name = "orderNumber", .kind = Kind::string},
    {.name = "reason", .kind = Kind::text},
};
constexpr Schema error_schema{"IntegrationRunError", error_properties};

constexpr Property run_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "startedAt", .kind = Kind::timestamp},
    {.name = "finishedAt", .kind = Kind::timestamp},
    {.name = "imported", .kind = Kind::integer},
    {.name = "updated", .kind = Kind::integer},
    {.name = "unchanged", .kind = Kind::integer},
    {.name = "failed", .kind = Kind::integer},
    {.name = "errors", .kind = Kind::array, .schema = &error_schema, .description = "at most 100"},
};
constexpr Schema run_schema{"IntegrationRun", run_properties};

constexpr Property requested_properties[] = {
    {.name = "runId", .kind = Kind::uuid, .description = "among the integration's runs"},
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
     .summary = "Imports what changed in the store, now; a run asked for that has not begun is taken again",
     .tag = "Integrations",
     .answer = &requested_schema},
    {.method = Method::get,
     .path = "/api/integrations/{guid}/runs",
     .permission = Permission::read,
     .handler = list_runs,
     .summary = "The imports from a store, the newest first",
     .tag = "Integrations",
     .query = list_parameters_of_runs,
     .answer = &run_schema,
     .paginated = true},
};

}  // namespace

std::span<const Route> integration_run_routes() { return routes; }

}  // namespace waybill::api
