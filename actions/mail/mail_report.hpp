#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "net/mail/mail.hpp"

namespace waybill::actions {

/// The work that earlier attempts left.
struct MailHistory {
  std::vector<std::string> remaining;  // recipients that still need the mail; empty: all
  std::optional<std::string> refusal;  // the reply for a permanently refused recipient

  /// Reads the run's attempts (a JSON array). A response that is not a report (below) means that no recipient
  /// got the mail in that attempt.
  static MailHistory read(std::string_view tries);
};

/// The result of an attempt to send to `recipients` that ended with `mail`. A run whose mail reached some
/// recipients succeeds only when it has reached all: a temporarily refused recipient is attempted again,
/// alone, and a permanently refused one makes the run dead after all others have the mail. The `response` is
/// then a report: {delivered, refused, failed, recipients: [{address, result, reply}]}, with counts by result
/// in the first three; otherwise it is the server's reply.
AttemptResult mail_result(const net::MailOutcome& mail, const std::vector<std::string>& recipients,
                          const MailHistory& history, Time started, Time now);

}  // namespace waybill::actions
