#include "matching/explained_timers.hpp"

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "matching/scheduled_records.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/history.sql.hpp"

namespace waybill::matching {
namespace {

/// `is_newer`: the workflow was made after the time of the timer.
std::string_view reason_of_timer(bool is_waiting, bool is_active, bool is_newer,
                                 std::optional<std::string_view> reason, const PastRun* run) {
  const std::string_view off = is_newer ? "newer_than_event" : "switched_off";
  if (is_waiting) return is_active ? "timer_waiting" : off;
  if (reason) return *reason == "condition" ? "condition" : off;
  return run == nullptr ? "" : reason_of(*run);
}

/// Explains the conditions of a timer or schedule by the record as of its last change, which may be null.
std::vector<domain::ConditionResult> explain_timed(const Rule& rule, const PastChange* newest,
                                                   ExplanationBounds& bounds) {
  if (newest == nullptr) return {};
  const json::object no_previous;
  auto results = explain_conditions(rule, {newest->change.entity, no_previous, false}, bounds.work);
  bounds.shown.limit(results);
  return results;
}

auto timer_rows(storage::Session& session, const Guid& business, const Guid& entity, std::size_t limit) {
  return session.run(sql::history::Timers{.business = business,
                                          .record = entity,
                                          .limit = static_cast<std::int64_t>(limit),
                                          .no_record = storage::no_record});
}

}  // namespace

std::set<DueOfWorkflow> known_timers(storage::Session& session, const Guid& business, const Guid& entity,
                                     std::size_t limit) {
  std::set<DueOfWorkflow> known;
  for (const auto& row : timer_rows(session, business, entity, limit))
    known.emplace(row.workflow_id, row.due_at);
  return known;
}

std::vector<ExplainedEvent> explain_timers(storage::Session& session, const Guid& business,
                                           const Guid& entity, const PastChange* newest, std::size_t limit,
                                           ExplanationBounds& bounds) {
  const auto rows = timer_rows(session, business, entity, limit);
  std::vector<Guid> guids;
  for (const auto& row : rows) {
    if (row.run_id) guids.push_back(*row.run_id);
  }
  const PastRuns runs = load_runs(session, business, guids);
  std::vector<ExplainedEvent> timers;
  for (const auto& row : rows) {
    const PastRun* const run = row.run_id ? find_run(runs, *row.run_id) : nullptr;
    ExplainedWorkflow workflow{
        .guid = row.workflow_id,
        .name = std::string(row.name),
        .run = std::optional<Guid>(row.run_id),
        .reason = reason_of_timer(row.is_waiting, row.is_active, row.is_newer, row.reason, run),
        .conditions = {},
        .steps = run != nullptr ? run->steps : json::value(),
        .due = row.due_at};
    workflow.fired = workflow.run && workflow.reason.empty();
    try {
      const Rule rule = make_rule(row.trigger, json::parse(row.conditions));
      if (!workflow.run) workflow.conditions = explain_timed(rule, newest, bounds);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): this version cannot read it
    }
    timers.push_back(
        {std::nullopt, row.due_at, {row.is_schedule ? "schedule" : "timer"}, {std::move(workflow)}});
  }
  return timers;
}

std::vector<ExplainedEvent> explain_schedules(storage::Session& session, const Guid& business,
                                              const Guid& entity, domain::EntityType type,
                                              const PastChange* newest, std::size_t limit,
                                              const std::vector<ExplainedEvent>& timers,
                                              ExplanationBounds& bounds) {
  const auto rows = session.run(sql::history::Schedules{.business = business,
                                                        .entity_type = static_cast<std::int16_t>(type),
                                                        .limit = static_cast<std::int64_t>(limit)});
  std::vector<ExplainedEvent> coming;
  if (rows.empty()) return coming;
  std::unordered_set<Guid> ran;
  for (const ExplainedEvent& entry : timers) {
    if (entry.workflows.front().run) ran.insert(entry.workflows.front().guid);
  }
  storage::RecordColumns columns(session);
  for (const auto& row : rows) {
    if (bounds.work.is_exceeded()) break;
    std::optional<Rule> rule;
    try {
      rule = make_rule(row.trigger, json::parse(row.conditions));
    } catch (const std::exception&) {
      continue;  // this version cannot read it
    }
    if (!rule->triggers.schedule) continue;
    ScheduledRecords records(session, columns, *rule, business, {}, entity);
    if (records.at_end()) continue;
    const std::vector<ScheduledRecord> found = records.next();
    const std::string_view reason = !row.is_active              ? "switched_off"
                                    : found.empty()             ? "condition"
                                    : found.front().problem     ? "unreadable"
                                    : found.front().is_unjudged ? "too_much_work"
                                                                : "timer_waiting";
    if (reason == "timer_waiting" && ran.contains(row.workflow_id)) continue;
    ExplainedWorkflow workflow{.guid = row.workflow_id,
                               .name = std::string(row.name),
                               .run = {},
                               .reason = reason,
                               .conditions = explain_timed(*rule, newest, bounds),
                               .due = row.next_at};
    coming.push_back({std::nullopt, row.next_at, {"schedule"}, {std::move(workflow)}});
  }
  return coming;
}

std::vector<ExplainedEvent> timers_of_change(PastReader& reader, DueTimes& times, const PastChange& change,
                                             const std::vector<PastWorkflow>& workflows) {
  std::vector<ExplainedEvent> timers;
  const storage::StoredEvent& event = *change.event;
  if (!event.after) return timers;
  for (const PastWorkflow& workflow : workflows) {
    if (workflow.deleted_at && *workflow.deleted_at < event.at) continue;
    const PastVersion* const version = workflow.version_at(event.at);
    if (version == nullptr || !version->rule || !version->rule->triggers.timer) continue;
    const domain::Timer& timer = *version->rule->triggers.timer;
    const std::size_t field = domain::record_type(event.entity_type).index_of(*timer.field);
    if (event.before && !change.change.changed.test(field)) continue;
    const auto add = [&](std::string_view reason, Time due) {
      timers.push_back({std::nullopt,
                        event.at,
                        {"timer"},
                        {{.guid = workflow.guid,
                          .name = version->name,
                          .run = {},
                          .reason = reason,
                          .conditions = {},
                          .due = due}}});
    };
    const auto due_of = [&](std::optional<Time> value) {
      return value ? times.of(timer, *value) : std::nullopt;
    };
    const auto before = due_of(event.before ? timer.value(reader.entity_before(event)) : std::nullopt);
    if (before && *before > event.at) add("timer_moved", *before);
    const auto after = due_of(timer.value(change.change.entity));
    if (after && *after <= timer.since_of_event(event.at)) add("timer_passed", *after);
  }
  return timers;
}

std::vector<ExplainedEvent> timers_without_value(const PastChange& newest,
                                                 const std::vector<PastWorkflow>& workflows) {
  std::vector<ExplainedEvent> timers;
  if (!newest.event->after) return timers;
  for (const PastWorkflow& workflow : workflows) {
    const PastVersion& version = workflow.versions.back();
    if (workflow.deleted_at || !version.rule || !version.rule->triggers.timer) continue;
    if (version.rule->triggers.timer->value(newest.change.entity)) continue;
    timers.push_back(
        {std::nullopt,
         newest.event->at,
         {"timer"},
         {{.guid = workflow.guid, .name = version.name, .run = {}, .reason = "no_value", .conditions = {}}}});
  }
  return timers;
}

}  // namespace waybill::matching
