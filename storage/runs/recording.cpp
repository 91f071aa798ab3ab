#include "storage/runs/recording.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "storage/runs/failure_counts.hpp"
#include "storage/runs/mail_addresses.hpp"
#include "storage/runs/queued_keys.hpp"
#include "storage/runs/run_rows.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/copy_rows.hpp"
#include "storage/sql/outbox.sql.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

/// The parts of all events, one after the other.
template <typename Part>
std::vector<Part> all_of(const std::vector<const SettledEvent*>& events,
                         std::vector<Part> SettledEvent::* parts) {
  std::vector<Part> all;
  for (const SettledEvent* const event : events)
    all.insert(all.end(), (event->*parts).begin(), (event->*parts).end());
  return all;
}

using EndedOrdered = ResultOf<sql::queue::Finish>;

/// The most moves of orders by one statement, which bounds the text of their causes.
constexpr std::size_t most_moves = 256;

// While the queue looks empty, the planner takes all its indexes for equally good. Without bitmaps and
// sorting, the search of the first run in an order reads the index that has this order. A Session has no
// scans.
constexpr const char* order_by_index = "set local enable_bitmapscan = off; set local enable_sort = off";

/// Makes the next runs after ordered ones that ended due. Part of their transaction, after its changes of
/// records, which need other plans.
void unblock_next(Session& session, const EndedOrdered& ended) {
  QueuedKeys keys;
  std::vector<Guid> records, replays;
  std::vector<std::int64_t> events;
  for (const auto& run : ended) {
    keys.add({run.business_id, run.workflow_id, run.guid});
    records.push_back(run.entity_id);
    events.push_back(run.event_id);
    if (run.is_replay) replays.push_back(run.guid);
  }
  if (keys.empty()) return;
  const sql::queue::Unblock unblock{.businesses = binary_array(keys.businesses),
                                    .workflows = binary_array(keys.workflows),
                                    .records = binary_array(records),
                                    .events = binary_array(events),
                                    .runs = binary_array(keys.runs),
                                    .replays = binary_array(replays)};
  session.execute(order_by_index);
  while (session.run_with_fresh_plan(unblock).front().is_outdated) {
  }
}

void remember(EndedRuns& ended, const EndedOrdered& rows) {
  for (const auto& run : rows) {
    const auto event = static_cast<std::uint64_t>(run.event_id);
    if (!run.is_replay && !is_eventless(event)) ended.add(run.workflow_id, run.entity_id, event);
  }
}

/// The step at which a run must be in the queue for an outcome to count; -1 for a run of one action.
int stored_step(const RunState& state) { return state.progress ? state.progress->stored : -1; }

}  // namespace

Recording::Recording(Session& session, const Guid& worker, const Batch& batch, EndedRuns& ended)
    : session_(session), worker_(worker), batch_(batch), ended_(ended), work_(session) {
  if (!batch.events.empty()) take_events();
  watch_ends_ = all_of(events_, &SettledEvent::watch_ends);
  cancel_watching(session_, watch_ends_);
  for (const SettledEvent* const event : events_) request_changes_of(*event);
  hold_runs();
}

/// Deletes the events from the outbox and notes those that this worker may record.
void Recording::take_events() {
  std::vector<std::int16_t> shards;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> epochs;
  std::vector<Time> times;
  shards.reserve(batch_.events.size());
  ids.reserve(batch_.events.size());
  times.reserve(batch_.events.size());
  for (const SettledEvent& event : batch_.events) {
    shards.push_back(event.shard);
    ids.push_back(static_cast<std::int64_t>(event.key.id));
    times.push_back(event.key.at);
    epochs.push_back(static_cast<std::int64_t>(event.epoch));
  }
  const auto taken = session_.run(sql::outbox::Settle{.shards = binary_array(shards),
                                                      .events = binary_array(ids),
                                                      .times = binary_array(times),
                                                      .worker = worker_,
                                                      .epochs = binary_array(epochs)});
  const bool owns_all = static_cast<std::size_t>(taken.size()) == batch_.events.size();
  std::unordered_set<EventKey, EventKeyHash> owned;
  if (!owns_all) {
    for (const auto& row : taken) owned.insert({static_cast<std::uint64_t>(row.id), row.at});
  }
  events_.reserve(batch_.events.size());
  for (const SettledEvent& event : batch_.events) {
    if (owns_all || owned.contains(event.key)) events_.push_back(&event);
  }
}

