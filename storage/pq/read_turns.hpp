#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/guid.hpp"

namespace waybill::storage::pq {

/// The number of reads that a connection has at a time. With fewer, the server's process waits for its next
/// read; with more, too many wait if it gets no processor (decision 50).
inline constexpr std::size_t reads_of_connection = 4;

/// Reads that wait for a connection. Businesses take turns, one read a turn, and the reads of a business keep
/// their order. Reads without a business are those of the nil guid. Pure; one thread.
template <typename Read>
class ReadTurns {
 public:
  bool empty() const { return turns_.empty(); }

  void add(const Guid& business, Read& read) {
    auto& reads = waiting_[business];
    if (reads.empty()) turns_.push_back(business);
    reads.push_back(&read);
  }

  /// Removes the next read. There must be one.
  Read& take() {
    const auto found = waiting_.find(turns_.front());
    turns_.pop_front();
    Read& read = *found->second.front();
    found->second.pop_front();
    if (found->second.empty()) {
      waiting_.erase(found);
    } else {
      turns_.push_back(found->first);
    }
    return read;
  }

 private:
  std::unordered_map<Guid, std::deque<Read*>> waiting_;  // no empty queues
  std::deque<Guid> turns_;                               // each business that waits, once
};

}  // namespace waybill::storage::pq
