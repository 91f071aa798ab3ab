#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"

namespace waybill::domain {

/// Delays between tries. A schedule of N delays is N + 1 tries.
class RetrySchedule {
 public:
  explicit RetrySchedule(std::vector<Duration> delays) : delays_(std::move(delays)) {}

  /// `5s,5m,30m,2h`: numbers with s, m, h or d; 0 to 50 entries, each at most 30 days. The error is a
  /// sentence.
  static std::variant<RetrySchedule, std::string> parse(std::string_view text);
  /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h.
  static RetrySchedule standard();

  std::size_t max_tries() const { return delays_.size() + 1; }

  /// The longest from the first try to the last, however long servers ask to wait.
  Duration longest() const;

  /// When to try again after the `tries_made`-th try (from 1) ended at `now`; nullopt after the last. The
  /// delay is varied by up to ± 20 %, chosen by run and try alone, and `retry_after` (at most a day of it) is
  /// a lower bound.
  std::optional<Time> next_try(std::size_t tries_made, Time now, const Guid& run,
                               std::optional<Duration> retry_after = {}) const;

 private:
  std::vector<Duration> delays_;
};

/// An HTTP date in any of its three forms (RFC 9110 section 5.6.7); nullopt when malformed.
std::optional<Time> parse_http_date(std::string_view value);

/// The longest wait a server can ask for.
inline constexpr Duration longest_retry_after = std::chrono::days(1);

/// The Retry-After header (RFC 9110 section 10.2.3): seconds or an HTTP date, at most `longest_retry_after`.
/// nullopt when malformed or in the past.
std::optional<Duration> parse_retry_after(std::string_view value, Time now);

}  // namespace waybill::domain
