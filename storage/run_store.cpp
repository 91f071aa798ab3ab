#include "storage/run_store.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "storage/binary.hpp"
#include "storage/copy_rows.hpp"
#include "storage/sql/outbox.sql.hpp"
#include "storage/sql/queue.sql.hpp"

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

constexpr std::string_view changing_action = "update_status";
constexpr int unknown_depth = -1;

constexpr std::string_view queue_columns = ", due_at, ordered, depth, lease_owner";
constexpr std::int16_t queue_column_count = 4;
constexpr std::string_view common_columns =
    "business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, "
    "action, "
    "status, code, error, attempts, created_at, origin, replay_of, destination, request, body, tries";
constexpr std::int16_t common_column_count = 20;

void append_common(CopyRows& rows, const RunKey& key, const RunState& state) {
  rows.begin_row()
      .guid(key.business_id)
      .guid(key.guid)
      .guid(key.workflow_id)
      .integer(key.workflow_version)
      .bigint(static_cast<std::int64_t>(key.event_id))
      .smallint(static_cast<std::int16_t>(key.entity_type))
      .guid(key.entity_id)
      .text(key.trigger_code)
      .text(key.action)
      .text(storage::text(state.status))
      .maybe_text(state.code)
      .maybe_text(state.error)
      .integer(state.attempts)
      .timestamp(key.created_at)
      .guid(key.origin)
      .maybe_guid(key.replay_of)
      .text(key.destination)
      .text(key.request)
      .maybe_text(key.body)
      .text(state.tries);
}

/// Appends the columns of a queued run except lease_owner.
void append_queued(CopyRows& rows, const RunKey& key, const RunState& state) {
  append_common(rows, key, state);
  rows.timestamp(state.at).boolean(key.ordered).integer(key.depth);
}

std::string queue_target() {
  return "run_queue (" + std::string(common_columns) + std::string(queue_columns) + ")";
}

/// Counts finished runs for `run_counts`.
class FinishedCounts {
 public:
  void add(const RunKey& key, RunStatus status) {
    ++hours_[{key.business_id, std::chrono::floor<std::chrono::hours>(key.created_at), key.workflow_id,
              status}];
  }

  void write(Session& session) const {
    Counts days;
    for (const auto& [count, number] : hours_) {
      const auto& [business, hour, workflow, status] = count;
      days[{business, std::chrono::floor<std::chrono::days>(hour), workflow, status}] += number;
    }
    std::vector<Guid> businesses, workflows;
    std::vector<std::string> units, statuses;
    std::vector<Time> starts;
    std::vector<std::int64_t> runs;
    const auto append = [&](const char* unit, const Counts& counts) {
      for (const auto& [count, number] : counts) {
        const auto& [business, start, workflow, status] = count;
        businesses.push_back(business);
        units.emplace_back(unit);
        starts.push_back(start);
        workflows.push_back(workflow);
        statuses.emplace_back(storage::text(status));
        runs.push_back(number);
      }
    };
    append("day", days);
    append("hour", hours_);
    session.run(sql::queue::CountFinished{.businesses = binary_array(businesses),
                                          .units = units,
                                          .starts = binary_array(starts),
                                          .workflows = binary_array(workflows),
                                          .statuses = statuses,
                                          .runs = binary_array(runs)});
  }

 private:
  using Counts = std::map<std::tuple<Guid, Time, Guid, RunStatus>, std::int64_t>;
  Counts hours_;
};

}  // namespace

std::string_view text(RunStatus status) { return status_names[static_cast<std::size_t>(status)]; }

/// Makes the status changes that a batch requests.
class RunStore::Changes {
 public:
  Changes(Session& session, const JudgeChange& judge, bool with_savepoints, std::vector<RunState>& changed)
      : session_(session), judge_(judge), with_savepoints_(with_savepoints), changed_(changed) {}

  RunState make(const Guid& business, const RunState& state) {
    return judged(state, with_savepoints_ ? make_with_savepoint(business, *state.change)
                                          : make(business, *state.change));
  }

  /// Makes the changes that an event's runs request. Returns the new states by run.
  std::unordered_map<const Run*, RunState> make_all(const std::vector<Run>& runs) {
    std::vector<const Run*> requesting;
    for (const Run& run : runs) {
      if (run.state.change) requesting.push_back(&run);
    }
    std::ranges::sort(requesting, {}, [](const Run* run) {
      return std::tie(run->key.workflow_created_at, run->key.workflow_id);
    });
    std::unordered_map<const Run*, RunState> states;
    bool held_back = false;
    for (const Run* const run : requesting) {
      RunState state = held_back ? judged(run->state, {StatusChangeResult::Kind::locked, {}})
                                 : make(run->key.business_id, run->state);
      held_back = held_back || !is_final(state.status);
      states.emplace(run, std::move(state));
    }
    return states;
  }

