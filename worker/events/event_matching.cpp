#include "worker/events/event_matching.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/sql/suspensions.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t first_batch = 32;
constexpr std::size_t most_postponed_workflows = 100;
constexpr std::int64_t most_set_aside = 100;  // events of a resumed business in one transaction
constexpr std::size_t most_postponed = 200;   // matches of a workflow in one transaction
constexpr std::size_t collected_portion = 8;  // postponed matches whose items are in memory
constexpr Duration postponed_time = std::chrono::milliseconds(10);  // of postponed matches in one turn

void end_watches(storage::Session& session, std::span<const storage::WatchEnd> ends) {
  storage::cancel_watching(session, ends);
  storage::wake_watching(session, ends);
}

std::size_t run_count(const std::vector<MatchedEvent>& events) {
  std::size_t count = 0;
  for (const MatchedEvent& event : events) count += event.runs.size();
  return count;
}

}  // namespace

EventMatching::EventMatching(const Options& options, EventIntake& intake, const Catalogue& catalogue,
                             WorkflowFollower& workflows, BlastGuard& guard, Runner& runner,
                             const Clock& clock)
    : options_(options),
      intake_(intake),
      catalogue_(catalogue),
      workflows_(workflows),
      guard_(guard),
      runner_(runner),
      clock_(clock),
      matcher_(catalogue, clock, options.public_url),
      batch_(first_batch, options.most_in_batch, options.batch_time),
      postponed_batch_(1, most_postponed, postponed_time) {}

bool EventMatching::match_some(storage::Session& session, std::vector<storage::StoredEvent> rows) {
  std::vector<storage::PendingEvent> events = intake_.take(batch_.get(), workflows_);
  if (events.empty()) return false;
  std::vector<MatchedEvent> matched;
  try {
    set_aside(session, events, rows);
    if (events.empty()) {
      intake_.matched();
      return true;
    }
    matched = match(session, events, std::move(rows));
  } catch (...) {
    intake_.put_back(events);
    throw;
  }
  give_back_unmatched(std::move(events), matched);
  runner_.submit(std::move(matched));
  intake_.matched();
  return true;
}

/// Removes the events of suspended businesses from the batch and moves them aside. They stay in order: until
/// the last of them is matched, later events of the business are set aside, too.
void EventMatching::set_aside(storage::Session& session, std::vector<storage::PendingEvent>& events,
                              std::vector<storage::StoredEvent>& rows) {
  std::vector<storage::EventKey> keys;
  std::vector<std::int16_t> shards;
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  for (const storage::PendingEvent& event : events) {
    if (!workflows_.sets_aside(event.business_id)) continue;
    keys.push_back(event.key());
    shards.push_back(event.shard);
    ids.push_back(static_cast<std::int64_t>(event.id));
    times.push_back(event.at);
  }
  if (keys.empty()) return;
  session.run(sql::suspensions::SetAside{.shards = storage::binary_array(shards),
                                         .events = storage::binary_array(ids),
                                         .times = storage::binary_array(times),
                                         .worker = options_.worker});
  const auto is_aside = [this](const auto& event) { return workflows_.sets_aside(event.business_id); };
  std::erase_if(events, is_aside);
  std::erase_if(rows, is_aside);
  intake_.settled(keys);
  observe(Observable::events_set_aside, {}, keys.size());
}

std::vector<MatchedEvent> EventMatching::match(storage::Session& session,
                                               const std::vector<storage::PendingEvent>& events,
                                               std::vector<storage::StoredEvent> rows) {
  const auto started_at = std::chrono::steady_clock::now();
  std::vector<MatchedEvent> matched =
      matcher_.match(session, events, std::move(rows),
                     {.has_memory = [this](const Guid& business) { return runner_.has_memory(business); },
                      .may_defer = workflows_.may_defer(session, clock_.now()),
                      .unrecorded_since = intake_.oldest_taken()});
  guard_.watch(session, matched);
  guard_.counts().matched(matcher_.take_counts());
  for (MatchedEvent& event : matched) event.epoch = intake_.epoch(event.shard);
  find_turns(session, matched);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_at;
  if (matched.size() < events.size()) {
    // The last events, perhaps those of other businesses, were left out. So the next batch is limited to the
    // number of events that were matched.
    batch_.limited_to(matched.size());
  } else {
    batch_.measured(events.size(), std::chrono::duration_cast<Duration>(took));
  }
  record(Histogram::match_batch_seconds, took.count());
  record(Histogram::match_batch_events, static_cast<double>(matched.size()));
  observe(Observable::events_matched, {}, matched.size());
  observe(Observable::runs_planned, {}, run_count(matched));
  return matched;
}

/// Finds out which events have ordered runs that no run in the queue precedes.
void EventMatching::find_turns(storage::Session& session, std::vector<MatchedEvent>& events) {
  std::vector<storage::OrderedRun> runs;
  std::vector<MatchedEvent*> events_of;
  for (MatchedEvent& event : events) {
    event.may_begin = keeps_order(event);
    if (!event.may_begin) continue;
    for (const PlannedRun& planned : event.runs) {
      if (!planned.run.key.ordered) continue;
      runs.push_back({.key = &planned.run.key});
      events_of.push_back(&event);
    }
  }
  if (runs.empty()) return;
  runner_.forget_recorded();
  for (const std::size_t position : storage::find_preceded(session, runs))
    events_of.at(position)->may_begin = false;
}

