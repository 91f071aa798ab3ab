#include "storage/outbox.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "storage/binary.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {
namespace {

// Up to this many events are read in one result regardless of size: streaming costs 1-2 µs per row.
constexpr std::size_t max_unstreamed_events = 16;

struct KeyArrays {
  BinaryValue businesses, guids;
};

// Removes duplicate keys: a batch often names the same customer, and a join would return it each time.
KeyArrays arrays(std::vector<RelativeKey> keys) {
  std::ranges::sort(keys, {}, [](const RelativeKey& key) { return std::pair(key.business_id, key.guid); });
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  std::vector<Guid> businesses, guids;
  businesses.reserve(keys.size());
  guids.reserve(keys.size());
  for (const RelativeKey& key : keys) {
    businesses.push_back(key.business_id);
    guids.push_back(key.guid);
  }
  return {binary_array(businesses), binary_array(guids)};
}

/// Reads the columns of event.inc, which begin at column `first`.
StoredEvent stored_event(const BinaryRow& row, int first) {
  return {.id = row.number<std::uint64_t>(first),
          .business_id = row.guid(first + 1),
          .entity_type = static_cast<domain::EntityType>(row.number<std::int16_t>(first + 2)),
          .entity_id = row.guid(first + 3),
          .at = row.time(first + 4),
          .cause = row.maybe_string(first + 5),
          .before = row.maybe_string(first + 6),
          .after = row.maybe_string(first + 7)};
}

}  // namespace

int cause_depth(const std::optional<std::string>& cause) {
  if (!cause) return 0;
  constexpr std::int64_t max_depth = 1'000'000;
  const auto parsed = parse_json(*cause, 128);
  const auto* const value = std::get_if<json::value>(&parsed);
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  const auto* const depth = object == nullptr ? nullptr : object->if_contains("depth");
  if (depth == nullptr || !depth->is_int64()) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(depth->get_int64(), 0, max_depth));
}

Scan Outbox::scan(std::span<const ShardWatermark> watermarks, std::span<const EventKey> in_flight,
                  std::size_t limit, bool draw_xid, std::size_t with_rows) {
  std::vector<std::int16_t> shards;
  std::vector<std::int64_t> lows;
  for (const ShardWatermark& watermark : watermarks) {
    shards.push_back(watermark.shard);
    lows.push_back(static_cast<std::int64_t>(watermark.low));
  }
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  ids.reserve(in_flight.size());
  times.reserve(in_flight.size());
  for (const EventKey& key : in_flight) {
    ids.push_back(static_cast<std::int64_t>(key.id));
    times.push_back(key.at);
  }
  const Rows rows = session_.run_binary(sql::outbox::scan, Params()
                                                               .add(binary_array(shards))
                                                               .add(binary_array(lows))
                                                               .add(binary_array(ids))
                                                               .add(binary_array(times))
                                                               .add(limit)
                                                               .add(draw_xid)
                                                               .add(with_rows));
  constexpr int event_columns = 8;  // first column of event.inc
  Scan scan;
  scan.events.reserve(static_cast<std::size_t>(rows.size()));
  std::string_view writer;
  for (int i = 0; i < rows.size(); ++i) {
    const BinaryRow row(rows, i);
    const auto shard = row.number<std::int16_t>(0);
    const auto id = row.number<std::uint64_t>(1);
    if (shard < 0) {
      scan.last_id = id;
      scan.workflow_epoch = row.number<std::uint64_t>(3);
      scan.xmin = row.number<std::uint64_t>(4);
      if (!row.is_null(5)) scan.xid = row.number<std::uint64_t>(5);
      continue;
    }
    scan.events.push_back({shard, id, row.guid(6), row.time(7)});
    if (writer != row.bytes(2)) ++scan.transactions;
    writer = row.bytes(2);
    if (!row.is_null(event_columns)) scan.rows.push_back(stored_event(row, event_columns));
  }
  return scan;
}

std::vector<StoredEvent> stored_events(const Rows& rows) {
  std::vector<StoredEvent> events;
  events.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) events.push_back(stored_event(BinaryRow(rows, i), 0));
  return events;
}

