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
#include "storage/session.hpp"

namespace waybill::storage {

/// Identifies an event. The id alone does not: a server that lost commits (a crash with synchronous_commit
/// off, a fail-over to an asynchronous standby) draws the ids of the lost events again.
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

/// Where a shard is read from: every event up to `low` is recorded or in flight.
struct ShardMark {
  std::int16_t shard;
  std::uint64_t low;
};

struct PendingEvent {
  std::int16_t shard;
  std::uint64_t id;
  Guid business_id;
  Time at;
  bool orphan = false;  // a worker may have been lost over it
  EventKey key() const { return {id, at}; }
};

/// An event as stored, its records in the binary form that RecordValue reads.
struct StoredEvent {
  std::uint64_t id;
  Guid business_id;
  domain::EntityType entity_type;
  Guid entity_id;
  Time at;
  std::optional<std::string> cause;  // JSON
  std::optional<std::string> before;
  std::optional<std::string> after;
};

/// What one look at the outbox saw, all of it in one snapshot.
struct Scan {
  std::vector<PendingEvent> events;  // by shard, then by id
  std::vector<StoredEvent> rows;     // of some of them or none
  std::size_t transactions = 0;      // that wrote them; one that wrote to several shards counts for each
  std::uint64_t last_id = 0;         // of the sequence, read after the snapshot was taken
  std::uint64_t workflow_epoch = 0;
  std::uint64_t xmin = 0;            // of the snapshot: every transaction before it is over
  std::optional<std::uint64_t> xid;  // a transaction id drawn during the scan, if it was asked for
};

/// Of rows in binary format, of statements that begin with storage/sql/outbox/event.inc.
std::vector<StoredEvent> stored_events(const Rows& rows);

/// How many changes by workflows, one by the other's event, led to an event; 0 for a change by anyone else,
/// whatever SQL has written as its cause.
int cause_depth(const std::optional<std::string>& cause);

struct RelativeKey {
  Guid business_id;
  Guid guid;
  bool operator==(const RelativeKey&) const = default;
};

/// Which relatives a batch wants.
struct RelativesWanted {
  std::vector<RelativeKey> customers;
  std::vector<RelativeKey> carriers;
  std::vector<RelativeKey> orders;  // whose shipments
  bool empty() const { return customers.empty() && carriers.empty() && orders.empty(); }
};

struct Relative {
  enum class Kind : std::uint8_t { customer, carrier, shipment } kind;
  RelativeKey key;                   // of a shipment: its order
  Guid related;                      // of a shipment: its own guid
  std::string name;                  // of a shipment: its tracking number
  std::optional<std::string> extra;  // a customer's e-mail, a shipment's status
};

/// What sql::outbox::relatives takes and answers.
Params relatives_params(const RelativesWanted& wanted);
std::vector<Relative> read_relatives(const Rows& rows);

/// Reads the outbox; takes nothing off it. All methods throw DatabaseUnavailable or StatementError.
class Outbox {
 public:
  explicit Outbox(Session& session) : session_(session) {}

  /// The next events of each shard beyond its mark that are not in flight, at most `limit` of each shard;
  /// with the rows of those of the last minute when there are no more than `with_rows` in all.
  Scan scan(std::span<const ShardMark> marks, std::span<const EventKey> in_flight, std::size_t limit,
            bool draw_xid, std::size_t with_rows = 0);

  /// In order of id. An event that is no longer there is left out.
  std::vector<StoredEvent> fetch(std::span<const PendingEvent> events);

  /// Likewise, but no further ones once the records have `most_bytes`. `complete` says that all were read.
  std::vector<StoredEvent> fetch(std::span<const PendingEvent> events, std::size_t most_bytes,
                                 bool& complete);

  /// The records of these events as they are now, as events that have them in `after`; in the same order, one
  /// that is gone has neither row.
  std::vector<StoredEvent> current(std::span<const StoredEvent> events);

  std::vector<Relative> relatives(const RelativesWanted& wanted);

  /// The event that a run began with, found by its id and by the guid of the run, which tells when; nullopt
  /// if it is kept no more.
  std::optional<StoredEvent> origin(std::uint64_t id, const Guid& run);

 private:
  Session& session_;
};

}  // namespace waybill::storage
