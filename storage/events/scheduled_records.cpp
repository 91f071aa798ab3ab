#include "storage/events/scheduled_records.hpp"

#include <string_view>
#include <utility>
#include <variant>

#include "base/crypto.hpp"
#include "base/number.hpp"
#include "domain/filter/filter.hpp"
#include "storage/events/outbox.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

/// The statement that reads records by their guids, up to a size: (position from 1, guid, record in hex).
std::string present_records_text(domain::EntityType type) {
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

std::vector<Guid> find_scheduled_records(Session& session, const domain::Schedule& schedule,
                                         domain::EntityType type, const Guid& business,
                                         const std::optional<Guid>& only) {
  const domain::RecordType& record = domain::record_type(type);
  const auto filter = std::get<domain::SqlFragment>(domain::compile_filter(schedule.filter, record, 2));
  const auto order = std::get<domain::SqlFragment>(domain::compile_orderby(schedule.order_by, record));
  const std::string text = "select r.guid from " + std::string(record.table) +
                           " r where r.business_id = $1::uuid and r.deleted_at is null and " +
                           (only ? "r.guid = '" + only->to_string() + "'::uuid and " : "") + filter.text +
                           " order by " + order.text + " limit " + std::to_string(schedule.limit);
  Params params;
  params.add(business);
  for (const std::string& param : filter.params) params.add(param);
  const Rows rows = session.run_replanned(Statement{.name = "schedules.query", .text = text}, params);
  std::vector<Guid> guids;
  guids.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) guids.push_back(Guid::parse(rows.get(i, 0)).value());
  return guids;
}

std::vector<PresentRecord> read_present_records(Session& session, domain::EntityType type,
                                                const Guid& business, std::span<const Guid> guids,
                                                std::size_t max_bytes) {
  Params params;
  params.add(business).add(binary_array(guids)).add(max_bytes);
  const std::string text = present_records_text(type);
  const Rows rows = session.run_replanned(Statement{.name = "schedules.records", .text = text}, params);
  std::vector<PresentRecord> records;
  records.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    const Bytes bytes = unhex(rows.get(i, 2)).value();
    records.push_back(
        {.position = parse_number<std::size_t>(rows.get(i, 0)).value(),
         .guid = Guid::parse(rows.get(i, 1)).value(),
         .bytes = bytes.size(),
         .record = read_record(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()))});
  }
  return records;
}

}  // namespace waybill::storage
