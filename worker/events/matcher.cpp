#include "worker/events/matcher.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/observe.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/relatives.hpp"
#include "matching/unreadable.hpp"
#include "worker/planning/event_plan.hpp"
#include "worker/planning/timer_plan.hpp"
#include "worker/planning/working_delays.hpp"

namespace waybill::worker {
namespace {

using std::chrono::steady_clock;

// Limits of a batch. An event waits for the batch of others at most this long plus one rendering.
constexpr std::size_t max_batch_runs = 2000;
constexpr std::size_t max_batch_bytes = 16UL * 1024 * 1024;
constexpr auto max_batch_time = std::chrono::milliseconds(10);
// The number of postponed events in memory; each has its record twice.
constexpr std::size_t postponed_portion = 8;

using Keys = std::unordered_set<storage::EventKey, storage::EventKeyHash>;
template <typename Part>
using ByEvent = std::unordered_map<storage::EventKey, std::vector<Part>, storage::EventKeyHash>;

storage::EventKey key_of(const storage::StoredEvent& event) { return {event.id, event.at}; }

/// Adds the missing rows of `events` to `rows`, up to a number of bytes. Events without a row are left out.
std::vector<storage::StoredEvent> with_rows(storage::Outbox& outbox,
                                            std::span<const storage::PendingEvent> events,
                                            std::vector<storage::StoredEvent> rows, bool& complete) {
  if (rows.empty()) return outbox.fetch(events, max_batch_bytes, complete);
  Keys present;
  for (const storage::StoredEvent& row : rows) present.insert(key_of(row));
  std::vector<storage::PendingEvent> missing(events.begin(), events.end());
  std::erase_if(missing, [&](const storage::PendingEvent& event) { return present.contains(event.key()); });
  std::ranges::move(outbox.fetch(missing, max_batch_bytes, complete), std::back_inserter(rows));
  return rows;
}

/// The events that are not among the rows.
Keys without_row(std::span<const storage::PendingEvent> events, std::span<const storage::StoredEvent> rows) {
  Keys keys;
  for (const storage::PendingEvent& event : events) keys.insert(event.key());
  for (const storage::StoredEvent& row : rows) keys.erase(key_of(row));
  return keys;
}

/// The workflows of the businesses and record types in a batch. Each is looked up once, although the events
/// of a bulk change are all of one business.
class ActiveWorkflows {
 public:
  ActiveWorkflows(const Catalogue& catalogue, std::span<const storage::StoredEvent> events)
      : catalogue_(catalogue) {
    for (const storage::StoredEvent& event : events) first_ = std::min(first_, event.at);
  }

  /// Catalogue::active of an event's business and type; valid as long as this object.
  std::span<const WorkflowPtr> of(const storage::StoredEvent& event) {
    auto& known = by_business_[event.business_id].at(static_cast<std::size_t>(event.entity_type));
    if (!known) known = catalogue_.active(event.business_id, event.entity_type, first_);
    return *known;
  }

 private:
  const Catalogue& catalogue_;
  Time first_ = Time::max();  // of the events
  std::unordered_map<Guid, std::array<std::optional<std::vector<WorkflowPtr>>, domain::entity_type_count>>
      by_business_;
};

}  // namespace

/// An event with the workflows that may fire for it.
struct Matcher::Candidate {
  const storage::StoredEvent* event;
  domain::Change change;
  domain::TriggerSet fired;
  EventWorkflows workflows;
  // The event cannot be handled: `fired` are the triggers that it may meet, and `workflows.refused` all that
  // have one of them.
  std::optional<matching::Unreadable> problem = std::nullopt;
  domain::Subject subject() const { return {change.entity, change.previous, change.created}; }
  bool shows_tracking_page() const {
    return std::ranges::any_of(workflows.open,
                               [](const WorkflowPtr& workflow) { return workflow->shows_tracking_page; });
  }
};

/// The state of one call of `match`.
struct Matcher::Batch {
  Moment since = steady_clock::now();  // excludes the time spent in the database
  json::monotonic_resource arena;
  std::vector<Candidate> candidates;
  Keys left_out;
  ByEvent<storage::PostponedMatch> postponed;
  ByEvent<storage::TimerChange> timers;
  ByEvent<PlannedRun> runs;
  WatchMatcher::Ends watch_ends;
  ByEvent<storage::CollectedItem> collected;

