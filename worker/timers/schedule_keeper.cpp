#include "worker/timers/schedule_keeper.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

namespace sql = storage::sql::schedules;

constexpr Duration look_every = std::chrono::seconds(1);
constexpr Duration catalogue_delay = std::chrono::milliseconds(250);  // until a new version is read
constexpr Duration failure_delay = std::chrono::minutes(1);
constexpr std::size_t longest_round = 256;  // ticks
constexpr const char* usual_time_limit = "set statement_timeout = '30s'";
// The query of a tick, and each portion of its records.
constexpr const char* query_time_limit = "set local statement_timeout = '5s'";
constexpr const char* end_of_query = "set local statement_timeout = '30s'";
constexpr auto reading_limit = std::chrono::seconds(10);  // of all records of a tick
constexpr std::size_t max_list_bytes = std::size_t{8} << 20U;

/// The query of a tick exceeds its time limit.
class QueryTooSlow : public std::runtime_error {
 public:
  QueryTooSlow() : std::runtime_error("The query of the schedule takes too long.") {}
};

}  // namespace

/// A locked schedule.
struct ScheduleKeeper::Tick {
  Guid business_id;
  Guid workflow_id;
  std::optional<Time> at;  // nullopt: the next tick is to be computed
  std::string zone;        // of the business
  Time now;                // of the database
};

ScheduleKeeper::ScheduleKeeper(Options options, const Catalogue& catalogue, PauseWriter& pauses,
                               const Clock& clock)
    : options_(std::move(options)),
      catalogue_(catalogue),
      clock_(clock),
      guard_(options_.blast, pauses, clock),
      thread_([this] { run(); }) {}

ScheduleKeeper::~ScheduleKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void ScheduleKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    Duration wait = look_every;
    try {
      wait = work();
    } catch (const std::exception& error) {
      session_.reset();
      observe(Observable::duty_failed, {{"duty", "schedules"}, {"error", std::string_view(error.what())}});
    }
    lock.lock();
    stop_.wait_for(lock, wait, [&] { return stopping_; });
  }
}

/// Performs what is due. Returns the time until the next look.
Duration ScheduleKeeper::work() {
  if (!catalogue_.has_schedules()) {
    session_.reset();
    return look_every;
  }
  if (!session_) {
    session_ = std::make_unique<storage::Session>(options_.database_url, "waybill schedules",
                                                  storage::worker_limits);
    session_->execute(usual_time_limit);
  }
  guard_.save(*session_);
  if (had_turn_.size() < longest_round && tick()) return Duration::zero();
  const bool had_turns = !had_turn_.empty();
  had_turn_.clear();
  const auto found = session_->run(sql::Look{}).front();
  if (found.has_changed_zone) follow_zone();
  if (had_turns) return Duration::zero();
  const auto wait_ms = found.wait_ms;
  if (!wait_ms) return look_every;
  const Duration wait = std::chrono::milliseconds(std::max<std::int64_t>(*wait_ms, 1));
  return *wait_ms <= 0 ? catalogue_delay : std::min(wait, look_every);
}

/// Performs one schedule that is due, of a business that had no turn in the present round. Returns false if
/// there is none.
bool ScheduleKeeper::tick() {
  storage::Work work(*session_);
  const auto rows = session_->run(sql::Claim{.passed_over = had_turn_});
  const auto found = rows.find();
  if (!found) {
    work.commit();
    return false;
  }
  const Tick tick{.business_id = found->business_id,
                  .workflow_id = found->workflow_id,
                  .at = found->next_at,
                  .zone = std::string(found->zone),
                  .now = found->now};
  had_turn_.push_back(tick.business_id);
  const WorkflowPtr workflow = catalogue_.find(tick.workflow_id);
  if (found->is_deleted) {
    session_->run(sql::Remove{.business = tick.business_id, .workflow = tick.workflow_id});
  } else if (!workflow || catalogue_.is_suspended(tick.business_id)) {
    postpone(tick.business_id, tick.workflow_id, unreadable_retry_delay);
  } else if (workflow->version != found->version || !workflow->rule.triggers.schedule) {
    postpone(tick.business_id, tick.workflow_id, catalogue_delay);  // the catalogue is behind or ahead
  } else {
    const bool was_on = found->is_active && tick.at && found->active_since <= *tick.at;
    session_->execute("savepoint tick");
    try {
      if (was_on) perform(tick, *workflow);
      Tick next = tick;
      if (!tick.at) next.now = found->since;
      plan(next, *workflow);
    } catch (const storage::StatementError& error) {
      session_->execute("rollback to savepoint tick");
      observe(Observable::duty_failed, {{"duty", "schedules"}, {"error", std::string_view(error.what())}});
      postpone(tick.business_id, tick.workflow_id, failure_delay);
    }
  }
  work.commit();
  return true;
}

