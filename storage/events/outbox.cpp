#include "storage/events/outbox.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "base/json.hpp"
#include "storage/statement/binary.hpp"

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

/// The events without a row that may have one. A statement that was planned while a new partition took rows
/// from the default partition finds them in neither; the next statement does. Runs of timers have no event.
std::vector<PendingEvent> missing_events(std::span<const PendingEvent> events,
                                         std::span<const StoredEvent> stored) {
  std::unordered_set<EventKey, EventKeyHash> present;
  for (const StoredEvent& event : stored) present.insert({event.id, event.at});
  std::vector<PendingEvent> missing;
  for (const PendingEvent& event : events) {
    if (static_cast<std::int64_t>(event.id) >= 0 && !present.contains(event.key())) missing.push_back(event);
  }
  return missing;
}

/// Reads the text of a pg_snapshot: XMIN:XMAX:XIP,XIP,…
void read_snapshot(std::string_view text, Scan& scan) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto next = [&](char separator) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc{} || (read.ptr != end && *read.ptr != separator))
      throw std::runtime_error("not a snapshot: " + std::string(text));
    at = read.ptr == end ? end : read.ptr + 1;
    return number;
  };
  scan.xmin = next(':');
  scan.xmax = next(':');
  while (at != end) scan.running.push_back(next(','));
}

}  // namespace

namespace {

/// A member of the cause of an event; null if it has none or cannot be read.
json::value cause_member(const std::optional<std::string>& cause, std::string_view name) {
  constexpr std::size_t deepest = 128;
  if (!cause) return nullptr;
  const auto parsed = parse_json(*cause, deepest);
  const auto* const value = std::get_if<json::value>(&parsed);
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  const auto* const member = object == nullptr ? nullptr : object->if_contains(name);
  return member == nullptr ? json::value() : *member;
}

}  // namespace

int cause_depth(const std::optional<std::string>& cause) {
  constexpr std::int64_t max_depth = 1'000'000;
  const json::value depth = cause_member(cause, "depth");
  if (!depth.is_int64()) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(depth.get_int64(), 0, max_depth));
}

std::optional<Guid> causing_run(const std::optional<std::string>& cause) {
  const json::value run = cause_member(cause, "run");
  return run.is_string() ? Guid::parse(run.get_string()) : std::nullopt;
}

std::optional<std::string> read_record(std::optional<std::string_view> value) {
  if (!value) return std::nullopt;
  return value->size() > largest_record ? std::string() : std::string(*value);
}

StoredEvent stored_event(const Rows& rows, int row) {
  const sql::outbox::Fetch::Row event(RowOf<Rows>{rows, row});
  // The records are not typed: they would be copied twice.
  static const int before = static_cast<int>(sql::outbox::Fetch::statement.columns.size());
  return {.id = static_cast<std::uint64_t>(event.id),
          .business_id = event.business_id,
          .entity_type = static_cast<domain::EntityType>(event.entity_type),
          .entity_id = event.entity_id,
          .at = event.at,
          .cause = std::optional<std::string>(event.cause),
          .detail = std::optional<std::string>(event.detail),
          .before = read_record(rows.find(row, before)),
          .after = read_record(rows.find(row, before + 1))};
}

Scan Outbox::scan(const ScanBounds& bounds, bool draw_xid, std::size_t with_rows) {
  std::vector<std::int16_t> shards;
  std::vector<Guid> businesses;
  std::vector<std::int64_t> lows;
  std::vector<std::int64_t> limits;
  shards.reserve(bounds.watermarks.size());
  businesses.reserve(bounds.watermarks.size());
  lows.reserve(bounds.watermarks.size());
  limits.reserve(bounds.watermarks.size());
  for (const Watermark& watermark : bounds.watermarks) {
    const bool is_of_shard = watermark.business_id.is_nil();
    shards.push_back(watermark.shard);
    businesses.push_back(watermark.business_id);
    lows.push_back(static_cast<std::int64_t>(watermark.low));
    limits.push_back(static_cast<std::int64_t>(is_of_shard ? bounds.shard_limit : bounds.business_limit));
  }
  std::vector<std::int64_t> ids;
  std::vector<Time> times;
  ids.reserve(bounds.in_flight.size());
  times.reserve(bounds.in_flight.size());
  for (const EventKey& key : bounds.in_flight) {
    ids.push_back(static_cast<std::int64_t>(key.id));
    times.push_back(key.at);
  }
  const auto rows =
      session_.run_binary(sql::outbox::Scan{.shards = binary_array(shards),
                                            .businesses = binary_array(businesses),
                                            .watermarks = binary_array(lows),
                                            .limits = binary_array(limits),
                                            .separated = binary_array(bounds.separated),
                                            .in_flight_ids = binary_array(ids),
                                            .in_flight_times = binary_array(times),
                                            .draw_xid = draw_xid,
                                            .max_with_rows = static_cast<std::int64_t>(with_rows)});
  const Rows stored = rows.more();
  Scan scan;
  scan.events.reserve(static_cast<std::size_t>(rows.size()));
  std::string_view writer;
  for (int i = 0; i < rows.size(); ++i) {
    const auto row = rows[i];
    const auto id = static_cast<std::uint64_t>(row.event);
    if (row.shard < 0) {
      scan.last_id = id;
      scan.workflow_epoch = static_cast<std::uint64_t>(row.epoch.value());
      scan.began_at = row.occurred_at;
      read_snapshot(row.snapshot.value(), scan);
      if (row.xid) scan.xid = binary_number<std::uint64_t>(*row.xid);
      continue;
    }
    scan.events.push_back({row.shard, id, row.owner.value(), row.occurred_at});
    if (writer != row.writer) ++scan.transactions;
    writer = row.writer.value();
    if (!stored.is_null(i, 0)) scan.rows.push_back(stored_event(stored, i));
  }
  return scan;
}

