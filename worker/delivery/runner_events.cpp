// The events in memory: which of them stay there, and the order of their ordered runs.
#include <algorithm>
#include <utility>

#include "worker/delivery/runner.hpp"

namespace waybill::worker {
namespace {

using storage::RunStatus;

/// The record of the ordered runs of an event; nullopt if it has none.
std::optional<RecordName> ordered_record(const MatchedEvent& event) {
  const auto found =
      std::ranges::find_if(event.runs, [](const PlannedRun& planned) { return planned.run.key.ordered; });
  if (found == event.runs.end()) return std::nullopt;
  return RecordName(found->run.key.business_id, found->run.key.entity_id);
}

/// The tasks of the runs that stay in memory; `over` gets the others.
std::vector<TaskPtr> open_tasks(std::vector<PlannedRun> runs, bool stays, storage::SettledEvent& over) {
  std::vector<TaskPtr> open;
  for (PlannedRun& planned : runs) {
    if (!stays || goes_to_queue(planned)) {
      over.runs.push_back(std::move(planned.run));
      continue;
    }
    const TaskPtr& task = open.emplace_back(std::make_shared<Task>(std::move(planned.run)));
    task->request = std::move(planned.request);
    task->memory = over.memory;
  }
  return open;
}

}  // namespace

void Runner::forget_recorded() {
  unrecorded_.forget_recorded();
  queued_.forget_recorded();
}

/// Takes over an event, or adds it to `settled` if none of its runs stays in memory.
void Runner::add(MatchedEvent event, Moment now, std::vector<storage::SettledEvent>& settled) {
  const Guid business = !event.runs.empty()        ? event.runs.front().run.key.business_id
                        : !event.collected.empty() ? event.collected.front().business_id
                                                   : Guid();
  // A postponed match may be of an ordered workflow, and any worker makes it once it is recorded.
  if (!event.postponed.empty()) {
    for (const RecordName& record : chains_.of_business(event.postponed.front().business_id))
      queue_chain(record);
  }
  const std::optional<RecordName> ordered = ordered_record(event);
  const bool stays = may_stay(event, business, ordered);
  storage::SettledEvent over{.shard = event.shard,
                             .key = event.key,
                             .runs = {},
                             .postponed = std::move(event.postponed),
                             .memory = hold_texts(business, event),
                             .timers = std::move(event.timers),
                             .watch_ends = std::move(event.watch_ends),
                             .collected = std::move(event.collected),
                             .epoch = event.epoch,
                             .holds = {}};
  if (ordered) over.holds.push_back(unrecorded_.hold(*ordered));
  if (ordered && !stays) {
    queue_chain(*ordered);
    over.holds.push_back(queued_.hold(*ordered));
  }
  const bool is_behind = ordered && stays && chains_.first(*ordered) != nullptr;
  std::vector<TaskPtr> open = open_tasks(std::move(event.runs), stays, over);
  if (open.empty()) {
    settled.push_back(std::move(over));
    return;
  }
  const OpenEventPtr added = events_.add(std::move(over), open, now, ordered, is_behind);
  for (const TaskPtr& task : open) {
    room_.enter(task->business());
    if (!is_behind || !task->run.key.ordered) enqueue(task, now);
  }
  if (!ordered) return;
  chains_.add(added);
  pass_turn(*ordered);  // the first event may only be waiting for its other runs
}

/// Counts the bytes of an event's texts; null without any.
std::shared_ptr<const void> Runner::hold_texts(const Guid& business, const MatchedEvent& event) {
  std::size_t bytes = 0;
  for (const storage::CollectedItem& collected : event.collected) bytes += collected.item.size();
  for (const PlannedRun& planned : event.runs) bytes += storage::byte_size(planned.run.key);
  return bytes > 0 ? memory_.hold(business, bytes) : nullptr;
}

/// True if the runs of an event may stay in memory. Runs that later events concern must be in the database's
/// queue before those of the next event, so all runs of their event are queued at once. So are those of an
/// event that ends open runs or their waits, and those of one with ordered runs if one of these cannot begin
/// in memory.
bool Runner::may_stay(const MatchedEvent& event, const Guid& business,
                      const std::optional<RecordName>& ordered) const {
  if (event.orphan || event.ends_queued_runs || !room_.may_enter(business)) return false;
  if (std::ranges::any_of(event.runs, [](const PlannedRun& planned) { return planned.run.key.watches; }))
    return false;
  return !ordered || (event.may_begin && !queued_.contains(*ordered));
}

/// Notes the end of a run of an event in memory. If it is an ordered run that has succeeded, the next event
/// of its record may have its turn.
void Runner::conclude_of_event(const TaskPtr& task) {
  const std::optional<RecordName> ordered = task->event->ordered;
  const bool keeps_waiting = task->run.key.ordered && task->run.state.status != RunStatus::succeeded;
  auto settled = events_.finish(task);
  if (settled && keeps_waiting) settled->holds.push_back(queued_.hold(*ordered));
  if (settled) outcomes_.settle(std::move(*settled));
  if (!ordered) return;
  if (keeps_waiting)
    queue_chain(*ordered);
  else
    pass_turn(*ordered);
}

/// Gives the turn of a record to its next event if it has ended for the first one, which is settled then.
void Runner::pass_turn(const RecordName& record) {
  while (const OpenEventPtr over = chains_.take_over(record)) {
    if (!over->open.empty()) settle(events_.queue(over, effects_.clock.now(), lease_end()));
  }
  const OpenEventPtr first = chains_.first(record);
  if (!first || !first->is_behind) return;
  const Moment now = Moment::clock::now();
  events_.begin(first, now);
  for (const TaskPtr& task : first->open) {
    if (task->run.key.ordered) enqueue(task, now);
  }
}

/// Queues the events of a record with ordered runs, in their order.
void Runner::queue_chain(const RecordName& record) {
  for (const OpenEventPtr& event : chains_.take(record)) {
    if (!event->open.empty()) settle(events_.queue(event, effects_.clock.now(), lease_end()));
  }
}

void Runner::settle(OpenEvents::Queued queued) {
  for (const TaskPtr& task : queued.withdrawn) {
    task->place = Task::Place::gone;
    task->request = {};
    task->memory.reset();
    room_.leave(task->business());
  }
  if (queued.ordered) queued.settled.holds.push_back(queued_.hold(*queued.ordered));
  outcomes_.settle(std::move(queued.settled));
}

}  // namespace waybill::worker
