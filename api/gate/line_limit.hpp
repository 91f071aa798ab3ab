#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace waybill::api {

/// Limits the log lines of one kind, so that clients cannot fill the log. Used by one thread.
class LineLimit {
 public:
  using Steady = std::chrono::steady_clock;
  static constexpr int lines = 20;  // in an interval
  static constexpr std::chrono::minutes interval{1};

  /// Returns the number of lines that were left out before this one; nullopt if this one is left out, too.
  std::optional<std::int64_t> take(Steady::time_point now) {
    if (now >= end_) {
      end_ = now + interval;
      written_ = 0;
    }
    if (written_ == lines) {
      ++left_out_;
      return std::nullopt;
    }
    ++written_;
    return std::exchange(left_out_, 0);
  }

 private:
  Steady::time_point end_ = Steady::time_point::min();
  int written_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace waybill::api