void Recording::request_changes_of(const SettledEvent& event) {
  std::vector<const Run*> requesting;
  for (const Run& run : event.runs) {
    if (run.state.change) requesting.push_back(&run);
  }
  std::ranges::sort(requesting, {}, [](const Run* run) {
    return std::tie(run->key.workflow_created_at, run->key.workflow_id);
  });
  for (const Run* const run : requesting) request_change(&event, run->key.business_id, run->state);
}

void Recording::request_change(const SettledEvent* event, const Guid& business, const RunState& state) {
  places_.emplace(&state, requests_.size());
  requests_.push_back({event, &business, {.state = &state, .result = {}, .next = {}}});
}

/// Locks the queued runs that request a change. A run that this worker has lost makes none, and its outcome
/// is not recorded.
void Recording::hold_runs() {
  QueuedKeys keys;
  std::vector<std::int64_t> stored_steps;
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    if (!outcome.state.change) continue;
    keys.add(outcome.key);
    stored_steps.push_back(stored_step(outcome.state));
  }
  if (keys.empty()) return;
  std::set<std::tuple<Guid, std::int32_t, std::int32_t>> held;  // runs, claims, steps
  for (const auto& row :
       session_.run_with_fresh_plan(sql::queue::Hold{.worker = worker_,
                                                     .businesses = binary_array(keys.businesses),
                                                     .runs = binary_array(keys.runs),
                                                     .stored_steps = stored_steps,
                                                     .workflows = binary_array(keys.workflows),
                                                     .claims = keys.claims}))
    held.emplace(row.guid, row.claim, row.stored_step);
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    // An attempt makes one change, even if its outcome is in the batch twice.
    if (!outcome.state.change ||
        held.erase({outcome.key.guid, outcome.key.claim, stored_step(outcome.state)}) == 0)
      continue;
    request_change(nullptr, outcome.key.business_id, outcome.state);
  }
}

MadeChange* Recording::make_next_change() {
  if (made_ == requests_.size()) return nullptr;
  auto& [event, business, change] = requests_[made_];
  using Kind = ChangeResult::Kind;
  if (event != nullptr && event == locked_event_) {
    ++made_;
    change.result.kind = Kind::locked;
    return &change;
  }
  const RecordChange& requested = *change.state->change;
  if (batch_.with_savepoints) {
    change.result = make_with_savepoint(*business, requested);
  } else {
    if (made_ >= moved_) make_moves();
    if (made_ >= moved_) change.result = make(*business, requested);
  }
  ++made_;
  if (change.result.kind == Kind::locked) locked_event_ = event;
  return &change;
}

/// Makes the next requests that one statement can make: moves of different orders of a business to one
/// status. They are of different events, so that no lock conflict of one concerns another.
void Recording::make_moves() {
  std::vector<const StatusChange*> moves;
  std::unordered_set<Guid> orders;
  std::string common;
  for (std::size_t i = made_; i < requests_.size() && moves.size() < most_moves; ++i) {
    const Request& request = requests_[i];
    const bool is_of_event_before =
        i > made_ && request.event != nullptr && request.event == requests_[i - 1].event;
    if (is_of_event_before || *request.business != *requests_[made_].business) break;
    const auto* const move = std::get_if<StatusChange>(&request.made.state->change->change);
    auto cause = move == nullptr ? std::nullopt : common_cause(*move);
    if (!cause || !orders.insert(move->records.front()).second) break;
    if (!moves.empty() && (*cause != common || move->status != moves.front()->status)) break;
    common = std::move(*cause);
    moves.push_back(move);
  }
  if (moves.empty()) return;
  limit_locks();
  std::vector<ChangeResult> results = change_each(session_, *requests_[made_].business, common, moves);
  moved_ = made_;
  for (ChangeResult& result : results) requests_[moved_++].made.result = std::move(result);
}

/// Limits the wait for other rows that triggers lock.
void Recording::limit_locks() {
  if (!std::exchange(is_lock_limited_, true)) session_.execute("set local lock_timeout = '1s'");
}

ChangeResult Recording::make(const Guid& business, const RecordChange& change) {
  limit_locks();
  return make_change(session_, business, change);
}

ChangeResult Recording::make_with_savepoint(const Guid& business, const RecordChange& change) {
  session_.execute("savepoint change");
  try {
    ChangeResult result = make(business, change);
    session_.execute("release savepoint change");
    return result;
  } catch (const StatementError& error) {
    if (!is_lock_conflict(error) && !refuses_data(error)) throw;
    session_.execute("rollback to savepoint change");
    is_lock_limited_ = false;
    using Kind = ChangeResult::Kind;
    return {.kind = is_lock_conflict(error) ? Kind::locked : Kind::refused, .error = error.what()};
  }
}

