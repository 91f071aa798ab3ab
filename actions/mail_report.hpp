#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "net/mail.hpp"

namespace waybill::actions {

/// What the tries before have left to do.
struct MailHistory {
  std::vector<std::string> left;       // the recipients that are still to be served; empty: all of them
  std::optional<std::string> refusal;  // the reply to one that was refused for good

  /// From the run's tries (a JSON array). Responses that are no report (below) say that nobody got it.
  static MailHistory read(std::string_view tries);
};

/// What a try that ended with `mail`, for `asked`, makes of the run. A run whose mail reached some succeeds
/// only when it reaches all: who was refused for a time is tried again, alone, and one refused for good ends
/// it as dead, after all others have it. Its `response` is then a report: {delivered, refused, failed,
/// recipients: [{address, result, reply}]}, the first three being counts and names of results; otherwise it
/// is the server's reply.
AttemptResult mail_result(const net::MailOutcome& mail, const std::vector<std::string>& asked,
                          const MailHistory& history, Time started, Time now);

}  // namespace waybill::actions
