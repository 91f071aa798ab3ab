#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/change.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/outbox.sql.hpp"

namespace waybill::storage {

/// Identifies an event. The id alone is not unique: a server that lost commits (a crash with
/// synchronous_commit off, a fail-over to an asynchronous standby) assigns the ids of the lost events again.
struct EventKey {
  std::uint64_t id;
  Time at;
  auto operator<=>(const EventKey&) const = default;
};

struct EventKeyHash {
  std::size_t operator()(const EventKey& key) const {
    return std::hash<std::uint64_t>{}(key.id * 0x9e3779b97f4a7c15U ^
                                      static_cast<std::uint64_t>(key.at.time_since_epoch().count()));
  }
};

/// The watermark of a shard or of one business: every event of it up to `low` is recorded or in flight. The
/// events of a shard are those of the businesses that are not read separately.
struct Watermark {
  std::int16_t shard;
  std::uint64_t low;
  Guid business_id{};  // nil for the watermark of a shard
};

/// The events that a scan reads.
struct ScanBounds {
  std::vector<Watermark> watermarks;
  std::vector<Guid> separated;      // businesses that are read separately, or not at all
  std::vector<EventKey> in_flight;  // left out
  std::size_t shard_limit = 0;      // events above the watermark of a shard
  std::size_t business_limit = 0;   // events above the watermark of a business
};

struct PendingEvent {
  std::int16_t shard;
  std::uint64_t id;
  Guid business_id;
  Time at;
  bool orphan = false;               // the event may have killed a worker
  std::uint64_t workflow_epoch = 0;  // epoch of the workflows in the snapshot in which the event was found
  EventKey key() const { return {id, at}; }
};

/// The largest record that is read, in bytes. The statements send at most one byte more (bounded_record in
/// storage/migrations/0060_bounded_records.sql).
inline constexpr std::size_t largest_record = 4UL * 1024 * 1024;

/// A record of a statement's row: empty if it is too large, nullopt if it is null.
std::optional<std::string> read_record(std::optional<std::string_view> value);

/// A stored event, with its records in the binary form that RecordValue reads.
struct StoredEvent {
  std::uint64_t id;
  Guid business_id;
  domain::EntityType entity_type;
  Guid entity_id;
  Time at;
  std::optional<std::string> cause;   // JSON
  std::optional<std::string> detail;  // JSON of facts that no record holds; empty if it is too large
  std::optional<std::string> before;  // empty if it is too large
  std::optional<std::string> after;   // empty if it is too large
};

/// The result of one read of the outbox, all from one snapshot.
struct Scan {
  std::vector<PendingEvent> events;  // by watermark, then by id
  std::vector<StoredEvent> rows;     // rows of some or none of `events`
  std::size_t transactions = 0;      // writers of `events`; one that wrote to n shards counts n times
  std::uint64_t last_id = 0;         // last value of the sequence, read after the snapshot was taken
  std::uint64_t workflow_epoch = 0;
  Time began_at{};  // by the clock of the database
  // The snapshot: every transaction before `xmin` is over; of those before `xmax`, only these are running.
  std::uint64_t xmin = 0;
  std::uint64_t xmax = 0;
  std::vector<std::uint64_t> running;  // in ascending order
  std::optional<std::uint64_t> xid;    // a transaction id drawn during the scan, if requested
};

/// The size of an event's records.
inline std::size_t record_bytes(const StoredEvent& event) {
  return (event.before ? event.before->size() : 0) + (event.after ? event.after->size() : 0);
}

/// Reads a binary row of a statement whose columns begin with storage/sql/outbox/event.inc.
StoredEvent stored_event(const Rows& rows, int row = 0);

/// Some events of a list.
struct EventPage {
  std::vector<StoredEvent> events;
  bool has_more = false;
};

/// The maximum of a page: the number of its events, and the bytes of their records. The last event may exceed
/// the bytes, so that each page has one.
struct PageLimits {
  std::size_t events = 1;
  std::size_t bytes = 4UL * 1024 * 1024;
};

/// Reads a page with a statement that limits the number of events to `limits.events` and whose columns begin
/// with those of event.inc. Stops reading once the records have `limits.bytes`.
template <TypedStatement S>
EventPage read_page(Session& session, const S& statement, const PageLimits& limits) {
  EventPage page;
  std::size_t bytes = 0;
  session.stream_binary(statement, [&](const Rows& row) {
    page.has_more = bytes >= limits.bytes;
    if (page.has_more) return false;
    bytes += record_bytes(page.events.emplace_back(stored_event(row)));
    return true;
  });
  page.has_more = page.has_more || page.events.size() == limits.events;
  return page;
}

/// Returns the length of the chain of changes by workflows that led to an event; 0 if no workflow caused it
/// or the cause is malformed (SQL can write anything).
int cause_depth(const std::optional<std::string>& cause);

/// Returns the run that caused an event; nullopt if none did or the cause is malformed.
std::optional<Guid> causing_run(const std::optional<std::string>& cause);

struct RelativeKey {
  Guid business_id;
  Guid guid;
  bool operator==(const RelativeKey&) const = default;
};

/// The relatives that a batch needs.
struct RelativesWanted {
  std::vector<RelativeKey> customers;
  std::vector<RelativeKey> carriers;
  std::vector<RelativeKey> orders;  // their shipments are needed
  std::vector<RelativeKey> integrations;
  std::vector<RelativeKey> pages;  // shipments whose tokens of tracking pages are needed
  bool pages_of_orders = false;    // the tokens of the shipments of `orders` are needed
  bool empty() const {
    return customers.empty() && carriers.empty() && orders.empty() && integrations.empty() && pages.empty();
  }
};

/// A row that is read along with a record: the customer, carrier or integration that the record refers to, a
/// shipment of an order, or the tracking page of a shipment.
struct Relative {
  enum class Kind : std::uint8_t { customer, carrier, shipment, integration, page } kind;
  RelativeKey key;   // for a shipment, its order; for a page, its shipment
  Guid related;      // for a shipment, its guid
  std::string name;  // for a shipment, its tracking number; for a page, its token in 32 hexadecimal digits
  // A customer's e-mail, a carrier's pattern of links, a shipment's status, an integration's provider.
  std::optional<std::string> extra;
  std::optional<std::string> more;          // a customer's phone, the token of a shipment's page
  std::optional<std::string> label_status;  // of a shipment
};
inline constexpr std::size_t relative_kinds = 5;

/// Returns the statement that reads the relatives, which owns its parameters.
sql::outbox::Relatives relatives_statement(const RelativesWanted& wanted);
std::vector<Relative> read_relatives(const TypedRows<sql::outbox::Relatives>& rows);

/// Reads the outbox without removing events. All methods throw DatabaseUnavailable or StatementError.
class Outbox {
 public:
  explicit Outbox(Session& session) : session_(session) {}

