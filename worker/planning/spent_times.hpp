#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/guid.hpp"

namespace waybill::worker {

/// The time that a batch of runs took, by business. One thread.
class SpentTimes {
 public:
  using Length = std::chrono::steady_clock::duration;
  using Times = std::unordered_map<Guid, Length>;

  /// Calls `work` and counts its time for the business, also if it throws.
  template <typename Work>
  auto measure(const Guid& business, Work work) {
    const Measured measured{times_[business], total_, std::chrono::steady_clock::now()};
    return work();
  }

  /// A run among several that were read together: its business, and its size in bytes.
  struct Part {
    Guid business;
    std::size_t bytes;
  };
  /// Divides a time among the runs in proportion to their bytes, each with `bytes_of_run` more.
  void divide(Length time, std::span<const Part> parts) {
    std::size_t all = 0;
    for (const Part& part : parts) all += part.bytes + bytes_of_run;
    for (const Part& part : parts)
      add(part.business, Length(static_cast<Length::rep>(static_cast<double>(time.count()) *
                                                         static_cast<double>(part.bytes + bytes_of_run) /
                                                         static_cast<double>(all))));
  }

  /// The sum of the times counted since the last `take`.
  Length total() const { return total_; }
  /// Returns the times counted since the last call.
  Times take() {
    total_ = {};
    return std::exchange(times_, {});
  }

 private:
  static constexpr std::size_t bytes_of_run = 4096;

  struct Measured {
    Length& time;
    Length& total;
    std::chrono::steady_clock::time_point began;
    ~Measured() {
      const Length took = std::chrono::steady_clock::now() - began;
      time += took;
      total += took;
    }
  };

  void add(const Guid& business, Length time) {
    times_[business] += time;
    total_ += time;
  }

  Times times_;
  Length total_{};
};

}  // namespace waybill::worker
