#include "worker/planning/later_events.hpp"

#include "domain/workflows/triggers.hpp"
#include "matching/relatives.hpp"
#include "matching/unreadable.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/past_events.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t most_events = 200;  // in one call

bool reads_relatives(const matching::AwaitedEvents* events) {
  return events != nullptr && events->conditions.reads_relatives();
}

/// Notes what a readable event does to the run.
void look_at(storage::Session& session, storage::RecordColumns& columns, const storage::StoredEvent& event,
             const WantedEvents& wanted, LaterEvents& later) {
  domain::Change change = columns.change(event, {});
  const domain::TriggerSet fired = domain::fired_triggers(change);
  if (reads_relatives(wanted.cancel_on) || reads_relatives(wanted.awaited)) {
    storage::Outbox outbox(session);
    matching::fill_relatives(outbox, event.business_id, event.entity_id, change);
  }
  const domain::Subject subject{change.entity, change.previous, change.created};
  if (wanted.cancel_on != nullptr && wanted.cancel_on->include(fired, subject)) {
    later.is_cancelled = true;
  } else if (wanted.awaited != nullptr && event.after && event.at <= wanted.until &&
             wanted.awaited->include(fired, subject)) {
    later.ended_by = event.id;
  }
}

}  // namespace

LaterEvents look_at_later_events(storage::Session& session, storage::RecordColumns& columns,
                                 const storage::RunKey& run, std::uint64_t after,
                                 const WantedEvents& wanted) {
  LaterEvents later{.looked_to = after};
  const storage::EventPage page =
      storage::PastEvents(session).after(run.business_id, run.entity_id, after, {.events = most_events});
  for (const storage::StoredEvent& event : page.events) {
    later.looked_to = event.id;
    if (storage::causing_run(event.cause) == run.guid) continue;
    matching::unless_unreadable([&] { look_at(session, columns, event, wanted, later); });
    if (later.is_cancelled || later.ended_by) return later;
  }
  later.has_more = page.has_more;
  return later;
}

}  // namespace waybill::worker
