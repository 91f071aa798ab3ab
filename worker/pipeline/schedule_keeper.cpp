#include "worker/pipeline/schedule_keeper.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/crypto.hpp"
#include "base/observe.hpp"
#include "domain/filter/filter.hpp"
#include "matching/relatives.hpp"
#include "storage/run_store.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {
namespace {

namespace sql = storage::sql::schedules;

constexpr Duration look_every = std::chrono::seconds(1);
constexpr Duration catalogue_delay = std::chrono::milliseconds(250);  // until a new version is read
constexpr Duration failure_delay = std::chrono::minutes(1);
constexpr const char* session_settings = "set statement_timeout = '30s'";

template <std::size_t size>
std::vector<std::int64_t> numbers(const std::bitset<size>& set) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < size; ++i) {
    if (set.test(i)) all.push_back(static_cast<std::int64_t>(i));
  }
  return all;
}

/// The statement of a schedule's query, which the schedule's check has compiled before.
struct Query {
  std::string text;
  storage::Params params;
};

Query query_of(const domain::Schedule& schedule, domain::EntityType type, const Guid& business) {
  const domain::RecordType& record = domain::record_type(type);
  const auto filter = std::get<domain::SqlFragment>(domain::compile_filter(schedule.filter, record, 2));
  const auto order = std::get<domain::SqlFragment>(domain::compile_orderby(schedule.order_by, record));
  Query query;
  query.text = "select r.guid, encode(record_send(r), 'hex') as record from " + std::string(record.table) +
               " r where r.business_id = $1::uuid and r.deleted_at is null and " + filter.text +
               " order by " + order.text + " limit " + std::to_string(schedule.limit);
  query.params.add(business);
  for (const std::string& param : filter.params) query.params.add(param);
  return query;
}

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
    session_->execute(session_settings);
  }
  guard_.save(*session_);
  if (tick()) return Duration::zero();
  const auto wait_ms = session_->run(sql::Look{}).front().wait_ms;
  if (!wait_ms) return look_every;
  const Duration wait = std::chrono::milliseconds(std::max<std::int64_t>(*wait_ms, 1));
  return *wait_ms <= 0 ? catalogue_delay : std::min(wait, look_every);
}

/// Performs one schedule that is due. Returns false if there is none.
bool ScheduleKeeper::tick() {
  storage::Work work(*session_);
  const auto rows = session_->run(sql::Claim{});
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
      if (was_on) columns_.use(*session_, [&] { queue_runs(tick, *workflow); });
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
  session_->run(sql::Move{.business = tick.business_id,
                          .workflow = tick.workflow_id,
                          .minutes = numbers(schedule.cron.minutes),
                          .hours = numbers(schedule.cron.hours),
                          .days = numbers(schedule.cron.days),
                          .months = numbers(schedule.cron.months),
                          .weekdays = numbers(schedule.cron.weekdays),
                          .either_day = schedule.cron.either_day,
                          .zone = schedule.time_zone.value_or(tick.zone),
                          .after = tick.now});
}

void ScheduleKeeper::postpone(const Guid& business, const Guid& workflow, Duration delay) {
  session_->run(sql::Postpone{.business = business, .workflow = workflow, .delay = format_duration(delay)});
}

/// Queues the runs of a tick: one for each record, or one for all.
void ScheduleKeeper::queue_runs(const Tick& tick, const Workflow& workflow) {
  const domain::Schedule& schedule = *workflow.rule.triggers.schedule;
  std::vector<json::object> records = records_of(workflow, tick.business_id);
  const std::size_t count = schedule.each                                 ? records.size()
                            : records.empty() && !schedule.run_when_empty ? 0
                                                                          : 1;
  if (count == 0) return;
  DueTimer due{.business_id = tick.business_id,
               .workflow_id = tick.workflow_id,
               .entity_id = {},
               .plan = workflow.timer_plan,
               .value = *tick.at,
               .due = *tick.at,
               .run_event = 0};
  std::vector<MatchedEvent> fired(1);
  const auto ids = session_->run(sql::RunEvents{.count = static_cast<std::int64_t>(count)});
  const Time now = clock_.now();
  for (std::size_t i = 0; i < count; ++i) {
    due.run_event = static_cast<std::uint64_t>(ids[static_cast<int>(i)].id);
    if (schedule.each) {
      due.entity_id = Guid::parse(std::string_view(records[i].at("guid").as_string())).value();
      PlannedRun planned = plan_timer_run(due, workflow, now);
      limit_run(workflow, records[i], planned.run.key);
      fired[0].runs.push_back(std::move(planned));
    } else {
      json::array items;
      for (json::object& record : records) items.push_back(std::move(record));
      json::object list{{"count", items.size()}, {"items", std::move(items)}};
      if (workflow.steps.empty()) {
        fired[0].runs.push_back(plan_list_run(due, std::move(list), workflow, now));
      } else {
        fired[0].runs.push_back(plan_timer_run(due, workflow, now));
        session_->run(sql::KeepList{.business = tick.business_id,
                                    .run = fired[0].runs.front().run.key.guid,
                                    .number = storage::list_text_number,
                                    .list = to_json(list)});
      }
    }
  }
  guard_.watch(*session_, fired);
  std::vector<storage::Run> runs;
  for (PlannedRun& planned : fired[0].runs) runs.push_back(std::move(planned.run));
  storage::RunStore(*session_, options_.worker).queue(runs);
  observe(Observable::runs_planned, {}, runs.size());
}

/// The records of the query that meet the workflow's conditions, with their relatives, in the query's order.
std::vector<json::object> ScheduleKeeper::records_of(const Workflow& workflow, const Guid& business) {
  const domain::EntityType type = workflow.rule.entity_type();
  const Query query = query_of(*workflow.rule.triggers.schedule, type, business);
  const storage::Rows rows = session_->run_replanned(
      storage::Statement{.name = "schedules.query", .text = query.text}, query.params);
  std::vector<json::object> entities;
  std::vector<Guid> guids;
  storage::RelativesWanted wanted;
  for (int i = 0; i < rows.size(); ++i) {
    const Guid guid = Guid::parse(rows.get(i, 0)).value();
    const Bytes bytes = unhex(rows.get(i, 1)).value();
    const std::string record(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const storage::StoredEvent stub{.id = 0,
                                    .business_id = business,
                                    .entity_type = type,
                                    .entity_id = guid,
                                    .at = {},
                                    .cause = {},
                                    .detail = {},
                                    .before = record,
                                    .after = record};
    try {
      entities.push_back(columns_->change(stub, {}).entity);
    } catch (const std::invalid_argument& error) {
      observe(Observable::event_unreadable, {{"event_id", 0}, {"error", std::string_view(error.what())}});
      continue;
    }
    guids.push_back(guid);
    matching::collect_relatives(business, guid, type, entities.back(), wanted, workflow.shows_tracking_page);
  }
  const auto relatives = storage::Outbox(*session_).relatives(wanted);
  const matching::RelativeIndex index(relatives, options_.public_url);
  std::vector<json::object> meeting;
  const json::object no_previous;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    index.fill(business, guids[i], type, entities[i]);
    if (workflow.rule.conditions.evaluate({entities[i], no_previous, false}))
      meeting.push_back(std::move(entities[i]));
  }
  return meeting;
}

}  // namespace waybill::worker
