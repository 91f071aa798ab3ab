#include "storage/runs/run_store.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "storage/changes/record_change.hpp"
#include "storage/runs/failure_counts.hpp"
#include "storage/runs/mail_addresses.hpp"
#include "storage/runs/queued_keys.hpp"
#include "storage/runs/run_rows.hpp"
#include "storage/session/copy_rows.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

constexpr std::string_view status_names[] = {"waiting", "queued",    "running", "retrying",
                                             "held",    "succeeded", "dead",    "skipped"};

RunStatus parse_status(std::string_view name) {
  for (std::size_t i = 0; i < std::size(status_names); ++i) {
    if (status_names[i] == name) return static_cast<RunStatus>(i);
  }
  throw std::invalid_argument("unknown run status " + std::string(name));
}

constexpr int unknown_depth = -1;

}  // namespace

std::string_view text(RunStatus status) { return status_names[static_cast<std::size_t>(status)]; }

std::vector<std::size_t> find_preceded(Session& session, std::span<const OrderedRun> runs) {
  if (runs.empty()) return {};
  std::vector<Guid> businesses, workflows, records;
  std::vector<std::int64_t> events, ends;
  for (const OrderedRun& run : runs) {
    businesses.push_back(run.key->business_id);
    workflows.push_back(run.key->workflow_id);
    records.push_back(run.key->entity_id);
    events.push_back(static_cast<std::int64_t>(run.key->event_id));
    ends.push_back(run.ordered_from ? static_cast<std::int64_t>(*run.ordered_from)
                                    : std::numeric_limits<std::int64_t>::min());
  }
  const sql::queue::Preceded preceded{.businesses = binary_array(businesses),
                                      .workflows = binary_array(workflows),
                                      .records = binary_array(records),
                                      .events = binary_array(events),
                                      .ordered_from = binary_array(ends)};
  std::vector<std::size_t> positions;
  for (const auto& row : session.run_with_fresh_plan(preceded))
    positions.push_back(static_cast<std::size_t>(row.position - 1));
  return positions;
}

void RunStore::queue(const std::vector<Run>& runs) {
  QueuedRows queued;
  FinishedRows finished;
  FailureCounts failures;
  MailAddresses addresses;
  for (const Run& run : runs) {
    addresses.add(run);
    if (!is_final(run.state.status)) {
      queued.add(run.key, run.state, std::nullopt, std::nullopt);
      continue;
    }
    finished.add(run.key, run.state);
    failures.add(run.key, run.state);
  }
  queued.write(session_);
  finished.write(session_);
  addresses.write(session_, std::nullopt);
  failures.write(session_, worker_);
}

void RunStore::postpone(std::span<const PostponedMatch> matches) {
  CopyRows rows(4);
  for (const PostponedMatch& match : matches) {
    rows.begin_row()
        .guid(match.business_id)
        .guid(match.workflow_id)
        .bigint(static_cast<std::int64_t>(match.event_id))
        .timestamp(match.at);
  }
  if (!rows.empty()) session_.copy("postponed_matches (business_id, workflow_id, event_id, at)", rows.take());
}

std::vector<Guid> RunStore::workflows_with_postponed(const Guid& after, std::size_t limit) {
  std::vector<Guid> workflows;
  for (const auto& row : session_.run(
           sql::queue::PostponedWorkflows{.after = after, .limit = static_cast<std::int64_t>(limit)}))
    workflows.push_back(row.workflow_id);
  return workflows;
}

std::vector<PostponedMatch> RunStore::take_postponed(const Guid& workflow, std::size_t limit) {
  const auto taken = session_.run(
      sql::queue::TakePostponed{.workflow = workflow, .limit = static_cast<std::int64_t>(limit)});
  std::vector<PostponedMatch> matches;
  for (const auto& row : taken)
    matches.push_back({row.business_id, workflow, static_cast<std::uint64_t>(row.event_id), row.at});
  return matches;
}

bool RunStore::has_runs() { return session_.run(sql::queue::HasRuns{}).front().has_runs; }

