#include "storage/past_events.hpp"

#include "storage/binary.hpp"
#include "storage/sql/history.sql.hpp"

namespace waybill::storage {

std::vector<StoredEvent> PastEvents::page(const Range& range, const StoredEvent* last, std::size_t limit) {
  return stored_events(session_
                           .run_binary(sql::history::Page{
                               .business = range.business_id,
                               .entity_type = static_cast<std::int16_t>(range.entity_type),
                               .first_time = range.from,
                               .end_time = range.to,
                               .after_record = last == nullptr ? Guid() : last->entity_id,
                               .after_event = last == nullptr ? 0 : static_cast<std::int64_t>(last->id),
                               .limit = static_cast<std::int64_t>(limit)})
                           .all());
}

std::vector<PastEvent> PastEvents::of_record(const Guid& business, const Guid& entity, Latest latest) {
  const auto rows =
      session_.run_binary(sql::history::OfRecord{.business = business,
                                                 .record = entity,
                                                 .before = latest.before,
                                                 .limit = static_cast<std::int64_t>(latest.limit)});
  std::vector<StoredEvent> stored = stored_events(rows.more());
  std::vector<PastEvent> events;
  events.reserve(stored.size());
  for (StoredEvent& event : stored)
    events.push_back({std::move(event), rows[static_cast<int>(events.size())].pending});
  return events;
}

std::vector<std::vector<Relative>> PastEvents::relatives(std::span<const PastRelativeKey> wanted,
                                                         std::size_t count) {
  std::vector<std::vector<Relative>> relatives(count);
  if (wanted.empty()) return relatives;
  std::vector<std::int64_t> positions, kinds;
  std::vector<Guid> businesses, guids;
  std::vector<Time> times;
  for (const PastRelativeKey& key : wanted) {
    positions.push_back(static_cast<std::int64_t>(key.position));
    kinds.push_back(static_cast<std::int64_t>(key.kind));
    businesses.push_back(key.business_id);
    guids.push_back(key.guid);
    times.push_back(key.at);
  }
  const auto rows = session_.run(sql::history::Relatives{.positions = positions,
                                                         .businesses = businesses,
                                                         .relatives = guids,
                                                         .times = binary_array(times),
                                                         .kinds = kinds});
  for (const auto& row : rows) {
    relatives.at(static_cast<std::size_t>(row.position))
        .push_back({static_cast<Relative::Kind>(row.kind),
                    {row.business_id, row.guid},
                    row.related.value_or(Guid()),
                    std::string(row.name.value_or("")),
                    std::optional<std::string>(row.extra),
                    std::optional<std::string>(row.more)});
  }
  return relatives;
}

}  // namespace waybill::storage
