#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"

namespace waybill::actions {

/// The result of an attempt for one subscription.
enum class PushResult {
  delivered,  // accepted by the push service
  gone,       // the subscription no longer exists
  refused,    // permanently
  failed,     // to be attempted again
  waiting,    // not sent: the push service is down, or the attempt ran out of time
};

struct PushEntry {
  Guid subscription;
  PushResult result = PushResult::waiting;
  std::optional<int> status_code;
  std::string code;  // the reason if not delivered: "HTTP_503", "TIMEOUT", ...
  std::optional<Duration> retry_after = std::nullopt;
};

/// The work that earlier attempts left.
struct PushHistory {
  std::optional<std::vector<Guid>> remaining;  // subscriptions that still need the message; nullopt: all
  bool delivered = false;                      // to at least one subscription
  std::optional<std::string> refusal;          // the code of one refusal

  /// Reads the run's attempts (a JSON array). Responses that are not a `push_report` are ignored.
  static PushHistory read(std::string_view tries);
};

/// The `response` of an attempt: {delivered, gone, refused, failed, waiting, subscriptions: [{guid, result,
/// statusCode, code?}]}, with counts in the first five.
std::string push_report(std::span<const PushEntry> entries);

/// The outcome of an attempt with these entries after the attempts in `history`.
Outcome push_outcome(std::span<const PushEntry> entries, const PushHistory& history);

}  // namespace waybill::actions
