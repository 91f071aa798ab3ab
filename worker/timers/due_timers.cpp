#include "worker/timers/due_timers.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/observe.hpp"
#include "matching/relatives.hpp"
#include "matching/unreadable.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/runs/working_days.hpp"
#include "storage/sql/timers.sql.hpp"
#include "storage/statement/binary.hpp"
#include "worker/planning/condition_shares.hpp"
#include "worker/planning/timer_plan.hpp"
#include "worker/planning/working_delays.hpp"
#include "worker/timers/pace.hpp"

namespace waybill::worker {
/// A locked timer and the decision about it.
struct DueTimers::Decided {
  enum class Fate : std::uint8_t { open, dropped, postponed, moved, condition, switched_off, fired };
  DueTimer timer;
  WorkflowPtr workflow;  // null if it is not needed
  Fate fate;
  std::optional<PlannedRun> run = std::nullopt;
  Time moved_to{};
};

/// A timer to decide, and the place of its record among those that are read.
struct DueTimers::OpenTimer {
  Decided* decided;
  std::size_t place;
};

/// A record as JSON, or the reason that it cannot be read.
struct DueTimers::Entity {
  json::object json;
  std::optional<matching::Unreadable> problem;
};

DueTimers::DueTimers(const Options& options, const EventIntake& intake, const Catalogue& catalogue,
                     WorkflowFollower& workflows, BlastGuard& guard, const Clock& clock)
    : options_(options),
      intake_(intake),
      catalogue_(catalogue),
      workflows_(workflows),
      guard_(guard),
      clock_(clock),
      scan_(catalogue, options.of_scan) {}

bool DueTimers::note_due(std::optional<Time> due) {
  return noted_due_.note(due) && *due < clock_.now() + look_every;
}

Time DueTimers::next_look() const {
  if (!catalogue_.has_timers()) return Time::max();
  return std::min(next_look_, noted_due_.earliest());
}

bool DueTimers::work(storage::Session& session) {
  const Time now = clock_.now();
  const bool is_changed = scan_.follow_catalogue();
  if (now < next_look() && !is_changed) return false;
  const std::vector<std::int16_t> shards = intake_.shards();
  noted_due_.begin_look();
  if (shards.empty()) {
    next_look_ = now + look_every;
    return false;
  }
  // Each turn does both, so that scans continue even if timers are always due.
  const bool has_fired = fire(session, shards);
  const bool has_scanned = (scan_.is_open() || is_changed) && scan(session, shards);
  if (has_fired || has_scanned) return true;
  const auto found = session
                         .run(sql::timers::Look{.shards = storage::binary_array(shards),
                                                .within = format_duration(look_every)})
                         .front();
  scan_.note(found.has_scan);
  next_look_ = now + look_every;
  // If a due timer was not claimed, another worker fires it.
  if (found.wait_ms) {
    const Duration wait = std::chrono::milliseconds(*found.wait_ms);
    next_look_ = std::min(next_look_, now + std::max(wait, due_again_after));
  }
  return false;
}

/// Fires some due timers. Returns true if it found any.
bool DueTimers::fire(storage::Session& session, const std::vector<std::int16_t>& shards) {
  storage::Work work(session);
  auto batch = claims_.take(session, shards);
  if (batch.timers.empty()) {
    work.commit();
    return false;
  }
  workflows_.follow(session, batch.epoch);
  // A later look finds the other timers again.
  std::erase_if(batch.timers, [&](const ClaimedTimer& claimed) { return !may_decide(claimed); });
  if (batch.timers.empty()) {
    work.commit();
    return false;
  }
  std::vector<Decided> decided;
  for (const auto& claimed : batch.timers) {
    WorkflowPtr workflow = claimed.is_deleted ? nullptr : catalogue_.find(claimed.timer.workflow_id);
    decided.push_back(decide(claimed, workflow));
  }
  columns_.use(session, [&] { judge(session, decided, clock_.now()); });
  const auto left = std::erase_if(
      decided, [](const Decided& each) { return each.fate == Decided::Fate::open; });  // for the next turn
  hold_excess(session, decided);
  write(session, decided);
  work.commit();
  claims_.worked(decided.size(), left, shards.size());
  return true;
}

/// True if the catalogue is as new as the state of the workflow in the batch. If the business has later
/// changes that are still being read, it is enough that the catalogue is newer than the time of the timer:
/// otherwise a business that keeps changing its workflows would have no timers.
bool DueTimers::may_decide(const ClaimedTimer& claimed) const {
  const DueTimer& timer = claimed.timer;
  if (claimed.is_deleted || workflows_.is_current(timer.business_id)) return true;
  const WorkflowPtr workflow = catalogue_.find(timer.workflow_id);
  return workflow && workflow->timer_plan >= timer.plan &&
         workflows_.has_read_since(timer.business_id, timer.due);
}

/// Decides what can be decided without the record.
DueTimers::Decided DueTimers::decide(const ClaimedTimer& claimed, WorkflowPtr& workflow) const {
  using Fate = Decided::Fate;
  const DueTimer& timer = claimed.timer;
  Decided decided{.timer = timer, .workflow = std::move(workflow), .fate = Fate::open};
  // NOLINTNEXTLINE(bugprone-branch-clone): the order of the conditions matters
  if (claimed.is_deleted) {
    decided.fate = Fate::dropped;
  } else if (!decided.workflow || catalogue_.is_suspended(timer.business_id)) {
    decided.fate = Fate::postponed;  // unreadable here, or matched once the business is resumed
  } else if (!decided.workflow->rule.triggers.timer || decided.workflow->timer_plan != timer.plan) {
    decided.fate = Fate::dropped;  // the scan for the new timer sets it again
  } else if (!claimed.was_on) {
    decided.fate = Fate::switched_off;
  }
  return decided;
}

/// Decides the open timers by the present state of their records, and plans the runs. A timer stays open if
/// its record exceeds the bytes of the transaction, or if the turn's work ends before it. At least one timer
/// is decided.
void DueTimers::judge(storage::Session& session, std::vector<Decided>& decided, Time now) {
  using Fate = Decided::Fate;
  std::vector<OpenTimer> open;
  std::vector<storage::StoredEvent> stubs;
  std::unordered_map<Guid, std::size_t> places;
  for (Decided& each : decided) {
    if (each.fate != Fate::open) continue;
    const auto [place, is_new] = places.try_emplace(each.timer.entity_id, stubs.size());
    if (is_new) stubs.push_back(stub_of(each.timer, *each.workflow));
    open.push_back({.decided = &each, .place = place->second});
  }
  if (open.empty()) return;
  storage::Outbox outbox(session);
  std::vector<storage::StoredEvent> records = outbox.current(stubs, most_record_bytes);
  std::erase_if(open, [&](const OpenTimer& timer) { return timer.place >= records.size(); });
  storage::RelativesWanted wanted;
  std::vector<Entity> entities = read_entities(records, wanted);
  // If the field has another value, the event of that change sets the timer again.
  for (const auto& [each, place] : open) {
    if (records[place].after && entities[place].problem) continue;
    const bool is_due = records[place].after &&
                        each->workflow->rule.triggers.timer->value(entities[place].json) == each->timer.value;
    if (!is_due) each->fate = Fate::dropped;
  }
  follow_calendars(session, open, now);
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  const matching::RelativeIndex index(relatives, {});
  for (std::size_t i = 0; i < records.size(); ++i)
    index.fill(records[i].business_id, records[i].entity_id, records[i].entity_type, entities[i].json);
  judge_conditions(open, entities, now);
}

/// Moves the open timers that count working days and, by a calendar that has changed since they were set,
/// come due later. The runs of those without a working day are dead.
void DueTimers::follow_calendars(storage::Session& session, std::span<const OpenTimer> open, Time now) {
  using Fate = Decided::Fate;
  std::vector<Decided*> counted;
  std::vector<storage::WorkingDays> wanted;
  for (const auto& [each, place] : open) {
    const domain::Timer& timer = *each->workflow->rule.triggers.timer;
    if (each->fate != Fate::open || !timer.workdays) continue;
    counted.push_back(each);
    wanted.push_back({each->timer.business_id, each->timer.value, timer.working_days()});
  }
  const auto moments = storage::working_day_moments(session, wanted);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    Decided& each = *counted[i];
    if (!moments[i]) {
      each.fate = Fate::fired;
      each.run = plan_timer_run(each.timer, *each.workflow, now);
      each.run->run.state = no_working_day_state(std::move(each.run->run.state));
      each.run->working_days = 0;
    } else if (*moments[i] > now) {
      each.fate = Fate::moved;
      each.moved_to = *moments[i];
    }
  }
}

