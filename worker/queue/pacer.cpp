#include "worker/queue/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "actions/stored_steps.hpp"
#include "storage/sql/pacing.sql.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

using Kind = storage::Pace::Kind;

constexpr std::size_t most_openings = 10'000;
// A granted request that has not begun by then is lost, so that late ones do not add up.
constexpr Duration grant_lifetime = std::chrono::milliseconds(500);
constexpr double largest_batch = 32;
constexpr Duration shortest_block = std::chrono::milliseconds(1);
constexpr Duration lock_delay =
    std::chrono::seconds(1);  // of runs that another session's lock keeps from beginning

Duration seconds(double count) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count));
}

bool goes(const storage::ClaimedRun& run) { return run.pace.kind == Kind::go; }

void start_before(storage::ClaimedRun& run, Time end) {
  run.pace.start_before = std::min(run.pace.start_before.value_or(end), end);
}

/// The time until the bucket holds a number of requests, if it is full in `full_in` seconds.
Duration wait_for(const domain::RequestRate& rate, double full_in, double requests) {
  return seconds(full_in - (rate.burst() - requests) / rate.per_second);
}

/// The number of requests that must be available before waiting runs are claimed again: half a bucket, so
/// that the bucket is not full before the claim, but not more than one claim takes.
double batch_of(const domain::RequestRate& rate) { return std::clamp(rate.burst() / 2, 1.0, largest_batch); }

}  // namespace

void Pacer::pace(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  std::vector<Candidate> candidates;
  for (storage::ClaimedRun& run : runs) {
    if (auto found = candidate(run)) candidates.push_back(*std::move(found));
  }
  if (candidates.empty()) return;
  // The runs of earlier events begin first.
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
    const storage::RunKey& key = candidate.run->run.key;
    return std::pair(key.created_at, key.guid);
  });
  const Time now = clock_.now();
  for (const Candidate& candidate : candidates) {
    if (candidate.is_attempt && candidate.workflow->pacing.window) wait_for_window(session, candidate, now);
  }
  limit(session, candidates, now);
  wait_for_requests(session, candidates);
  for (const Candidate& candidate : candidates) {
    storage::Pace& pace = candidate.run->pace;
    const bool waits = pace.kind == Kind::window || pace.kind == Kind::rate || pace.kind == Kind::locked;
    if (waits && std::max(pace.until, now) > candidate.run->run.key.created_at + retention_)
      pace.kind = Kind::expired;
  }
}

void Pacer::note_windows(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  const Time now = clock_.now();
  for (storage::ClaimedRun& run : runs) {
    const storage::RunState& state = run.run.state;
    if (run.previous_status != storage::RunStatus::queued || state.attempts > 0 || state.progress) continue;
    const WorkflowPtr workflow = catalogue_.find(run.run.key.workflow_id);
    if (!workflow || !workflow->pacing.window || actions::find_action(type_to_begin(run.run)) == nullptr)
      continue;
    const Time opens_at = opening(session, workflow, now).opens_at;
    // A workflow that has changed since may have had another window.
    const bool was_closed =
        run.run.key.created_at < opens_at || run.run.key.workflow_version != workflow->version;
    run.missed_window = was_closed && opens_at <= now;
  }
}

/// Nullopt for a run without pacing, and for one that is ended or held, continues with a wait or a stop, or
/// looks at the purchase that it has waited for.
std::optional<Pacer::Candidate> Pacer::candidate(storage::ClaimedRun& run) const {
  WorkflowPtr workflow = catalogue_.find(run.run.key.workflow_id);
  if (!workflow || !workflow->pacing || is_final(run.run.state.status) || run.conditions_failed ||
      run.run.state.code == storage::label_code || run.record_gone || workflow->paused ||
      catalogue_.is_suspended(workflow->business_id))
    return std::nullopt;
  const std::string_view type = type_to_begin(run.run);
  const actions::Action* const action = actions::find_action(type);
  if (action != nullptr
          ? is_loop(*action, run.run.key.depth)
          : run.run.state.progress || (type != "wait" && type != "stop" && type != actions::choose_type))
    return std::nullopt;
  return Candidate{.run = &run, .workflow = std::move(workflow), .is_attempt = action != nullptr};
}

void Pacer::wait_for_window(storage::Session& session, const Candidate& candidate, Time now) {
  const Opening& next = opening(session, candidate.workflow, now);
  if (now < next.opens_at) {
    end_wait(candidate.run->run.state, now);
    candidate.run->pace = {.kind = Kind::window, .until = next.opens_at};
  } else {
    start_before(*candidate.run, next.closes_at);
  }
}

const Pacer::Opening& Pacer::opening(storage::Session& session, const WorkflowPtr& workflow, Time now) {
  if (openings_.size() > most_openings) openings_.clear();
  Opening& known = openings_[workflow->guid];
  if (known.workflow == workflow && now < known.closes_at) return known;
  const domain::TimeWindow& window = *workflow->pacing.window;
  const std::vector<std::int64_t> days(window.days.begin(), window.days.end());
  const auto rows = session.run(sql::pacing::NextOpening{.business = workflow->business_id,
                                                         .zone = window.zone,
                                                         .days = days,
                                                         .opens = window.from,
                                                         .closes = window.to,
                                                         .at = now,
                                                         .workdays = window.workdays});
  const auto row = rows.find();
  // If the server lacks the time zone, an update may add it, so the query is repeated later.
  const Time later = now + unreadable_retry_delay;
  const bool is_known = row && row->opens_at && row->closes_at;
  // Without a working day, its runs end; the calendar may change.
  const bool never_opens = row && row->is_known_zone && !is_known && window.workdays;
  known = {workflow,
           is_known      ? *row->opens_at
           : never_opens ? Time::max()
                         : later,
           is_known ? *row->closes_at : later};
  return known;
}

