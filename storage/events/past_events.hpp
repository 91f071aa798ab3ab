#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "storage/events/outbox.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// The last events of a record, newest first.
struct PastOfRecord {
  std::vector<StoredEvent> events;
  std::vector<bool> pending;  // of each event: true if no worker has recorded it yet
  bool has_more = false;
};

/// A relative that an event's record refers to, to be read as it was at the time of the event.
struct PastRelativeKey {
  std::size_t position;  // index of the event, chosen by the caller
  Relative::Kind kind;   // shipment: all shipments of the order `guid`
  Guid business_id;
  Guid guid;
  Time at;
};

/// Reads the stored events of given businesses. All methods throw DatabaseUnavailable or StatementError.
class PastEvents {
 public:
  /// Events of one business and entity type; `from` is inclusive, `to` exclusive.
  struct Range {
    Guid business_id;
    domain::EntityType entity_type;
    Time from;
    Time to;
  };

  /// The last `limit` events of a record with an id below `before`; fewer, but at least one, once their
  /// records have `bytes`. The last record may exceed the bytes.
  struct Latest {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    std::size_t limit = 0;
    std::size_t bytes = PageLimits().bytes;
  };

  explicit PastEvents(Session& session) : session_(session) {}

  /// Returns the events after `last` (null: from the start), ordered by record and id. Events of one record
  /// are in order of time; the order of the records has no meaning.
  EventPage page(const Range& range, const StoredEvent* last, const PageLimits& limits);

  /// Returns the latest events of a range, newest first, until their records have `limits.bytes`. Events of
  /// other types count, too: the latest `most_read` events of the business are searched.
  EventPage latest(const Range& range, const PageLimits& limits, std::size_t most_read);

  PastOfRecord of_record(const Guid& business, const Guid& entity, Latest latest);

  /// Returns the first events of a record with an id above `after`, in their order.
  EventPage after(const Guid& business, const Guid& entity, std::uint64_t after, const PageLimits& limits);

  /// Returns the relatives for each of `count` positions; empty for a position without relatives.
  std::vector<std::vector<Relative>> relatives(std::span<const PastRelativeKey> wanted, std::size_t count);

 private:
  Session& session_;
};

}  // namespace waybill::storage