 private:
  RunState judged(const RunState& state, const StatusChangeResult& result) {
    return changed_.emplace_back(judge_(state, result));
  }

  StatusChangeResult make(const Guid& business, const StatusChange& change) {
    if (!is_lock_limited_)
      session_.execute("set local lock_timeout = '1s'");  // for other rows that triggers lock
    is_lock_limited_ = true;
    return change_status(session_, business, change);
  }

  StatusChangeResult make_with_savepoint(const Guid& business, const StatusChange& change) {
    session_.execute("savepoint change");
    try {
      StatusChangeResult result = make(business, change);
      session_.execute("release savepoint change");
      return result;
    } catch (const StatementError& error) {
      if (!is_lock_conflict(error) && !refuses_data(error)) throw;
      session_.execute("rollback to savepoint change");
      is_lock_limited_ = false;
      using Kind = StatusChangeResult::Kind;
      return {is_lock_conflict(error) ? Kind::locked : Kind::refused, error.what()};
    }
  }

  Session& session_;
  const JudgeChange& judge_;
  const bool with_savepoints_;
  std::vector<RunState>& changed_;
  bool is_lock_limited_ = false;
};

Recorded RunStore::record(const Batch& batch, const JudgeChange& judge) {
  Recorded recorded;
  Work work(session_);
  Changes changes(session_, judge, batch.with_savepoints, recorded.changed);
  settle(batch, changes, recorded);
  const bool any_change = std::ranges::any_of(
      batch.outcomes, [](const auto& outcome) { return outcome.state.change != nullptr; });
  const auto changed = any_change ? after_changes(batch.outcomes, changes) : std::vector<QueuedOutcome>();
  const auto& outcomes = any_change ? changed : batch.outcomes;
  finish<sql::queue::Finish>(outcomes, true);
  finish<sql::queue::Reschedule>(outcomes, false);
  work.commit();
  return recorded;
}

void RunStore::settle(const Batch& batch, Changes& changes, Recorded& recorded) {
  if (batch.events.empty()) return;
  std::vector<std::int16_t> shards;
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  shards.reserve(batch.events.size());
  ids.reserve(batch.events.size());
  times.reserve(batch.events.size());
  for (const SettledEvent& event : batch.events) {
    shards.push_back(event.shard);
    ids.push_back(static_cast<std::int64_t>(event.key.id));
    times.push_back(event.key.at);
  }
  const auto taken = session_.run(sql::outbox::Settle{.shards = binary_array(shards),
                                                      .events = binary_array(ids),
                                                      .times = binary_array(times),
                                                      .worker = worker_});
  recorded.events = static_cast<std::size_t>(taken.size());
  const bool owns_all = recorded.events == batch.events.size();
  std::unordered_set<EventKey, EventKeyHash> owned;
  if (!owns_all) {
    for (const auto& row : taken) owned.insert({static_cast<std::uint64_t>(row.id), row.at});
  }

  CopyRows history(common_column_count + 1), queued(common_column_count + queue_column_count);
  FinishedCounts finished;
  std::vector<const PostponedMatch*> postponed;
  for (const SettledEvent& event : batch.events) {
    if (!owns_all && !owned.contains(event.key)) continue;
    for (const PostponedMatch& match : event.postponed) postponed.push_back(&match);
    const auto changed = changes.make_all(event.runs);
    for (const Run& run : event.runs) {
      const RunKey& key = run.key;
      const auto found = changed.find(&run);
      const RunState& state = found == changed.end() ? run.state : found->second;
      if (is_final(state.status)) {
        append_common(history, key, state);
        history.timestamp(state.at);
        finished.add(key, state.status);
      } else {
        append_queued(queued, key, state);
        state.status == RunStatus::running ? queued.guid(worker_) : queued.null();
      }
    }
  }
  const std::string common(common_columns);
  if (!history.empty()) {
    session_.copy("runs (" + common + ", finished_at)", history.take());
    finished.write(session_);
  }
  if (!queued.empty()) session_.copy(queue_target(), queued.take());
  if (!postponed.empty()) postpone(postponed);
}

void RunStore::queue(const std::vector<Run>& runs) {
  CopyRows queued(common_column_count + queue_column_count);
  for (const Run& run : runs) {
    append_queued(queued, run.key, run.state);
    queued.null();
  }
  if (!queued.empty()) session_.copy(queue_target(), queued.take());
}

void RunStore::postpone(const std::vector<const PostponedMatch*>& matches) {
  CopyRows rows(4);
  for (const PostponedMatch* const match : matches) {
    rows.begin_row()
        .guid(match->business_id)
        .guid(match->workflow_id)
        .bigint(static_cast<std::int64_t>(match->event_id))
        .timestamp(match->at);
  }
  session_.copy("postponed_matches (business_id, workflow_id, event_id, at)", rows.take());
}

