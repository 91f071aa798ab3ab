#include "matching/explain.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "matching/due_times.hpp"
#include "matching/rule.hpp"
#include "matching/scheduled_records.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/history.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::matching {
namespace {

// The work of evaluating conditions in one explanation, about a second.
constexpr std::size_t max_explained_work = 32 * domain::max_condition_work;

struct Version {
  Time at;
  std::string name;
  std::optional<Rule> rule;  // nullopt if unreadable
};

struct PastWorkflow {
  Guid guid;
  Time created_at;
  std::optional<Time> deleted_at;
  std::vector<Version> versions;                // those in force at the events and the newest; oldest first
  std::vector<std::pair<Time, bool>> switches;  // those in force at the events, by time; true: on

  /// The version in force at that time; null if there was none.
  const Version* version_at(Time at) const {
    const auto later = std::ranges::upper_bound(versions, at, {}, &Version::at);
    return later == versions.begin() ? nullptr : &*std::prev(later);
  }
  bool was_off(Time at) const {
    const auto later = std::ranges::upper_bound(switches, at, {}, &std::pair<Time, bool>::first);
    return later != switches.begin() && !std::prev(later)->second;
  }
};

/// Bounds the values of records and of conditions in an explanation.
class ShownValues {
 public:
  /// Replaces large values by a note once many bytes are shown.
  void limit(std::vector<domain::ConditionResult>& conditions) {
    for (domain::ConditionResult& condition : conditions) {
      for (json::value* const value : {&condition.expected, &condition.actual}) {
        const std::size_t bytes = size_of(*value);
        if (bytes > small && is_full()) {
          *value = "(too large to be shown here)";
        } else {
          bytes_ += bytes;
        }
      }
    }
  }
  bool is_full() const { return bytes_ >= most; }

 private:
  static constexpr std::size_t most = 4UL * 1024 * 1024;
  static constexpr std::size_t small = 1000;

  static std::size_t size_of(const json::value& value) {
    std::size_t bytes = sizeof(json::value);
    if (const auto* const text = value.if_string()) bytes += text->size();
    if (const auto* const list = value.if_array()) {
      for (const json::value& each : *list) bytes += size_of(each);
    }
    if (const auto* const object = value.if_object()) {
      for (const auto& [name, each] : *object) bytes += name.size() + size_of(each);
    }
    return bytes;
  }

