#pragma once

#include <algorithm>
#include <cstddef>

namespace waybill {

/// A limit in total for the work of several owners, such as businesses or networks. It refuses work only to
/// an owner that has its share: the limit divided by the number of owners, or `least` if that is more. So n
/// owners hold at most `most` * (2 + ln n) + `least` * n pieces, and with at least one nobody is refused
/// because of others.
struct ShareLimit {
  /// True if the owner may add nothing to its `own` pieces. `total` is the work of all `owners`, of which
  /// this one is one, also if it has none yet.
  bool refuses(std::size_t own, std::size_t total, std::size_t owners) const {
    return total >= most && own >= std::max(most / owners, least);
  }

  /// The same for the values of `owner` in a queue, which knows only the owners that have values.
  bool refuses(const auto& queue, const auto& owner) const {
    const std::size_t own = queue.size_of(owner);
    return refuses(own, queue.size(), queue.owners() + (own == 0 ? 1 : 0));
  }

  std::size_t most;
  std::size_t least = 1;  // 0 if strangers can be any number of owners
};

}  // namespace waybill
