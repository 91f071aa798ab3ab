#include "worker/queue/preparation_queues.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace waybill::worker {
namespace {

// The number of waiting runs with which a business is full.
constexpr std::size_t most_to_render = 32;
constexpr std::size_t most_to_begin = 128;
// Short, so that a business that was idle for long does not come before the others for long.
constexpr auto half_life = std::chrono::seconds(1);

}  // namespace

PreparationQueues::PreparationQueues()
    : shares_(half_life),
      to_render_(most_to_render, shares_),
      to_begin_(most_to_begin, shares_),
      to_go_on_(most_to_begin, shares_) {}

void PreparationQueues::add(Runs to_render, Runs to_begin, Time now) {
  {
    const Lock lock(mutex_);
    for (storage::ClaimedRun& run : to_render) to_render_.push(std::move(run), now);
    for (storage::ClaimedRun& run : to_begin) to_begin_.push(std::move(run), now);
  }
  changed_.notify_one();
}

bool PreparationQueues::go_on(storage::ClaimedRun run, Time now) {
  {
    const Lock lock(mutex_);
    if (closed_ || !to_go_on_.has_room() || to_go_on_.is_full(run.run.key.business_id)) return false;
    to_go_on_.push(std::move(run), now);
  }
  changed_.notify_one();
  return true;
}

bool PreparationQueues::has_room() const {
  const Lock lock(mutex_);
  return to_render_.has_room() && to_begin_.has_room();
}

std::vector<Guid> PreparationQueues::full_businesses() const {
  const Lock lock(mutex_);
  std::vector<Guid> businesses = to_render_.full_businesses();
  std::ranges::copy(to_begin_.full_businesses(), std::back_inserter(businesses));
  return businesses;
}

bool PreparationQueues::wait(const std::stop_token& stop, Duration limit) {
  Lock lock(mutex_);
  return changed_.wait_for(lock, stop, limit, [this]() REQUIRES(mutex_) {
    return !to_render_.empty() || !to_begin_.empty() || !to_go_on_.empty();
  });
}

void PreparationQueues::pause(const std::stop_token& stop, Duration length) {
  Lock lock(mutex_);
  changed_.wait_for(lock, stop, length, [] { return false; });
}

PreparationQueues::Taken PreparationQueues::take(Kind kind, std::size_t most, Time since) {
  Taken taken;
  const auto now = std::chrono::steady_clock::now();
  const Lock lock(mutex_);
  ClaimedRunQueue& from = queue(kind);
  taken.late = from.take_older(since);
  while (!from.empty() && taken.runs.size() < most) taken.runs.push_back(from.pop(now));
  return taken;
}

void PreparationQueues::spent(const std::unordered_map<Guid, Spent>& by_business) {
  const auto now = std::chrono::steady_clock::now();
  const Lock lock(mutex_);
  for (const auto& [business, spent] : by_business) shares_.ended(business, spent.runs, spent.time, now);
}

void PreparationQueues::close() {
  const Lock lock(mutex_);
  closed_ = true;
}

PreparationQueues::Runs PreparationQueues::take_all() {
  Runs runs;
  const auto now = std::chrono::steady_clock::now();
  const Lock lock(mutex_);
  for (const Kind kind : {Kind::render, Kind::begin, Kind::go_on}) {
    ClaimedRunQueue& from = queue(kind);
    while (!from.empty()) runs.push_back(from.pop(now));
  }
  return runs;
}

ClaimedRunQueue& PreparationQueues::queue(Kind kind) {
  switch (kind) {
    case Kind::render:
      return to_render_;
    case Kind::begin:
      return to_begin_;
    case Kind::go_on:
      break;
  }
  return to_go_on_;
}

}  // namespace waybill::worker
