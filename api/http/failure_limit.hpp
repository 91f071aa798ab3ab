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

/// Counts the failed tries of strangers by minutes, so that who only fails costs no more than a look into
/// this memory. Of this process alone, thread-safe; forgotten with it.
class FailureLimit {
 public:
  struct Options {
    std::size_t most_failures = 30;     // of one, in a minute
    std::size_t most_counted = 50'000;  // beyond it newcomers are counted together
  };

  FailureLimit() : FailureLimit(Options{}) {}
  explicit FailureLimit(Options options) : options_(options) {}

  /// How long `who` has to wait; nullopt: it may try.
  std::optional<std::chrono::seconds> wait(std::string_view who, Time now);
  void failed(std::string_view who, Time now);

 private:
  void begin_minute(Time now);
  std::string name_of(std::string_view who) const;

  const Options options_;
  std::mutex mutex_;
  Time minute_{};
  std::unordered_map<std::string, std::size_t> failures_;
};

/// The network that a client's address stands for: of IPv6 the first 64 bits (RFC 4291 section 2.5.4), since
/// one client has as many as it likes below them. An IPv4 address that IPv6 maps is that IPv4 address.
std::string network_of(std::string_view address);

}  // namespace waybill::api
