#include <algorithm>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/job.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "api/records/time_range.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/runs/cancels.hpp"
#include "api/workflows/runs/run_list.hpp"
#include "api/workflows/runs/run_steps.hpp"
#include "matching/steps.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/runs.sql.hpp"

namespace waybill::api {
namespace {

constexpr Property attempt_properties[] = {
    {.name = "number", .kind = Kind::integer, .nullable = false, .description = "From 1."},
    {.name = "step", .kind = Kind::integer, .nullable = false, .description = "The step that was attempted."},
    {.name = "startedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "durationMs", .kind = Kind::number, .nullable = false},
    {.name = "statusCode", .kind = Kind::integer, .description = "The HTTP status of the answer."},
    {.name = "response", .kind = Kind::text, .description = "The first 4 KiB of the answer."},
    {.name = "error", .kind = Kind::text},
};
constexpr Schema attempt_schema{"RunAttempt", attempt_properties};

constexpr std::string_view cause_types[] = {"token",  "user",  "operator", "import", "sql",   "run",
                                            "replay", "timer", "schedule", "digest", "system"};
constexpr Property cause_properties[] = {
    {.name = "type",
     .kind = Kind::one_of,
     .nullable = false,
     .values = cause_types,
     .description = "Who made the change, or how a run without an event began. For run, a step of another "
                    "run changed the record."},
    {.name = "guid",
     .kind = Kind::uuid,
     .description = "Of the token, the user, the integration or carrier that was imported from, the run "
                    "whose step made the change, or the run that was replayed; otherwise null."},
    {.name = "name",
     .kind = Kind::text,
     .description = "The name that the token, the user, the integration or carrier had then; otherwise "
                    "null."},
    {.name = "eventId", .kind = Kind::integer, .description = "Null for a run without an event."},
};
constexpr Schema cause_schema{"RunCause", cause_properties};

constexpr Property effect_properties[] = {
    {.name = "eventId", .kind = Kind::integer, .nullable = false},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
};
constexpr Schema effect_schema{"RunEffect", effect_properties};

constexpr Property run_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "workflowId", .kind = Kind::uuid, .nullable = false},
    {.name = "workflowVersion", .kind = Kind::integer, .nullable = false},
    {.name = "eventId", .kind = Kind::integer, .description = "Null for a run of a timer or schedule."},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .description = "Null for one run for several records."},
    {.name = "trigger", .kind = Kind::string, .nullable = false, .schema = &run_trigger_schema},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = run_statuses},
    {.name = "code", .kind = Kind::string, .description = "Why the run did not succeed, such as HTTP_503."},
    {.name = "error", .kind = Kind::text},
    {.name = "attempts", .kind = Kind::integer, .nullable = false},
    {.name = "createdAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "nextAttemptAt", .kind = Kind::timestamp},
    {.name = "finishedAt", .kind = Kind::timestamp},
    {.name = "replayOf", .kind = Kind::uuid},
    {.name = "failedSteps",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of steps that failed."},
    {.name = "request",
     .kind = Kind::any,
     .schema = &planned_request_schema,
     .description = "The request that the run sends; null if it is not rendered yet."},
    run_steps_property,
    {.name = "tries", .kind = Kind::array, .nullable = false, .schema = &attempt_schema},
    {.name = "cause",
     .kind = Kind::object,
     .schema = &cause_schema,
     .description = "What made the run; null if its event is no longer kept."},
    {.name = "effects",
     .kind = Kind::array,
     .nullable = false,
     .schema = &effect_schema,
     .description = "The first 100 events that changes by the run made."},
};
constexpr Schema run_schema{"Run", run_properties};
constexpr Schema run_entry_schema{"RunEntry", std::span(run_properties).first(16)};

constexpr Property replay_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = run_statuses},
};
constexpr Schema replay_schema{"Replay", replay_properties};
constexpr Property replay_input_properties[] = {
    {.name = "fromStep",
     .kind = Kind::integer,
     .nullable = false,
     .minimum = 1,
     .maximum = static_cast<double>(matching::max_steps),
     .description =
         "The step to begin with. Default: the first that failed or has not ended; 1 if there is none."},
};
constexpr Schema replay_input_schema{"ReplayStart", replay_input_properties};

constexpr std::string_view final_statuses[] = {"succeeded", "dead", "skipped"};
constexpr Property replay_range_properties[] = {
    {.name = "workflowId", .kind = Kind::uuid, .description = "Default: all workflows that are not deleted."},
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "The earliest time of the events. Default: the oldest event that is kept."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "A date includes the whole day. Default: now."},
    {.name = "status",
     .kind = Kind::one_of,
     .values = final_statuses,
     .description = "The final status of the runs. Default: any."},
    {.name = "plan",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "Only counts the runs. Default: false."},
};
constexpr Schema replay_range_schema{"ReplayRange", replay_range_properties};