/// Returns the records as JSON, and adds their relatives to `wanted`.
std::vector<DueTimers::Entity> DueTimers::read_entities(std::vector<storage::StoredEvent>& records,
                                                        storage::RelativesWanted& wanted) {
  std::vector<Entity> entities(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    storage::StoredEvent& record = records[i];
    if (!record.after) continue;
    record.before = record.after;
    auto& [entity, problem] = entities[i];
    problem = matching::unless_unreadable([&] { entity = columns_->change(record, {}).entity; });
    if (problem) {
      observe(Observable::event_unreadable,
              {{"record", record.entity_id.to_string()}, {"error", std::string_view(problem->error)}});
      continue;
    }
    matching::collect_relatives(record.business_id, record.entity_id, record.entity_type, entity, wanted);
  }
  return entities;
}

/// Fires the open timers whose conditions hold, within the shares of their businesses. The run of a record
/// that cannot be read is dead: whether its field still has the value of the timer is not known.
void DueTimers::judge_conditions(std::span<const OpenTimer> open, std::span<const Entity> entities,
                                 Time now) {
  using Fate = Decided::Fate;
  ConditionShares shares;
  for (const auto& [each, place] : open) {
    if (shares.is_over()) break;
    if (each->fate != Fate::open) continue;
    const auto& [entity, problem] = entities[place];
    if (problem) {
      each->fate = Fate::fired;
      each->run = plan_timer_run(each->timer, *each->workflow, now);
      each->run->run.state = unreadable_state(std::move(each->run->run.state), *problem, now);
      continue;
    }
    const Guid& business = each->timer.business_id;
    if (shares.is_exceeded(business)) {
      each->fate = Fate::postponed;
      continue;
    }
    const json::object no_previous;
    const domain::Verdict verdict =
        shares.judge(business, each->workflow->rule.conditions, {entity, no_previous, false});
    if (verdict == domain::Verdict::fail) {
      each->fate = Fate::condition;
      continue;
    }
    each->fate = Fate::fired;
    each->run = plan_timer_run(each->timer, *each->workflow, now);
    if (verdict == domain::Verdict::too_much_work)
      each->run->run.state = unjudged_state(std::move(each->run->run.state), now);
    limit_run(*each->workflow, entity, each->run->run.key);
  }
}