std::vector<StoredEvent> Outbox::fetch(std::span<const PendingEvent> events) {
  bool complete = false;
  return fetch(events, SIZE_MAX, complete);
}

std::vector<StoredEvent> Outbox::fetch(std::span<const PendingEvent> events, std::size_t max_bytes,
                                       bool& complete) {
  std::vector<StoredEvent> stored = read(events, max_bytes, complete);
  if (!complete || stored.size() == events.size()) return stored;
  const std::vector<PendingEvent> missing = missing_events(events, stored);
  if (missing.empty()) return stored;
  std::size_t bytes = 0;
  for (const StoredEvent& event : stored) bytes += record_bytes(event);
  for (StoredEvent& event : read(missing, max_bytes - std::min(bytes, max_bytes), complete))
    stored.push_back(std::move(event));
  std::ranges::sort(stored, {}, &StoredEvent::id);
  return stored;
}

/// Reads the events once.
std::vector<StoredEvent> Outbox::read(std::span<const PendingEvent> events, std::size_t max_bytes,
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
  const sql::outbox::Fetch fetch{.events = binary_array(ids), .first_time = first.at, .last_time = last.at};
  std::vector<StoredEvent> stored;
  stored.reserve(events.size());
  std::size_t bytes = 0;
  const auto take = [&](const Rows& rows, int row) {
    complete = bytes < max_bytes;
    if (!complete) return false;
    StoredEvent event = stored_event(rows, row);
    if (!std::ranges::binary_search(keys, EventKey{event.id, event.at})) return true;
    bytes += record_bytes(event);
    stored.push_back(std::move(event));
    return true;
  };
  if (events.size() <= max_unstreamed_events) {
    const auto rows = session_.run_binary(fetch);
    for (int row = 0; row < rows.size() && take(rows.all(), row); ++row) continue;
  } else {
    session_.stream_binary(fetch, [&](const Rows& row) { return take(row, 0); });
  }
  std::ranges::sort(stored, {}, &StoredEvent::id);
  return stored;
}

std::vector<StoredEvent> Outbox::current(std::span<const StoredEvent> events, std::size_t max_bytes) {
  std::vector<std::int16_t> types;
  std::vector<Guid> businesses, guids;
  for (const StoredEvent& event : events) {
    types.push_back(static_cast<std::int16_t>(event.entity_type));
    businesses.push_back(event.business_id);
    guids.push_back(event.entity_id);
  }
  const auto rows =
      session_.run_binary(sql::outbox::Current{.entity_types = binary_array(types),
                                               .businesses = binary_array(businesses),
                                               .records = binary_array(guids),
                                               .max_bytes = static_cast<std::int64_t>(max_bytes)});
  const Rows values = rows.more();
  std::vector<StoredEvent> records;
  for (int i = 0; i < rows.size(); ++i) {
    const StoredEvent& event = events[static_cast<std::size_t>(rows[i].position) - 1];
    records.push_back({.id = event.id,
                       .business_id = event.business_id,
                       .entity_type = event.entity_type,
                       .entity_id = event.entity_id,
                       .at = event.at,
                       .cause = event.cause,
                       .detail = event.detail,
                       .before = {},
                       .after = read_record(values.find(i, 0))});
  }
  return records;
}

std::optional<StoredEvent> Outbox::origin(std::uint64_t id, const Guid& run) {
  const sql::outbox::Origin origin{.event = static_cast<std::int64_t>(id), .run = run};
  auto rows = session_.run_binary(origin);
  if (rows.empty()) rows = session_.run_binary(origin);  // see missing_events
  if (rows.empty()) return std::nullopt;
  return stored_event(rows.all(), 0);
}

sql::outbox::Relatives relatives_statement(const RelativesWanted& wanted) {
  KeyArrays customers = arrays(wanted.customers);
  KeyArrays carriers = arrays(wanted.carriers);
  KeyArrays orders = arrays(wanted.orders);
  KeyArrays integrations = arrays(wanted.integrations);
  KeyArrays pages = arrays(wanted.pages);
  return {.businesses_of_customers = std::move(customers.businesses),
          .customers = std::move(customers.guids),
          .businesses_of_carriers = std::move(carriers.businesses),
          .carriers = std::move(carriers.guids),
          .businesses_of_orders = std::move(orders.businesses),
          .orders = std::move(orders.guids),
          .businesses_of_integrations = std::move(integrations.businesses),
          .integrations = std::move(integrations.guids),
          .businesses_of_pages = std::move(pages.businesses),
          .pages = std::move(pages.guids),
          .pages_of_orders = wanted.pages_of_orders};
}

std::vector<Relative> read_relatives(const TypedRows<sql::outbox::Relatives>& rows) {
  std::vector<Relative> relatives;
  relatives.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) {
    relatives.push_back({static_cast<Relative::Kind>(row.kind),
                         {row.business_id, row.guid},
                         row.related.value_or(Guid()),
                         std::string(row.name.value_or("")),
                         std::optional<std::string>(row.extra),
                         std::optional<std::string>(row.more),
                         std::optional<std::string>(row.label_status)});
  }
  return relatives;
}

std::vector<Relative> Outbox::relatives(const RelativesWanted& wanted) {
  if (wanted.empty()) return {};
  return read_relatives(session_.run(relatives_statement(wanted)));
}

}  // namespace waybill::storage
