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

/// The delays between the attempts of a run. N delays allow N + 1 attempts.
class RetrySchedule {
 public:
  explicit RetrySchedule(std::vector<Duration> delays) : delays_(std::move(delays)) {}

  /// Reads `5s,5m,30m,2h`: numbers with s, m, h or d; 0 to 50 entries, each at most 30 days. The error is a
  /// sentence.
  static std::variant<RetrySchedule, std::string> parse(std::string_view text);
  /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h.
  static RetrySchedule standard();

  /// A text that `parse` reads as this schedule; equal schedules have the same.
  std::string text() const;
  const std::vector<Duration>& delays() const { return delays_; }
  std::size_t max_attempts() const { return delays_.size() + 1; }

  /// The longest possible time from the first attempt to the last, even if servers ask to wait.
  Duration longest() const;

  /// The time of the next attempt after attempt number `attempts_made` (from 1) ended at `now`; nullopt after
  /// the last. The delay varies by up to ± 20 %, determined by run and attempt, and is at least `retry_after`
  /// (limited to a day).
  std::optional<Time> next_attempt(std::size_t attempts_made, Time now, const Guid& run,
                                   std::optional<Duration> retry_after = {}) const;

 private:
  std::vector<Duration> delays_;
};

/// An HTTP date in any of its three forms (RFC 9110 section 5.6.7); nullopt if malformed.
std::optional<Time> parse_http_date(std::string_view value);

/// The longest wait that a server can ask for.
inline constexpr Duration longest_retry_after = std::chrono::days(1);

/// The Retry-After header (RFC 9110 section 10.2.3): seconds or an HTTP date, at most `longest_retry_after`.
/// nullopt if malformed or in the past.
std::optional<Duration> parse_retry_after(std::string_view value, Time now);

}  // namespace waybill::domain
