#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "base/guid.hpp"
#include "worker/delivery/open_events.hpp"

namespace waybill::worker {

/// The events in memory that have ordered runs, by record, in their order. The first one of a record has its
/// turn: its ordered runs are attempted, those of the others wait. Pure; one thread at a time.
class RecordChains {
 public:
  bool has(const RecordName& record) const { return chains_.contains(record); }
  /// Adds an event behind the others of its record.
  void add(OpenEventPtr event);
  /// The event that has the turn; null if there is none.
  OpenEventPtr first(const RecordName& record) const;
  /// Removes and returns the first event if its turn has ended: its ordered runs are over, and another event
  /// waits or its other runs are over, too. Null if it has not.
  OpenEventPtr take_over(const RecordName& record);
  /// Removes and returns the events of a record, in their order.
  std::deque<OpenEventPtr> take(const RecordName& record);
  /// Removes the chains whose events have left memory.
  void drop_gone();
  std::vector<RecordName> of_business(const Guid& business) const;

 private:
  struct Hash {
    std::size_t operator()(const RecordName& record) const {
      return std::hash<Guid>{}(record.first) * 31 + std::hash<Guid>{}(record.second);
    }
  };
  std::unordered_map<RecordName, std::deque<OpenEventPtr>, Hash> chains_;  // none is empty
};

}  // namespace waybill::worker
