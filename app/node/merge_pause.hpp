#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace waybill::app {

/// The pause between two merges of pending entries, so that a merge finds at most about half of what an index
/// may keep: small merges cost more for each entry, and a writer merges an index that has reached its limit.
/// The pause shrinks in proportion after a larger merge, and at most doubles after a smaller one. Pure; one
/// thread.
class MergePause {
 public:
  static constexpr std::int64_t wanted_pages = 512;  // 4 MB; migration 0055 sets a limit of 8 MB
  static constexpr Duration shortest = std::chrono::milliseconds(10);
  static constexpr Duration longest = std::chrono::milliseconds(500);  // while there are new entries
  static constexpr Duration idle = std::chrono::seconds(1);

  Duration get() const { return pause_; }

  /// Notes a merge. `pages` is the number of pages of the index that had the most.
  void merged(std::int64_t pages) {
    const Duration fitting = pages > wanted_pages / 2 ? pause_ * wanted_pages / pages : 2 * pause_;
    pause_ = pages == 0 ? idle : std::clamp(fitting, shortest, longest);
  }

 private:
  Duration pause_ = idle;
};

}  // namespace waybill::app
