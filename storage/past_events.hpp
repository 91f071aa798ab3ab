#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "storage/outbox.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

/// An event and, of a record's, whether no worker has recorded it yet.
struct PastEvent {
  StoredEvent event;
  bool pending = false;
};

/// A relative that an event's entity names, to be read as it was at the event.
struct PastRelativeKey {
  std::size_t position;  // of the event, as the caller counts
  Relative::Kind kind;   // shipment: those of the order `guid`
  Guid business_id;
  Guid guid;
  Time at;
};

/// Reads the events that are kept, each business's own. Changes nothing. All methods throw
/// DatabaseUnavailable or StatementError.
class PastEvents {
 public:
  /// Events of one business and entity type, `from` included, `to` not.
  struct Range {
    Guid business_id;
    domain::EntityType entity_type;
    Time from;
    Time to;
  };

  /// A record's last events before that of id `before`.
  struct Latest {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    std::size_t limit = 0;
  };

  explicit PastEvents(Session& session) : session_(session) {}

  /// At most `limit` events behind `last` (null: from the start), by record and id: the order of one record's
  /// events is kept, that of different records says nothing.
  std::vector<StoredEvent> page(const Range& range, const StoredEvent* last, std::size_t limit);

  /// Newest first.
  std::vector<PastEvent> of_record(const Guid& business, const Guid& entity, Latest latest);

  /// By position; positions without relatives are empty. `count` is how many positions there are.
  std::vector<std::vector<Relative>> relatives(std::span<const PastRelativeKey> wanted, std::size_t count);

 private:
  Session& session_;
};

}  // namespace waybill::storage
