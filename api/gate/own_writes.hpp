#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "storage/database/commit_position.hpp"

namespace waybill::api {

/// The positions of the last commits of tokens at this process, so that each token sees its own writes. The
/// memory is fixed: tokens share slots, and a token may then wait for the commit of another. Any thread. A
/// restart forgets all; a client that sends `X-Commit-Position` does not depend on it.
class OwnWrites {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Adds the commits of a request of this token.
  void add(const Guid& token, const storage::Commits& commits, SteadyTime now);

  /// Returns the position that a read of this token must show; nullopt if only the primary shows it for sure,
  /// because it is unknown whether a commit took effect.
  std::optional<storage::CommitPosition> required(const Guid& token, SteadyTime now) const;

  static constexpr std::size_t slots = 4096;

 private:
  struct Slot {
    storage::CommitPosition position;
    SteadyTime unclear_until{};
  };

  mutable Mutex mutex_;
  std::array<Slot, slots> slots_ GUARDED_BY(mutex_);
};

}  // namespace waybill::api
