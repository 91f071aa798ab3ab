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
class Marks {
 public:
  static constexpr std::size_t max_orphans = 2000;  // of a shard; no worker has more events in memory

  /// Starts a shard from the beginning. Of one that is `orphaned`, the events that its last owner may have
  /// had in memory are told from the others.
  void add(std::int16_t shard, bool orphaned = false);
  /// The connection was lost, perhaps because the server crashed. It draws numbers again that it had drawn
  /// for transactions that never committed, so what is known of the sequence no longer holds.
  void reconnected();
  /// Forgets a shard; what is in flight of it stays until it is settled.
  void remove(std::int16_t shard);

  std::vector<storage::ShardMark> marks() const;
  /// In flight above the lowest mark: what a scan must leave out.
  std::vector<std::int64_t> in_flight() const;
  std::size_t in_flight_count() const { return in_flight_.size(); }
  /// True when the next scan should draw a transaction id, for without one the marks cannot move.
  bool wants_xid() const;
  bool any_in_flight(std::int16_t shard) const;

  /// Takes a scan's events in flight, at most `capacity` of them in turn over the shards, and moves the
  /// marks. `limit` is what the scan was bounded by for each shard. Answers those taken, in order within each
  /// shard.
  std::vector<storage::PendingEvent> take(storage::Scan scan, std::size_t limit, std::size_t capacity);

  void settled(std::span<const std::uint64_t> events);
  /// These could not be worked on: they will be scanned again.
  void give_back(std::span<const storage::PendingEvent> events);

 private:
  struct Candidate {
    std::uint64_t last_id;             // s, of the last scan before the one that drew X
    std::optional<std::uint64_t> xid;  // X
  };
  void learn(const storage::Scan& scan);
  void move_marks(const std::map<std::int16_t, std::uint64_t>& seen_up_to);

  /// The first events of a shard up to one id, as many as a worker has in memory.
  struct Orphans {
    std::optional<std::uint64_t> last_id;  // the sequence's at the first scan
    std::size_t left = max_orphans;
  };
  bool is_orphan(const storage::PendingEvent& event, std::uint64_t last_id);

  std::map<std::int16_t, std::uint64_t> low_;
  std::map<std::int16_t, Orphans> orphans_;
  std::map<std::uint64_t, std::int16_t> in_flight_;
  std::uint64_t complete_ = 0;  // every transaction that can have drawn a number up to this one is over
  std::optional<Candidate> candidate_;  // for the next such number
};

}  // namespace waybill::worker
