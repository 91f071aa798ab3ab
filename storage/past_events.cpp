#include "storage/past_events.hpp"

#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

StoredEvent stored_event(const RowView& row) {
  return {.id = row.number<std::uint64_t>(0),
          .business_id = row.guid(1),
          .entity_type = static_cast<domain::EntityType>(row.number<int>(2)),
          .entity_id = row.guid(3),
          .at = row.time(4),
          .cause = row.maybe_string(5),
          .before = row.maybe_string(6),
          .after = row.maybe_string(7)};
}

}  // namespace

std::vector<StoredEvent> PastEvents::page(const Range& range, const StoredEvent* last, std::size_t limit) {
  const Rows rows = session_.run(
      sql::history::page, range.business_id.to_string(), static_cast<int>(range.entity_type),
      format_sql_timestamp(range.from), format_sql_timestamp(range.to),
      (last == nullptr ? Guid() : last->entity_id).to_string(), last == nullptr ? 0 : last->id, limit);
  std::vector<StoredEvent> events;
  events.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) { events.push_back(stored_event(row)); });
  return events;
}

std::vector<PastEvent> PastEvents::of_record(const Guid& business, const Guid& entity, std::size_t limit) {
  const Rows rows = session_.run(sql::history::of_record, business.to_string(), entity.to_string(), limit);
  std::vector<PastEvent> events;
  events.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) { events.push_back({stored_event(row), row.boolean(8)}); });
  return events;
}

std::vector<std::vector<Relative>> PastEvents::relatives(std::span<const PastRelativeKey> wanted,
                                                         std::size_t count) {
  std::vector<std::vector<Relative>> relatives(count);
  if (wanted.empty()) return relatives;
  std::vector<std::int64_t> positions, kinds;
  std::vector<Guid> businesses, guids;
  std::vector<std::string> times;
  for (const PastRelativeKey& key : wanted) {
    positions.push_back(static_cast<std::int64_t>(key.position));
    kinds.push_back(static_cast<std::int64_t>(key.kind));
    businesses.push_back(key.business_id);
    guids.push_back(key.guid);
    times.push_back(format_sql_timestamp(key.at));
  }
  const Rows rows = session_.run(sql::history::relatives, array_literal(positions), array_literal(businesses),
                                 array_literal(guids), array_literal(times), array_literal(kinds));
  for_each_row(rows, [&](const RowView& row) {
    relatives.at(row.number<std::size_t>(0))
        .push_back({static_cast<Relative::Kind>(row.number<int>(1)),
                    {row.guid(2), row.guid(3)},
                    row.guid(4),
                    row.string(5),
                    row.maybe_string(6)});
  });
  return relatives;
}

}  // namespace waybill::storage
