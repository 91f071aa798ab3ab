#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/outbox.hpp"
#include "worker/delivery/shares.hpp"

namespace waybill::worker {

/// The events that were seen in the outbox and are not recorded yet: those that wait to be matched, by
/// business, and those that were taken for it. Businesses take turns, one event each, so that whoever changed
/// a record waits for a place in a batch and not behind another's thousands. Pure; one thread at a time.
class Backlog {
 public:
  /// At most `capacity` events are taken and not recorded, shared by business (Shares).
  explicit Backlog(std::size_t capacity) : shares_(capacity) {}

  /// Those of a business are taken in the order of their ids.
  void add(std::span<const storage::PendingEvent> events);
  /// The next of each business in turn that has not all of its share, at most `most`.
  std::vector<storage::PendingEvent> take(std::size_t most);
  /// Those that were taken wait again.
  void give_back(std::span<const storage::PendingEvent> events);
  /// These are recorded. Unknown ones are passed over.
  void settled(std::span<const storage::EventKey> events);
  /// Forgets what waits, of one shard or of all, and answers it; what was taken stays.
  std::vector<storage::EventKey> forget(std::int16_t shard);
  std::vector<storage::EventKey> forget();

  std::size_t waiting() const { return waiting_; }
  std::size_t taken() const { return taken_.size(); }
  /// When the oldest that waits was written; `otherwise` when none does.
  Time oldest(Time otherwise) const;

 private:
  struct Queue {
    std::deque<storage::PendingEvent> waiting;  // by id
    bool has_turn = false;                      // it is in turns_
  };
  void insert(const storage::PendingEvent& event);
  void give_turn(const Guid& business, Queue& queue);
  void release(const storage::EventKey& event);
  template <typename Drop>
  std::vector<storage::EventKey> forget_if(Drop drop);

  Shares shares_;                           // of what is taken
  std::unordered_map<Guid, Queue> queues_;  // of businesses for which anything waits
  std::deque<Guid> turns_;                  // the same
  std::unordered_map<storage::EventKey, Guid, storage::EventKeyHash> taken_;
  std::size_t waiting_ = 0;
};

}  // namespace waybill::worker
