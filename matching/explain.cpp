#include "matching/explain.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "matching/due_times.hpp"
#include "matching/explained_timers.hpp"
#include "matching/explanation_bounds.hpp"
#include "matching/past_workflows.hpp"
#include "matching/rule.hpp"
#include "storage/sql/history.sql.hpp"

namespace waybill::matching {
namespace {

/// Evaluates conditions with a part of `share`. Returns too_much_work if none of it is left.
domain::Verdict judge(const Rule& rule, const PastChange& change, WorkBudget& share) {
  if (share.is_exceeded()) return domain::Verdict::too_much_work;
  return domain::judge(rule.conditions, change.subject(), share);
}

std::string_view reason_of(const PastWorkflow& workflow, const PastVersion* version, const PastChange& change,
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

std::vector<std::string_view> codes(domain::EntityType type, const domain::TriggerSet& fired) {
  std::vector<std::string_view> result;
  for (const domain::Trigger& trigger : domain::triggers(type)) {
    if (fired.test(domain::trigger_index(trigger))) result.push_back(trigger.code);
  }
  return result;
}

/// The reason that a workflow did not act on an event that cannot be read.
std::string_view reason_of_unreadable(const PastWorkflow& workflow, const PastVersion* version,
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
    const PastVersion* const version = workflow.version_at(event.at);
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
  const PastVersion* const version = workflow.version_at(change.event->at);
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

bool is_timed(const PastVersion* version) {
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
  /// Leaves out the timers whose time had passed when their field was set, as the present calendar counts
  /// working days, but that wait or came due.
  void leave_out_known(bool is_first_page, std::size_t limit) {
    const auto is_passed = [](const ExplainedEvent& entry) {
      return entry.workflows.front().reason == "timer_passed";
    };
    if (std::ranges::none_of(timers_, is_passed)) return;
    std::set<DueOfWorkflow> known = known_;
    if (!is_first_page) known.merge(known_timers(session_, business_, entity_, limit));
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
  ExplanationBounds bounds_;
  std::vector<ExplainedEvent> result_;
  std::vector<ExplainedEvent> timers_;
  std::set<DueOfWorkflow> known_;  // that wait or came due, on the first page
};

}  // namespace

std::optional<std::vector<ExplainedEvent>> explain(storage::Session& session, const Guid& business,
                                                   const Guid& entity, storage::PastEvents::Latest latest) {
  return Explainer(session, business, entity).explain(latest);
}

}  // namespace waybill::matching
