#include "worker/outcomes/outcome_inbox.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "worker/outcomes/lock_limit.hpp"

namespace waybill::worker {

template <typename Add>
void OutcomeInbox::add_with(bool awaited, Add add_to) {
  bool wake = false;
  {
    const Lock lock(mutex_);
    const bool was_empty = queue_.empty();
    add_to(queue_);
    awaited_ = awaited_ || (awaited && last_was_small_);
    wake = was_empty || urgent_ || awaited_ || queue_.size() >= options_.batch_size;
  }
  if (wake) changed_.notify_all();
}

void OutcomeInbox::add(storage::SettledEvent event) {
  add_with(is_awaited(event), [&](OutcomeQueue& queue) { queue.add(std::move(event)); });
}

void OutcomeInbox::add(std::vector<storage::SettledEvent> events) {
  if (events.empty()) return;
  const bool awaited = std::ranges::any_of(events, [](const auto& event) { return is_awaited(event); });
  add_with(awaited, [&](OutcomeQueue& queue) {
    for (storage::SettledEvent& event : events) queue.add(std::move(event));
  });
}

void OutcomeInbox::add(storage::QueuedOutcome outcome) {
  add_with(is_awaited(outcome), [&](OutcomeQueue& queue) { queue.add(std::move(outcome)); });
}

bool OutcomeInbox::flush(Duration limit) {
  Lock lock(mutex_);
  urgent_ = true;
  changed_.notify_all();
  const bool done =
      changed_.wait_for(lock, limit, [this]() REQUIRES(mutex_) { return queue_.empty() && !writing_; });
  urgent_ = false;
  return done;
}

void OutcomeInbox::stop() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

bool OutcomeInbox::wait_for_batch(storage::Batch& batch) {
  Lock lock(mutex_);
  writing_ = false;
  changed_.notify_all();
  const auto has_work = [this]() REQUIRES(mutex_) { return stopping_ || !queue_.empty(); };
  if (const auto retry_at = queue_.retry_at(); !retry_at) {
    changed_.wait(lock, has_work);
  } else if (changed_.wait_until(lock, *retry_at, has_work);
             queue_.empty() || (!last_was_set_aside_ && std::chrono::steady_clock::now() >= *retry_at)) {
    batch = queue_.take_set_aside();
    writing_ = true;
    last_was_set_aside_ = true;
    return true;
  }
  last_was_set_aside_ = false;
  if (queue_.empty()) return false;
  changed_.wait_for(lock, options_.batch_delay, [this]() REQUIRES(mutex_) {
    return stopping_ || urgent_ || awaited_ || queue_.size() >= options_.batch_size;
  });
  awaited_ = false;
  last_was_small_ = queue_.size() <= options_.small_batch;
  batch = queue_.take(options_.batch_size);
  writing_ = true;
  return true;
}

void OutcomeInbox::set_aside(std::vector<storage::Batch> singles) {
  const Lock lock(mutex_);
  for (storage::Batch& single : singles)
    queue_.set_aside(std::move(single), std::chrono::steady_clock::now() + lock_retry_delay);
}

void OutcomeInbox::set_aside(storage::Batch single) {
  const Lock lock(mutex_);
  queue_.set_aside(std::move(single), std::chrono::steady_clock::now() + lock_retry_delay);
}

bool OutcomeInbox::follow(storage::Batch& single) {
  const Lock lock(mutex_);
  return queue_.follow(single);
}

bool OutcomeInbox::any_set_aside() const {
  const Lock lock(mutex_);
  return queue_.retry_at().has_value();
}

bool OutcomeInbox::is_stopping() const {
  const Lock lock(mutex_);
  return stopping_;
}

bool OutcomeInbox::pause(Duration length) {
  Lock lock(mutex_);
  if (stopping_) return false;
  changed_.wait_for(lock, length, [this]() REQUIRES(mutex_) { return stopping_; });
  return true;
}

}  // namespace waybill::worker
