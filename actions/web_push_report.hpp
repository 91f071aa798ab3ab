#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"

namespace waybill::actions {

/// What a try of a push message came to for one subscription.
enum class PushResult {
  delivered,  // its push service has taken it
  gone,       // there is no such subscription any more
  refused,    // and would be again
  failed,     // to be tried again
  waiting,    // not tried: its push service is down, or the try's time was up
};

struct PushEntry {
  Guid subscription;
  PushResult result = PushResult::waiting;
  std::optional<int> status_code;
  std::string code;  // why it is not delivered: "HTTP_503", "TIMEOUT", ...
  std::optional<Duration> retry_after = std::nullopt;
};

/// What the tries before have left to do.
struct PushHistory {
  std::optional<std::vector<Guid>>
      left;                // the subscriptions that are still to be served; nullopt: nothing was tried
  bool delivered = false;  // to one at least
  std::optional<std::string> refusal;  // the code of one

  /// From the run's tries (a JSON array) whose responses are of `push_report`; others are passed over.
  static PushHistory read(std::string_view tries);
};

/// The entries as a try's `response`: {delivered, gone, refused, failed, waiting, subscriptions: [{guid,
/// result, statusCode, code?}]}, the first five being counts.
std::string push_report(std::span<const PushEntry> entries);

/// What all entries of a try, after what came before, make of the run.
Outcome push_outcome(std::span<const PushEntry> entries, const PushHistory& history);

}  // namespace waybill::actions
