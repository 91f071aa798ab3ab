#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"

namespace waybill::net {

/// How many requests a destination (host:port) may have in flight. A healthy one gets `max_in_flight`; each
/// failure in a row halves that down to one, and from `open_after` failures on in a row the breaker is open:
/// one probe at a time, at growing distances up to `max_pause`. One success doubles the limit again. Only
/// answers that speak of the destination's health count as failures (no connection, time-out, 5xx, 429),
/// decided by the caller. Not thread-safe: one owner. State is lost with the process, which is harmless: it
/// is learnt again.
class CircuitBreaker {
 public:
  struct Options {
    std::size_t max_in_flight = 64;
    std::size_t open_after = 5;
    Duration first_pause = std::chrono::seconds(1);
    Duration max_pause = std::chrono::seconds(60);
    std::size_t max_destinations =
        100'000;  // beyond it idle ones are forgotten, healthy and longest unused first
  };
  enum class State { closed, open };

  explicit CircuitBreaker(Options options);

  /// True takes a place, one of `most` at best, which `succeeded`, `failed` or `released` must give back.
  bool try_start(std::string_view destination, Time now, std::size_t most = SIZE_MAX);
  void succeeded(std::string_view destination, Time now);
  void failed(std::string_view destination, Time now);
  /// The request was not made or says nothing of the destination.
  void released(std::string_view destination, Time now);

  State state(std::string_view destination) const;
  /// When a refused request is worth trying again.
  Time retry_at(std::string_view destination, Time now) const;
  std::size_t open_count() const;

 private:
  struct Entry {
    std::size_t limit = 0;
    std::size_t in_flight = 0;
    std::size_t failures = 0;
    Duration pause{};
    Time open_until;
    Time last_used;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  Entry& entry(std::string_view destination, Time now);
  void forget_unused();
  bool is_open(const Entry& entry) const;

  Options options_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
};

}  // namespace waybill::net