/// Puts back the events that the batch left out because it reached a limit.
void EventMatching::give_back_unmatched(std::vector<storage::PendingEvent> events,
                                        const std::vector<MatchedEvent>& matched) {
  if (matched.size() == events.size()) return;
  std::unordered_set<storage::EventKey, storage::EventKeyHash> keys;
  for (const MatchedEvent& event : matched) keys.insert(event.key);
  std::erase_if(events, [&](const storage::PendingEvent& event) { return keys.contains(event.key()); });
  intake_.put_back(events);
}

/// Matches postponed events, stores what follows in the open transaction, and returns the runs. Collected
/// items have the texts of their records, so few are in memory at a time.
std::vector<storage::Run> EventMatching::store_late(storage::Session& session, const Workflow& workflow,
                                                    std::span<const storage::PostponedMatch> matches) {
  const std::size_t portion = workflow.rule.triggers.digest ? collected_portion : most_postponed;
  std::vector<storage::Run> runs;
  while (!matches.empty()) {
    const auto some = matches.first(std::min(portion, matches.size()));
    matches = matches.subspan(some.size());
    LateMatches late = matcher_.match_postponed(session, workflow, some);
    storage::RunStore(session, options_.worker).queue(late.runs);
    storage::collect(session, late.collected);
    std::ranges::move(late.runs, std::back_inserter(runs));
  }
  return runs;
}

bool EventMatching::match_postponed(storage::Session& session) {
  if (!postponed_.begin_look(clock_.now())) return false;
  const auto since = std::chrono::steady_clock::now();
  storage::RunStore store(session, options_.worker);
  const std::vector<Guid> workflows =
      store.workflows_with_postponed(postponed_.last(), most_postponed_workflows);
  if (!workflows.empty()) workflows_.follow_now(session);
  for (const Guid& guid : workflows) {
    postponed_.turn_of(guid);
    const WorkflowPtr workflow = catalogue_.find(guid);
    if (!workflow && catalogue_.is_unreadable(guid)) continue;
    // Changes that are not read yet may be older than the events; they may also bring the workflow.
    if (workflow ? !workflows_.is_current(workflow->business_id) : workflows_.any_behind()) continue;
    const auto began = std::chrono::steady_clock::now();
    storage::Work work(session);
    const std::vector<storage::PostponedMatch> matches = store.take_postponed(guid, postponed_batch_.get());
    std::vector<storage::Run> runs;
    // A workflow that has been deleted since fires for none of them.
    if (workflow && workflow->rule.triggers.timer) {
      storage::change_timers(session, matcher_.postponed_timers(session, *workflow, matches));
    } else if (workflow) {
      runs = store_late(session, *workflow, matches);
    }
    if (workflow) end_watches(session, matcher_.postponed_ends(session, *workflow, matches));
    work.commit();
    guard_.counts().fired(runs);
    if (!matches.empty()) postponed_.found_matches();
    const auto now_after = std::chrono::steady_clock::now();
    postponed_batch_.measured(matches.size(), std::chrono::duration_cast<Duration>(now_after - began));
    if (now_after - since > postponed_time) {
      postponed_.interrupt();
      return true;
    }
  }
  return postponed_.end_look(workflows.size() < most_postponed_workflows);
}

bool EventMatching::match_set_aside(storage::Session& session) {
  const auto business = workflows_.resumed_business();
  if (!business) return false;
  runner_.forget_recorded();
  if (runner_.has_ordered(*business)) return false;  // their records have no runs in the queue yet
  storage::Work work(session);
  const auto rows = session.run(
      sql::suspensions::Read{.business = *business, .worker = options_.worker, .limit = most_set_aside});
  if (rows.empty()) {
    workflows_.caught_up(*business);
    return true;
  }
  std::vector<storage::PendingEvent> events;
  for (const auto& row : rows) {
    events.push_back(
        {.shard = 0, .id = static_cast<std::uint64_t>(row.event_id), .business_id = *business, .at = row.at});
  }
  const std::vector<MatchedEvent> matched = matcher_.match(
      session, events, {}, {.has_memory = [](const Guid&) { return false; }, .may_defer = true});
  std::vector<storage::Run> runs;
  std::vector<storage::PostponedMatch> postponed;
  std::vector<storage::TimerChange> timers;
  std::vector<storage::WatchEnd> ends;
  std::vector<storage::CollectedItem> collected;
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  for (const MatchedEvent& event : matched) {
    for (const PlannedRun& planned : event.runs) runs.push_back(planned.run);
    postponed.insert(postponed.end(), event.postponed.begin(), event.postponed.end());
    timers.insert(timers.end(), event.timers.begin(), event.timers.end());
    ends.insert(ends.end(), event.watch_ends.begin(), event.watch_ends.end());
    collected.insert(collected.end(), event.collected.begin(), event.collected.end());
    ids.push_back(static_cast<std::int64_t>(event.key.id));
    times.push_back(event.key.at);
  }
  storage::RunStore store(session, options_.worker);
  store.queue(runs);
  store.postpone(postponed);
  storage::change_timers(session, timers);
  end_watches(session, ends);
  storage::collect(session, collected);
  session.run(sql::suspensions::Remove{
      .business = *business, .events = storage::binary_array(ids), .times = storage::binary_array(times)});
  work.commit();
  guard_.counts().fired(runs);
  guard_.counts().matched(matcher_.take_counts());
  observe(Observable::events_matched, {}, matched.size());
  observe(Observable::runs_planned, {}, runs.size());
  return true;
}

}  // namespace waybill::worker
