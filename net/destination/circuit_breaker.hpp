#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"

namespace waybill::net {

/// Limits the requests in flight to each destination (host:port). A healthy destination gets `max_in_flight`.
/// Each consecutive failure halves the limit, down to one; after `open_after` consecutive failures the
/// breaker is open and allows one probe at a time, at growing intervals up to `max_pause`. A success doubles
/// the limit. The caller decides which results count as failures: those that show bad health (no connection,
/// time-out, 5xx, 429). Not thread-safe. A crash loses the state, which is then learnt again.
class CircuitBreaker {
 public:
  struct Options {
    std::size_t max_in_flight = 64;
    std::size_t open_after = 5;
    Duration first_pause = std::chrono::seconds(1);
    Duration max_pause = std::chrono::seconds(60);
    // Beyond this number, idle destinations are forgotten: healthy ones first, then the longest unused.
    std::size_t max_destinations = 100'000;
  };
  enum class State { closed, open };

  explicit CircuitBreaker(Options options);

  /// Returns true and takes a place if fewer than the limit and fewer than `most` are taken. Each place is
  /// given back by `succeeded`, `failed` or `released`.
  bool try_start(std::string_view destination, Time now, std::size_t most = SIZE_MAX);
  void succeeded(std::string_view destination, Time now);
  void failed(std::string_view destination, Time now);
  /// Gives a place back after a request that was not made or says nothing about the destination.
  void released(std::string_view destination, Time now);

  State state(std::string_view destination) const;
  /// The state of a destination with its limit.
  struct Health {
    State state = State::closed;
    std::size_t places = 0;  // requests that may be in flight; 1 while the breaker is open
    Time next_probe{};       // the earliest; of an open breaker only
  };
  Health health(std::string_view destination) const;
  /// True if the breaker is open and a probe is in flight.
  bool is_probing(std::string_view destination, Time now) const;
  /// The earliest time at which another attempt may be allowed.
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
  static void give_back(Entry& entry);
  bool is_open(const Entry& entry) const;

  Options options_;
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
};

}  // namespace waybill::net
