#include "worker/timers/schedule_lane.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/observe.hpp"
#include "storage/sql/schedules.sql.hpp"
#include "storage/sql/workflows.sql.hpp"
#include "storage/statement/errors.hpp"
#include "worker/timers/pace.hpp"

namespace waybill::worker {
namespace {

using std::chrono::steady_clock;

constexpr Duration failure_delay = std::chrono::minutes(1);
constexpr std::size_t ticks_of_round = 256;
constexpr const char* usual_time_limit = "set statement_timeout = '30s'";
// The number of successive ticks whose query takes too long, after which a workflow is paused.
constexpr int most_timeouts = 3;
// The looks for ticks that a wrong clock has stored.
constexpr auto bring_back_every = std::chrono::minutes(5);
constexpr int schedules_of_look = 100;
constexpr Duration longest_difference = std::chrono::minutes(1);  // from this process's clock

/// The schedule of a workflow with the plan of a row; null if that is not in memory.
const domain::Schedule* schedule_of(const WorkflowPtr& workflow, std::int32_t plan) {
  if (!workflow || workflow->timer_plan != plan || !workflow->rule.triggers.schedule) return nullptr;
  return &*workflow->rule.triggers.schedule;
}

}  // namespace

/// A locked schedule, with the state of its workflow.
struct ScheduleLane::Claimed {
  Tick tick;
  Time since;  // of the schedule
  bool is_deleted;
  bool was_on;                   // at the time of the tick
  std::optional<Time> on_again;  // the next switch on after the tick
  int version;
  std::int64_t epoch;
};

ScheduleLane::ScheduleLane(Kind kind, Options options, ScheduleShares& shares, const Catalogue& catalogue,
                           PauseWriter& pauses, const Clock& clock)
    : kind_(kind),
      options_(std::move(options)),
      shares_(shares),
      catalogue_(catalogue),
      pauses_(pauses),
      clock_(clock),
      session_(options_.database_url, "waybill schedules", {usual_time_limit}),
      guard_(options_.blast, pauses, clock),
      loop_(
          kind == Kind::quick ? ThreadKind::schedules : ThreadKind::slow_schedules,
          [this] { return Loop::Wait{work()}; },
          [this](const std::exception& error) {
            disconnect();
            observe(Observable::duty_failed,
                    {{"duty", "schedules"}, {"error", std::string_view(error.what())}});
            return look_every;
          }) {}

/// Performs what is due. Returns the time until the next look.
Duration ScheduleLane::work() {
  const std::vector<Guid> slow = shares_.slow(steady_clock::now());
  if (!catalogue_.has_schedules() || (kind_ == Kind::slow && slow.empty())) {
    if (session_.is_open()) guard_.save_now(*session_);
    disconnect();
    return look_every;
  }
  connect();
  guard_.save(*session_);
  if (kind_ == Kind::slow) return tick(slow) ? Duration::zero() : look_every;
  return work_quickly(slow);
}

void ScheduleLane::connect() {
  if (session_.open()) runs_ = std::make_unique<TickRuns>(options_.runs, *session_, guard_, clock_);
}

void ScheduleLane::disconnect() {
  runs_.reset();
  session_.close();
}

Duration ScheduleLane::work_quickly(const std::vector<Guid>& slow) {
  if (had_turn_.size() < ticks_of_round && tick(slow)) return Duration::zero();
  const bool had_turns = !had_turn_.empty();
  had_turn_.clear();
  const auto found = session_->run(sql::schedules::Look{.passed_over = slow}).front();
  if (found.has_changed_zone) follow_zone();
  if (steady_clock::now() >= bring_back_at_) bring_back_ticks();
  if (had_turns) return Duration::zero();
  const auto wait_ms = found.wait_ms;
  if (!wait_ms) return look_every;
  const Duration wait = std::chrono::milliseconds(std::max<std::int64_t>(*wait_ms, 1));
  return *wait_ms <= 0 ? catalogue_delay : std::min(wait, look_every);
}

/// Performs one schedule that is due. Returns false if there is none.
bool ScheduleLane::tick(const std::vector<Guid>& slow) {
  storage::Work work(*session_);
  const auto claimed = claim(slow);
  if (!claimed) {
    work.commit();
    return false;
  }
  const Guid business = claimed->tick.business_id;
  const auto began = steady_clock::now();
  const auto count_time = [&] {
    const auto now = steady_clock::now();
    shares_.used(business, now - began, now);
  };
  std::optional<PauseNotice> pause;
  try {
    take_turn(*claimed, pause);
    work.commit();
  } catch (...) {
    count_time();
    throw;
  }
  count_time();
  if (pause) pauses_.pause(*std::move(pause));
  return true;
}

/// Locks a schedule that is due: of a business that is not slow and had no turn in the present round, or of
/// the slow business that has used the least time.
std::optional<ScheduleLane::Claimed> ScheduleLane::claim(const std::vector<Guid>& slow) {
  const auto claimed = [](const auto& rows) -> std::optional<Claimed> {
    const auto found = rows.find();
    if (!found) return std::nullopt;
    return Claimed{.tick = {.business_id = found->business_id,
                            .workflow_id = found->workflow_id,
                            .at = found->next_at,
                            .zone = std::string(found->zone),
                            .now = found->now,
                            .timeouts = found->timeouts},
                   .since = found->since,
                   .is_deleted = found->is_deleted,
                   .was_on = found->was_on,
                   .on_again = std::optional<Time>(found->on_again),
                   .version = found->version,
                   .epoch = found->epoch};
  };
  if (kind_ == Kind::slow) return claimed(session_->run(sql::schedules::ClaimSlow{.businesses = slow}));
  std::vector<Guid> passed_over = had_turn_;
  passed_over.insert(passed_over.end(), slow.begin(), slow.end());
  auto found = claimed(session_->run(sql::schedules::Claim{.passed_over = passed_over}));
  if (found) had_turn_.push_back(found->tick.business_id);
  return found;
}

/// Performs a claimed schedule. Sets `pause` if its workflow is to be paused.
void ScheduleLane::take_turn(const Claimed& claimed, std::optional<PauseNotice>& pause) {
  const Tick& tick = claimed.tick;
  const WorkflowPtr workflow = catalogue_.find(tick.workflow_id);
  if (claimed.is_deleted) {
    session_->run(sql::schedules::Remove{.business = tick.business_id, .workflow = tick.workflow_id});
    return;
  }
  if (!workflow || catalogue_.is_suspended(tick.business_id)) return postpone(tick, unreadable_retry_delay);
  if (workflow->version != claimed.version || !workflow->rule.triggers.schedule)
    return postpone(tick, catalogue_delay);  // the catalogue is behind or ahead
  session_->execute("savepoint tick");
  try {
    int timeouts = 0;
    if (tick.at) {
      timeouts = claimed.was_on ? perform(tick, *workflow) : tick.timeouts;
      if (timeouts < 0) return;  // the slow thread performs it
      if (timeouts == most_timeouts && timeouts != tick.timeouts) pause = notice(claimed);
    }
    Tick next = tick;
    if (!tick.at) next.now = claimed.since;
    // A tick that was missed while the workflow was off may be followed by one that was missed while it was
    // on.
    if (tick.at && !claimed.was_on && claimed.on_again) next.now = std::min(next.now, *claimed.on_again);
    plan(next, *workflow, timeouts);
  } catch (const storage::StatementError& error) {
    session_->execute("rollback to savepoint tick");
    pause.reset();
    observe(Observable::duty_failed, {{"duty", "schedules"}, {"error", std::string_view(error.what())}});
    postpone(tick, failure_delay);
  }
}

/// Stores the runs of a tick. Returns the number of successive ticks, with this one, whose query took too
/// long; -1 if this one is left to the slow thread. While a workflow is paused because of its query, the
/// query is not performed, and its ticks have no runs.
int ScheduleLane::perform(const Tick& tick, const Workflow& workflow) {
  const bool is_paused = workflow.paused || pauses_.is_pausing(workflow.guid);
  if (is_paused && tick.timeouts >= most_timeouts) return tick.timeouts;
  if (runs_->perform(tick, workflow)) return 0;
  if (kind_ == Kind::quick) {
    shares_.make_slow(tick.business_id, steady_clock::now());
    return -1;
  }
  return tick.timeouts < most_timeouts ? tick.timeouts + 1 : 1;
}

/// The notice of the pause of a workflow; nullopt if it has been changed since the tick began: paused,
/// resumed, changed, switched off or deleted.
std::optional<PauseNotice> ScheduleLane::notice(const Claimed& claimed) {
  const Tick& tick = claimed.tick;
  const auto rows = session_->run(
      storage::sql::workflows::Pausable{.business = tick.business_id, .workflow = tick.workflow_id});
  const auto found = rows.find();
  if (!found || found->epoch != claimed.epoch) return std::nullopt;
  return PauseNotice{.business_id = tick.business_id,
                     .workflow_id = tick.workflow_id,
                     .epoch = static_cast<std::uint64_t>(found->epoch),
                     .workflow_name = std::string(found->name),
                     .business_name = std::string(found->business_name),
                     .contacts = std::string(found->contacts.value_or("")),
                     .reason = "the query of its schedule took too long " + std::to_string(most_timeouts) +
                               " times in a row",
                     .until_resumed =
                         "Until you resume the workflow, its schedule makes no runs. First make its "
                         "filter simpler, or let it name fewer records."};
}

/// Stores the next tick after the time of `tick`.
void ScheduleLane::plan(const Tick& tick, const Workflow& workflow, int timeouts) {
  const domain::Schedule& schedule = *workflow.rule.triggers.schedule;
  const domain::CronNumbers numbers = domain::numbers_of(schedule.cron);
  session_->run(sql::schedules::Move{.business = tick.business_id,
                                     .workflow = tick.workflow_id,
                                     .minutes = numbers.minutes,
                                     .hours = numbers.hours,
                                     .days = numbers.days,
                                     .months = numbers.months,
                                     .weekdays = numbers.weekdays,
                                     .either_day = schedule.cron.either_day,
                                     .zone = schedule.time_zone.value_or(tick.zone),
                                     .after = tick.now,
                                     .timeouts = timeouts,
                                     .performed = tick.at});
}

/// Recomputes the coming ticks of a business whose time zone has changed. Ticks that are already due stay.
void ScheduleLane::follow_zone() {
  try {
    storage::Work work(*session_);
    const auto changed = session_->run(sql::schedules::TakeChangedZone{});
    if (const auto found = changed.find()) {
      const Guid business = found->business_id;
      for (const auto& row : session_->run(sql::schedules::Coming{.business = business})) {
        const WorkflowPtr workflow = catalogue_.find(row.workflow_id);
        const domain::Schedule* const schedule = schedule_of(workflow, row.plan);
        if (schedule == nullptr || schedule->time_zone) continue;
        plan({.business_id = business,
              .workflow_id = row.workflow_id,
              .at = std::nullopt,
              .zone = std::string(row.zone),
              .now = row.now},
             *workflow, row.timeouts);
      }
    }
    work.commit();
  } catch (const storage::StatementError& error) {
    if (!storage::is_lock_conflict(error)) throw;  // the next look tries again
  }
}

/// Brings back coming ticks that are later than those that follow now, because they were computed while the
/// server's clock was ahead. Each call looks at some schedules, after those of the last call. Nothing is
/// moved while the server's clock is far from that of this process.
void ScheduleLane::bring_back_ticks() {
  storage::Work work(*session_);
  const auto coming = session_->run(sql::schedules::AllComing{
      .last_business = last_business_, .last_workflow = last_workflow_, .limit = schedules_of_look});
  std::int64_t moved = 0;
  for (const auto& row : coming) {
    if (std::chrono::abs(row.now - clock_.now()) > longest_difference) break;
    const WorkflowPtr workflow = catalogue_.find(row.workflow_id);
    const domain::Schedule* const schedule = schedule_of(workflow, row.plan);
    if (schedule == nullptr) continue;
    const domain::CronNumbers numbers = domain::numbers_of(schedule->cron);
    const auto earlier =
        session_->run(sql::schedules::BringBack{.business = row.business_id,
                                                .workflow = row.workflow_id,
                                                .minutes = numbers.minutes,
                                                .hours = numbers.hours,
                                                .days = numbers.days,
                                                .months = numbers.months,
                                                .weekdays = numbers.weekdays,
                                                .either_day = schedule->cron.either_day,
                                                .zone = schedule->time_zone.value_or(std::string(row.zone))});
    if (!earlier.empty()) ++moved;
  }
  work.commit();
  const bool any_left = coming.size() == schedules_of_look;
  last_business_ = any_left ? coming[schedules_of_look - 1].business_id : Guid();
  last_workflow_ = any_left ? coming[schedules_of_look - 1].workflow_id : Guid();
  if (!any_left) bring_back_at_ = steady_clock::now() + bring_back_every;
  if (moved > 0) observe(Observable::times_brought_back, {{"rows", "schedules"}, {"number", moved}});
}

void ScheduleLane::postpone(const Tick& tick, Duration delay) {
  session_->run(sql::schedules::Postpone{
      .business = tick.business_id, .workflow = tick.workflow_id, .delay = format_duration(delay)});
}

}  // namespace waybill::worker
