#include "tests/model/run_queue_model.hpp"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t guid_length = 36;
/// The shortest time, because times are whole microseconds.
constexpr Duration tick = 1us;

bool is_open_attempt(QueuedStatus status) {
  return status == QueuedStatus::queued || status == QueuedStatus::running ||
         status == QueuedStatus::retrying;
}

/// True for the states in which a run waits for its due time.
bool is_pending(QueuedStatus status) {
  return status == QueuedStatus::waiting || status == QueuedStatus::queued ||
         status == QueuedStatus::retrying;
}

template <typename Run, typename Other>
bool is_same_order(const Run& run, const Other& other) {
  return run.business == other.business && run.workflow == other.workflow && run.record == other.record &&
         run.is_replay == other.is_replay;
}

Duration postponement(const QueuedRow& run, Time now) {
  if (!run.postponed_until) return 1s;
  if (!run.ordered) return 2s;
  return std::clamp<Duration>(now - run.created_at, 30s, 5min);
}

}  // namespace

void RunQueueModel::put(QueuedRow row) {
  const Guid guid = row.guid;
  rows_.insert_or_assign(guid, std::move(row));
}

bool RunQueueModel::may_go(const QueuedRow& run) const {
  return !waits_for_run(run) && !waits_for_change(run);
}

/// An ordered run waits for the runs of earlier events, in any state.
bool RunQueueModel::waits_for_run(const QueuedRow& run) const {
  return run.ordered && std::ranges::any_of(rows_ | std::views::values, [&](const QueuedRow& earlier) {
           return is_same_order(run, earlier) && earlier.event < run.event &&
                  (!run.ordered_from || earlier.event >= *run.ordered_from);
         });
}

/// A change of a record waits for the changes of its event by workflows that were created earlier.
bool RunQueueModel::waits_for_change(const QueuedRow& run) const {
  if (!run.changes_record || !run.workflow_created_at) return false;
  return std::ranges::any_of(rows_ | std::views::values, [&](const QueuedRow& earlier) {
    return earlier.business == run.business && earlier.record == run.record && earlier.event == run.event &&
           earlier.changes_record && !earlier.is_replay && is_open_attempt(earlier.status) &&
           earlier.workflow_created_at &&
           std::tie(*earlier.workflow_created_at, earlier.workflow) <
               std::tie(*run.workflow_created_at, run.workflow);
  });
}

std::vector<std::string> RunQueueModel::destinations(const QueueLook& look) const {
  std::set<std::string> found{""};
  for (const auto& [destination, floor] : look.floors) found.insert(destination);
  for (const QueuedRow& row : rows_ | std::views::values) {
    if (row.status != QueuedStatus::held) found.insert(row.destination);
  }
  return {found.begin(), found.end()};
}

bool RunQueueModel::is_blocked(const QueueLook& look, const std::string& destination) {
  const std::size_t length = std::min(guid_length, destination.size());
  return look.blocked_destinations.contains(destination) ||
         look.blocked_businesses.contains(destination.substr(destination.size() - length));
}

/// The first `count` runs of a destination that are due from its floor on and before a time, in that order.
std::vector<const QueuedRow*> RunQueueModel::first_of(const std::string& destination, const QueueLook& look,
                                                      Time before, std::size_t count) const {
  const auto floor = look.floors.find(destination);
  std::vector<const QueuedRow*> found;
  for (const QueuedRow& row : rows_ | std::views::values) {
    if (row.destination == destination && row.status != QueuedStatus::held && row.due_at < before &&
        (floor == look.floors.end() || row.due_at >= floor->second))
      found.push_back(&row);
  }
  std::ranges::sort(found, {}, [](const QueuedRow* row) { return std::tie(row->due_at, row->guid); });
  found.resize(std::min(found.size(), count));
  return found;
}

std::vector<Guid> RunQueueModel::claimable(const QueueLook& look, const std::string& destination,
                                           std::size_t per_destination) const {
  std::vector<Guid> runs;
  if (is_blocked(look, destination)) return runs;
  for (const QueuedRow* const row : first_of(destination, look, look.now + tick, examined)) {
    if (runs.size() == per_destination) break;
    if (may_go(*row)) runs.push_back(row->guid);
  }
  return runs;
}

std::vector<Guid> RunQueueModel::claim(const QueueLook& look, const ClaimBounds& bounds,
                                       std::span<const std::string> destinations) {
  std::vector<Guid> taken;
  std::size_t bytes = 0;
  for (const std::string& destination : destinations) {
    for (const Guid& run : claimable(look, destination, bounds.per_destination)) {
      if (taken.size() == bounds.runs || bytes >= bounds.bytes) break;
      bytes += row(run).bytes;
      taken.push_back(run);
    }
  }
  for (const Guid& run : taken) {
    QueuedRow& claimed = row(run);
    claimed.status = QueuedStatus::running;
    claimed.lease_owner = bounds.worker;
    claimed.due_at = look.now + bounds.lease;
  }
  return taken;
}

std::optional<Time> RunQueueModel::next_due(const QueueLook& look, Duration within) const {
  std::optional<Time> next;
  for (const std::string& destination : destinations(look)) {
    if (is_blocked(look, destination)) continue;
    for (const QueuedRow* const row : first_of(destination, look, look.now + within, examined)) {
      if (row->due_at <= look.now && !may_go(*row)) continue;
      if (!next || row->due_at < *next) next = row->due_at;
      break;
    }
  }
  return next;
}

void RunQueueModel::unblock(std::span<const EndedRun> ended, Time now) {
  std::map<Guid, std::int64_t> next_runs;  // with the latest event that ended before them
  for (const EndedRun& end : ended) {
    const QueuedRow* next = nullptr;
    for (const QueuedRow& row : rows_ | std::views::values) {
      if (is_same_order(end, row) && row.event >= end.event && row.guid != end.guid &&
          (next == nullptr || row.event < next->event))
        next = &row;
    }
    if (next == nullptr || !is_pending(next->status)) continue;
    if (next->due_at > now && next->due_at != next->postponed_until) continue;
    const auto [found, is_new] = next_runs.emplace(next->guid, end.event);
    if (!is_new) found->second = std::max(found->second, end.event);
  }
  for (const auto& [run, event] : next_runs) {
    QueuedRow& next = row(run);
    next.due_at = now;
    if (event > 0) next.ordered_from = event;
  }
}

std::vector<Guid> RunQueueModel::blocked(const QueueLook& look, std::size_t tolerated) const {
  constexpr std::size_t examined_in_all = 10 * examined;
  const std::vector<std::string> all = destinations(look);
  std::vector<const QueuedRow*> found;
  std::map<Guid, std::size_t> together;
  for (const std::string& destination : all) {
    for (const QueuedRow* const row :
         first_of(destination, look, look.now - 1s, std::max(examined, examined_in_all / all.size()))) {
      if (!is_pending(row->status) || may_go(*row)) continue;
      found.push_back(row);
      ++together[row->business];
    }
  }
  std::vector<Guid> runs;
  for (const QueuedRow* const row : found) {
    if (together[row->business] > tolerated || (row->ordered && row->due_at < look.now - 10s))
      runs.push_back(row->guid);
  }
  return runs;
}

void RunQueueModel::postpone(std::span<const Guid> runs, Time now) {
  for (const Guid& run : runs) {
    QueuedRow& blocked = row(run);
    blocked.due_at = now + postponement(blocked, now);
    blocked.postponed_until = blocked.due_at;
  }
}

}  // namespace waybill::tests