Claim RunStore::claim(const ClaimLimits& limits) {
  const auto began = std::chrono::steady_clock::now();
  const auto rows = session_.run_with_fresh_plan(
      sql::queue::Claim{.floor_destinations = limits.floors.destinations,
                        .floors = binary_array(limits.floors.times),
                        .worker = worker_,
                        .lease = format_duration(limits.lease),
                        .limit_per_destination = static_cast<std::int64_t>(limits.per_destination),
                        .blocked_destinations = limits.blocked_destinations,
                        .limit = static_cast<std::int64_t>(limits.runs),
                        .blocked_businesses = limits.blocked_businesses,
                        .max_bytes = static_cast<std::int64_t>(limits.bytes)});
  Claim claimed;
  claimed.runs.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) {
    claimed.workflow_epoch = static_cast<std::uint64_t>(row.workflow_epoch);
    ClaimedRun& taken = claimed.runs.emplace_back();
    taken.run.key = {.business_id = row.business_id,
                     .guid = row.guid,
                     .workflow_id = row.workflow_id,
                     .workflow_version = row.workflow_version,
                     .event_id = static_cast<std::uint64_t>(row.event_id),
                     .entity_type = static_cast<domain::EntityType>(row.entity_type),
                     .entity_id = row.entity_id,
                     .trigger_code = std::string(row.trigger_code),
                     .action = std::string(row.action),
                     .created_at = row.created_at,
                     .origin = row.origin,
                     .replay_of = row.replay_of,
                     .destination = std::string(row.destination),
                     .ordered = row.ordered,
                     .request = std::string(row.request),
                     .body = std::optional<std::string>(row.body),
                     .depth = row.depth.value_or(unknown_depth),
                     .claim = row.claims};
    if (row.watch_after) taken.watch_after = static_cast<std::uint64_t>(*row.watch_after);
    taken.claimed_at = began;
    taken.previous_status = parse_status(row.previous_status);
    taken.run.state = {.status = RunStatus::running,
                       .code = std::optional<std::string>(row.code),
                       .error = std::optional<std::string>(row.error),
                       .attempts = row.attempts,
                       .tries = std::string(row.tries),
                       .at = {}};
    try {
      if (row.steps) taken.run.state.progress = parse_progress(*row.steps);
    } catch (const std::invalid_argument&) {
      taken.version_unreadable = true;  // the steps are of a newer version; the claim's other runs continue
    }
  }
  read_depths(claimed.runs);
  return claimed;
}

std::vector<Guid> RunStore::begin_steps(std::span<const Run* const> runs, Duration lease) {
  QueuedKeys keys;
  std::vector<std::string> actions, destinations, requests, tries, steps;
  std::vector<std::int64_t> attempts, stored_steps;
  std::vector<std::optional<std::string>> bodies, changing;
  MailAddresses addresses;
  for (const Run* const run : runs) {
    keys.add(queued_key(run->key));
    addresses.add(*run);
    actions.push_back(run->key.action);
    changing.push_back(changing_action(run->key.action));
    destinations.push_back(run->key.destination);
    requests.push_back(run->key.request);
    bodies.push_back(run->key.body);
    attempts.push_back(run->state.attempts);
    tries.push_back(run->state.tries);
    steps.push_back(to_text(*run->state.progress));
    stored_steps.push_back(run->state.progress->stored);
  }
  std::vector<Guid> held;
  if (keys.empty()) return held;
  // Steps that send no mail need no transaction of two statements.
  std::optional<Work> work;
  if (!addresses.empty()) work.emplace(session_);
  addresses.write(session_, worker_);
  for (const auto& row :
       session_.run_with_fresh_plan(sql::queue::BeginSteps{.worker = worker_,
                                                           .lease = format_duration(lease),
                                                           .businesses = binary_array(keys.businesses),
                                                           .runs = binary_array(keys.runs),
                                                           .actions = binary_array(actions),
                                                           .destinations = binary_array(destinations),
                                                           .requests = binary_array(requests),
                                                           .bodies = binary_array(bodies),
                                                           .attempts = attempts,
                                                           .tries = binary_array(tries),
                                                           .steps = binary_array(steps),
                                                           .stored_steps = stored_steps,
                                                           .workflows = binary_array(keys.workflows),
                                                           .changing_actions = binary_array(changing),
                                                           .claims = keys.claims}))
    held.push_back(row.guid);
  if (work) work->commit();
  return held;
}

/// Reads the missing depths of runs that change records from their events.
void RunStore::read_depths(std::vector<ClaimedRun>& claimed) {
  std::vector<std::int64_t> positions, events;
  std::vector<Guid> origins;
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    RunKey& key = claimed[i].run.key;
    if (key.depth != unknown_depth) continue;
    key.depth = 0;
    if (!changes_record(key.action)) continue;
    positions.push_back(static_cast<std::int64_t>(i));
    events.push_back(static_cast<std::int64_t>(key.event_id));
    origins.push_back(key.origin);
  }
  if (positions.empty()) return;
  const auto causes = session_.run(sql::queue::Causes{.positions = binary_array(positions),
                                                      .events = binary_array(events),
                                                      .origins = binary_array(origins)});
  for (const auto& row : causes)
    claimed.at(static_cast<std::size_t>(row.position)).run.key.depth =
        cause_depth(std::optional<std::string>(row.cause));
}

std::optional<Time> RunStore::next_due(const NextLimits& limits) {
  return session_
      .run_with_fresh_plan(sql::queue::NextDue{.floor_destinations = limits.floors.destinations,
                                               .floors = binary_array(limits.floors.times),
                                               .blocked_destinations = limits.blocked_destinations,
                                               .blocked_businesses = limits.blocked_businesses,
                                               .within = format_duration(limits.within)})
      .front()
      .due_at;
}

std::vector<Time> RunStore::highest_floors(const QueueFloors& floors) {
  std::vector<Time> times = floors.times;
  for (const auto& row : session_.run(sql::queue::HighestFloors{.destinations = floors.destinations,
                                                                .floors = binary_array(floors.times)}))
    times.at(static_cast<std::size_t>(row.position - 1)) = row.floor;
  return times;
}

void RunStore::release() { session_.run(sql::queue::Release{.worker = worker_}); }

}  // namespace waybill::storage