  std::size_t bytes_ = 0;
};

struct PastRun {
  std::string status;
  std::string code;
  int attempts;
  json::value steps;
};

std::vector<PastWorkflow> load_workflows(storage::Session& session, const Guid& business,
                                         const std::vector<storage::StoredEvent>& events) {
  std::vector<Time> times;
  times.reserve(events.size());
  for (const auto& event : events) times.push_back(event.at);
  const auto versions = session.run(
      sql::history::Workflows{.business = business,
                              .entity_type = static_cast<std::int16_t>(events.front().entity_type),
                              .times = storage::binary_array(times)});
  std::vector<PastWorkflow> workflows;
  for (const auto& row : versions) {
    if (workflows.empty() || workflows.back().guid != row.guid) {
      workflows.push_back({.guid = row.guid,
                           .created_at = row.created_at,
                           .deleted_at = row.deleted_at,
                           .versions = {},
                           .switches = {}});
    }
    Version& version = workflows.back().versions.emplace_back(
        Version{row.version_at, std::string(row.name.value_or("")), std::nullopt});
    try {
      version.rule = make_rule(row.trigger.value(), json::parse(row.conditions.value()));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the matcher could not read it either
    }
  }
  std::vector<Guid> guids;
  guids.reserve(workflows.size());
  for (const PastWorkflow& workflow : workflows) guids.push_back(workflow.guid);
  const auto switches = session.run(sql::history::Switches{
      .business = business, .workflows = guids, .times = storage::binary_array(times)});
  for (const auto& row : switches) {
    const auto workflow = std::ranges::find(workflows, row.workflow_id, &PastWorkflow::guid);
    if (workflow != workflows.end()) workflow->switches.emplace_back(row.at, row.is_active);
  }
  return workflows;
}

/// The digest that has collected an event for a workflow.
struct PastDigest {
  Guid guid;
  std::optional<Time> due;  // of an open one
  bool is_dropped;
};

using PastDigests = std::map<std::tuple<storage::EventKey, Guid>, PastDigest>;  // by event and workflow

PastDigests load_digests(storage::Session& session, const Guid& business,
                         const std::vector<storage::StoredEvent>& events) {
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  for (const auto& event : events) {
    ids.push_back(static_cast<std::int64_t>(event.id));
    times.push_back(event.at);
  }
  PastDigests digests;
  for (const auto& row : session.run(sql::history::Digests{.business = business,
                                                           .events = storage::binary_array(ids),
                                                           .times = storage::binary_array(times)})) {
    const storage::EventKey event{static_cast<std::uint64_t>(row.event_id), row.event_at};
    digests.try_emplace({event, row.workflow_id}, PastDigest{.guid = row.digest_id,
                                                             .due = std::optional<Time>(row.due_at),
                                                             .is_dropped = row.is_dropped});
  }
  return digests;
}

Guid run_guid(const storage::StoredEvent& event, const Guid& workflow) {
  return Guid::timed_hash(to_unix_ms(event.at), workflow, event.id);
}

using PastRuns = std::unordered_map<Guid, PastRun>;

PastRuns load_runs(storage::Session& session, const Guid& business, const std::vector<Guid>& guids) {
  PastRuns runs;
  if (guids.empty()) return runs;
  for (const auto& row : session.run(sql::history::Runs{.business = business, .runs = guids}))
    runs.emplace(row.guid, PastRun{.status = std::string(row.status),
                                   .code = std::string(row.code.value_or("")),
                                   .attempts = row.attempts,
                                   .steps = json::parse(row.steps)});
  return runs;
}

const PastRun* find_run(const PastRuns& runs, const Guid& guid) {
  const auto found = runs.find(guid);
  return found == runs.end() ? nullptr : &found->second;
}

/// Evaluates conditions with a part of `share`. Returns too_much_work if none of it is left.
domain::Verdict judge(const Rule& rule, const PastChange& change, WorkBudget& share) {
  if (share.is_exceeded()) return domain::Verdict::too_much_work;
  return domain::judge(rule.conditions, change.subject(), share);
}

/// The reason that a run did nothing or waits; empty if it acted.
std::string_view reason_of(const PastRun& run) {
  if (run.code == "NOTIFICATIONS_OFF") return "notifications_off";
  if (run.code == "LIMITED") return "limited";
  // A change of records that finds its condition (whenAllShipments) not met was attempted.
  if (run.code == "CONDITION" && run.attempts == 0) return "condition";
  if (run.code == "WINDOW" && run.status != "held" && run.status != "running") return "window";
  return run.status == "held" ? "paused" : run.code == "LOOP" ? "loop" : "";
}

std::string_view reason_of(const PastWorkflow& workflow, const Version* version, const PastChange& change,
                           const PastRun* run, bool pending, WorkBudget& share) {
  const Time at = change.event->at;
  if (run != nullptr && run->code == "PAYLOAD_TOO_LARGE" && version != nullptr && version->rule &&
      judge(*version->rule, change, share) == domain::Verdict::too_much_work)
    return "too_much_work";
  if (run != nullptr) return reason_of(*run);
  if (version == nullptr || at < workflow.created_at) return "newer_than_event";
  if (workflow.was_off(at)) return "switched_off";
  if (!version->rule || !version->rule->fires(change.fired)) return "other_trigger";
  if (!pending) return "condition";
  const domain::Verdict verdict = judge(*version->rule, change, share);
  return verdict == domain::Verdict::hold   ? ""
         : verdict == domain::Verdict::fail ? "condition"
                                            : "too_much_work";
}

/// Explains conditions with a part of `share`. Returns nothing if none of it is left.
std::vector<domain::ConditionResult> explain_conditions(const Rule& rule, const domain::Subject& subject,
                                                        WorkBudget& share) {
  if (share.is_exceeded()) return {};
  WorkBudget own(domain::max_condition_work);
  std::vector<domain::ConditionResult> results = rule.conditions.explain(subject, own);
  share.take(domain::max_condition_work - own.left());
  return results;
}

std::vector<std::string_view> codes(domain::EntityType type, const domain::TriggerSet& fired) {
  std::vector<std::string_view> result;
  for (const domain::Trigger& trigger : domain::triggers(type)) {
    if (fired.test(domain::trigger_index(trigger))) result.push_back(trigger.code);
  }
  return result;
}

/// The reason that a workflow did not act on an event that cannot be read.
std::string_view reason_of_unreadable(const PastWorkflow& workflow, const Version* version,
                                      const UnreadableEvent& unreadable, bool has_run, bool pending) {
  const Time at = unreadable.event->at;
  const std::string_view unread =
      unreadable.problem.code == std::string_view("PAYLOAD_TOO_LARGE") ? "too_large" : "unreadable";
  if (has_run) return unread;
  if (version == nullptr || at < workflow.created_at) return "newer_than_event";
  if (workflow.was_off(at)) return "switched_off";
  const bool is_concerned =
      version->rule && (version->rule->is_timed() || version->rule->fires(unreadable.possible()));
  if (!is_concerned) return "other_trigger";
  return pending ? "" : unread;
}

/// An event that cannot be read, with its effect on each workflow that existed. Timers are among them,
/// because it set none.
ExplainedEvent explain_unreadable(const UnreadableEvent& unreadable,
                                  const std::vector<PastWorkflow>& workflows, const PastRuns& runs,
                                  bool pending) {
  const storage::StoredEvent& event = *unreadable.event;
  const domain::TriggerSet possible = unreadable.possible();
  ExplainedEvent entry{event.id, event.at, {}, {}};
  if (possible.count() == 1) entry.triggers = codes(event.entity_type, possible);
  for (const PastWorkflow& workflow : workflows) {
    if (workflow.deleted_at && *workflow.deleted_at < event.at) continue;
    const Version* const version = workflow.version_at(event.at);
    const Guid guid = run_guid(event, workflow.guid);
    const PastRun* const run = find_run(runs, guid);
    entry.workflows.push_back(
        {.guid = workflow.guid,
         .name = (version != nullptr ? version : &workflow.versions.back())->name,
         .run = run != nullptr ? std::optional(guid) : std::nullopt,
         .reason = reason_of_unreadable(workflow, version, unreadable, run != nullptr, pending),
         .conditions = {},
         .steps = run != nullptr ? run->steps : json::value()});
  }
  return entry;
}

std::string_view reason_of(const PastDigest& digest, const PastRun* run) {
  if (digest.is_dropped) return "digest_dropped";
  if (digest.due) return "digest";
  return run == nullptr ? "" : reason_of(*run);
}

/// The runs that events caused, and the digests that have collected them.
struct Caused {
  PastRuns runs;
  PastDigests digests;
};

ExplainedWorkflow explain_workflow(const PastWorkflow& workflow, const PastChange& change,
                                   const Caused& caused, bool pending, WorkBudget& share) {
  const Version* const version = workflow.version_at(change.event->at);
  const storage::EventKey event{change.event->id, change.event->at};
  const auto found = caused.digests.find({event, workflow.guid});
  const PastDigest* const digest = found == caused.digests.end() ? nullptr : &found->second;
  const Guid guid = digest != nullptr ? digest->guid : run_guid(*change.event, workflow.guid);
  const PastRun* const run = digest != nullptr && digest->is_dropped ? nullptr : find_run(caused.runs, guid);
  ExplainedWorkflow result{.guid = workflow.guid,
                           .name = (version != nullptr ? version : &workflow.versions.back())->name,
                           .run = run != nullptr ? std::optional(guid) : std::nullopt,
                           .reason = digest != nullptr
                                         ? reason_of(*digest, run)
                                         : reason_of(workflow, version, change, run, pending, share),
                           .conditions = {},
                           .steps = run != nullptr ? run->steps : json::value(),
                           .due = digest != nullptr ? digest->due : std::nullopt};
  result.fired = run != nullptr && result.reason.empty();
  if (version != nullptr && version->rule)
    result.conditions = explain_conditions(*version->rule, change.subject(), share);
  return result;
}

/// `is_newer`: the workflow was made after the time of the timer.
std::string_view reason_of_timer(bool is_waiting, bool is_active, bool is_newer,
                                 std::optional<std::string_view> reason, const PastRun* run) {
  const std::string_view off = is_newer ? "newer_than_event" : "switched_off";
  if (is_waiting) return is_active ? "timer_waiting" : off;
  if (reason) return *reason == "condition" ? "condition" : off;
  return run == nullptr ? "" : reason_of(*run);
}

/// The work and the values of an explanation.
struct Bounds {
  WorkBudget work{max_explained_work};
  ShownValues shown;
};

/// Explains the conditions of a timer or schedule by the record as of its last change, which may be null.
std::vector<domain::ConditionResult> explain_timed(const Rule& rule, const PastChange* newest,
                                                   Bounds& bounds) {
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

/// The timers of a record that wait or came due, and the runs of schedules for it. `newest` is its last
/// change; may be null.
std::vector<ExplainedEvent> explain_timers(storage::Session& session, const Guid& business,
                                           const Guid& entity, const PastChange* newest, std::size_t limit,
                                           Bounds& bounds) {
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

/// The coming ticks of the schedules whose query the record meets. A schedule that will run for the record is
/// left out if a run that it made is among `timers`.
std::vector<ExplainedEvent> explain_schedules(storage::Session& session, const Guid& business,
                                              const Guid& entity, domain::EntityType type,
                                              const PastChange* newest, std::size_t limit,
                                              const std::vector<ExplainedEvent>& timers, Bounds& bounds) {
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

/// The timers that a change moved before they were due, and those whose time had passed when it set their
/// field.
std::vector<ExplainedEvent> timers_of_change(PastReader& reader, DueTimes& times, const PastChange& change,
                                             const std::vector<PastWorkflow>& workflows) {
  std::vector<ExplainedEvent> timers;
  const storage::StoredEvent& event = *change.event;
  if (!event.after) return timers;
  for (const PastWorkflow& workflow : workflows) {
    if (workflow.deleted_at && *workflow.deleted_at < event.at) continue;
    const Version* const version = workflow.version_at(event.at);
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

/// The timers that are not set because the record has no value for their field, as of its last change.
std::vector<ExplainedEvent> timers_without_value(const PastChange& newest,
                                                 const std::vector<PastWorkflow>& workflows) {
  std::vector<ExplainedEvent> timers;
  if (!newest.event->after) return timers;
  for (const PastWorkflow& workflow : workflows) {
    const Version& version = workflow.versions.back();
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

/// Events and timers, newest first; the events keep their order.
std::vector<ExplainedEvent> merged(std::vector<ExplainedEvent> events, std::vector<ExplainedEvent> timers) {
  std::ranges::sort(timers, std::ranges::greater(), &ExplainedEvent::at);
  std::vector<ExplainedEvent> all;
  std::ranges::merge(
      std::make_move_iterator(timers.begin()), std::make_move_iterator(timers.end()),
      std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()), std::back_inserter(all),
      std::ranges::greater(), [](const ExplainedEvent& entry) { return entry.at; },
      [](const ExplainedEvent& entry) { return entry.at; });
  return all;
}

bool is_timed(const Version* version) {
  return version != nullptr && version->rule && version->rule->is_timed();
}

/// Explains the last events of a record, portion by portion, because each event has its record twice.
class Explainer {
 public:
  Explainer(storage::Session& session, const Guid& business, const Guid& entity)
      : session_(session),
        business_(business),
        entity_(entity),
        reader_(session),
        times_(session, business) {}

  std::optional<std::vector<ExplainedEvent>> explain(storage::PastEvents::Latest latest) {
    const bool is_first_page = latest.before == storage::PastEvents::Latest().before;
    storage::PastOfRecord past = reader_.events().of_record(business_, entity_, latest);
    if (past.events.empty()) {
      const auto type = session_.run(sql::history::RecordType{.business = business_, .record = entity_});
      if (type.empty()) return std::nullopt;
      if (is_first_page) {
        explain_timed_workflows(static_cast<domain::EntityType>(type.front().entity_type), nullptr,
                                latest.limit);
      }
      return merged({}, std::move(timers_));
    }
    explain_portion(past, is_first_page, latest.limit);
    const std::size_t limit = latest.limit;
    for (std::size_t count = past.events.size(); past.has_more && count < limit && !bounds_.shown.is_full();
         count += past.events.size()) {
      latest.before = static_cast<std::int64_t>(past.events.back().id);
      latest.limit = limit - count;
      past = {};
      past = reader_.events().of_record(business_, entity_, latest);
      if (!past.events.empty()) explain_portion(past, false, limit);
    }
    leave_out_known(is_first_page, limit);
    return merged(std::move(result_), std::move(timers_));
  }

 private:
  using Due = std::pair<Guid, Time>;  // of a timer of a workflow

  /// Leaves out the timers whose time had passed when their field was set, as the present calendar counts
  /// working days, but that wait or came due.
  void leave_out_known(bool is_first_page, std::size_t limit) {
    const auto is_passed = [](const ExplainedEvent& entry) {
      return entry.workflows.front().reason == "timer_passed";
    };
    if (std::ranges::none_of(timers_, is_passed)) return;
    std::set<Due> known = known_;
    if (!is_first_page) {
      for (const auto& row : timer_rows(session_, business_, entity_, limit))
        known.emplace(row.workflow_id, row.due_at);
    }
    std::erase_if(timers_, [&](const ExplainedEvent& entry) {
      const ExplainedWorkflow& workflow = entry.workflows.front();
      return is_passed(entry) && workflow.due && known.contains({workflow.guid, *workflow.due});
    });
  }

  void explain_portion(const storage::PastOfRecord& past, bool with_timers, std::size_t limit) {
    const std::vector<storage::StoredEvent>& events = past.events;
    std::vector<UnreadableEvent> unreadable;
    std::vector<PastChange> changes = reader_.changes(events, {}, &unreadable);
    std::vector<PastChange*> all;
    all.reserve(changes.size());
    for (PastChange& change : changes) all.push_back(&change);
    reader_.fill_relatives(all);

    const auto workflows = load_workflows(session_, business_, events);
    std::vector<Guid> guids;
    for (const storage::StoredEvent& event : events) {
      for (const PastWorkflow& workflow : workflows) guids.push_back(run_guid(event, workflow.guid));
    }
    Caused caused{.runs = {}, .digests = load_digests(session_, business_, events)};
    for (const auto& [key, digest] : caused.digests) guids.push_back(digest.guid);
    caused.runs = load_runs(session_, business_, guids);
    const auto is_pending = [&](const storage::StoredEvent* event) -> bool {
      return past.pending[static_cast<std::size_t>(event - events.data())];
    };
    auto next_unreadable = unreadable.begin();
    const auto explain_unreadable_until = [&](const storage::StoredEvent* end) {
      for (; next_unreadable != unreadable.end() && next_unreadable->event < end; ++next_unreadable)
        result_.push_back(
            explain_unreadable(*next_unreadable, workflows, caused.runs, is_pending(next_unreadable->event)));
    };
    for (const PastChange& change : changes) {
      if (!result_.empty() && bounds_.shown.is_full()) break;
      const storage::StoredEvent& event = *change.event;
      explain_unreadable_until(change.event);
      const bool pending = is_pending(change.event);
      ExplainedEvent& entry = result_.emplace_back(
          ExplainedEvent{event.id, event.at, codes(event.entity_type, change.fired), {}});
      for (const PastWorkflow& workflow : workflows) {
        if (workflow.deleted_at && *workflow.deleted_at < event.at) continue;
        if (is_timed(workflow.version_at(event.at))) continue;
        entry.workflows.push_back(explain_workflow(workflow, change, caused, pending, bounds_.work));
        bounds_.shown.limit(entry.workflows.back().conditions);
      }
      std::ranges::move(timers_of_change(reader_, times_, change, workflows), std::back_inserter(timers_));
    }
    if (!bounds_.shown.is_full()) explain_unreadable_until(events.data() + events.size());
    if (with_timers) {
      if (!changes.empty())
        std::ranges::move(timers_without_value(changes.front(), workflows), std::back_inserter(timers_));
      explain_timed_workflows(events.front().entity_type, changes.empty() ? nullptr : &changes.front(),
                              limit);
    }
  }

  void explain_timed_workflows(domain::EntityType type, const PastChange* newest, std::size_t limit) {
    auto timers = explain_timers(session_, business_, entity_, newest, limit, bounds_);
    for (const ExplainedEvent& entry : timers)
      known_.emplace(entry.workflows.front().guid, entry.workflows.front().due.value());
    std::ranges::move(explain_schedules(session_, business_, entity_, type, newest, limit, timers, bounds_),
                      std::back_inserter(timers_));
    std::ranges::move(timers, std::back_inserter(timers_));
  }

  storage::Session& session_;
  const Guid business_;
  const Guid entity_;
  PastReader reader_;
  DueTimes times_;
  Bounds bounds_;
  std::vector<ExplainedEvent> result_;
  std::vector<ExplainedEvent> timers_;
  std::set<Due> known_;  // that wait or came due, on the first page
};

}  // namespace

std::optional<std::vector<ExplainedEvent>> explain(storage::Session& session, const Guid& business,
                                                   const Guid& entity, storage::PastEvents::Latest latest) {
  return Explainer(session, business, entity).explain(latest);
}

}  // namespace waybill::matching
