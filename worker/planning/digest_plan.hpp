#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "domain/records/change.hpp"
#include "domain/workflows/triggers.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/digests.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {

/// The item that the digest of `workflow` collects of an event that meets it: the record as of the event,
/// with `event` and `previous`. `fired` are the triggers that the event meets. Pure.
storage::CollectedItem collect_item(const storage::StoredEvent& event, const domain::Change& change,
                                    const domain::TriggerSet& fired, const Workflow& workflow);

/// True if a digest can hold the item.
inline bool fits_digest(const storage::CollectedItem& item) {
  return domain::DigestExtent::begun(item.event.at, item.value.size()).takes(item.event.at, item.item.size());
}

/// A digest that is closed.
struct DueDigest {
  Guid business_id;
  Guid guid;  // of its run
  Guid workflow_id;
  int version;              // of the workflow
  Time began_at;            // the time of its first event
  std::uint64_t run_event;  // the id that its run has instead of an event's
};

/// Plans the run of a digest, without the texts: it is rendered from its list when it is claimed. `workflow`
/// is in the version of the digest.
PlannedRun plan_digest_run(const DueDigest& digest, const Workflow& workflow, Time now);

}  // namespace waybill::worker