Recorded Recording::commit() {
  reopen_preceded();
  write_events();
  note_addresses();
  count_failures();
  const auto ended = finish<sql::queue::Finish>(true);
  if (ended) unblock_next(session_, *ended);
  finish<sql::queue::Reschedule>(false);
  go_on();
  await_purchases();
  work_.commit();
  if (ended) remember(ended_, *ended);
  for (const RunKey* const key : ended_in_memory_)
    ended_.add(key->workflow_id, key->entity_id, key->event_id);
  Recorded recorded{.events = events_.size(), .digest_due = digest_due_, .changed = {}};
  recorded.changed.reserve(requests_.size());
  for (Request& request : requests_) recorded.changed.push_back(std::move(request.made.next));
  for (const auto& [before, next] : reopened_) recorded.changed.push_back(next);
  return recorded;
}

/// Queues the ordered runs that ended in memory although an earlier run of their record is open. The event of
/// that run was recorded by an earlier owner of the shard, after this worker had read it: its run in memory
/// does not count. All are then repeated, in their order.
void Recording::reopen_preceded() {
  std::vector<OrderedRun> ended;
  std::vector<const RunState*> states;
  for (const SettledEvent* const event : events_) {
    for (const Run& run : event->runs) {
      if (!run.key.ordered || !is_final(run.state.status) || run.state.attempts == 0) continue;
      ended.push_back({.key = &run.key, .ordered_from = ordered_from(run.key)});
      states.push_back(&run.state);
    }
  }
  std::set<std::pair<Guid, Guid>> preceded;  // workflows and records
  std::vector<bool> is_preceded(ended.size());
  for (const std::size_t position : find_preceded(session_, ended)) is_preceded.at(position) = true;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const RunKey& key = *ended[i].key;
    if (is_preceded[i]) preceded.emplace(key.workflow_id, key.entity_id);
    if (!preceded.contains({key.workflow_id, key.entity_id})) {
      ended_in_memory_.push_back(&key);
      continue;
    }
    reopened_.emplace(states[i],
                      RunState{.status = RunStatus::queued, .code = {}, .error = {}, .at = states[i]->at});
  }
}

/// The state to write for a run with this state. Null if its change was not made, because the worker has lost
/// the run.
const RunState* Recording::next_of(const RunState& state) const {
  if (const auto reopened = reopened_.find(&state); reopened != reopened_.end()) return &reopened->second;
  if (!state.change) return &state;
  const auto place = places_.find(&state);
  return place == places_.end() ? nullptr : &requests_[place->second].made.next;
}

void Recording::write_events() {
  FinishedRows finished;
  QueuedRows queued;
  bool any_watches = false;
  for (const SettledEvent* const event : events_) {
    for (const Run& run : event->runs) {
      const RunState& state = *next_of(run.state);
      if (is_final(state.status)) {
        finished.add(run.key, state);
      } else {
        any_watches = any_watches || run.key.watches;
        queued.add(run.key, state, state.status == RunStatus::running ? std::optional(worker_) : std::nullopt,
                   ordered_from(run.key));
      }
    }
  }
  finished.write(session_);
  queued.write(session_);
  RunStore(session_, worker_).postpone(all_of(events_, &SettledEvent::postponed));
  change_timers(session_, all_of(events_, &SettledEvent::timers));
  if (any_watches) cancel_watching(session_, watch_ends_);  // runs of earlier events of the batch
  wake_watching(session_, watch_ends_);
  digest_due_ = collect(session_, all_of(events_, &SettledEvent::collected));
}

/// Notes the addresses of mails whose texts are new. Those of queued runs precede the end of their runs.
void Recording::note_addresses() {
  MailAddresses of_new, of_queued;
  for (const SettledEvent* const event : events_) {
    for (const Run& run : event->runs) of_new.add(run);
  }
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    if (outcome.rendering)
      of_queued.add(outcome.key.business_id, outcome.key.guid, 1, outcome.rendering->addresses);
  }
  of_new.write(session_, std::nullopt);
  of_queued.write(session_, worker_);
}

/// Notes the purchases for which runs wait now, and clears those that runs have waited for.
void Recording::await_purchases() {
  QueuedKeys keys;
  std::vector<std::optional<std::string>> purchases;
  for (const Request& request : requests_) {
    const LabelStep* const step = label_step(*request.made.state->change);
    if (step == nullptr || request.made.result.kind == ChangeResult::Kind::locked) continue;
    const std::optional<Guid>& awaited = request.made.result.awaited;
    keys.add({*request.business, step->workflow, step->run});
    purchases.push_back(awaited ? std::optional(awaited->to_string()) : std::nullopt);
  }
  if (keys.empty()) return;
  session_.run_with_fresh_plan(sql::queue::AwaitPurchases{.businesses = binary_array(keys.businesses),
                                                          .workflows = binary_array(keys.workflows),
                                                          .runs = binary_array(keys.runs),
                                                          .purchases = purchases});
}

