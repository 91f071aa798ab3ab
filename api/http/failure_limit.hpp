#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"

namespace waybill::api {

/// Counts failed calls of public endpoints, or all calls, for each client and minute, so that a client that
/// keeps failing costs only a look-up in memory. For this process only; thread-safe.
class FailureLimit {
 public:
  struct Options {
    std::size_t most_failures = 30;     // failures of one client in a minute
    std::size_t most_counted = 50'000;  // further clients are counted together
  };

  FailureLimit() : FailureLimit(Options{}) {}
  explicit FailureLimit(Options options) : options_(options) {}

  /// The time that `client` has to wait; nullopt if it may call.
  std::optional<std::chrono::seconds> wait(std::string_view client, Time now);
  void failed(std::string_view client, Time now);
  /// Counts a call of `client`, whatever its outcome. If the call may not be made, returns the time to wait
  /// and does not count it.
  std::optional<std::chrono::seconds> count(std::string_view client, Time now);

 private:
  void begin_minute(Time now);
  std::string name_of(std::string_view client) const;
  std::optional<std::chrono::seconds> wait_after(std::size_t failures, Time now) const;

  const Options options_;
  std::mutex mutex_;
  Time minute_{};
  std::unordered_map<std::string, std::size_t> failures_;
};

/// The network of a client's address. For IPv6 it is the first 64 bits (RFC 4291 section 2.5.4), since a
/// client can use any address within them. An IPv4-mapped IPv6 address counts as the IPv4 address.
std::string network_of(std::string_view address);

}  // namespace waybill::api
