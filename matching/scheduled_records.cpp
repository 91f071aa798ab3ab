#include "matching/scheduled_records.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/crypto.hpp"
#include "base/number.hpp"
#include "base/observe.hpp"
#include "domain/filter/filter.hpp"
#include "storage/events/outbox.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::matching {
namespace {

/// Reads the guids of a schedule's query, which the schedule's check has compiled before.
std::vector<Guid> query(storage::Session& session, const domain::Schedule& schedule, domain::EntityType type,
                        const Guid& business, const std::optional<Guid>& only) {
  const domain::RecordType& record = domain::record_type(type);
  const auto filter = std::get<domain::SqlFragment>(domain::compile_filter(schedule.filter, record, 2));
  const auto order = std::get<domain::SqlFragment>(domain::compile_orderby(schedule.order_by, record));
  const std::string text = "select r.guid from " + std::string(record.table) +
                           " r where r.business_id = $1::uuid and r.deleted_at is null and " +
                           (only ? "r.guid = '" + only->to_string() + "'::uuid and " : "") + filter.text +
                           " order by " + order.text + " limit " + std::to_string(schedule.limit);
  storage::Params params;
  params.add(business);
  for (const std::string& param : filter.params) params.add(param);
  const storage::Rows rows =
      session.run_replanned(storage::Statement{.name = "schedules.query", .text = text}, params);
  std::vector<Guid> guids;
  guids.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) guids.push_back(Guid::parse(rows.get(i, 0)).value());
  return guids;
}

/// The statement that reads records by their guids, up to a size: (position from 1, guid, record in hex).
std::string records_text(domain::EntityType type) {
  return "select n, guid, encode(record, 'hex') from ("
         "select w.n, w.guid, s.record, sum(octet_length(s.record)) over (order by w.n) as bytes "
         "from unnest($2::uuid[]) with ordinality w (guid, n) join " +
         std::string(domain::record_type(type).table) +
         " r on r.business_id = $1::uuid and r.guid = w.guid and r.deleted_at is null "
         "cross join lateral (select case when pg_column_size(r) > 8192 then bounded_record(r) "
         "else substr(record_send(r), 1, 4194305) end as record offset 0) s) x "
         "where bytes - octet_length(record) < $3::bigint order by n";
}

}  // namespace

ScheduledRecords::ScheduledRecords(storage::Session& session, storage::RecordColumns& columns,
                                   const Rule& rule, const Guid& business, const TrackingPages& pages,
                                   const std::optional<Guid>& only)
    : session_(session),
      columns_(columns),
      rule_(rule),
      business_(business),
      pages_(pages),
      guids_(query(session, rule.triggers.schedule.value(), rule.entity_type(), business, only)) {}

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
  storage::Params params;
  params.add(business_).add(storage::binary_array(wanted)).add(portion_bytes);
  const storage::Rows rows = session_.run_replanned(
      storage::Statement{.name = "schedules.records", .text = records_text(rule_.entity_type())}, params);
  std::size_t passed = rows.empty() ? wanted.size() : 0;
  std::vector<ScheduledRecord> records;
  for (int i = 0; i < rows.size(); ++i) {
    passed = parse_number<std::size_t>(rows.get(i, 0)).value();
    const Guid guid = Guid::parse(rows.get(i, 1)).value();
    const Bytes bytes = unhex(rows.get(i, 2)).value();
    const auto record =
        storage::read_record(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    const storage::StoredEvent stub{.id = 0,
                                    .business_id = business_,
                                    .entity_type = rule_.entity_type(),
                                    .entity_id = guid,
                                    .at = {},
                                    .cause = {},
                                    .detail = {},
                                    .before = record,
                                    .after = record};
    ScheduledRecord read{.guid = guid, .entity = {{"guid", guid.to_string()}}, .bytes = bytes.size()};
    read.problem = unless_unreadable([&] { read.entity = std::move(columns_.change(stub, {}).entity); });
    if (read.problem) {
      observe(Observable::event_unreadable,
              {{"record", guid.to_string()}, {"error", std::string_view(read.problem->error)}});
    }
    records.push_back(std::move(read));
  }
  position_ += passed;
  return records;
}

}  // namespace waybill::matching
