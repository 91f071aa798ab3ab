#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "storage/database/commit_position.hpp"

namespace waybill::storage {

/// The last two samples of the primary's position. A standby may serve a read if it has replayed the floor,
/// so what a read shows is at most `longest_lag` old. Pure; one thread.
class PrimarySamples {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  static constexpr auto longest_lag = std::chrono::milliseconds(500);

  struct Sample {
    std::int64_t cluster = 0;  // the system identifier
    CommitPosition position;
    SteadyTime at{};  // not after the moment at which the primary had the position
  };

  /// Forgets the samples of another cluster.
  void add(const Sample& sample);

  /// True if a sample was taken `age` ago or later.
  bool has_since(Duration age, SteadyTime now) const;
  /// The older sample, which a standby has had time to replay, if it is at most `longest_lag` old; otherwise
  /// the newer one. `has_since(longest_lag, now)` must be true.
  const Sample& floor(SteadyTime now) const;

 private:
  Sample older_, newer_;
  int count_ = 0;  // of samples, at most 2
};

}  // namespace waybill::storage
