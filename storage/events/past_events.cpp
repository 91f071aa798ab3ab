#include "storage/events/past_events.hpp"

#include "storage/sql/history.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {

EventPage PastEvents::page(const Range& range, const StoredEvent* last, const PageLimits& limits) {
  return read_page(
      session_,
      sql::history::Page{.business = range.business_id,
                         .entity_type = static_cast<std::int16_t>(range.entity_type),
                         .first_time = range.from,
                         .end_time = range.to,
                         .after_record = last == nullptr ? Guid() : last->entity_id,
                         .after_event = last == nullptr ? 0 : static_cast<std::int64_t>(last->id),
                         .limit = static_cast<std::int64_t>(limits.events)},
      limits);
}

EventPage PastEvents::latest(const Range& range, const PageLimits& limits, std::size_t most_read) {
  return read_page(session_,
                   sql::history::Latest{.business = range.business_id,
                                        .entity_type = static_cast<std::int16_t>(range.entity_type),
                                        .first_time = range.from,
                                        .end_time = range.to,
                                        .limit = static_cast<std::int64_t>(limits.events),
                                        .most_read = static_cast<std::int64_t>(most_read)},
                   limits);
}

PastOfRecord PastEvents::of_record(const Guid& business, const Guid& entity, Latest latest) {
  PastOfRecord past;
  std::size_t bytes = 0;
  session_.stream_binary(sql::history::OfRecord{.business = business,
                                                .record = entity,
                                                .before = latest.before,
                                                .limit = static_cast<std::int64_t>(latest.limit)},
                         [&](const Rows& row) {
                           past.has_more = bytes >= latest.bytes;
                           if (past.has_more) return false;
                           const TypedRows<sql::history::OfRecord> typed(row);
                           past.pending.push_back(typed.front().pending);
                           bytes += record_bytes(past.events.emplace_back(stored_event(typed.more())));
                           return true;
                         });
  past.has_more = past.has_more || past.events.size() == latest.limit;
  return past;
}

EventPage PastEvents::after(const Guid& business, const Guid& entity, std::uint64_t after,
                            const PageLimits& limits) {
  return read_page(session_,
                   sql::history::After{.business = business,
                                       .record = entity,
                                       .after = static_cast<std::int64_t>(after),
                                       .limit = static_cast<std::int64_t>(limits.events)},
                   limits);
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
                    std::optional<std::string>(row.more),
                    std::optional<std::string>(row.label_status)});
  }
  return relatives;
}

}  // namespace waybill::storage
