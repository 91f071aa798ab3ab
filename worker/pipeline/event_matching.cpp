#include "worker/pipeline/event_matching.hpp"

#include <unordered_set>
#include <utility>

#include "base/observe.hpp"
#include "storage/run_store.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t first_batch = 32;
constexpr Duration postponed_look_every = std::chrono::seconds(1);
constexpr std::size_t most_postponed_workflows = 100;
constexpr std::size_t most_postponed = 200;  // matches of a workflow in one transaction

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
      batch_(first_batch, options.most_in_batch, options.batch_time) {}

bool EventMatching::match_some(storage::Session& session, std::vector<storage::StoredEvent> rows) {
  std::vector<storage::PendingEvent> events = intake_.take(batch_.get());
  if (events.empty()) return false;
  std::vector<MatchedEvent> matched;
  try {
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

std::vector<MatchedEvent> EventMatching::match(storage::Session& session,
                                               const std::vector<storage::PendingEvent>& events,
                                               std::vector<storage::StoredEvent> rows) {
  const auto started_at = std::chrono::steady_clock::now();
  std::vector<MatchedEvent> matched =
      matcher_.match(session, events, std::move(rows),
                     {.has_memory = [this](const Guid& business) { return runner_.has_memory(business); },
                      .may_defer = workflows_.may_defer(session, clock_.now())});
  guard_.watch(session, matched);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_at;
  if (matched.size() < events.size()) {
    // The later events were left out, which may be those of other businesses: the next batch is small enough
    // for all of its events.
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

/// Puts back the events that one batch had no memory for.
void EventMatching::give_back_unmatched(std::vector<storage::PendingEvent> events,
                                        const std::vector<MatchedEvent>& matched) {
  if (matched.size() == events.size()) return;
  std::unordered_set<storage::EventKey, storage::EventKeyHash> keys;
  for (const MatchedEvent& event : matched) keys.insert(event.key);
  std::erase_if(events, [&](const storage::PendingEvent& event) { return keys.contains(event.key()); });
  intake_.put_back(events);
}

bool EventMatching::match_postponed(storage::Session& session) {
  const Time now = clock_.now();
  if (now < next_postponed_look_) return false;
  next_postponed_look_ = now + postponed_look_every;
  storage::RunStore store(session, options_.worker);
  bool any = false;
  for (const Guid& guid : store.workflows_with_postponed(most_postponed_workflows)) {
    const WorkflowPtr workflow = catalogue_.find(guid);
    if (!workflow && catalogue_.is_unreadable(guid)) continue;
    storage::Work work(session);
    const std::vector<storage::PostponedMatch> matches = store.take_postponed(guid, most_postponed);
    // A workflow that was deleted meanwhile fires for none of them.
    if (workflow) store.queue(matcher_.match_postponed(session, *workflow, matches));
    work.commit();
    any = any || !matches.empty();
  }
  if (any) next_postponed_look_ = {};
  return any;
}

}  // namespace waybill::worker