/// Stores the next tick after the time of `tick`.
void ScheduleKeeper::plan(const Tick& tick, const Workflow& workflow) {
  const domain::Schedule& schedule = *workflow.rule.triggers.schedule;
  const domain::CronNumbers numbers = domain::numbers_of(schedule.cron);
  session_->run(sql::Move{.business = tick.business_id,
                          .workflow = tick.workflow_id,
                          .minutes = numbers.minutes,
                          .hours = numbers.hours,
                          .days = numbers.days,
                          .months = numbers.months,
                          .weekdays = numbers.weekdays,
                          .either_day = schedule.cron.either_day,
                          .zone = schedule.time_zone.value_or(tick.zone),
                          .after = tick.now});
}

/// Recomputes the coming ticks of a business whose time zone has changed. Ticks that are already due stay.
void ScheduleKeeper::follow_zone() {
  try {
    storage::Work work(*session_);
    const auto changed = session_->run(sql::TakeChangedZone{});
    if (const auto found = changed.find()) {
      const Guid business = found->business_id;
      for (const auto& row : session_->run(sql::Coming{.business = business})) {
        const WorkflowPtr workflow = catalogue_.find(row.workflow_id);
        if (!workflow || workflow->timer_plan != row.plan || !workflow->rule.triggers.schedule) continue;
        if (workflow->rule.triggers.schedule->time_zone) continue;
        plan({.business_id = business,
              .workflow_id = row.workflow_id,
              .at = std::nullopt,
              .zone = std::string(row.zone),
              .now = row.now},
             *workflow);
      }
    }
    work.commit();
  } catch (const storage::StatementError& error) {
    if (!storage::is_lock_conflict(error)) throw;  // the next look tries again
  }
}

void ScheduleKeeper::postpone(const Guid& business, const Guid& workflow, Duration delay) {
  session_->run(sql::Postpone{.business = business, .workflow = workflow, .delay = format_duration(delay)});
}

/// Stores the runs of a tick. A tick whose query is too slow, or whose runs the database refuses, has one
/// run, which is dead: tried again, it would fail again.
void ScheduleKeeper::perform(const Tick& tick, const Workflow& workflow) {
  const auto end_dead = [&](const char* code, const std::exception& error) {
    session_->execute("rollback to savepoint tick");
    std::vector<PlannedRun> planned;
    planned.push_back(
        plan_dead_run(due_of(tick, workflow, new_ids(1).front()), code, error, workflow, clock_.now()));
    write(std::move(planned));
  };
  try {
    std::vector<MatchedEvent> fired(1);
    columns_.use(*session_, [&] {
      fired[0].runs =
          workflow.rule.triggers.schedule->each ? runs_of_each(tick, workflow) : run_of_all(tick, workflow);
    });
    if (fired[0].runs.empty()) return;
    guard_.watch(*session_, fired);
    write(std::move(fired[0].runs));
  } catch (const QueryTooSlow& error) {
    end_dead("QUERY_TIMEOUT", error);
  } catch (const storage::StatementError& error) {
    if (!storage::refuses_data(error)) throw;
    end_dead("UNRECORDABLE", error);
  }
}

/// Plans a run for each record.
std::vector<PlannedRun> ScheduleKeeper::runs_of_each(const Tick& tick, const Workflow& workflow) {
  std::vector<PlannedRun> planned;
  const Time now = clock_.now();
  read_records(workflow, [&](const std::vector<matching::ScheduledRecord>& records) {
    const std::vector<std::uint64_t> ids = new_ids(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      DueTimer due = due_of(tick, workflow, ids[i]);
      due.entity_id = records[i].guid;
      PlannedRun run = plan_timer_run(due, workflow, now);
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
std::vector<PlannedRun> ScheduleKeeper::run_of_all(const Tick& tick, const Workflow& workflow) {
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
    session_->run(sql::KeepList{.business = tick.business_id,
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
void ScheduleKeeper::read_records(const Workflow& workflow,
                                  const std::function<bool(std::vector<matching::ScheduledRecord>&)>& take) {
  const auto end = std::chrono::steady_clock::now() + reading_limit;
  session_->execute(query_time_limit);
  try {
    matching::ScheduledRecords records(
        *session_, *columns_, workflow.rule, workflow.business_id,
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
  session_->execute(end_of_query);
}

/// A tick as a timer without a record.
DueTimer ScheduleKeeper::due_of(const Tick& tick, const Workflow& workflow, std::uint64_t run_event) {
  return {.business_id = tick.business_id,
          .workflow_id = tick.workflow_id,
          .entity_id = storage::no_record,
          .plan = workflow.timer_plan,
          .value = *tick.at,
          .due = *tick.at,
          .run_event = run_event};
}

/// Ids of new runs.
std::vector<std::uint64_t> ScheduleKeeper::new_ids(std::size_t count) {
  std::vector<std::uint64_t> ids;
  if (count == 0) return ids;
  for (const auto& row : session_->run(sql::RunEvents{.count = static_cast<std::int64_t>(count)}))
    ids.push_back(static_cast<std::uint64_t>(row.id));
  return ids;
}

/// Stores planned runs: those that are dead already as finished, the others in the queue.
void ScheduleKeeper::write(std::vector<PlannedRun> planned) {
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
  storage::RunStore(*session_, options_.worker).queue(runs);
  observe(Observable::runs_planned, {}, runs.size());
}

}  // namespace waybill::worker