/// The event at which the search for the runs before this one can end; null if none is known.
std::optional<std::uint64_t> Recording::ordered_from(const RunKey& key) {
  if (!key.ordered || is_eventless(key.event_id) || key.replay_of) return std::nullopt;
  const auto latest = ended_.latest(key.workflow_id, key.entity_id);
  return latest && *latest < key.event_id ? latest : std::nullopt;
}

void Recording::count_failures() {
  FailureCounts counts;
  for (const SettledEvent* const event : events_) {
    for (const Run& run : event->runs) counts.add(run.key, *next_of(run.state));
  }
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    if (const RunState* const state = next_of(outcome.state)) counts.add_queued(outcome.key, *state);
  }
  counts.write(session_, worker_);
}

/// Runs the statement `S` for the outcomes that are final, or for the others that stay in their step. Returns
/// nullopt if there are none.
template <typename S>
std::optional<ResultOf<S>> Recording::finish(bool are_final) {
  QueuedKeys keys;
  std::vector<std::optional<std::string>> codes, errors, requests, bodies, steps;
  std::vector<std::string> statuses, tries;
  std::vector<std::int64_t> attempts, stored_steps;
  std::vector<Time> times;
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    const RunState* const state = next_of(outcome.state);
    if (state == nullptr || is_final(state->status) != are_final || awaits_step(*state)) continue;
    keys.add(outcome.key);
    statuses.emplace_back(storage::text(state->status));
    codes.push_back(state->code);
    errors.push_back(state->error);
    attempts.push_back(state->attempts);
    times.push_back(state->at);
    tries.push_back(state->tries);
    requests.push_back(outcome.rendering ? std::optional(outcome.rendering->request) : std::nullopt);
    bodies.push_back(outcome.rendering ? outcome.rendering->body : std::nullopt);
    steps.push_back(state->progress ? std::optional(to_text(*state->progress)) : std::nullopt);
    stored_steps.push_back(stored_step(*state));
  }
  if (keys.empty()) return std::nullopt;
  return session_.run_with_fresh_plan(S{.worker = worker_,
                                        .businesses = binary_array(keys.businesses),
                                        .runs = binary_array(keys.runs),
                                        .statuses = binary_array(statuses),
                                        .codes = binary_array(codes),
                                        .errors = binary_array(errors),
                                        .attempts = attempts,
                                        .times = binary_array(times),
                                        .tries = binary_array(tries),
                                        .requests = binary_array(requests),
                                        .bodies = binary_array(bodies),
                                        .steps = binary_array(steps),
                                        .stored_steps = stored_steps,
                                        .workflows = binary_array(keys.workflows),
                                        .claims = keys.claims});
}

/// Updates the runs that wait for their next step.
void Recording::go_on() {
  QueuedKeys keys;
  std::vector<std::string> statuses, tries, steps, actions;
  std::vector<std::optional<std::string>> codes, changing;
  std::vector<std::int64_t> attempts, stored_steps;
  std::vector<Time> times;
  for (const QueuedOutcome& outcome : batch_.outcomes) {
    const RunState* const state = next_of(outcome.state);
    if (state == nullptr || !awaits_step(*state)) continue;
    keys.add(outcome.key);
    statuses.emplace_back(storage::text(state->status));
    attempts.push_back(state->attempts);
    times.push_back(state->at);
    tries.push_back(state->tries);
    steps.push_back(to_text(*state->progress));
    actions.push_back(state->progress->type);
    changing.push_back(changing_action(state->progress->type));
    const bool is_reason = state->code == unreadable_code || state->code == window_code;
    codes.push_back(is_reason ? state->code : std::nullopt);
    stored_steps.push_back(state->progress->stored);
  }
  if (keys.empty()) return;
  session_.run_with_fresh_plan(sql::queue::GoOn{.worker = worker_,
                                                .businesses = binary_array(keys.businesses),
                                                .runs = binary_array(keys.runs),
                                                .statuses = binary_array(statuses),
                                                .attempts = attempts,
                                                .times = binary_array(times),
                                                .tries = binary_array(tries),
                                                .steps = binary_array(steps),
                                                .actions = binary_array(actions),
                                                .codes = binary_array(codes),
                                                .stored_steps = stored_steps,
                                                .workflows = binary_array(keys.workflows),
                                                .changing_actions = binary_array(changing),
                                                .claims = keys.claims});
}

}  // namespace waybill::storage
