#include "worker/delivery/recorder.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "base/backoff.hpp"
#include "base/observe.hpp"
#include "storage/binary.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/delivery/outcome.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

constexpr auto longest_pause = std::chrono::milliseconds(500);
constexpr auto lock_retry_delay = std::chrono::milliseconds(250);
// A batch has the lock limit of worker_limits, because locks of whole tables are short. A batch that meets a
// lock delays all others, so the limit is shorter as long as entries are set aside, and for a single run or
// event. After the first of a batch that meets a lock, the others hardly wait.
constexpr const char* usual_lock_limit = "reset lock_timeout";
constexpr const char* contended_lock_limit = "set lock_timeout = '50ms'";
constexpr const char* single_lock_limit = "set lock_timeout = '100ms'";
constexpr const char* further_lock_limit = "set lock_timeout = '1ms'";

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

Recorder::Recorder(Options options, PauseWriter& pauses, Written written)
    : options_(std::move(options)),
      pauses_(pauses),
      written_(std::move(written)),
      thread_([this] { run(); }) {}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

template <typename Add>
void Recorder::add(Add add_to) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    const bool was_empty = queue_.empty();
    add_to(queue_);
    wake = was_empty || urgent_ || queue_.size() >= options_.batch_size;
  }
  if (wake) changed_.notify_all();
}

void Recorder::settle(storage::SettledEvent event) {
  add([&](RecordQueue& queue) { queue.add(std::move(event)); });
}

void Recorder::settle(std::vector<storage::SettledEvent> events) {
  if (events.empty()) return;
  add([&](RecordQueue& queue) {
    for (storage::SettledEvent& event : events) queue.add(std::move(event));
  });
}

void Recorder::finish(storage::QueuedOutcome outcome) {
  add([&](RecordQueue& queue) { queue.add(std::move(outcome)); });
}

bool Recorder::flush(Duration limit) {
  std::unique_lock lock(mutex_);
  urgent_ = true;
  changed_.notify_all();
  const bool done = changed_.wait_for(lock, limit, [&] { return queue_.empty() && !writing_; });
  urgent_ = false;
  return done;
}

bool Recorder::wait_for_batch(storage::Batch& batch) {
  std::unique_lock lock(mutex_);
  writing_ = false;
  changed_.notify_all();
  const auto has_work = [&] { return stopping_ || !queue_.empty(); };
  if (const auto retry_at = queue_.retry_at(); !retry_at) {
    changed_.wait(lock, has_work);
  } else if (changed_.wait_until(lock, *retry_at, has_work);
             queue_.empty() || (!retried_ && std::chrono::steady_clock::now() >= *retry_at)) {
    batch = queue_.take_set_aside();
    writing_ = true;
    retried_ = true;
    return true;
  }
  retried_ = false;
  if (queue_.empty()) return false;
  changed_.wait_for(lock, options_.batch_delay,
                    [&] { return stopping_ || urgent_ || queue_.size() >= options_.batch_size; });
  batch = queue_.take(options_.batch_size);
  writing_ = true;
  return true;
}

void Recorder::run() {
  storage::Batch batch;
  while (wait_for_batch(batch)) {
    pauses_.wait_briefly();
    has_met_lock_ = false;
    if (!batch.empty() && !write(std::move(batch))) return;
    batch = {};
  }
}

void Recorder::connect() {
  session_ =
      std::make_unique<storage::Session>(options_.database_url, "waybill recorder", storage::worker_limits);
  lock_limit_ = usual_lock_limit;
}

void Recorder::limit_locks(const storage::Batch& batch) {
  const char* limit = has_met_lock_ ? further_lock_limit : single_lock_limit;
  if (!batch.with_savepoints) {
    const std::lock_guard lock(mutex_);
    limit = queue_.retry_at() ? contended_lock_limit : usual_lock_limit;
  }
  if (std::exchange(lock_limit_, limit) != limit) session_->execute(limit);
}

bool Recorder::set_locked_aside(storage::Batch& batch) {
  std::vector<Guid> businesses, guids;
  for (const storage::QueuedOutcome& outcome : batch.outcomes) {
    businesses.push_back(outcome.business_id);
    guids.push_back(outcome.guid);
  }
  if (guids.empty()) return false;
  std::unordered_set<Guid> locked;
  try {
    for (const auto& row : session_->run_replanned(storage::sql::queue::Locked{
             .businesses = storage::binary_array(businesses), .runs = storage::binary_array(guids)}))
      locked.insert(row.guid);
  } catch (const std::exception& error) {  // the entries are then written one by one
    observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
  }
  if (locked.empty()) return false;
  storage::Batch aside;
  std::vector<storage::QueuedOutcome> free;
  for (storage::QueuedOutcome& outcome : batch.outcomes)
    (locked.contains(outcome.guid) ? aside.outcomes : free).push_back(std::move(outcome));
  batch.outcomes = std::move(free);
  const std::lock_guard lock(mutex_);
  for (storage::Batch& single : split(std::move(aside)))
    queue_.set_aside(std::move(single), std::chrono::steady_clock::now() + lock_retry_delay);
  return true;
}

storage::Recorded Recorder::record_batch(const storage::Batch& batch) {
  storage::Recording recording(*session_, options_.worker, batch);
  while (storage::MadeChange* const change = recording.make_next_change())
    change->next = judge_change(*change->state, change->result, options_.clock->now());
  return recording.commit();
}

bool Recorder::follow(storage::Batch& single) {
  const std::lock_guard lock(mutex_);
  return queue_.follow(single);
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
      for (auto& event : batch.events) event.memory.reset();
      for (auto& outcome : batch.outcomes) outcome.memory.reset();
      std::vector<storage::EventKey> events;
      events.reserve(batch.events.size());
      for (const auto& event : batch.events) events.push_back(event.key);
      written_(events, next_due(batch, recorded));
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
          return follow(single) || write(std::move(single));
        });
      } else if (refused) {
        drop_refused_texts(batch, error.what());
      } else if (lock_conflict) {
        has_met_lock_ = true;
        const std::lock_guard lock(mutex_);
        queue_.set_aside(std::move(batch), std::chrono::steady_clock::now() + lock_retry_delay);
        return !stopping_;
      } else {
        session_.reset();
      }
    } catch (const std::exception& error) {
      session_.reset();
      observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
    }
    std::unique_lock lock(mutex_);
    if (stopping_) return false;  // the next owner matches the events again
    changed_.wait_for(lock, spread(pause), [&] { return stopping_; });
    pause = std::min<std::chrono::milliseconds>(pause * 2 + std::chrono::milliseconds(20), longest_pause);
  }
}

void Recorder::report(const storage::Batch& batch, const storage::Recorded& recorded) const {
  for (const auto& event : batch.events) {
    for (const auto& run : event.runs) report_run(run.state, RunName{run.key.guid, &run.key});
  }
  for (const auto& outcome : batch.outcomes) report_run(outcome.state, RunName{outcome.guid});
  for (const auto& state : recorded.changed) report_run(state, std::nullopt);
}

}  // namespace waybill::worker
