#include "storage/run_store.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "storage/binary.hpp"
#include "storage/copy_rows.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

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
    std::vector<std::string> units, starts, statuses;
    std::vector<std::int64_t> runs;
    const auto append = [&](const char* unit, const Counts& counts) {
      for (const auto& [count, number] : counts) {
        const auto& [business, start, workflow, status] = count;
        businesses.push_back(business);
        units.emplace_back(unit);
        starts.push_back(format_sql_timestamp(start));
        workflows.push_back(workflow);
        statuses.emplace_back(storage::text(status));
        runs.push_back(number);
      }
    };
    append("day", days);
    append("hour", hours_);
    session.run(sql::queue::count_finished, array_literal(businesses), array_literal(units),
                array_literal(starts), array_literal(workflows), array_literal(statuses),
                array_literal(runs));
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
  for (const bool are_final : {true, false}) finish(any_change ? changed : batch.outcomes, are_final);
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
  const Rows taken = session_.run(sql::outbox::settle, binary_array(shards), binary_array(ids),
                                  binary_array(times), worker_.to_string());
  recorded.events = static_cast<std::size_t>(taken.size());
  const bool owns_all = recorded.events == batch.events.size();
  std::unordered_set<EventKey, EventKeyHash> owned;
  if (!owns_all) {
    for_each_row(taken,
                 [&](const RowView& row) { owned.insert({row.number<std::uint64_t>(0), row.time(1)}); });
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
  for_each_row(session_.run(sql::queue::postponed_workflows, limit),
               [&](const RowView& row) { workflows.push_back(row.guid(0)); });
  return workflows;
}

std::vector<PostponedMatch> RunStore::take_postponed(const Guid& workflow, std::size_t limit) {
  std::vector<PostponedMatch> matches;
  for_each_row(session_.run(sql::queue::take_postponed, workflow.to_string(), limit),
               [&](const RowView& row) {
                 matches.push_back({row.guid(0), workflow, row.number<std::uint64_t>(1), row.time(2)});
               });
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
  const Rows rows = session_.run_replanned(sql::queue::hold, worker_.to_string(), array_literal(businesses),
                                           array_literal(guids));
  std::unordered_set<Guid> owned;
  for_each_row(rows, [&](const RowView& row) { owned.insert(row.guid(0)); });
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

void RunStore::finish(const std::vector<QueuedOutcome>& outcomes, bool are_final) {
  std::vector<Guid> businesses, guids;
  std::vector<std::optional<std::string>> codes, errors, requests, bodies;
  std::vector<std::string> statuses, times, tries;
  std::vector<std::int64_t> attempts;
  for (const QueuedOutcome& outcome : outcomes) {
    if (is_final(outcome.state.status) != are_final) continue;
    businesses.push_back(outcome.business_id);
    guids.push_back(outcome.guid);
    statuses.emplace_back(storage::text(outcome.state.status));
    codes.push_back(outcome.state.code);
    errors.push_back(outcome.state.error);
    attempts.push_back(outcome.state.attempts);
    times.push_back(format_sql_timestamp(outcome.state.at));
    tries.push_back(outcome.state.tries);
    requests.push_back(outcome.rendering ? std::optional(outcome.rendering->request) : std::nullopt);
    bodies.push_back(outcome.rendering ? outcome.rendering->body : std::nullopt);
  }
  if (guids.empty()) return;
  session_.run_replanned(are_final ? sql::queue::finish : sql::queue::reschedule, worker_.to_string(),
                         array_literal(businesses), array_literal(guids), array_literal(statuses),
                         array_literal(codes), array_literal(errors), array_literal(attempts),
                         array_literal(times), array_literal(tries), array_literal(requests),
                         array_literal(bodies));
}

std::vector<ClaimedRun> RunStore::claim(const ClaimLimits& limits) {
  const Rows rows =
      session_.run_replanned(sql::queue::claim, worker_.to_string(), format_duration(limits.lease),
                             limits.per_destination, array_literal(limits.blocked_destinations), limits.runs,
                             array_literal(limits.blocked_businesses), limits.bytes);
  std::vector<ClaimedRun> claimed;
  claimed.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) {
    ClaimedRun& taken = claimed.emplace_back();
    taken.run.key = {.business_id = row.guid(0),
                     .guid = row.guid(1),
                     .workflow_id = row.guid(2),
                     .workflow_version = row.number<int>(3),
                     .event_id = row.number<std::uint64_t>(4),
                     .entity_type = static_cast<domain::EntityType>(row.number<int>(5)),
                     .entity_id = row.guid(6),
                     .trigger_code = row.string(7),
                     .action = row.string(18),
                     .created_at = row.time(12),
                     .origin = row.guid(13),
                     .replay_of = row.is_null(14) ? std::nullopt : std::optional(row.guid(14)),
                     .destination = row.string(15),
                     .request = row.string(16),
                     .body = row.maybe_string(19),
                     .depth = row.is_null(20) ? unknown_depth : row.number<int>(20)};
    taken.previous_status = parse_status(row.view(8));
    taken.run.state = {.status = RunStatus::running,
                       .code = row.maybe_string(9),
                       .error = row.maybe_string(10),
                       .attempts = row.number<int>(11),
                       .tries = row.string(17),
                       .at = {}};
  });
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
  const Rows rows = session_.run(sql::queue::causes, array_literal(positions), array_literal(events),
                                 array_literal(origins));
  for_each_row(rows, [&](const RowView& row) {
    claimed.at(row.number<std::size_t>(0)).run.key.depth = cause_depth(row.maybe_string(1));
  });
}

std::optional<Time> RunStore::next_due(std::span<const std::string> blocked_destinations,
                                       std::span<const Guid> blocked_businesses) {
  const Rows rows = session_.run_replanned(sql::queue::next_due, array_literal(blocked_destinations),
                                           array_literal(blocked_businesses));
  if (rows.is_null(0, 0)) return std::nullopt;
  return RowView(rows, 0).time(0);
}

void RunStore::release() { session_.run(sql::queue::release, worker_.to_string()); }

}  // namespace waybill::storage
