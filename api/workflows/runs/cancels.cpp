#include "api/workflows/runs/cancels.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/endpoint/job.hpp"
#include "api/records/fields.hpp"
#include "api/records/time_range.hpp"
#include "api/workflows/runs/run_list.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/runs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t most_cancelled = 100'000;    // by a call without a job
constexpr std::int64_t cancels_of_portion = 1'000;  // in one transaction

constexpr Property cancelled_run_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "status",
     .kind = Kind::one_of,
     .nullable = false,
     .values = run_statuses,
     .example = R"("skipped")"},
};

constexpr Property cancel_range_properties[] = {
    {.name = "workflowId",
     .kind = Kind::uuid,
     .description = "Default: all workflows. It may be a deleted one."},
    {.name = "status",
     .kind = Kind::one_of,
     .values = std::span(run_statuses).first(open_statuses),
     .description = "The status of the runs. Default: any."},
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "The earliest creation of the runs. Default: that of the oldest."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "A date includes the whole day. Default: now."},
    {.name = "plan",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "Only counts the runs. Default: false."},
};

constexpr Property cancelled_properties[] = {
    {.name = "runs",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of runs that were ended. With plan: the number that would be."}};

/// The open runs that a request selects.
struct OpenRange {
  std::optional<Guid> workflow;
  std::optional<std::string> status;
  std::optional<Time> from, end;  // of their creation
};

/// The number of the runs. They may be many, so an analysis thread counts them.
asio::awaitable<std::int64_t> count_cancels(const Call& call, Services& services, const OpenRange& range) {
  // The coroutine waits here, so the references stay valid.
  const auto runs = co_await services.analysis.run(
      call.business(), [&call, &range](storage::Session& session) -> std::optional<std::int64_t> {
        const auto rows = session.run(sql::runs::CountCancels{.business = call.business(),
                                                              .workflow = range.workflow,
                                                              .status = range.status,
                                                              .from = range.from,
                                                              .end = range.end});
        return rows.empty() ? std::nullopt : std::optional(rows.front().runs);
      });
  if (!runs) throw not_found("workflow");
  co_return *runs;
}

sql::runs::CancelRange portion_of(const Call& call, const OpenRange& range, std::optional<Guid> after) {
  return {.business = call.business(),
          .workflow = range.workflow,
          .status = range.status,
          .from = range.from,
          .end = range.end,
          .after = after,
          .max_runs = cancels_of_portion};
}

Answer cancelled_answer(std::int64_t runs) { return Answer::of(to_json(json::object{{"runs", runs}})); }

/// Ends the runs in portions, each in a transaction of its own (with an Idempotency-Key, in one), so that
/// workers do not wait for the locks of many runs. After a failure the earlier portions stay; the same call
/// ends the rest.
asio::awaitable<Answer> cancel_at_once(const Call& call, Services& services, const OpenRange& range) {
  if (co_await count_cancels(call, services, range) > most_cancelled) {
    throw invalid("from",
                  "the time range contains more than 100000 open runs; choose a shorter one, or let a job "
                  "cancel them (header `Prefer: respond-async`)");
  }
  std::int64_t done = 0;
  std::optional<Guid> last;
  do {
    const auto rows = co_await services.db.write(portion_of(call, range, last), call.cause());
    if (rows.empty()) throw not_found("workflow");
    done += rows.front().runs;
    last = rows.front().last;
  } while (last && done < most_cancelled);  // more runs can be queued during the call
  co_return cancelled_answer(done);
}

/// Ends the runs as a job, which is stored with each portion. The range ends at the time of the call at the
/// latest, so that it is the same for each portion.
asio::awaitable<Answer> cancel_in_job(const Call& call, Services& services, OpenRange range) {
  Job& job = *call.job;
  range.end = std::min(range.end.value_or(job.started_at()), job.started_at());
  std::int64_t total = job.progress().total.value_or(0);
  if (!job.progress().total) total = co_await count_cancels(call, services, range);
  for (bool goes_on = true; goes_on;) {
    const auto portion = portion_of(call, range, Guid::parse(job.progress().place));
    co_await job.portion(portion, call.cause(), [&](const auto& rows) -> JobProgress {
      if (rows.empty()) throw not_found("workflow");
      const auto row = rows.front();
      goes_on = row.last.has_value();
      const std::int64_t done = job.progress().done + row.runs;
      return {.done = done,
              .total = std::max(total, done),
              .place = row.last ? row.last->to_string() : job.progress().place};
    });
  }
  co_return cancelled_answer(job.progress().done);
}

}  // namespace

const Schema cancelled_run_schema{"CancelledRun", cancelled_run_properties};
const Schema cancel_range_schema{"CancelRange", cancel_range_properties};
const Schema cancelled_schema{"Cancelled", cancelled_properties};

asio::awaitable<Answer> cancel_run(Call& call, Services& services) {
  const auto cancelled = co_await services.db.write(
      sql::runs::Cancel{.business = call.business(), .run = call.id()}, call.cause());
  if (!cancelled.front().is_cancelled) {
    // Read after the attempt to cancel, so a run that has just ended is found.
    const auto rows = co_await services.db.read(
        sql::runs::Get{.business = call.business(), .run = call.id(), .no_record = storage::no_record});
    if (rows.empty()) throw not_found("run");
    throw conflict("The run has ended and cannot be cancelled.");
  }
  co_return Answer::of(to_json(json::object{{"guid", call.id().to_string()}, {"status", "skipped"}}));
}

asio::awaitable<Answer> cancel_range(Call& call, Services& services) {
  const json::object& body = call.object();
  const OpenRange range{.workflow = guid_at(body, "workflowId"),
                        .status = text_at(body, "status"),
                        .from = parse_bound(text_at(body, "from"), false),
                        .end = parse_bound(text_at(body, "to"), true)};
  require_ascending(range.from, range.end);
  const json::value* const plan = find_value(body, "plan");
  if (plan != nullptr && plan->as_bool())
    co_return cancelled_answer(co_await count_cancels(call, services, range));
  if (call.job != nullptr) co_return co_await cancel_in_job(call, services, range);
  co_return co_await cancel_at_once(call, services, range);
}

}  // namespace waybill::api
