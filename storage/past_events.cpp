#include "storage/past_events.hpp"

#include "storage/binary.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
std::vector<StoredEvent> PastEvents::page(const Range& range, const StoredEvent* last, std::size_t limit) {
  return stored_events(session_.run_binary(sql::history::page,
                                           Params()
                                               .add(range.business_id.to_string())
                                               .add(static_cast<int>(range.entity_type))
                                               .add(format_sql_timestamp(range.from))
                                               .add(format_sql_timestamp(range.to))
                                               .add((last == nullptr ? Guid() : last->entity_id).to_string())
                                               .add(last == nullptr ? 0 : last->id)
                                               .add(limit)));
}

std::vector<PastEvent> PastEvents::of_record(const Guid& business, const Guid& entity, Latest latest) {
  constexpr int pending = 8;
  const Rows rows = session_.run_binary(
      sql::history::of_record,
      Params().add(business.to_string()).add(entity.to_string()).add(latest.before).add(latest.limit));
  std::vector<StoredEvent> stored = stored_events(rows);
  std::vector<PastEvent> events;
  events.reserve(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i)
    events.push_back({std::move(stored[i]), BinaryRow(rows, static_cast<int>(i)).boolean(pending)});
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