std::vector<StoredEvent> Outbox::fetch(std::span<const PendingEvent> events) {
  bool complete = false;
  return fetch(events, SIZE_MAX, complete);
}

std::vector<StoredEvent> Outbox::fetch(std::span<const PendingEvent> events, std::size_t max_bytes,
                                       bool& complete) {
  complete = true;
  if (events.empty()) return {};
  std::vector<std::int64_t> ids;
  std::vector<EventKey> keys;
  ids.reserve(events.size());
  keys.reserve(events.size());
  for (const PendingEvent& event : events) {
    ids.push_back(static_cast<std::int64_t>(event.id));
    keys.push_back(event.key());
  }
  std::ranges::sort(keys);
  const auto [first, last] = std::ranges::minmax(events, {}, &PendingEvent::at);
  const Params params =
      Params().add(binary_array(ids)).add(format_sql_timestamp(first.at)).add(format_sql_timestamp(last.at));
  std::vector<StoredEvent> stored;
  stored.reserve(events.size());
  std::size_t bytes = 0;
  const auto take = [&](const BinaryRow& row) {
    complete = bytes < max_bytes;
    if (!complete) return false;
    StoredEvent event = stored_event(row, 0);
    bytes += (event.before ? event.before->size() : 0) + (event.after ? event.after->size() : 0);
    if (std::ranges::binary_search(keys, EventKey{event.id, event.at})) stored.push_back(std::move(event));
    return true;
  };
  if (events.size() <= max_unstreamed_events) {
    const Rows rows = session_.run_binary(sql::outbox::fetch, params);
    for (int row = 0; row < rows.size() && take(BinaryRow(rows, row)); ++row) continue;
  } else {
    session_.stream_binary(sql::outbox::fetch, params,
                           [&](const Rows& row) { return take(BinaryRow(row, 0)); });
  }
  std::ranges::sort(stored, {}, &StoredEvent::id);
  return stored;
}

std::vector<StoredEvent> Outbox::current(std::span<const StoredEvent> events) {
  std::vector<std::int16_t> types;
  std::vector<Guid> businesses, guids;
  for (const StoredEvent& event : events) {
    types.push_back(static_cast<std::int16_t>(event.entity_type));
    businesses.push_back(event.business_id);
    guids.push_back(event.entity_id);
  }
  const Rows rows = session_.run_binary(
      sql::outbox::current,
      Params().add(binary_array(types)).add(binary_array(businesses)).add(binary_array(guids)));
  std::vector<StoredEvent> records(events.begin(), events.end());
  for (int i = 0; i < rows.size(); ++i) {
    const BinaryRow row(rows, i);
    StoredEvent& record = records.at(row.number<std::uint64_t>(0) - 1);
    record.before.reset();
    record.after = row.maybe_string(1);
  }
  return records;
}

std::optional<StoredEvent> Outbox::origin(std::uint64_t id, const Guid& run) {
  const Rows rows = session_.run_binary(sql::outbox::origin, Params().add(id).add(run.to_string()));
  if (rows.empty()) return std::nullopt;
  return stored_event(BinaryRow(rows, 0), 0);
}

Params relatives_params(const RelativesWanted& wanted) {
  const KeyArrays customers = arrays(wanted.customers);
  const KeyArrays carriers = arrays(wanted.carriers);
  const KeyArrays orders = arrays(wanted.orders);
  return Params()
      .add(customers.businesses)
      .add(customers.guids)
      .add(carriers.businesses)
      .add(carriers.guids)
      .add(orders.businesses)
      .add(orders.guids);
}

std::vector<Relative> read_relatives(const Rows& rows) {
  std::vector<Relative> relatives;
  relatives.reserve(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&](const RowView& row) {
    relatives.push_back({static_cast<Relative::Kind>(row.number<int>(0)),
                         {row.guid(1), row.guid(2)},
                         row.guid(3),
                         row.string(4),
                         row.maybe_string(5)});
  });
  return relatives;
}

std::vector<Relative> Outbox::relatives(const RelativesWanted& wanted) {
  if (wanted.empty()) return {};
  return read_relatives(session_.run(sql::outbox::relatives, relatives_params(wanted)));
}

}  // namespace waybill::storage
