#include "worker/outcomes/outcome_queue.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t max_batch_bytes = 4UL * 1024 * 1024;  // texts in a batch, without its last entry

std::size_t text_size(const storage::SettledEvent& event) {
  std::size_t bytes = 0;
  for (const storage::Run& run : event.runs) bytes += storage::byte_size(run.key);
  return bytes;
}

std::size_t text_size(const storage::QueuedOutcome& outcome) {
  const auto& rendering = outcome.rendering;
  return rendering ? rendering->request.size() + (rendering->body ? rendering->body->size() : 0) : 0;
}

/// The record of an event's runs, by its business and guid; nullopt without runs.
std::optional<std::pair<Guid, Guid>> record_of(const storage::SettledEvent& event) {
  if (event.runs.empty()) return std::nullopt;
  return std::pair(event.runs[0].key.business_id, event.runs[0].key.entity_id);
}

/// The record of a batch of one entry.
std::optional<std::pair<Guid, Guid>> record_of(const storage::Batch& single) {
  return single.events.empty() ? std::nullopt : record_of(single.events[0]);
}

storage::Batch single_of(storage::SettledEvent event) {
  storage::Batch single{.events = {}, .outcomes = {}, .with_savepoints = true};
  single.events.push_back(std::move(event));
  return single;
}

template <typename Items>
void move_some(Items& from, Items& to, std::size_t limit) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < std::min(from.size(), limit) && bytes < max_batch_bytes; ++count)
    bytes += text_size(from[count]);
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
  to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
  from.erase(from.begin(), end);
}

}  // namespace

void OutcomeQueue::set_aside(storage::Batch single, Moment retry_at) {
  const auto record = record_of(single);
  std::deque<storage::Batch> followers;
  if (record && records_aside_.contains(*record)) {
    std::deque<storage::Batch> others;
    for (storage::Batch& batch : set_aside_)
      (record_of(batch) == record ? followers : others).push_back(std::move(batch));
    set_aside_ = std::move(others);
  }
  push_aside(std::move(single));
  std::ranges::move(followers, std::back_inserter(set_aside_));
  retry_at_ = retry_at;
}

void OutcomeQueue::push_aside(storage::Batch single) {
  if (const auto record = record_of(single)) ++records_aside_[*record];
  set_aside_.push_back(std::move(single));
}

bool OutcomeQueue::follow(storage::Batch& single) {
  const auto record = record_of(single);
  if (!record || !records_aside_.contains(*record)) return false;
  push_aside(std::move(single));
  return true;
}

std::optional<OutcomeQueue::Moment> OutcomeQueue::retry_at() const {
  return set_aside_.empty() ? std::nullopt : std::optional(retry_at_);
}

storage::Batch OutcomeQueue::take(std::size_t limit) {
  storage::Batch batch;
  move_some(waiting_.events, batch.events, limit);
  if (waiting_.events.empty()) move_some(waiting_.outcomes, batch.outcomes, limit);
  if (set_aside_.empty()) return batch;
  std::vector<storage::SettledEvent> free;
  for (storage::SettledEvent& event : batch.events) {
    storage::Batch single = single_of(std::move(event));
    if (!follow(single)) free.push_back(std::move(single.events[0]));
  }
  batch.events = std::move(free);
  return batch;
}

storage::Batch OutcomeQueue::take_set_aside() {
  require(!set_aside_.empty(), "a batch that is taken was set aside");
  storage::Batch single = std::move(set_aside_.front());
  set_aside_.pop_front();
  if (const auto record = record_of(single)) {
    const auto found = records_aside_.find(*record);
    require(found != records_aside_.end(), "the record of an event that is set aside is counted");
    if (--found->second == 0) records_aside_.erase(found);
  }
  return single;
}

std::vector<storage::Batch> split(storage::Batch batch) {
  std::vector<storage::Batch> batches;
  batches.reserve(batch.events.size() + batch.outcomes.size());
  for (auto& event : batch.events) batches.push_back(single_of(std::move(event)));
  for (auto& outcome : batch.outcomes) {
    batches.emplace_back().outcomes.push_back(std::move(outcome));
    batches.back().with_savepoints = true;
  }
  return batches;
}

void drop_refused_texts(storage::Batch& batch, std::string_view error) {
  const auto end = [&](storage::RunState& state) {
    state = {.status = storage::RunStatus::dead,
             .code = "UNRECORDABLE",
             .error = "The outcome could not be stored: " + std::string(error),
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

bool is_awaited(const storage::SettledEvent& event) {
  return std::ranges::any_of(event.runs, [](const storage::Run& run) {
    return run.state.change != nullptr || (run.key.ordered && !storage::is_final(run.state.status));
  });
}

bool is_awaited(const storage::QueuedOutcome& outcome) {
  return outcome.state.change != nullptr || (outcome.ordered && storage::is_final(outcome.state.status));
}

NextDue next_due(const storage::Batch& batch, const storage::Recorded& recorded) {
  NextDue next{.run = {}, .timer = {}, .digest = recorded.digest_due};
  const auto lower = [](std::optional<Time>& time, Time due) { time = std::min(time.value_or(due), due); };
  const auto consider = [&](const storage::RunState& state) {
    if (storage::is_final(state.status) || state.status == storage::RunStatus::held || state.change) return;
    lower(next.run, state.at);
  };
  for (const auto& event : batch.events) {
    for (const auto& run : event.runs) consider(run.state);
    for (const auto& timer : event.timers) {
      if (timer.setting && timer.setting->working_days == 0) lower(next.timer, timer.setting->due);
    }
  }
  for (const auto& outcome : batch.outcomes) {
    consider(outcome.state);
    // The end of an ordered run makes the next run of its record due. A change of a record makes the next run
    // of its event due.
    if (storage::is_final(outcome.state.status) || outcome.state.change) next.run = Time{};
  }
  for (const auto& state : recorded.changed) consider(state);
  return next;
}

}  // namespace waybill::worker
