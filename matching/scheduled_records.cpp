#include "matching/scheduled_records.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/observe.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/scheduled_records.hpp"

namespace waybill::matching {
ScheduledRecords::ScheduledRecords(storage::Session& session, storage::RecordColumns& columns,
                                   const Rule& rule, const Guid& business, const TrackingPages& pages,
                                   const std::optional<Guid>& only)
    : session_(session),
      columns_(columns),
      rule_(rule),
      business_(business),
      pages_(pages),
      guids_(storage::find_scheduled_records(session, rule.triggers.schedule.value(), rule.entity_type(),
                                             business, only)) {}

std::vector<ScheduledRecord> ScheduledRecords::next() {
  std::vector<ScheduledRecord> records = read();
  storage::RelativesWanted wanted;
  for (const ScheduledRecord& record : records) {
    if (record.problem) continue;
    collect_relatives(business_, record.guid, rule_.entity_type(), record.entity, wanted, pages_.wanted);
  }
  const auto relatives = storage::Outbox(session_).relatives(wanted);
  const RelativeIndex index(relatives, pages_.public_url);
  const json::object no_previous;
  std::erase_if(records, [&](ScheduledRecord& record) {
    if (record.problem) return false;
    index.fill(business_, record.guid, rule_.entity_type(), record.entity);
    const domain::Verdict verdict =
        share_.is_exceeded() ? domain::Verdict::too_much_work
                             : domain::judge(rule_.conditions, {record.entity, no_previous, false}, share_);
    record.is_unjudged = verdict == domain::Verdict::too_much_work;
    return verdict == domain::Verdict::fail;
  });
  return records;
}

/// Reads the next records of the query without their relatives. Deleted ones are left out.
std::vector<ScheduledRecord> ScheduledRecords::read() {
  const std::span<const Guid> wanted =
      std::span(guids_).subspan(position_, std::min(portion_records, guids_.size() - position_));
  const auto present =
      storage::read_present_records(session_, rule_.entity_type(), business_, wanted, portion_bytes);
  std::vector<ScheduledRecord> records;
  for (const storage::PresentRecord& stored : present) {
    const Guid guid = stored.guid;
    const storage::StoredEvent stub{.id = 0,
                                    .business_id = business_,
                                    .entity_type = rule_.entity_type(),
                                    .entity_id = guid,
                                    .at = {},
                                    .cause = {},
                                    .detail = {},
                                    .before = stored.record,
                                    .after = stored.record};
    ScheduledRecord read{.guid = guid, .entity = {{"guid", guid.to_string()}}, .bytes = stored.bytes};
    read.problem = unless_unreadable([&] { read.entity = std::move(columns_.change(stub, {}).entity); });
    if (read.problem) {
      observe(Observable::event_unreadable,
              {{"record", guid.to_string()}, {"error", std::string_view(read.problem->error)}});
    }
    records.push_back(std::move(read));
  }
  position_ += present.empty() ? wanted.size() : present.back().position;
  return records;
}

}  // namespace waybill::matching
