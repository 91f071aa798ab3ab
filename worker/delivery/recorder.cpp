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
constexpr auto retry_in_the_way = std::chrono::milliseconds(250);
// The limit of a single run or event, which others wait for. A batch has worker_limits: locks of whole tables
// pass soon.
constexpr const char* short_lock_limit = "set lock_timeout = '100ms'";
constexpr const char* usual_lock_limit = "reset lock_timeout";

constexpr std::size_t most_bytes = 4UL * 1024 * 1024;  // of texts in a batch, and one entry more

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
std::size_t move_some(Items& from, Items& to, std::size_t most) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < std::min(from.size(), most) && bytes < most_bytes; ++count)
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
    // The end of an ordered run makes the next one of its record due, that of a change the next of its event.
    if (storage::is_final(outcome.state.status) || outcome.state.change) next = Time{};
  }
  for (const auto& state : recorded.changed) consider(state);
  return next;
}

std::vector<storage::Batch> singles(storage::Batch batch) {
  std::vector<storage::Batch> batches;
  for (auto& event : batch.events) batches.emplace_back().events.push_back(std::move(event));
  for (auto& outcome : batch.outcomes) batches.emplace_back().outcomes.push_back(std::move(outcome));
  for (auto& single : batches) single.careful = true;
  return batches;
}

/// Ends the runs of a batch that the database refuses, without what it may have refused.
void make_recordable(storage::Batch& batch, std::string_view error) {
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

/// Which run it was is known to whoever has its key, or at least its guid.
struct RunName {
  const Guid& guid;
  const storage::RunKey* key = nullptr;
};

void report_run(const storage::RunState& state, const std::optional<RunName>& name) {
  const auto tell = [&](Observable what) {
    if (!name) return observe(what);
    const std::string guid = name->guid.to_string();
    const std::string_view code = state.code ? std::string_view(*state.code) : "";
    if (name->key == nullptr) return observe(what, {{"run", guid}, {"code", code}});
    observe(what, {{"run", guid},
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
      tell(Observable::run_dead);
      break;
    case storage::RunStatus::skipped:
      tell(Observable::run_skipped);
      break;
    case storage::RunStatus::retrying:
      tell(Observable::run_retried);
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
  if (in_the_way_.empty()) {
    changed_.wait(lock, has_work);
  } else if (changed_.wait_until(lock, next_retry_, has_work);
             waiting_.empty() || std::chrono::steady_clock::now() >= next_retry_) {
    batch = std::move(in_the_way_.front());
    in_the_way_.pop_front();
    writing_ = true;
    return true;
  }
  if (waiting_.empty()) return false;
  changed_.wait_for(lock, options_.batch_delay,
                    [&] { return stopping_ || urgent_ || size(waiting_) >= options_.batch_size; });
  // Outcomes may be of runs that an event of this very batch queues: the store settles events first.
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
      if (std::exchange(short_locks_, batch.careful) != batch.careful)
        session_->execute(batch.careful ? short_lock_limit : usual_lock_limit);
      const auto started_at = std::chrono::steady_clock::now();
      const storage::Recorded recorded = storage::RunStore(*session_, options_.worker)
                                             .record(batch, [this](const auto& state, const auto& result) {
                                               return judge_change(state, result, options_.clock->now());
                                             });
      record(Histogram::record_batch_seconds,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - started_at).count());
      report(batch, recorded);
      // Before others are told that there is room again.
      for (auto& event : batch.events) event.memory.reset();
      for (auto& outcome : batch.outcomes) outcome.memory.reset();
      std::vector<storage::EventKey> events;
      events.reserve(batch.events.size());
      for (const auto& event : batch.events) events.push_back(event.key);
      written_(events, next_due(batch, recorded));
      return true;
    } catch (const storage::StatementError& error) {
      // Something in it cannot be stored. One by one, so that it holds up nothing else.
      observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
      const bool refused = storage::refuses_data(error);
      const bool in_the_way = storage::is_lock_conflict(error);
      if (!batch.careful && (refused || in_the_way)) {
        return std::ranges::all_of(singles(std::move(batch)),
                                   [&](storage::Batch& single) { return write(std::move(single)); });
      } else if (refused) {
        make_recordable(batch, error.what());
      } else if (in_the_way) {
        const std::lock_guard lock(mutex_);
        in_the_way_.push_back(std::move(batch));
        next_retry_ = std::chrono::steady_clock::now() + retry_in_the_way;
        return !stopping_;
      } else {
        session_.reset();
      }
    } catch (const std::exception& error) {
      session_.reset();
      observe(Observable::batch_record_failed, {{"error", std::string_view(error.what())}});
    }
    std::unique_lock lock(mutex_);
    if (stopping_) return false;  // the next owner of its events matches them again
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
