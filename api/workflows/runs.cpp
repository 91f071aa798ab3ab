#include <vector>

#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "api/workflows/run_list.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::runs;

constexpr Property run_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "workflowVersion", .kind = Kind::integer},
    {.name = "eventId", .kind = Kind::integer},
    {.name = "entityType", .kind = Kind::string},
    {.name = "entityId", .kind = Kind::uuid},
    {.name = "trigger", .kind = Kind::string},
    {.name = "status", .kind = Kind::one_of, .values = run_statuses},
    {.name = "code", .kind = Kind::string, .description = "why it is not succeeded"},
    {.name = "error", .kind = Kind::text},
    {.name = "attempts", .kind = Kind::integer},
    {.name = "createdAt", .kind = Kind::timestamp},
    {.name = "nextAttemptAt", .kind = Kind::timestamp},
    {.name = "finishedAt", .kind = Kind::timestamp},
    {.name = "replayOf", .kind = Kind::uuid},
    {.name = "request", .kind = Kind::any, .description = "(get) what is sent"},
    {.name = "tries",
     .kind = Kind::any,
     .description = "(get) each try: number, startedAt, durationMs, statusCode, response, error"},
};
constexpr Schema run_schema{"Run", run_properties};
constexpr Schema run_entry_schema{"RunEntry", std::span(run_properties).first(15)};

constexpr Property replay_properties[] = {
    {.name = "guid", .kind = Kind::uuid},
    {.name = "status", .kind = Kind::string},
};
constexpr Schema replay_schema{"Replay", replay_properties};

constexpr std::string_view final_statuses[] = {"succeeded", "dead", "skipped"};
constexpr Property replay_range_properties[] = {
    {.name = "workflowId", .kind = Kind::uuid, .required = true, .nullable = false},
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "of the events; default: all that is kept"},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "a date includes its whole day; default: now"},
    {.name = "status",
     .kind = Kind::one_of,
     .values = final_statuses,
     .description = "how the runs ended; default: however"},
};
constexpr Schema replay_range_schema{"ReplayRange", replay_range_properties};

constexpr Property replayed_properties[] = {
    {.name = "runs", .kind = Kind::integer, .description = "how many are sent again"}};
constexpr Schema replayed_schema{"Replayed", replayed_properties};

constexpr std::int64_t max_replays = 100'000;

asio::awaitable<Answer> get_run(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::get, storage::Params().add(call.principal.business_id.to_string()).add(call.id().to_string()));
  if (rows.empty()) throw not_found("run");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> replay_run(Call& call, Services& services) {
  const Guid guid = Guid::timed_random(to_unix_ms(services.clock.now()));
  const auto rows = co_await services.db.write(sql::replay,
                                               storage::Params()
                                                   .add(call.principal.business_id.to_string())
                                                   .add(call.id().to_string())
                                                   .add(guid.to_string()),
                                               call.cause());
  if (rows.empty()) throw not_found("run");
  if (rows.get(0, 0) != "t") throw conflict("The run's workflow was deleted.");
  co_return Answer::created(to_json(json::object{{"guid", guid.to_string()}, {"status", "queued"}}),
                            "/api/workflows/runs/" + guid.to_string());
}

asio::awaitable<Answer> replay_range(Call& call, Services& services) {
  const json::object& body = call.object();
  const auto to = text_at(body, "to");
  const auto rows = co_await services.db.write(sql::replay_range,
                                               business_params(call)
                                                   .add(guid_at(body, "workflowId"))
                                                   .add(text_at(body, "from"))
                                                   .add(to)
                                                   .add(to && parse_date(*to) ? "1 day" : "1 millisecond")
                                                   .add(text_at(body, "status"))
                                                   .add(max_replays),
                                               call.cause());
  if (rows.empty()) throw not_found("workflow");
  const auto runs = std::stoll(std::string(rows.get(0, 0)));
  if (runs > max_replays)
    throw invalid("from", "the time range contains more than 100000 runs; choose a shorter one");
  co_return Answer::of(to_json(json::object{{"runs", runs}}));
}

const Route routes[] = {
    {.method = Method::get,
     .path = "/api/workflows/runs",
     .permission = Permission::read,
     .handler = list_runs,
     .summary = "A page of the runs, the newest first",
     .tag = "Runs",
     .query = list_run_parameters,
     .answer = &run_entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::get,
     .path = "/api/workflows/runs/{guid}",
     .permission = Permission::read,
     .handler = get_run,
     .summary = "A run with what it sends and its tries",
     .tag = "Runs",
     .answer = &run_schema},
    {.method = Method::post,
     .path = "/api/workflows/runs/{guid}/replay",
     .permission = Permission::operate,
     .handler = replay_run,
     .summary = "Sends again what a run sent, as a new run",
     .tag = "Runs",
     .answer = &replay_schema,
     .status = 201},
    {.method = Method::post,
     .path = "/api/workflows/replay",
     .permission = Permission::operate,
     .handler = replay_range,
     .summary = "Sends again what the finished runs of a workflow sent, each as a new run",
     .tag = "Runs",
     .body = &replay_range_schema,
     .body_kind = BodyKind::object,
     .answer = &replayed_schema},
};

}  // namespace

std::span<const Route> run_routes() { return routes; }

}  // namespace waybill::api