/// Marks the runs whose limit is reached and those whose row is locked, and counts the others.
void Pacer::limit(storage::Session& session, const std::vector<Candidate>& candidates, Time now) {
  std::vector<Guid> businesses, workflows, runs;
  std::vector<std::int64_t> counts;
  std::vector<std::string> periods;
  std::unordered_map<Guid, storage::ClaimedRun*> by_guid;
  for (const auto& [run, workflow, is_attempt] : candidates) {
    // A replay is not limited, and has no row either.
    if (!workflow->pacing.limit || !goes(*run) || run->run.key.replay_of) continue;
    businesses.push_back(run->run.key.business_id);
    workflows.push_back(workflow->guid);
    runs.push_back(run->run.key.guid);
    counts.push_back(workflow->pacing.limit->count);
    periods.push_back(format_duration(workflow->pacing.limit->per));
    by_guid.emplace(run->run.key.guid, run);
  }
  if (runs.empty()) return;
  for (const auto& row : session.run(sql::pacing::BeginLimited{.businesses = businesses,
                                                               .workflows = workflows,
                                                               .runs = runs,
                                                               .counts = counts,
                                                               .periods = periods})) {
    storage::Pace& pace = by_guid.at(row.run)->pace;
    pace = row.is_locked ? storage::Pace{.kind = Kind::locked, .until = now + lock_delay}
                         : storage::Pace{.kind = Kind::limited};
  }
}

void Pacer::wait_for_requests(storage::Session& session, const std::vector<Candidate>& candidates) {
  std::map<std::string, std::vector<Candidate>> by_destination;
  for (const Candidate& candidate : candidates) {
    const storage::RunKey& key = candidate.run->run.key;
    if (!candidate.is_attempt || !candidate.workflow->pacing.rate || !goes(*candidate.run)) continue;
    // The destination of a step is known when the step has begun.
    if (storage::is_deferred(key) && storage::is_step_destination(key.destination)) continue;
    // A change of records does not go to a destination.
    if (actions::find_action(type_to_begin(candidate.run->run))->changes_records()) continue;
    // A run that was queued before its workflow had a rate is still in the queue of the action's destination.
    by_destination[domain::destination_with_rate(key.destination, key.workflow_id, key.business_id)]
        .push_back(candidate);
  }
  if (by_destination.empty()) return;
  std::vector<Guid> businesses, workflows;
  std::vector<std::string> destinations, rates;
  std::vector<std::int64_t> wanted;
  for (const auto& [destination, waiting] : by_destination) {
    const Workflow& workflow = *waiting.front().workflow;
    businesses.push_back(workflow.business_id);
    workflows.push_back(workflow.guid);
    destinations.push_back(destination);
    wanted.push_back(static_cast<std::int64_t>(waiting.size()));
    rates.push_back(to_json(workflow.pacing.rate->per_second));
  }
  for (const auto& row : session.run(sql::pacing::TakeRequests{.businesses = businesses,
                                                               .workflows = workflows,
                                                               .destinations = destinations,
                                                               .wanted = wanted,
                                                               .per_second = rates})) {
    const auto waiting = by_destination.extract(std::string(row.destination));
    grant(waiting.key(), waiting.mapped(), static_cast<std::size_t>(row.granted), row.full_in);
  }
  const Time again = clock_.now() + lock_delay;
  for (const auto& [destination, waiting] : by_destination) block(destination, waiting, again);
}

/// Lets the first `granted` runs go. If others wait, or the bucket is empty now, no run of the destination
/// is claimed until the bucket has requests again.
void Pacer::grant(const std::string& destination, const std::vector<Candidate>& waiting, std::size_t granted,
                  double full_in) {
  const Time now = clock_.now();
  for (std::size_t i = 0; i < std::min(granted, waiting.size()); ++i)
    start_before(*waiting[i].run, now + grant_lifetime);
  const domain::RequestRate& rate = *waiting.front().workflow->pacing.rate;
  const bool is_enough = granted >= waiting.size();
  const Duration wait = wait_for(rate, full_in, is_enough ? 1 : batch_of(rate));
  if (is_enough && wait <= Duration::zero()) return;
  block(destination, std::span(waiting).subspan(std::min(granted, waiting.size())),
        now + std::max(wait, shortest_block));
}

/// Stops claims of the destination until `until`, and puts the waiting runs back.
void Pacer::block(const std::string& destination, std::span<const Candidate> waiting, Time until) {
  blocked_[destination] = until;
  for (const Candidate& candidate : waiting) {
    storage::ClaimedRun& run = *candidate.run;
    // A run stays before those that came later, because its destination is not claimed from until then.
    const bool keeps_place = run.run.key.destination == destination && attempts_of_step(run.run.state) == 0;
    run.pace = {.kind = Kind::rate, .until = keeps_place ? run.run.key.created_at : until};
  }
}

std::vector<std::string> Pacer::blocked_destinations(Time now) {
  std::vector<std::string> blocked;
  std::erase_if(blocked_, [&](const auto& entry) { return entry.second <= now; });
  blocked.reserve(blocked_.size());
  for (const auto& [destination, until] : blocked_) blocked.push_back(destination);
  return blocked;
}

Time Pacer::next_unblocked() const {
  Time next = Time::max();
  for (const auto& [destination, until] : blocked_) next = std::min(next, until);
  return next;
}

}  // namespace waybill::worker
