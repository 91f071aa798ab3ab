#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/events/outbox.hpp"

namespace waybill::worker {

/// The watermark of each shard of the outbox, those of separated businesses, and the events in flight.
/// Sequence numbers can become visible in another order than they were drawn. A watermark therefore never
/// exceeds a number s for which the transactions that can have drawn a number up to s are known: s was the
/// last value of the sequence, X is a transaction id drawn after s was read, and a later snapshot lists those
/// before X that are running. (The xmax of a snapshot cannot serve as X: it is one more than the last
/// transaction that is over, and running transactions may be beyond it.) Such a transaction holds the
/// watermarks for a moment, because most end soon. Then they pass over it. When it ends, they return once to
/// a number below all that it can have drawn. Scans begin at the watermarks and so skip dead rows, even while
/// a transaction keeps vacuum from removing them. Pure. One thread.
class Watermarks {
 public:
  static constexpr std::size_t max_orphans = 2000;  // orphans of a business; no worker has more in memory

  /// Starts a shard from the beginning. If it is `orphaned`, the events that its last owner may have had in
  /// memory are marked as orphans. If events of it are in flight from an earlier lease, scans leave the shard
  /// out until they are settled: they may not be recorded any more, and then they must be read again before
  /// later events of their records.
  void add(std::int16_t shard, bool orphaned = false);
  /// Must be called after the connection was lost. After a crash the server draws numbers again that it had
  /// drawn for transactions that never committed, so all knowledge about the sequence is void.
  void reconnected();
  /// Forgets a shard. Its events in flight stay until they are settled.
  void remove(std::int16_t shard);

  /// Gives a business a watermark of its own, so that scans find the later events of its shard without
  /// reading all of its events first. Its events before `read_until` are in flight. The watermark lasts until
  /// a scan has read the events of the business to their end.
  void separate(const Guid& business, std::int16_t shard, Time read_until);
  /// The businesses with a watermark of their own.
  std::vector<Guid> separated() const;

  /// Sets the shards and the separated businesses that the next scans leave out, with the shards that have
  /// events of an earlier lease. The businesses of these shards are left out, too. The watermarks stay, so a
  /// later scan finds the events that these do not.
  void leave_out(std::set<std::int16_t> shards, std::set<Guid> businesses = {});
  /// True if the next scans leave out some of the shards or businesses.
  bool leaves_out() const { return !left_out_.empty() || !left_out_businesses_.empty(); }
  /// True while a held shard has events in flight from an earlier lease.
  bool has_earlier() const { return !earlier_.empty(); }

  /// The watermarks of the shards and businesses that a scan reads.
  std::vector<storage::Watermark> all() const;
  /// The events in flight above the lowest of these watermarks in their shard, which a scan must leave out.
  /// An event with the id of one in flight but another time is not left out.
  std::vector<storage::EventKey> in_flight() const;
  std::size_t in_flight_count() const { return in_flight_.size(); }
  /// True if the next scan should draw a transaction id, which the watermarks need to advance.
  bool wants_xid() const;
  bool any_in_flight(std::int16_t shard) const;

  /// Puts a scan's events in flight and advances the watermarks. The limits are those of the scan, more than
  /// 0. Returns the events, with the orphans marked; none if the scan has missed some.
  std::vector<storage::PendingEvent> take(storage::Scan scan, std::size_t shard_limit,
                                          std::size_t business_limit);

  /// The shards that the last scan did not read to their end, because it reached its limit.
  const std::vector<std::int16_t>& cut_off() const { return cut_off_; }
  /// True if the last scan began above numbers of a transaction that was over. The next one must follow soon,
  /// because no NOTIFY comes.
  bool has_missed() const { return return_to_ != none; }
  /// The time before which no separated business has an event that is not in flight; `otherwise` if there is
  /// no such business.
  Time read_until(Time otherwise) const;

  /// Removes events in flight that are recorded, given up, or forgotten with their shard or by `reconnected`.
  /// Returns true if scans read a shard again that they have left out for these events.
  bool settled(std::span<const storage::EventKey> events);

 private:
  static constexpr std::uint64_t none = UINT64_MAX;

  struct Candidate {
    std::uint64_t last_id;             // s, from the last scan before the one that drew X
    std::optional<std::uint64_t> xid;  // X
  };
  /// A running transaction that can have drawn numbers up to known_.
  struct Running {
    std::uint64_t low;  // it has drawn none up to this
    Time found_at;
  };
  /// A business with a watermark of its own.
  struct Separated {
    std::int16_t shard;
    std::uint64_t low;
    Time read_until;
  };
  /// The events of a scan above one watermark.
  struct Part {
    std::size_t events = 0;
    std::uint64_t last_id = 0;
  };
  void learn(const storage::Scan& scan);
  void forget_ended(const storage::Scan& scan);
  void resolve_candidate(const storage::Scan& scan);
  void go_back();
  void advance(const std::map<std::int16_t, Part>& shards, std::size_t shard_limit,
               const std::map<Guid, Part>& businesses, std::size_t business_limit);
  bool is_left_out(const Guid& business, const Separated& separated) const;

  /// The orphans of a shard: the first events of each business up to `last_id`, at most `max_orphans`.
  struct Orphans {
    std::optional<std::uint64_t> last_id;         // the last value of the sequence at the first scan
    std::unordered_map<Guid, std::size_t> count;  // by business
  };
  bool is_orphan(const storage::PendingEvent& event, std::uint64_t last_id);

  std::map<std::int16_t, std::uint64_t> low_;
  std::map<Guid, Separated> separated_;
  std::set<std::int16_t> left_out_;
  std::set<Guid> left_out_businesses_;
  std::vector<std::int16_t> cut_off_;
  std::map<std::int16_t, Orphans> orphans_;
  std::map<storage::EventKey, std::int16_t> in_flight_;
  std::map<std::int16_t, std::set<storage::EventKey>> earlier_;  // in flight since an earlier lease, by shard
  std::uint64_t known_ = 0;                   // running_ has all transactions that can have drawn up to this
  std::optional<Candidate> candidate_;        // for the next value of known_
  std::map<std::uint64_t, Running> running_;  // by transaction id
  std::uint64_t next_low_ = 0;                // no watermark exceeds it
  std::uint64_t return_to_ = none;            // the lowest watermark of the transactions that were missed
};

}  // namespace waybill::worker
