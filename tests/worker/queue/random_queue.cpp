#include "tests/worker/queue/random_queue.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <ranges>
#include <utility>

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

// The statement of the rule knows these three by their names until all binaries set changing_action.
constexpr std::string_view named_actions[] = {"update_status", "update_record", "create_shipment"};
constexpr std::string_view actions[] = {"update_status", "update_record", "webhook", "a_later_change"};

/// A guid that ends with this number.
Guid numbered(std::uint8_t kind, std::uint8_t number) {
  Guid guid;
  guid.bytes.front() = kind;
  guid.bytes.back() = number;
  return guid;
}

const std::vector<Guid>& businesses() {
  static const std::vector<Guid> all{numbered(1, 1), numbered(1, 2)};
  return all;
}

std::vector<std::string> destinations_of(const Guid& business) {
  const std::string end = business.to_string();
  return {"", "a:443/" + end, "b:443/" + end, "steps/3/" + end};
}

}  // namespace

const std::vector<RandomWorkflow>& RandomQueue::workflows() {
  static const std::vector<RandomWorkflow> all = [] {
    std::vector<RandomWorkflow> drawn;
    for (const Guid& business : businesses()) {
      const auto number = business.bytes.back();
      const auto add = [&](std::uint8_t kind, std::optional<Time> created_at) {
        drawn.push_back({numbered(kind, number), business, created_at});
      };
      add(13, now - 30h);
      add(12, now - 20h);
      add(11, now - 20h);  // created at the same time as the one before
      add(10, now - 10h);
      add(14, std::nullopt);
    }
    return drawn;
  }();
  return all;
}

Guid RandomQueue::guid() {
  Guid guid;
  std::ranges::generate(guid.bytes, [&] { return static_cast<std::uint8_t>(below(256)); });
  return guid;
}

/// A time near one of those that a statement at `now` compares.
Time RandomQueue::due_at() {
  constexpr Duration bounds[] = {-2h, -10s, -1s, 0s, 1s, 1h, -20s, -5s, -5s, -5s, -1min, -1min};
  return now + one_of(bounds) + Duration(static_cast<int>(below(5)) - 2);
}

RandomRow RandomQueue::row() {
  constexpr QueuedStatus statuses[] = {QueuedStatus::waiting, QueuedStatus::queued,  QueuedStatus::queued,
                                       QueuedStatus::queued,  QueuedStatus::running, QueuedStatus::retrying,
                                       QueuedStatus::held};
  constexpr Duration ages[] = {10s, 60s, 200s, 2h};
  const RandomWorkflow workflow = one_of(workflows());
  RandomRow drawn{.row = {.guid = guid(),
                          .business = workflow.business,
                          .workflow = workflow.guid,
                          .record = numbered(20, static_cast<std::uint8_t>(below(3))),
                          .event = static_cast<std::int64_t>(below(6)) - 1,
                          .status = one_of(statuses),
                          .due_at = due_at(),
                          .destination = one_of(destinations_of(workflow.business)),
                          .ordered = chance(0.6),
                          .is_replay = chance(0.2),
                          .workflow_created_at = workflow.created_at,
                          .created_at = now - one_of(ages)},
                  .action = std::string(one_of(actions)),
                  .changing_action = {},
                  .request = '"' + std::string(below(40), 'x') + '"'};
  QueuedRow& row = drawn.row;
  // A stale type is that of the step before, which a binary that knew the column began.
  if (chance(0.5)) drawn.changing_action = chance(0.7) ? drawn.action : std::string(one_of(actions));
  if (drawn.changing_action == "webhook") drawn.changing_action.reset();
  row.changes_record = drawn.changing_action == drawn.action ||
                       std::ranges::find(named_actions, drawn.action) != std::end(named_actions);
  if (chance(0.2)) row.ordered_from = static_cast<std::int64_t>(below(6)) - 1;
  if (chance(0.3)) row.postponed_until = chance(0.5) ? row.due_at : row.due_at - 1s;
  if (row.status == QueuedStatus::running) row.lease_owner = numbered(30, 1);
  row.bytes = drawn.request.size() + std::string_view("[]").size();
  return drawn;
}

std::vector<RandomRow> RandomQueue::rows(std::size_t count) {
  std::vector<RandomRow> drawn;
  due_times_.clear();
  orders_.clear();
  for (std::size_t tries = 0; drawn.size() < count && tries < 4 * count; ++tries) {
    RandomRow next = row();
    const QueuedRow& run = next.row;
    if (!orders_.emplace(run.workflow, run.record, run.event, run.is_replay).second) continue;
    if (due_times_.emplace(run.destination, run.due_at).second) drawn.push_back(std::move(next));
  }
  return drawn;
}

QueueLook RandomQueue::look(const RunQueueModel& queue) {
  QueueLook look{.now = now};
  for (const std::string& destination : queue.destinations(look)) {
    if (chance(0.2)) look.floors[destination] = due_at();
    if (chance(0.15)) look.blocked_destinations.insert(destination);
  }
  if (chance(0.1)) look.floors["gone:443/" + businesses().front().to_string()] = now;
  if (chance(0.2)) look.blocked_businesses.insert(one_of(businesses()).to_string());
  return look;
}

std::vector<EndedRun> RandomQueue::ends(const RunQueueModel& queue) {
  std::vector<EndedRun> ended;
  for (const QueuedRow& run : queue.rows() | std::views::values) {
    if (run.ordered && chance(0.2))
      ended.push_back({run.guid, run.business, run.workflow, run.record, run.event, run.is_replay});
  }
  return ended;
}

}  // namespace waybill::tests
