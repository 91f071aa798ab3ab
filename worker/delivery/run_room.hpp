#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/guid.hpp"
#include "worker/delivery/memory.hpp"
#include "worker/delivery/shares.hpp"

namespace waybill::worker {

/// The room for runs in memory: for a number of runs, and for the bytes of their texts, which count until
/// they are written. Both are shared by business (Shares), and a business may have more runs only while both
/// allow it. `hold_bytes` and `free_bytes` may be called by any thread, the others by one thread at a time.
/// The bytes have a lock of their own, under which no other is taken. A crash loses nothing: it only counts.
class RunRoom {
 public:
  RunRoom(std::size_t runs, std::size_t bytes) : runs_(runs), memory_(bytes) {}

  /// Counts a run from now on. Does not require `may_enter`, because claimed runs are always taken.
  void enter(const Guid& business) { runs_.take(business); }
  /// Ends the count of a run that entered.
  void leave(const Guid& business) { runs_.release(business); }
  /// Counts bytes until the last copy of the result is gone, even after the run has left.
  std::shared_ptr<const void> hold_bytes(const Guid& business, std::size_t bytes) {
    return memory_.hold(business, bytes);
  }

  /// True if the business may have more runs and bytes.
  bool may_enter(const Guid& business) const;
  /// True if there is room for further runs of any business.
  bool has_room() const { return runs_.free() > 0 && memory_.free() > 0; }
  /// Businesses that may have no more runs or bytes, each once.
  std::vector<Guid> full_businesses() const;
  std::size_t runs() const { return runs_.taken(); }
  std::size_t free_bytes() const { return memory_.free(); }

 private:
  Shares runs_;
  Memory memory_;
};

}  // namespace waybill::worker