  /// Returns the next events above each watermark that are not in flight. Includes the rows of the last
  /// minute's events if there are at most `with_rows` events.
  Scan scan(const ScanBounds& bounds, bool draw_xid, std::size_t with_rows = 0);

  /// Returns the events in order of id, without deleted ones. An event is not missed because its row moves to
  /// a new partition.
  std::vector<StoredEvent> fetch(std::span<const PendingEvent> events);

  /// As above, but stops once the records have `max_bytes`. Sets `complete` to true if all events were read.
  std::vector<StoredEvent> fetch(std::span<const PendingEvent> events, std::size_t max_bytes, bool& complete);

  /// Returns the same events with the current records in `after` and an empty `before`. An event whose record
  /// is deleted has neither. Returns only the first events, but at least one, once the records have
  /// `max_bytes`.
  std::vector<StoredEvent> current(std::span<const StoredEvent> events, std::size_t max_bytes);

  std::vector<Relative> relatives(const RelativesWanted& wanted);

  /// Returns the event that started a run, found by its id and the time in the run's guid; nullopt if the
  /// event has expired.
  std::optional<StoredEvent> origin(std::uint64_t id, const Guid& run);

 private:
  std::vector<StoredEvent> read(std::span<const PendingEvent> events, std::size_t max_bytes, bool& complete);

  Session& session_;
};

}  // namespace waybill::storage
