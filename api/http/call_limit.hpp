#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::api {

/// Limits the calls of each client in a minute: only those that fail, or all. A client beyond its limit costs
/// a look-up in memory. For this process only; a restart forgets the calls. Thread-safe.
class CallLimit {
 public:
  struct Options {
    std::size_t most_calls = 30;        // counted calls of one client in a minute
    std::size_t most_clients = 50'000;  // `count` counts further clients together, `wait` not at all
  };

  CallLimit() : CallLimit(Options{}) {}
  explicit CallLimit(Options options) : options_(options) {}

  /// The time that `client` has to wait; nullopt if it may call. Clients that are counted together may: a
  /// stranger with many addresses must not keep out those who never failed.
  std::optional<std::chrono::seconds> wait(std::string_view client, Time now);
  /// Counts a call of `client` that failed.
  void failed(std::string_view client, Time now);
  /// Counts a call of `client`, whatever its outcome. If the call may not be made, returns the time to wait
  /// and does not count it.
  std::optional<std::chrono::seconds> count(std::string_view client, Time now);

 private:
  void begin_minute(Time now) REQUIRES(mutex_);
  std::string name_of(std::string_view client) const REQUIRES(mutex_);
  std::optional<std::chrono::seconds> wait_after(std::size_t calls, Time now) const REQUIRES(mutex_);

  const Options options_;
  Mutex mutex_;
  Time minute_ GUARDED_BY(mutex_){};
  std::unordered_map<std::string, std::size_t> calls_ GUARDED_BY(mutex_);
};

}  // namespace waybill::api