/// Adds the delays of the runs that count working days, counts the runs, and holds those of a workflow that
/// fires far more often than usual.
void DueTimers::hold_excess(storage::Session& session, std::vector<Decided>& decided) {
  std::vector<MatchedEvent> fired(1);
  for (Decided& each : decided) {
    if (each.run) fired.front().runs.push_back(std::move(*each.run));
  }
  std::vector<PlannedRun*> runs;
  for (PlannedRun& run : fired.front().runs) runs.push_back(&run);
  add_working_days(session, runs);
  guard_.watch(session, fired);
  auto next = fired.front().runs.begin();
  for (Decided& each : decided) {
    if (each.run) each.run = std::move(*next++);
  }
}

void DueTimers::write(storage::Session& session, const std::vector<Decided>& decided) {
  using Fate = Decided::Fate;
  struct Keys {
    std::vector<Guid> businesses, workflows, records;
  } over, later, moved;
  std::vector<Time> moved_to;
  std::vector<std::optional<Guid>> run_guids;
  std::vector<std::optional<std::string>> reasons;
  std::vector<storage::Run> runs;
  for (const Decided& each : decided) {
    Keys& keys = each.fate == Fate::postponed ? later : each.fate == Fate::moved ? moved : over;
    keys.businesses.push_back(each.timer.business_id);
    keys.workflows.push_back(each.timer.workflow_id);
    keys.records.push_back(each.timer.entity_id);
    if (each.fate == Fate::moved) moved_to.push_back(each.moved_to);
    if (each.fate == Fate::postponed || each.fate == Fate::moved) continue;
    run_guids.push_back(each.run ? std::optional(each.run->run.key.guid) : std::nullopt);
    reasons.push_back(each.fate == Fate::condition      ? std::optional<std::string>("condition")
                      : each.fate == Fate::switched_off ? std::optional<std::string>("switched_off")
                                                        : std::nullopt);
    if (each.run) runs.push_back(each.run->run);
  }
  if (!later.records.empty()) {
    session.run(sql::timers::Postpone{.businesses = storage::binary_array(later.businesses),
                                      .workflows = storage::binary_array(later.workflows),
                                      .records = storage::binary_array(later.records),
                                      .delay = format_duration(unreadable_retry_delay)});
  }
  if (!moved.records.empty()) {
    session.run(sql::timers::Move{.businesses = storage::binary_array(moved.businesses),
                                  .workflows = storage::binary_array(moved.workflows),
                                  .records = storage::binary_array(moved.records),
                                  .dues = storage::binary_array(moved_to)});
  }
  if (over.records.empty()) return;
  session.run(sql::timers::Finish{.businesses = storage::binary_array(over.businesses),
                                  .workflows = storage::binary_array(over.workflows),
                                  .records = storage::binary_array(over.records),
                                  .runs = run_guids,
                                  .reasons = reasons});
  storage::RunStore(session, options_.worker).queue(runs);
  has_queued_ = has_queued_ || !runs.empty();
  if (!runs.empty()) observe(Observable::runs_planned, {}, runs.size());
}

/// Sets some timers of a workflow's records. Returns true if it found a scan that it could perform.
bool DueTimers::scan(storage::Session& session, const std::vector<std::int16_t>& shards) {
  const TimerScan::Result result = scan_.go_on(session, shards);
  note_due(result.due);
  return result.found;
}

}  // namespace waybill::worker
