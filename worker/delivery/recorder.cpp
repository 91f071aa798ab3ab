#include "worker/delivery/recorder.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/backoff.hpp"
#include "base/observe.hpp"
#include "worker/delivery/outcome.hpp"

namespace waybill::worker {
namespace {

constexpr auto longest_pause = std::chrono::milliseconds(500);
constexpr auto lock_retry_delay = std::chrono::milliseconds(250);
// The lock limit for a single run or event, which delays the others. A batch has the limit of worker_limits,
// because locks of whole tables are short.
constexpr const char* short_lock_limit = "set lock_timeout = '100ms'";
constexpr const char* usual_lock_limit = "reset lock_timeout";

constexpr std::size_t max_batch_bytes = 4UL * 1024 * 1024;  // of the texts in a batch, without its last entry

std::size_t text_size(const storage::SettledEvent& event) {
  std::size_t bytes = 0;
  for (const storage::Run& run : event.runs) bytes += storage::byte_size(run.key);
  return bytes;
}

std::size_t text_size(const storage::QueuedOutcome& outcome) {
  const auto& rendering = outcome.rendering;
  return rendering ? rendering->request.size() + (rendering->body ? rendering->body->size() : 0) : 0;
}

template <typename Items>
std::size_t move_some(Items& from, Items& to, std::size_t limit) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < std::min(from.size(), limit) && bytes < max_batch_bytes; ++count)
    bytes += text_size(from[count]);
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
  to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
  from.erase(from.begin(), end);
  return count;
}

std::size_t size(const storage::Batch& batch) { return batch.events.size() + batch.outcomes.size(); }

std::optional<Time> next_due(const storage::Batch& batch, const storage::Recorded& recorded) {
  std::optional<Time> next;
  const auto consider = [&](const storage::RunState& state) {
    if (storage::is_final(state.status) || state.status == storage::RunStatus::held || state.change) return;
    if (!next || state.at < *next) next = state.at;
  };
  for (const auto& event : batch.events) {
    for (const auto& run : event.runs) consider(run.state);
  }
  for (const auto& outcome : batch.outcomes) {
    consider(outcome.state);
    // The end of an ordered run makes the next one of its record due; a change, the next one of its event.
    if (storage::is_final(outcome.state.status) || outcome.state.change) next = Time{};
  }
  for (const auto& state : recorded.changed) consider(state);
  return next;
}

std::vector<storage::Batch> split(storage::Batch batch) {
  std::vector<storage::Batch> batches;
  for (auto& event : batch.events) batches.emplace_back().events.push_back(std::move(event));
  for (auto& outcome : batch.outcomes) batches.emplace_back().outcomes.push_back(std::move(outcome));
  for (auto& single : batches) single.with_savepoints = true;
  return batches;
}

/// Ends the runs of a batch that the database refused, without the texts that it may have refused.
void drop_refused_texts(storage::Batch& batch, std::string_view error) {
  const auto end = [&](storage::RunState& state) {
    state = {.status = storage::RunStatus::dead,
             .code = "UNRECORDABLE",
             .error = "the outcome could not be stored: " + std::string(error),
             .attempts = state.attempts,
             .tries = "[]",
             .at = state.at};
  };
  for (auto& event : batch.events) {
    for (auto& run : event.runs) {
      end(run.state);
      run.key.request = "{}";
      run.key.body.reset();
    }
  }
  for (auto& outcome : batch.outcomes) end(outcome.state);
}

/// The identity of a run in the log.
struct RunName {
  const Guid& guid;
  const storage::RunKey* key = nullptr;  // null if only the guid is known
};

void report_run(const storage::RunState& state, const std::optional<RunName>& name) {
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
    const bool was_empty = waiting_.empty();
    add_to(waiting_);
    wake = was_empty || urgent_ || size(waiting_) >= options_.batch_size;
  }
  if (wake) changed_.notify_all();
}

void Recorder::settle(storage::SettledEvent event) {
  add([&](storage::Batch& batch) { batch.events.push_back(std::move(event)); });
}

void Recorder::settle(std::vector<storage::SettledEvent> events) {
  if (events.empty()) return;
  add([&](storage::Batch& batch) { std::ranges::move(events, std::back_inserter(batch.events)); });
}

void Recorder::finish(storage::QueuedOutcome outcome) {
  add([&](storage::Batch& batch) { batch.outcomes.push_back(std::move(outcome)); });
}

bool Recorder::flush(Duration limit) {
  std::unique_lock lock(mutex_);
  urgent_ = true;
  changed_.notify_all();
  const bool done = changed_.wait_for(lock, limit, [&] { return waiting_.empty() && !writing_; });
  urgent_ = false;
  return done;
}

bool Recorder::wait_for_batch(storage::Batch& batch) {
  std::unique_lock lock(mutex_);
  writing_ = false;
  changed_.notify_all();
  const auto has_work = [&] { return stopping_ || !waiting_.empty(); };
  if (lock_conflicts_.empty()) {
    changed_.wait(lock, has_work);
  } else if (changed_.wait_until(lock, next_retry_, has_work);
             waiting_.empty() || std::chrono::steady_clock::now() >= next_retry_) {
    batch = std::move(lock_conflicts_.front());
    lock_conflicts_.pop_front();
    writing_ = true;
    return true;
  }
  if (waiting_.empty()) return false;
  changed_.wait_for(lock, options_.batch_delay,
                    [&] { return stopping_ || urgent_ || size(waiting_) >= options_.batch_size; });
  // An outcome may belong to a run that an event of this batch queues; the store settles events first.
  move_some(waiting_.events, batch.events, options_.batch_size);
  if (waiting_.events.empty()) move_some(waiting_.outcomes, batch.outcomes, options_.batch_size);
  writing_ = true;
  return true;
}

void Recorder::run() {
  storage::Batch batch;
  while (wait_for_batch(batch)) {
    pauses_.wait_briefly();
    if (!write(std::move(batch))) return;
    batch = {};
  }
}

void Recorder::connect() {
  session_ =
      std::make_unique<storage::Session>(options_.database_url, "waybill recorder", storage::worker_limits);
  short_locks_ = false;
}

bool Recorder::write(storage::Batch batch) {
  std::chrono::milliseconds pause{0};
  for (;;) {
    try {
      if (!session_) connect();
      if (std::exchange(short_locks_, batch.with_savepoints) != batch.with_savepoints)
        session_->execute(batch.with_savepoints ? short_lock_limit : usual_lock_limit);
      const auto started_at = std::chrono::steady_clock::now();
      const storage::Recorded recorded = storage::RunStore(*session_, options_.worker)
                                             .record(batch, [this](const auto& state, const auto& result) {
                                               return judge_change(state, result, options_.clock->now());
                                             });
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
      if (!batch.with_savepoints && (refused || lock_conflict)) {
        return std::ranges::all_of(split(std::move(batch)),
                                   [&](storage::Batch& single) { return write(std::move(single)); });
      } else if (refused) {
        drop_refused_texts(batch, error.what());
      } else if (lock_conflict) {
        const std::lock_guard lock(mutex_);
        lock_conflicts_.push_back(std::move(batch));
        next_retry_ = std::chrono::steady_clock::now() + lock_retry_delay;
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
