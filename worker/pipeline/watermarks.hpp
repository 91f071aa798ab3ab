#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "storage/outbox.hpp"

namespace waybill::worker {

/// How far each shard of the outbox is read, and what is in flight. Sequence numbers become visible in
/// another order than they were drawn, so a shard's low mark moves no further than a number s of which is
/// known that every transaction that can have drawn one up to s is over: s was the sequence's last value, X a
/// transaction id drawn after s was read, and a scan's snapshot had xmin >= X. (A snapshot's own xmax will
/// not do for X: it is one more than the last transaction that is over, and running ones may be beyond it.)
/// Below s, a mark follows each scan. Scanning above the marks keeps dead rows out of the way, whatever holds
/// vacuum back. Pure; one thread.
class Watermarks {
 public:
  static constexpr std::size_t max_orphans = 2000;  // of a business; no worker has more under way

  /// Starts a shard from the beginning. Of one that is `orphaned`, the events that its last owner may have
  /// had in memory are told from the others.
  void add(std::int16_t shard, bool orphaned = false);
  /// The connection was lost, perhaps because the server crashed. It draws numbers again that it had drawn
  /// for transactions that never committed, so what is known of the sequence no longer holds.
  void reconnected();
  /// Forgets a shard; what is in flight of it stays until it is settled.
  void remove(std::int16_t shard);

  std::vector<storage::ShardWatermark> marks() const;
  /// In flight above the lowest mark: the events that a scan must leave out. An event that has the id of one
  /// in flight and another time is not left out.
  std::vector<storage::EventKey> in_flight() const;
  std::size_t in_flight_count() const { return in_flight_.size(); }
  /// True when the next scan should draw a transaction id, for without one the marks cannot move.
  bool wants_xid() const;
  bool any_in_flight(std::int16_t shard) const;

  /// Takes a scan's events in flight and moves the marks. `limit` is what the scan was bounded by for each
  /// shard, and more than 0. Answers the events, those marked that a lost worker may have had under way.
  std::vector<storage::PendingEvent> take(storage::Scan scan, std::size_t limit);

  /// These are recorded, or forgotten with their shard or by `reconnected`.
  void settled(std::span<const storage::EventKey> events);

 private:
  struct Candidate {
    std::uint64_t last_id;             // s, of the last scan before the one that drew X
    std::optional<std::uint64_t> xid;  // X
  };
  void learn(const storage::Scan& scan);
  void move_marks(const std::map<std::int16_t, std::uint64_t>& seen_up_to);

  /// The first events of each business of a shard up to one id, as many as a worker has under way.
  struct Orphans {
    std::optional<std::uint64_t> last_id;         // the sequence's at the first scan
    std::unordered_map<Guid, std::size_t> count;  // by business
  };
  bool is_orphan(const storage::PendingEvent& event, std::uint64_t last_id);

  std::map<std::int16_t, std::uint64_t> low_;
  std::map<std::int16_t, Orphans> orphans_;
  std::map<storage::EventKey, std::int16_t> in_flight_;
  std::uint64_t complete_ = 0;  // every transaction that can have drawn a number up to this one is over
  std::optional<Candidate> candidate_;  // for the next such number
};

}  // namespace waybill::worker