std::vector<Guid> RunStore::workflows_with_postponed(std::size_t limit) {
  std::vector<Guid> workflows;
  for (const auto& row :
       session_.run(sql::queue::PostponedWorkflows{.limit = static_cast<std::int64_t>(limit)}))
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

/// Returns the outcomes with the states after their changes. An outcome whose run this worker has lost makes
/// no change and is left out.
std::vector<QueuedOutcome> RunStore::after_changes(const std::vector<QueuedOutcome>& outcomes,
                                                   Changes& changes) {
  std::vector<Guid> businesses, guids;
  for (const QueuedOutcome& outcome : outcomes) {
    if (!outcome.state.change) continue;
    businesses.push_back(outcome.business_id);
    guids.push_back(outcome.guid);
  }
  std::unordered_set<Guid> owned;
  for (const auto& row : session_.run_replanned(sql::queue::Hold{
           .worker = worker_, .businesses = binary_array(businesses), .runs = binary_array(guids)}))
    owned.insert(row.guid);
  std::vector<QueuedOutcome> after;
  after.reserve(outcomes.size());
  for (const QueuedOutcome& outcome : outcomes) {
    if (!outcome.state.change) {
      after.push_back(outcome);
    } else if (owned.contains(outcome.guid)) {
      after.push_back({outcome.business_id, outcome.guid, changes.make(outcome.business_id, outcome.state),
                       outcome.rendering});
      owned.erase(outcome.guid);  // an attempt makes one change
    }
  }
  return after;
}

/// Runs the statement `S` for the outcomes that are final, or for the others.
template <typename S>
void RunStore::finish(const std::vector<QueuedOutcome>& outcomes, bool are_final) {
  std::vector<Guid> businesses, guids;
  std::vector<std::optional<std::string>> codes, errors, requests, bodies;
  std::vector<std::string> statuses, tries;
  std::vector<std::int64_t> attempts;
  std::vector<Time> times;
  for (const QueuedOutcome& outcome : outcomes) {
    if (is_final(outcome.state.status) != are_final) continue;
    businesses.push_back(outcome.business_id);
    guids.push_back(outcome.guid);
    statuses.emplace_back(storage::text(outcome.state.status));
    codes.push_back(outcome.state.code);
    errors.push_back(outcome.state.error);
    attempts.push_back(outcome.state.attempts);
    times.push_back(outcome.state.at);
    tries.push_back(outcome.state.tries);
    requests.push_back(outcome.rendering ? std::optional(outcome.rendering->request) : std::nullopt);
    bodies.push_back(outcome.rendering ? outcome.rendering->body : std::nullopt);
  }
  if (guids.empty()) return;
  session_.run_replanned(S{.worker = worker_,
                           .businesses = binary_array(businesses),
                           .runs = binary_array(guids),
                           .statuses = statuses,
                           .codes = codes,
                           .errors = errors,
                           .attempts = attempts,
                           .times = binary_array(times),
                           .tries = tries,
                           .requests = requests,
                           .bodies = bodies});
}

std::vector<ClaimedRun> RunStore::claim(const ClaimLimits& limits) {
  const auto rows = session_.run_replanned(
      sql::queue::Claim{.worker = worker_,
                        .lease = format_duration(limits.lease),
                        .limit_per_destination = static_cast<std::int64_t>(limits.per_destination),
                        .blocked_destinations = limits.blocked_destinations,
                        .limit = static_cast<std::int64_t>(limits.runs),
                        .blocked_businesses = limits.blocked_businesses,
                        .max_bytes = static_cast<std::int64_t>(limits.bytes)});
  std::vector<ClaimedRun> claimed;
  claimed.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) {
    ClaimedRun& taken = claimed.emplace_back();
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
                     .request = std::string(row.request),
                     .body = std::optional<std::string>(row.body),
                     .depth = row.depth.value_or(unknown_depth)};
    taken.previous_status = parse_status(row.previous_status);
    taken.run.state = {.status = RunStatus::running,
                       .code = std::optional<std::string>(row.code),
                       .error = std::optional<std::string>(row.error),
                       .attempts = row.attempts,
                       .tries = std::string(row.tries),
                       .at = {}};
  }
  read_depths(claimed);
  return claimed;
}

/// Reads the missing depths of runs that change a status from their events.
void RunStore::read_depths(std::vector<ClaimedRun>& claimed) {
  std::vector<std::int64_t> positions, events;
  std::vector<Guid> origins;
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    RunKey& key = claimed[i].run.key;
    if (key.depth != unknown_depth) continue;
    key.depth = 0;
    if (key.action != changing_action) continue;
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

std::optional<Time> RunStore::next_due(std::span<const std::string> blocked_destinations,
                                       std::span<const Guid> blocked_businesses) {
  return session_
      .run_replanned(sql::queue::NextDue{.blocked_destinations = blocked_destinations,
                                         .blocked_businesses = blocked_businesses})
      .front()
      .due_at;
}

void RunStore::release() { session_.run(sql::queue::Release{.worker = worker_}); }

}  // namespace waybill::storage
