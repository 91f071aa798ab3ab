#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/events/outbox.hpp"
#include "worker/delivery/shares.hpp"

namespace waybill::worker {

/// The events that were read from the outbox and are not recorded yet: those that wait to be matched, by
/// business, and those taken for matching. Businesses take turns, one event each, so that an event waits for
/// a batch but not for thousands of events of another business. Pure. One thread at a time.
class Backlog {
 public:
  /// At most `capacity` events are taken and not recorded at a time, divided among businesses (Shares).
  explicit Backlog(std::size_t capacity) : shares_(capacity) {}

  /// Adds waiting events. The events of a business are taken in the order of their ids.
  void add(std::span<const storage::PendingEvent> events);
  /// True for an event that may be taken. Another one keeps the later events of its business waiting.
  using IsReady = std::function<bool(const storage::PendingEvent&)>;

  /// Takes at most `limit` events, in turn from each business that has not reached its share.
  std::vector<storage::PendingEvent> take(
      std::size_t limit, const IsReady& is_ready = [](const auto& /*event*/) { return true; });
  /// Returns taken events, which then wait again.
  void put_back(std::span<const storage::PendingEvent> events);
  /// Removes recorded events. Unknown events are ignored.
  void settled(std::span<const storage::EventKey> events);
  /// Removes and returns the waiting events of one shard or of all. Taken events stay.
  std::vector<storage::EventKey> forget(std::int16_t shard);
  std::vector<storage::EventKey> forget();

  std::size_t waiting() const { return waiting_; }
  std::size_t waiting_of(const Guid& business) const;
  /// The number of waiting events of some businesses, by shard.
  std::map<std::int16_t, std::size_t> waiting_of(std::span<const Guid> businesses) const;
  std::size_t taken() const { return taken_.size(); }
  /// The time of the oldest waiting event; `otherwise` if none waits.
  Time oldest(Time otherwise) const;
  /// The time of the oldest event that is taken and not recorded; `otherwise` if there is none.
  Time oldest_taken(Time otherwise) const;
  /// The first waiting event of each business of a shard that has at least `least` of them.
  std::vector<storage::PendingEvent> crowding(std::int16_t shard, std::size_t least) const;

 private:
  struct Queue {
    std::deque<storage::PendingEvent> waiting;  // by id
    bool has_turn = false;                      // true if the business is in turns_
  };
  void insert(const storage::PendingEvent& event);
  void give_turn(const Guid& business, Queue& queue);
  void release(const storage::EventKey& event);
  template <typename Drop>
  std::vector<storage::EventKey> forget_if(Drop drop);

  Shares shares_;                           // taken events by business
  std::unordered_map<Guid, Queue> queues_;  // queues of businesses with waiting events
  std::deque<Guid> turns_;                  // the same businesses, in the order of their turns
  struct Taken {
    Guid business;
    Time at;
  };
  std::unordered_map<storage::EventKey, Taken, storage::EventKeyHash> taken_;
  std::size_t waiting_ = 0;
};

}  // namespace waybill::worker
