#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "net/mail/mail.hpp"

namespace waybill::worker {

/// Failures with one cause, of a workflow or, for import_failed, of an integration.
struct Alert {
  std::string cause;  // as in the settings of alerts
  Guid subject_id;    // the workflow or the integration
  std::int64_t count = 1;
  Time at;                                     // when the message was made
  std::optional<Time> failed_from, failed_to;  // creation of the oldest and the newest run
  std::string business_name;
  std::optional<std::string> workflow_name;  // null for import_failed
  std::optional<std::string> paused_reason;
  json::value run = nullptr;         // the last run, or that of an import
  std::optional<std::string> tries;  // tries of the run: a JSON array
  std::string store;                 // URL of the store; for import_failed
  json::value silence = nullptr;     // {since, count, expected: {from, to}}; null if it is over

  bool is_of_import() const { return cause == "import_failed"; }
};

/// The body of a webhook: {type, timestamp, data: {cause, workflow, run, response, count, replay}}. `replay`
/// is a request to this API that repeats what failed: {method, url, body}; null if nothing is to be repeated.
/// The data of workflow_silent also have `silence`.
/// `public_url` is that of the API; the url is relative if it is empty.
std::string alert_payload(const Alert& alert, std::string_view public_url);

/// The same content as a mail in words, without sender and recipients.
net::MailMessage alert_mail(const Alert& alert, std::string_view public_url);

}  // namespace waybill::worker
