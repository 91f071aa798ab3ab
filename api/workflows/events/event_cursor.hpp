#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace waybill::api {

/// A snapshot of the database's transactions. Transactions before `xmax` that are not in `running` are over;
/// those from `drawn` on began after the snapshot. A cursor names none of these, except one of another
/// server: in a restored database, whose transaction ids begin again, or after a fail-over that lost commits.
/// It is over, too.
struct FeedSnapshot {
  std::uint64_t xmax = 0;
  std::vector<std::uint64_t> running;  // ascending
  std::uint64_t drawn = 0;             // that of the reader's own transaction

  /// Reads pg_current_snapshot() and a transaction id drawn after it. Throws std::invalid_argument.
  static FeedSnapshot parse(std::string_view snapshot, std::string_view drawn);
  bool is_over(std::uint64_t xid) const;
};

/// The position of a reader in the feed of a business's events, which are read in the order of their ids. A
/// transaction can commit an event after the reader has passed its id. So the cursor names the transactions
/// that were running when the reader passed, and the id from which on their events are missing; their events
/// are read as soon as they are over. A transaction that a snapshot neither shows as running nor as over
/// draws its ids after the snapshot, so they are beyond the position.
///
/// A server that lost commits (a fail-over to an asynchronous standby) draws their ids again, at or below the
/// position. So the cursor names the time of the event at its position, by which the loss is found. Pure.
class EventCursor {
 public:
  struct Passed {
    std::int64_t id;
    Time at;
  };
  struct Owed {
    std::uint64_t xid;
    std::int64_t low;  // events of the transaction above this id are not read
    bool operator==(const Owed&) const = default;
  };

  /// The beginning of the feed.
  EventCursor() = default;
  /// Reads the result of `text`. nullopt if malformed.
  static std::optional<EventCursor> parse(std::string_view text);
  std::string text() const;

  std::int64_t position() const { return position_; }
  /// The time of the event at the position. nullopt if it is not known: at the beginning, after `rewind`, and
  /// in a cursor of an earlier version.
  std::optional<Time> at() const { return at_; }
  /// The transactions whose missing events can be read now.
  std::vector<Owed> due(const FeedSnapshot& snapshot) const;

  /// Moves behind events that were read with the snapshot, which have ascending ids: first the missing ones,
  /// then those after the position. `complete`: no further event can be read.
  void advance(const FeedSnapshot& snapshot, const std::vector<Passed>& events, bool complete);
  /// Moves back, because the event at the position was lost.
  void rewind(std::int64_t position);

 private:
  std::int64_t position_ = 0;
  std::optional<Time> at_;
  std::vector<Owed> owed_;
};

}  // namespace waybill::api
