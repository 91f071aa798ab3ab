#include <chrono>

#include "api/endpoint/job.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "storage/sql/integrations.sql.hpp"
#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

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

constexpr auto import_poll = std::chrono::seconds(1);

/// The result of a job once its import has finished. Throws JobWaits until then. A worker performs the
/// import. Its errors are in the list of imports, because they can be personal.
asio::awaitable<Answer> import_result(const Call& call, Services& services) {
  const Guid run = Guid::parse(call.job->progress().place).value();
  const auto rows =
      co_await services.db.read(storage::sql::jobs::ImportState{.business = call.business(), .run = run});
  const auto state = rows.find();
  if (!state) throw not_found("import");
  if (!state->is_finished) {
    throw JobWaits(import_poll,
                   {.done = state->imported + state->updated + state->unchanged + state->failed});
  }
  co_return Answer::of(to_json(json::object{{"runId", run.to_string()},
                                            {"imported", state->imported},
                                            {"updated", state->updated},
                                            {"unchanged", state->unchanged},
                                            {"failed", state->failed}}));
}

asio::awaitable<Answer> request_run(Call& call, Services& services) {
  if (call.job != nullptr && !call.job->progress().place.empty())
    co_return co_await import_result(call, services);
  const auto requested = co_await services.db.write(
      sql::integrations::RequestRun{.business = call.business(),
                                    .integration = call.id(),
                                    .new_run = Guid::timed_random(to_unix_ms(services.clock.now()))},
      call.cause());
  const auto row = requested.find();
  if (!row) throw not_found("integration");
  if (!row->is_active) throw conflict("The integration is disabled.");
  if (call.job != nullptr) throw JobWaits(import_poll, {.place = row->run_id.to_string()});
  co_return Answer::of(to_json(json::object{{"runId", row->run_id.to_string()}}));
}

asio::awaitable<Answer> list_runs(Call& call, Services& services) {
  const auto page = page_of(call);
  const auto counted = co_await services.db.read(
      sql::integrations::CountRuns{.business = call.business(), .integration = call.id()});
  if (counted.empty()) throw not_found("integration");
  const auto rows = co_await services.db.read(sql::integrations::Runs{
      .business = call.business(), .integration = call.id(), .limit = page.limit(), .offset = page.offset()});
  co_return page_answer(json_array(rows), page, counted.front().total);
}

constexpr Parameter list_parameters_of_runs[] = {page_parameter, page_size_parameter};

constexpr Endpoint integration_run_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/integrations/{guid}/sync",
     .permission = Permission::operate,
     .handler = request_run,
     .operation_id = "syncIntegration",
     .summary = "Starts an import from a store",
     .description = "Returns the requested import that has not begun, if there is one.",
     .tag = "Integrations",
     .answer = &requested_schema,
     .job = JobKind::import},
    {.method = Method::get,
     .path = "/api/integrations/{guid}/runs",
     .permission = Permission::read,
     .handler = list_runs,
     .operation_id = "listIntegrationRuns",
     .summary = "Lists the imports from a store, newest first",
     .description = "Each with the numbers of orders and products and with the first errors.",
     .tag = "Integrations",
     .query = list_parameters_of_runs,
     .answer = &run_schema,
     .paginated = true},
};

}  // namespace

std::span<const Endpoint> integration_run_endpoints() { return integration_run_endpoint_table; }

}  // namespace waybill::api