  bool is_late() const { return steady_clock::now() - since > max_batch_time; }
  std::vector<MatchedEvent> take_matched(std::span<const storage::PendingEvent> events);
};

std::vector<MatchedEvent> Matcher::match(storage::Session& session,
                                         std::span<const storage::PendingEvent> events,
                                         std::vector<storage::StoredEvent> rows, const Limits& limits) {
  return columns_.use(session, [&] { return match_all(session, events, std::move(rows), limits); });
}

std::vector<MatchedEvent> Matcher::match_all(storage::Session& session,
                                             std::span<const storage::PendingEvent> events,
                                             std::vector<storage::StoredEvent> rows, const Limits& limits) {
  storage::Outbox outbox(session);
  bool has_all_rows = true;
  const std::vector<storage::StoredEvent> stored = with_rows(outbox, events, std::move(rows), has_all_rows);

  Batch batch;
  if (!has_all_rows) batch.left_out = without_row(events, stored);
  const storage::RelativesWanted wanted = find_candidates(stored, batch);

  const Moment query_began = steady_clock::now();
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  batch.since += steady_clock::now() - query_began;

  plan_candidates(matching::RelativeIndex(relatives, public_url_), limits, batch);
  std::vector<PlannedRun*> planned;
  for (auto& [event, runs] : batch.runs) {
    for (PlannedRun& run : runs) planned.push_back(&run);
  }
  add_working_days(session, planned);
  batch.watch_ends = watches_.match(session, *columns_, stored, nullptr, limits.unrecorded_since);
  count(events, stored, batch);
  return batch.take_matched(events);
}

/// Counts the matched events. There can be rows of events that are matched later.
void Matcher::count(std::span<const storage::PendingEvent> events,
                    std::span<const storage::StoredEvent> stored, const Batch& batch) {
  Keys later;
  if (stored.size() > events.size()) {
    for (const storage::StoredEvent& event : stored) later.insert(key_of(event));
    for (const storage::PendingEvent& event : events) later.erase(event.key());
  }
  const auto is_among = [](const Keys& keys, const storage::StoredEvent& event) {
    return !keys.empty() && keys.contains(key_of(event));
  };
  for (const storage::StoredEvent& event : stored) {
    if (is_among(later, event) || is_among(batch.left_out, event)) continue;
    ++counts_.events[event.business_id].at(static_cast<std::size_t>(event.entity_type));
    if (const auto carrier = columns_->carrier_of_scan(event)) ++counts_.scans[{event.business_id, *carrier}];
  }
}

/// Finds the candidates among the events, the postponed matches and the changes of timers. Returns the keys
/// of the relatives of the candidates' records.
storage::RelativesWanted Matcher::find_candidates(std::span<const storage::StoredEvent> stored,
                                                  Batch& batch) {
  ActiveWorkflows active(catalogue_, stored);
  storage::RelativesWanted wanted;
  batch.candidates.reserve(stored.size());
  for (const storage::StoredEvent& event : stored) {
    if (&event != &stored.front() && batch.is_late()) {
      batch.left_out.insert(key_of(event));
      continue;
    }
    if (auto matches = postponed(event); !matches.empty())
      batch.postponed.emplace(key_of(event), std::move(matches));
    if (auto changes = timers(event, &batch.arena); !changes.empty())
      batch.timers.emplace(key_of(event), std::move(changes));
    auto found = candidate(event, active.of(event), &batch.arena);
    if (!found) continue;
    if (found->problem) {
      batch.runs.emplace(key_of(event), end_runs(*found));
      continue;
    }
    matching::collect_relatives(event.business_id, event.entity_id, found->change, wanted,
                                found->shows_tracking_page());
    batch.candidates.push_back(std::move(*found));
  }
  return wanted;
}

/// Plans the runs of the candidates until a limit of the batch is reached.
void Matcher::plan_candidates(const matching::RelativeIndex& relatives, const Limits& limits, Batch& batch) {
  batch.runs.reserve(batch.candidates.size());
  std::size_t run_count = 0;
  std::size_t bytes = 0;
  for (Candidate& candidate : batch.candidates) {
    const storage::StoredEvent& event = *candidate.event;
    const bool is_first = &candidate == &batch.candidates.front();
    if (!is_first && (run_count >= max_batch_runs || bytes >= max_batch_bytes || batch.is_late())) {
      batch.left_out.insert(key_of(event));
      continue;
    }
    PlannedEvent planned;
    candidate.problem = matching::unless_unreadable([&] {
      relatives.fill(event.business_id, event.entity_id, candidate.change);
      planned = plan_event(
          event, candidate.change, candidate.fired, candidate.workflows,
          {.may_defer = limits.may_defer, .has_memory = limits.has_memory(event.business_id)}, clock_.now());
    });
    if (candidate.problem) planned = {.runs = end_runs(candidate), .collected = {}};
    run_count += planned.runs.size() + planned.collected.size();
    for (const PlannedRun& run : planned.runs) bytes += storage::byte_size(run.run.key);
    for (const storage::CollectedItem& item : planned.collected) bytes += item.item.size();
    if (!planned.runs.empty()) batch.runs.emplace(key_of(event), std::move(planned.runs));
    if (!planned.collected.empty()) batch.collected.emplace(key_of(event), std::move(planned.collected));
    if (!candidate.workflows.later.empty()) {
      auto& later = batch.postponed[key_of(event)];
      for (const WorkflowPtr& workflow : candidate.workflows.later)
        later.push_back({event.business_id, workflow->guid, event.id, event.at});
      observe(Observable::match_postponed, {}, candidate.workflows.later.size());
    }
  }
}

/// Returns the events that are not left out, with what they cause.
std::vector<MatchedEvent> Matcher::Batch::take_matched(std::span<const storage::PendingEvent> events) {
  std::vector<MatchedEvent> matched;
  matched.reserve(events.size());
  for (const storage::PendingEvent& event : events) {
    if (left_out.contains(event.key())) continue;
    MatchedEvent& result = matched.emplace_back(
        MatchedEvent{.shard = event.shard, .key = event.key(), .runs = {}, .orphan = event.orphan});
    if (const auto found = runs.find(event.key()); found != runs.end())
      result.runs = std::move(found->second);
    if (const auto found = postponed.find(event.key()); found != postponed.end())
      result.postponed = std::move(found->second);
    if (const auto found = timers.find(event.key()); found != timers.end())
      result.timers = std::move(found->second);
    if (const auto found = watch_ends.find(event.key()); found != watch_ends.end()) {
      result.watch_ends = std::move(found->second.ends);
      result.ends_queued_runs = found->second.are_of_queued;
    }
    if (const auto found = collected.find(event.key()); found != collected.end())
      result.collected = std::move(found->second);
  }
  return matched;
}

std::optional<Matcher::Candidate> Matcher::candidate(const storage::StoredEvent& event,
                                                     std::span<const WorkflowPtr> workflows,
                                                     const json::storage_ptr& memory) {
  const Time latest = clock_.now() + std::chrono::seconds(1);
  const auto was_off = [&](const WorkflowPtr& workflow) { return !workflow->was_on(event.at, latest); };
  if (std::ranges::all_of(workflows, was_off)) return std::nullopt;
  std::optional<Candidate> candidate;
  const auto problem = matching::unless_unreadable([&] {
    candidate.emplace(
        Candidate{.event = &event, .change = columns_->change(event, memory), .fired = {}, .workflows = {}});
    candidate->fired = domain::fired_triggers(candidate->change);
    EventWorkflows& sorted = candidate->workflows;
    for (const WorkflowPtr& workflow : workflows) {
      if (was_off(workflow) || !workflow->rule.fires(candidate->fired)) continue;
      if (sorted.share.is_exceeded()) {
        sorted.later.push_back(workflow);
        continue;
      }
      const auto verdict = workflow->rule.conditions.reads_relatives()
                               ? domain::Verdict::hold
                               : sorted.judge(*workflow, candidate->subject());
      if (verdict == domain::Verdict::fail) continue;
      (verdict == domain::Verdict::hold ? sorted.open : sorted.refused).push_back(workflow);
    }
  });
  if (problem) {
    observe(Observable::event_unreadable,
            {{"event_id", static_cast<std::int64_t>(event.id)}, {"error", std::string_view(problem->error)}});
    candidate.emplace(Candidate{.event = &event,
                                .change = {},
                                .fired = domain::possible_triggers(
                                    event.entity_type, event.before.has_value(), event.after.has_value()),
                                .workflows = {},
                                .problem = problem});
    for (const WorkflowPtr& workflow : workflows) {
      if (!was_off(workflow) && workflow->rule.fires(candidate->fired))
        candidate->workflows.refused.push_back(workflow);
    }
  }
  const EventWorkflows& sorted = candidate->workflows;
  if (sorted.open.empty() && sorted.refused.empty() && sorted.later.empty()) return std::nullopt;
  return candidate;
}

/// The dead runs of an event that cannot be handled: one for each workflow that it may concern.
std::vector<PlannedRun> Matcher::end_runs(Candidate& candidate) {
  std::vector<PlannedRun> runs;
  EventWorkflows& workflows = candidate.workflows;
  for (const auto* const some : {&workflows.refused, &workflows.open, &workflows.later}) {
    for (const WorkflowPtr& workflow : *some)
      runs.push_back(
          end_unreadable(*candidate.event, candidate.fired, *workflow, *candidate.problem, clock_.now()));
  }
  workflows.later.clear();
  return runs;
}

std::vector<storage::PostponedMatch> Matcher::postponed(const storage::StoredEvent& event) const {
  std::vector<storage::PostponedMatch> matches;
  for (const Guid& workflow : catalogue_.unreadable(event.business_id, event.entity_type, event.at,
                                                    clock_.now() + std::chrono::seconds(1))) {
    matches.push_back({event.business_id, workflow, event.id, event.at});
  }
  if (!matches.empty()) observe(Observable::match_postponed, {}, matches.size());
  return matches;
}

/// The changes that an event makes to the timers of its record.
std::vector<storage::TimerChange> Matcher::timers(const storage::StoredEvent& event,
                                                  const json::storage_ptr& memory) {
  std::vector<storage::TimerChange> changes;
  const std::vector<WorkflowPtr> workflows = catalogue_.with_timer(event.business_id, event.entity_type);
  if (workflows.empty()) return changes;
  const auto problem = matching::unless_unreadable([&] {
    const domain::Change change = columns_->change(event, memory);
    for (const WorkflowPtr& workflow : workflows) {
      if (auto made = timer_change(event, change, *workflow)) changes.push_back(*made);
    }
  });
  if (problem) {
    observe(Observable::event_unreadable,
            {{"event_id", static_cast<std::int64_t>(event.id)}, {"error", std::string_view(problem->error)}});
  }
  return changes;
}

namespace {

/// Calls `work(event)` for the stored events, of which a few are in memory at a time.
template <typename Work>
void for_postponed(storage::Outbox& outbox, std::span<const storage::PostponedMatch> matches,
                   const Work& work) {
  while (!matches.empty()) {
    const auto portion = matches.first(std::min(postponed_portion, matches.size()));
    matches = matches.subspan(portion.size());
    std::vector<storage::PendingEvent> keys;
    for (const storage::PostponedMatch& match : portion)
      keys.push_back({.shard = 0, .id = match.event_id, .business_id = match.business_id, .at = match.at});
    for (const storage::StoredEvent& event : outbox.fetch(keys)) work(event);
  }
}

}  // namespace

std::vector<storage::TimerChange> Matcher::postponed_timers(
    storage::Session& session, const Workflow& workflow, std::span<const storage::PostponedMatch> matches) {
  return columns_.use(session, [&] {
    storage::Outbox outbox(session);
    std::vector<storage::TimerChange> changes;
    for_postponed(outbox, matches, [&](const storage::StoredEvent& event) {
      matching::unless_unreadable([&] {  // reported when it was matched
        if (auto made = timer_change(event, columns_->change(event, {}), workflow)) changes.push_back(*made);
      });
    });
    return changes;
  });
}

std::vector<storage::WatchEnd> Matcher::postponed_ends(storage::Session& session, const Workflow& workflow,
                                                       std::span<const storage::PostponedMatch> matches) {
  return columns_.use(session, [&] {
    storage::Outbox outbox(session);
    std::vector<storage::WatchEnd> ends;
    if (!workflow.had_watches) return ends;
    for_postponed(outbox, matches, [&](const storage::StoredEvent& event) {
      for (auto& [key, of_event] : watches_.match(session, *columns_, {&event, 1}, &workflow.guid))
        std::ranges::move(of_event.ends, std::back_inserter(ends));
    });
    return ends;
  });
}

LateMatches Matcher::match_postponed(storage::Session& session, const Workflow& workflow,
                                     std::span<const storage::PostponedMatch> matches) {
  return columns_.use(session, [&] {
    storage::Outbox outbox(session);
    PlannedEvent plan;
    std::vector<PlannedRun>& planned = plan.runs;
    // A pointer without ownership is enough, because the workflow outlives the call.
    const WorkflowPtr pointer(WorkflowPtr(), &workflow);
    for_postponed(outbox, matches, [&](const storage::StoredEvent& event) {
      auto found = candidate(event, {&pointer, 1}, {});
      if (!found) return;
      if (found->problem) {
        std::ranges::move(end_runs(*found), std::back_inserter(planned));
        return;
      }
      auto verdict =
          found->workflows.refused.empty() ? domain::Verdict::hold : domain::Verdict::too_much_work;
      if (verdict == domain::Verdict::hold) {
        matching::fill_relatives(outbox, event.business_id, event.entity_id, found->change,
                                 {.wanted = workflow.shows_tracking_page, .public_url = public_url_});
        if (workflow.rule.conditions.reads_relatives())
          verdict = workflow.rule.conditions.judge(found->subject());
      }
      if (verdict == domain::Verdict::hold && workflow.rule.triggers.digest) {
        add_item(event, found->change, found->fired, workflow, clock_.now(), plan);
      } else if (verdict == domain::Verdict::hold) {
        planned.push_back(defer_run(event, found->fired, workflow, clock_.now()));
        limit_run(workflow, found->change.entity, planned.back().run.key);
      } else if (verdict == domain::Verdict::too_much_work) {
        planned.push_back(refuse_run(event, found->fired, workflow, clock_.now()));
      }
    });
    std::vector<PlannedRun*> pointers;
    pointers.reserve(planned.size());
    for (PlannedRun& run : planned) pointers.push_back(&run);
    add_working_days(session, pointers);
    LateMatches late{.runs = {}, .collected = std::move(plan.collected)};
    for (PlannedRun& run : planned) late.runs.push_back(std::move(run.run));
    return late;
  });
}

}  // namespace waybill::worker