constexpr Property replayed_properties[] = {
    {.name = "runs",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of new runs. With plan: the number that there would be."}};
constexpr Schema replayed_schema{"Replayed", replayed_properties};

constexpr std::int64_t max_replays = 100'000;
constexpr std::int64_t replays_of_portion = 1'000;  // of a job
constexpr std::int64_t max_open_runs = 300'000;     // of a business, with those that a replay of a range adds

asio::awaitable<Answer> get_run(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::runs::Get{.business = call.business(), .run = call.id(), .no_record = storage::no_record});
  if (rows.empty()) throw not_found("run");
  co_return Answer::of(json_object(rows));
}

storage::ArrayLiteral changing_actions() {
  storage::ArrayLiteral actions;
  for (const std::string_view action : storage::changing_actions) actions.add(action);
  return actions;
}

asio::awaitable<Answer> replay_run(Call& call, Services& services) {
  const Guid guid = Guid::timed_random(to_unix_ms(services.clock.now()));
  std::optional<std::int32_t> from_step;
  if (const json::value* const step = find_value(call.object(), "fromStep"))
    from_step = step->to_number<std::int32_t>();
  const auto replayed = co_await services.db.write(sql::runs::Replay{.business = call.business(),
                                                                     .run = call.id(),
                                                                     .new_run = guid,
                                                                     .from_step = from_step,
                                                                     .changing_actions = changing_actions()},
                                                   call.cause());
  if (replayed.empty()) throw not_found("run");
  if (!replayed.front().has_workflow) throw conflict("The run's workflow was deleted.");
  if (const auto count = replayed.front().step_count; from_step > count)
    throw invalid("fromStep", "must be at most " + std::to_string(count) + ", the number of steps");
  if (replayed.front().is_not_taken)
    throw invalid("fromStep", "is in a way that a choice of the run did not take");
  if (replayed.front().uses_erased)
    throw conflict("The step, or a later one, uses an answer that was erased. Begin with an earlier step.");
  co_return Answer::created(to_json(json::object{{"guid", guid.to_string()}, {"status", "queued"}}),
                            "/api/workflows/runs/" + guid.to_string());
}

/// The runs that a request to replay names.
struct ReplayRange {
  std::optional<Guid> workflow;
  std::optional<Time> from, end;
  std::optional<std::string> status;
};

/// The number of the runs. They may be many, so an analysis thread counts them.
asio::awaitable<std::int64_t> count_replays(const Call& call, Services& services, const ReplayRange& range) {
  // The coroutine waits here, so the references stay valid.
  const auto runs = co_await services.analysis.run(
      call.business(), [&call, &range](storage::Session& session) -> std::optional<std::int64_t> {
        const auto rows = session.run(sql::runs::CountReplays{.business = call.business(),
                                                              .workflow = range.workflow,
                                                              .from = range.from,
                                                              .end = range.end,
                                                              .status = range.status});
        return rows.empty() ? std::nullopt : std::optional(rows.front().runs);
      });
  if (!runs) throw not_found("workflow");
  co_return *runs;
}

Failure too_many_replays() {
  return invalid("from", "the time range contains more than 100000 runs; choose a shorter one");
}

Failure too_many_open_runs() {
  return conflict(
      "The business would have more than 300000 open runs; replay these once enough of the others have "
      "ended.");
}

/// Replays the runs as a job, in portions. The range ends at the time of the call at the latest, so that it
/// is the same for each portion.
asio::awaitable<Answer> replay_in_portions(const Call& call, Services& services, ReplayRange range) {
  Job& job = *call.job;
  range.end = std::min(range.end.value_or(job.started_at()), job.started_at());
  std::int64_t total = job.progress().total.value_or(0);
  if (!job.progress().total) {
    total = co_await count_replays(call, services, range);
    if (total > max_replays) throw too_many_replays();
  }
  for (bool goes_on = true; goes_on;) {
    const sql::runs::ReplayRange portion{.business = call.business(),
                                         .workflow = range.workflow,
                                         .from = range.from,
                                         .end = range.end,
                                         .status = range.status,
                                         .max_runs = replays_of_portion,
                                         .max_open = max_open_runs,
                                         .changing_actions = changing_actions(),
                                         .after = Guid::parse(job.progress().place),
                                         .is_portion = true};
    co_await job.portion(portion, call.cause(), [&](const auto& rows) -> JobProgress {
      if (rows.empty()) throw not_found("workflow");
      const auto row = rows.front();
      if (!row.has_room) throw too_many_open_runs();
      goes_on = row.runs == replays_of_portion;
      const std::int64_t done = job.progress().done + row.runs;
      return {.done = done,
              .total = std::max(total, done),
              .place = row.last ? row.last->to_string() : job.progress().place};
    });
  }
  co_return Answer::of(to_json(json::object{{"runs", job.progress().done}}));
}

asio::awaitable<Answer> replay_range(Call& call, Services& services) {
  const json::object& body = call.object();
  const ReplayRange range{.workflow = guid_at(body, "workflowId"),
                          .from = parse_bound(text_at(body, "from"), false),
                          .end = parse_bound(text_at(body, "to"), true),
                          .status = text_at(body, "status")};
  const json::value* const plan = find_value(body, "plan");
  if (plan != nullptr && plan->as_bool()) {
    const std::int64_t runs = co_await count_replays(call, services, range);
    co_return Answer::of(to_json(json::object{{"runs", runs}}));
  }
  if (call.job != nullptr) co_return co_await replay_in_portions(call, services, range);
  const auto replayed =
      co_await services.db.write(sql::runs::ReplayRange{.business = call.business(),
                                                        .workflow = range.workflow,
                                                        .from = range.from,
                                                        .end = range.end,
                                                        .status = range.status,
                                                        .max_runs = max_replays,
                                                        .max_open = max_open_runs,
                                                        .changing_actions = changing_actions(),
                                                        .is_portion = false},
                                 call.cause());
  if (replayed.empty()) throw not_found("workflow");
  const auto runs = replayed.front().runs;
  if (runs > max_replays) throw too_many_replays();
  if (!replayed.front().has_room) throw too_many_open_runs();
  co_return Answer::of(to_json(json::object{{"runs", runs}}));
}

const Endpoint run_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/workflows/runs",
     .permission = Permission::read,
     .handler = list_runs,
     .operation_id = "listWorkflowRuns",
     .summary = "Lists runs, newest first",
     .description = "A run is listed within a second after its event was matched, and kept for 30 days "
                    "unless the operator has set another time.",
     .tag = "Runs",
     .query = list_run_parameters,
     .answer = &run_entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::get,
     .path = "/api/workflows/runs/{guid}",
     .permission = Permission::read,
     .handler = get_run,
     .operation_id = "getWorkflowRun",
     .summary = "Returns a run with its request and its attempts",
     .description = "With several steps, also each step; and with what made it, and the events that its "
                    "changes made. No secret is shown.",
     .tag = "Runs",
     .answer = &run_schema},
    {.method = Method::post,
     .path = "/api/workflows/runs/{guid}/replay",
     .permission = Permission::operate,
     .handler = replay_run,
     .operation_id = "replayWorkflowRun",
     .summary = "Repeats a run as a new run",
     .description =
         "A run of several steps begins at the first step that failed or has not ended, or at fromStep.",
     .tag = "Runs",
     .body = &replay_input_schema,
     .body_kind = BodyKind::object,
     .answer = &replay_schema,
     .status = 201},
    {.method = Method::post,
     .path = "/api/workflows/runs/{guid}/cancel",
     .permission = Permission::operate,
     .handler = cancel_run,
     .operation_id = "cancelWorkflowRun",
     .summary = "Ends an open run as skipped, with the code CANCELLED",
     .description = "A request of a run that is being performed may still arrive. A final run: 409.",
     .tag = "Runs",
     .answer = &cancelled_run_schema},
    {.method = Method::post,
     .path = "/api/workflows/cancel",
     .permission = Permission::operate,
     .handler = cancel_range,
     .operation_id = "cancelWorkflowRuns",
     .summary = "Ends the open runs of one workflow or of all as skipped, with the code CANCELLED",
     .description = "status, from and to select runs. With plan: true they are only counted. At most 100 000 "
                    "runs at a time; as a job any number. A run that its worker has not stored yet, within "
                    "about a second after its event, is not ended.",
     .tag = "Runs",
     .body = &cancel_range_schema,
     .body_kind = BodyKind::object,
     .answer = &cancelled_schema,
     .is_bulk = true,
     .job = JobKind::cancel},
    {.method = Method::post,
     .path = "/api/workflows/replay",
     .permission = Permission::operate,
     .handler = replay_range,
     .operation_id = "replayWorkflowRuns",
     .summary = "Repeats the final runs of one workflow or of all, each as a new run",
     .description = "from, to and status select runs. With plan: true they are only counted. A new run sends "
                    "the same message id again.",
     .tag = "Runs",
     .body = &replay_range_schema,
     .body_kind = BodyKind::object,
     .answer = &replayed_schema,
     .is_bulk = true,
     .job = JobKind::replay},
};

}  // namespace

std::span<const Endpoint> run_endpoints() { return run_endpoint_table; }

}  // namespace waybill::api
