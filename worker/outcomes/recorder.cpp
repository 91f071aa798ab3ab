#include "worker/outcomes/recorder.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "base/backoff.hpp"
#include "base/observe.hpp"
#include "storage/runs/queued_keys.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"
#include "worker/outcomes/verdict.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

constexpr auto longest_pause = std::chrono::milliseconds(500);

/// The identity of a run in the log.
struct RunName {
  const Guid& guid;
  const storage::RunKey* key = nullptr;  // null if only the guid is known
};

void report_run(const storage::RunState& state, const std::optional<RunName>& name) {
  count_steps(state);
  const auto report = [&](Observable event) {
    if (!name) return observe(event);
    const std::string guid = name->guid.to_string();
    const std::string_view code = state.code ? std::string_view(*state.code) : "";
    if (name->key == nullptr) return observe(event, {{"run", guid}, {"code", code}});
    observe(event, {{"run", guid},
                    {"workflow", name->key->workflow_id.to_string()},
                    {"event_id", static_cast<std::int64_t>(name->key->event_id)},
                    {"destination", std::string_view(name->key->destination)},
                    {"code", code}});
  };
  switch (state.status) {
    case storage::RunStatus::succeeded:
      observe(Observable::run_succeeded);
      break;
    case storage::RunStatus::dead:
      report(Observable::run_dead);
      break;
    case storage::RunStatus::skipped:
      report(Observable::run_skipped);
      break;
    case storage::RunStatus::retrying:
      report(Observable::run_retried);
      break;
    case storage::RunStatus::held:
      observe(Observable::run_held);
      break;
    default:
      break;
  }
}

}  // namespace

Recorder::Recorder(Options options, PauseWriter& pauses, Upstream& upstream)
    : options_(std::move(options)),
      pauses_(pauses),
      upstream_(upstream),
      inbox_({.batch_size = options_.batch_size, .batch_delay = options_.batch_delay}) {}

void Recorder::start() {
  thread_.start([this](const std::stop_token&) { run(); });
}

void Recorder::stop(Moment until) {
  if (!thread_.is_started()) return;
  const auto left = std::chrono::ceil<Duration>(until - std::chrono::steady_clock::now());
  if (left > Duration::zero()) flush(left);
  inbox_.stop();
  thread_.join();
}

void Recorder::run() {
  storage::Batch batch;
  while (inbox_.wait_for_batch(batch)) {
    pauses_.wait_briefly();
    lock_limit_.begin_batch();
    if (!batch.empty() && !write(std::move(batch))) return;
    batch = {};
  }
}

void Recorder::connect() {
  session_ = std::make_unique<storage::Session>(options_.sessions.open("waybill recorder"));
  ended_.clear();
  lock_limit_.connected();
}

void Recorder::limit_locks(const storage::Batch& batch) {
  const bool is_single = batch.with_savepoints;
  const char* const statement = lock_limit_.next_statement(is_single, !is_single && inbox_.any_set_aside());
  if (statement != nullptr) session_->execute(statement);
}

bool Recorder::set_locked_aside(storage::Batch& batch) {
  storage::QueuedKeys keys;
  for (const storage::QueuedOutcome& outcome : batch.outcomes) keys.add(outcome.key);
  if (keys.empty()) return false;
  std::unordered_set<Guid> locked;
  try {
    for (const auto& row : session_->run_with_fresh_plan(
             storage::sql::queue::Locked{.businesses = storage::binary_array(keys.businesses),
                                         .workflows = storage::binary_array(keys.workflows),
                                         .runs = storage::binary_array(keys.runs)}))
      locked.insert(row.guid);
  } catch (const std::exception& error) {  // the entries are then written one by one
    observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
  }
  if (locked.empty()) return false;
  storage::Batch aside;
  std::vector<storage::QueuedOutcome> free;
  for (storage::QueuedOutcome& outcome : batch.outcomes)
    (locked.contains(outcome.key.guid) ? aside.outcomes : free).push_back(std::move(outcome));
  batch.outcomes = std::move(free);
  inbox_.set_aside(split(std::move(aside)));
  return true;
}

storage::Recorded Recorder::record_batch(const storage::Batch& batch) {
  storage::Recording recording(*session_, options_.worker, batch, ended_);
  while (storage::MadeChange* const change = recording.make_next_change())
    change->next = judge_change(*change->state, change->result, options_.clock->now());
  return recording.commit();
}

bool Recorder::write(storage::Batch batch) {
  std::chrono::milliseconds pause{0};
  for (;;) {
    try {
      if (!session_) connect();
      limit_locks(batch);
      const auto started_at = std::chrono::steady_clock::now();
      const storage::Recorded recorded = record_batch(batch);
      record(Histogram::record_batch_seconds,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - started_at).count());
      report(batch, recorded);
      // Releases the memory before the callback announces free memory.
      for (auto& event : batch.events) {
        event.memory.reset();
        event.holds.clear();
      }
      for (auto& outcome : batch.outcomes) outcome.memory.reset();
      std::vector<storage::EventKey> events;
      events.reserve(batch.events.size());
      for (const auto& event : batch.events) events.push_back(event.key);
      upstream_.settled(events, next_due(batch, recorded));
      return true;
    } catch (const storage::StatementError& error) {
      // An entry cannot be stored. The entries are written one by one, so that it delays no other.
      observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
      const bool refused = storage::refuses_data(error);
      const bool lock_conflict = storage::is_lock_conflict(error);
      if (!batch.with_savepoints && lock_conflict && set_locked_aside(batch)) {
        if (batch.empty()) return true;
        continue;
      }
      if (!batch.with_savepoints && (refused || lock_conflict)) {
        return std::ranges::all_of(split(std::move(batch)), [&](storage::Batch& single) {
          return inbox_.follow(single) || write(std::move(single));
        });
      } else if (refused) {
        drop_refused_texts(batch, error.what());
      } else if (lock_conflict) {
        lock_limit_.met_lock();
        inbox_.set_aside(std::move(batch));
        return !inbox_.is_stopping();
      } else {
        session_.reset();
      }
    } catch (const std::exception& error) {
      session_.reset();
      observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
    }
    if (!inbox_.pause(spread(pause))) return false;  // the next owner matches the events again
    pause = std::min<std::chrono::milliseconds>(pause * 2 + std::chrono::milliseconds(20), longest_pause);
  }
}

void Recorder::report(const storage::Batch& batch, const storage::Recorded& recorded) const {
  for (const auto& event : batch.events) {
    for (const auto& run : event.runs) report_run(run.state, RunName{run.key.guid, &run.key});
  }
  for (const auto& outcome : batch.outcomes) report_run(outcome.state, RunName{outcome.key.guid});
  for (const auto& state : recorded.changed) report_run(state, std::nullopt);
}

}  // namespace waybill::worker
