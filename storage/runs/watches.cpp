#include "storage/runs/watches.hpp"

#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

/// The ends of one kind as arrays, for the parameters of a statement.
struct EndColumns {
  std::vector<Guid> businesses, records, workflows;
  std::vector<std::int64_t> versions, steps, events;
  std::vector<std::optional<std::string>> causing_runs;

  EndColumns(std::span<const WatchEnd> ends, bool cancels) {
    for (const WatchEnd& end : ends) {
      if (end.moves_label || end.cancels != cancels) continue;
      businesses.push_back(end.watch.record.business_id);
      records.push_back(end.watch.record.entity_id);
      workflows.push_back(end.watch.workflow_id);
      versions.push_back(end.watch.version);
      steps.push_back(end.watch.step);
      events.push_back(static_cast<std::int64_t>(end.event_id));
      causing_runs.push_back(end.causing_run ? std::optional(end.causing_run->to_string()) : std::nullopt);
    }
  }
};

void wake_labels(Session& session, std::span<const WatchEnd> ends) {
  std::vector<Guid> businesses, shipments;
  for (const WatchEnd& end : ends) {
    if (!end.moves_label) continue;
    businesses.push_back(end.watch.record.business_id);
    shipments.push_back(end.watch.record.entity_id);
  }
  if (shipments.empty()) return;
  session.run_with_fresh_plan(
      sql::queue::WakeLabels{.businesses = binary_array(businesses), .shipments = binary_array(shipments)});
}

}  // namespace

std::vector<Watch> watches_of(Session& session, std::span<const WatchedRecord> records) {
  std::vector<Watch> watches;
  if (records.empty()) return watches;
  std::vector<Guid> businesses, entities;
  for (const WatchedRecord& record : records) {
    businesses.push_back(record.business_id);
    entities.push_back(record.entity_id);
  }
  for (const auto& row : session.run_with_fresh_plan(
           sql::queue::Watched{.businesses = binary_array(businesses), .records = binary_array(entities)}))
    watches.push_back({{row.business_id, row.entity_id}, row.workflow_id, row.version, row.step});
  return watches;
}

void cancel_watching(Session& session, std::span<const WatchEnd> ends) {
  const EndColumns columns(ends, true);
  if (columns.events.empty()) return;
  session.run_with_fresh_plan(sql::queue::CancelWatching{.businesses = binary_array(columns.businesses),
                                                         .records = binary_array(columns.records),
                                                         .workflows = binary_array(columns.workflows),
                                                         .versions = columns.versions,
                                                         .events = binary_array(columns.events),
                                                         .causing_runs = columns.causing_runs});
}

void wake_watching(Session& session, std::span<const WatchEnd> ends) {
  wake_labels(session, ends);
  const EndColumns columns(ends, false);
  if (columns.events.empty()) return;
  session.run_with_fresh_plan(sql::queue::WakeWatching{.businesses = binary_array(columns.businesses),
                                                       .records = binary_array(columns.records),
                                                       .workflows = binary_array(columns.workflows),
                                                       .versions = columns.versions,
                                                       .steps = columns.steps,
                                                       .events = binary_array(columns.events),
                                                       .causing_runs = columns.causing_runs});
}

}  // namespace waybill::storage
