#pragma once

#include <cstddef>
#include <vector>

#include "base/guid.hpp"
#include "worker/delivery/memory.hpp"
#include "worker/delivery/shares.hpp"

namespace waybill::worker {

/// The room for runs in memory: for a number of runs, and for the bytes of their texts, which `memory` counts
/// until they are written. Both are shared by business (Shares), and a business may have more runs only while
/// both allow it. One thread at a time. A crash loses nothing: it only counts.
class RunRoom {
 public:
  /// `memory` outlives the object.
  RunRoom(std::size_t runs, const Memory& memory) : runs_(runs), memory_(memory) {}

  /// Counts a run from now on. Does not require `may_enter`, because claimed runs are always taken.
  void enter(const Guid& business) { runs_.take(business); }
  /// Ends the count of a run that entered.
  void leave(const Guid& business) { runs_.release(business); }

  /// True if the business may have more runs and bytes.
  bool may_enter(const Guid& business) const;
  /// True if there is room for further runs of any business.
  bool has_room() const { return runs_.free() > 0 && memory_.free() > 0; }
  /// Businesses that may have no more runs or bytes, each once.
  std::vector<Guid> full_businesses() const;
  std::size_t runs() const { return runs_.taken(); }

 private:
  Shares runs_;
  const Memory& memory_;
};

}  // namespace waybill::worker
