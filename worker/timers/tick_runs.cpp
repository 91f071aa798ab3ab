#include "worker/timers/tick_runs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t max_list_bytes = std::size_t{8} << 20U;

/// The query of a tick exceeds its time limit.
class QueryTooSlow : public std::runtime_error {
 public:
  QueryTooSlow() : std::runtime_error("The query of the schedule takes too long.") {}
};

}  // namespace

bool TickRuns::perform(const Tick& tick, const Workflow& workflow) {
  try {
    std::vector<MatchedEvent> fired(1);
    columns_.use(session_, [&] {
      fired[0].runs =
          workflow.rule.triggers.schedule->each ? runs_of_each(tick, workflow) : run_of_all(tick, workflow);
    });
    if (fired[0].runs.empty()) return true;
    guard_.watch(session_, fired);
    write(std::move(fired[0].runs));
  } catch (const QueryTooSlow& error) {
    if (options_.ends_slow_ticks) {
      end_dead(tick, workflow, "QUERY_TIMEOUT", error);
    } else {
      session_.execute("rollback to savepoint tick");
    }
    return false;
  } catch (const storage::StatementError& error) {
    if (!storage::refuses_data(error)) throw;
    end_dead(tick, workflow, "UNRECORDABLE", error);
  }
  return true;
}

/// Gives a tick one run, which is dead, in place of all others.
void TickRuns::end_dead(const Tick& tick, const Workflow& workflow, const char* code,
                        const std::exception& error) {
  session_.execute("rollback to savepoint tick");
  std::vector<PlannedRun> planned;
  planned.push_back(
      plan_dead_run(due_of(tick, workflow, new_ids(1).front()), code, error, workflow, clock_.now()));
  write(std::move(planned));
}

/// Plans a run for each record. They begin in the order of the query, like those of the events of a
/// transaction: each is a microsecond later than the one before.
std::vector<PlannedRun> TickRuns::runs_of_each(const Tick& tick, const Workflow& workflow) {
  std::vector<PlannedRun> planned;
  const Time now = clock_.now();
  read_records(workflow, [&](const std::vector<matching::ScheduledRecord>& records) {
    const std::vector<std::uint64_t> ids = new_ids(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      DueTimer due = due_of(tick, workflow, ids[i]);
      const Duration place = std::chrono::microseconds(planned.size());
      due.entity_id = records[i].guid;
      due.due += place;
      PlannedRun run = plan_timer_run(due, workflow, now + place);
      limit_run(workflow, records[i].entity, run.run.key);
      if (records[i].is_unjudged) run.run.state = unjudged_state(std::move(run.run.state), now);
      if (records[i].problem)
        run.run.state = unreadable_state(std::move(run.run.state), *records[i].problem, now);
      planned.push_back(std::move(run));
    }
    return true;
  });
  return planned;
}

/// Plans the run for all records; none if it is not to run without records.
std::vector<PlannedRun> TickRuns::run_of_all(const Tick& tick, const Workflow& workflow) {
  json::array items;
  std::size_t bytes = 0;
  bool any_unjudged = false;
  std::optional<matching::Unreadable> problem;
  read_records(workflow, [&](std::vector<matching::ScheduledRecord>& records) {
    for (matching::ScheduledRecord& record : records) {
      bytes += record.bytes;
      any_unjudged = any_unjudged || record.is_unjudged;
      if (record.problem && !problem)
        problem.emplace(record.problem->code, record.guid.to_string() + ": " + record.problem->error);
      items.push_back(std::move(record.entity));
    }
    return bytes <= max_list_bytes;
  });
  if (items.empty() && !workflow.rule.triggers.schedule->run_when_empty) return {};
  const DueTimer due = due_of(tick, workflow, new_ids(1).front());
  const Time now = clock_.now();
  std::vector<PlannedRun> planned;
  if (bytes > max_list_bytes) {
    const std::length_error error("The records of the query exceed 8 MiB. The query needs a lower limit.");
    planned.push_back(plan_dead_run(due, "PAYLOAD_TOO_LARGE", error, workflow, now));
    return planned;
  }
  json::object list{{"count", items.size()}, {"items", std::move(items)}};
  if (workflow.steps.empty()) {
    planned.push_back(plan_list_run(due, std::move(list), workflow, now));
  } else {
    planned.push_back(plan_timer_run(due, workflow, now));
    session_.run(sql::schedules::KeepList{.business = tick.business_id,
                                          .run = planned.front().run.key.guid,
                                          .number = storage::list_text_number,
                                          .list = to_json(list)});
  }
  storage::RunState& state = planned.front().run.state;
  if (any_unjudged) state = unjudged_state(std::move(state), now);
  if (problem) state = unreadable_state(std::move(state), *problem, now);
  return planned;
}

/// Reads the records of a tick and calls `take` with each portion, until it returns false. Throws
/// QueryTooSlow.
void TickRuns::read_records(const Workflow& workflow,
                            const std::function<bool(std::vector<matching::ScheduledRecord>&)>& take) {
  const auto end = std::chrono::steady_clock::now() + options_.reading_time;
  session_.execute("set local statement_timeout = " + std::to_string(options_.query_time.count()));
  try {
    matching::ScheduledRecords records(
        session_, *columns_, workflow.rule, workflow.business_id,
        {.wanted = workflow.shows_tracking_page, .public_url = options_.public_url});
    while (!records.at_end()) {
      if (std::chrono::steady_clock::now() > end) throw QueryTooSlow();
      std::vector<matching::ScheduledRecord> portion = records.next();
      if (!take(portion)) break;
    }
  } catch (const storage::StatementError& error) {
    if (!storage::is_canceled(error)) throw;
    throw QueryTooSlow();
  }
  session_.execute("set local statement_timeout = '30s'");
}

/// A tick as a timer without a record.
DueTimer TickRuns::due_of(const Tick& tick, const Workflow& workflow, std::uint64_t run_event) {
  return {.business_id = tick.business_id,
          .workflow_id = tick.workflow_id,
          .entity_id = storage::no_record,
          .plan = workflow.timer_plan,
          .value = *tick.at,
          .due = *tick.at,
          .run_event = run_event};
}

/// Ids of new runs.
std::vector<std::uint64_t> TickRuns::new_ids(std::size_t count) {
  std::vector<std::uint64_t> ids;
  if (count == 0) return ids;
  for (const auto& row : session_.run(sql::schedules::RunEvents{.count = static_cast<std::int64_t>(count)}))
    ids.push_back(static_cast<std::uint64_t>(row.id));
  return ids;
}

/// Stores planned runs: those that are dead already as finished, the others in the queue.
void TickRuns::write(std::vector<PlannedRun> planned) {
  std::vector<storage::Run> runs;
  for (PlannedRun& each : planned) {
    const storage::Run& run = runs.emplace_back(std::move(each.run));
    if (!storage::is_final(run.state.status)) continue;
    observe(Observable::run_dead, {{"run", run.key.guid.to_string()},
                                   {"workflow", run.key.workflow_id.to_string()},
                                   {"event_id", static_cast<std::int64_t>(run.key.event_id)},
                                   {"destination", std::string_view(run.key.destination)},
                                   {"code", std::string_view(run.state.code.value_or(""))}});
  }
  storage::RunStore(session_, options_.worker).queue(runs);
  observe(Observable::runs_planned, {}, runs.size());
}

}  // namespace waybill::worker
