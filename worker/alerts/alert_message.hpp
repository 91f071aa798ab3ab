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

/// Failures with one cause, of a workflow, an integration (import_failed, import_silent), or the parcels or
/// labels of a carrier (scans_silent, label_…).
struct Alert {
  std::string cause;  // as in the settings of alerts
  Guid subject_id;    // the workflow, the integration or the carrier; nil for parcels and labels without one
  std::int64_t count = 1;
  Time at;                                     // when the message was made
  std::optional<Time> failed_from, failed_to;  // creation of the oldest and the newest run
  std::string business_name;
  std::optional<std::string> workflow_name;  // nullopt for other causes
  std::optional<std::string> paused_reason;
  json::value run = nullptr;         // the last run, or that of an import
  std::optional<std::string> tries;  // tries of the run: a JSON array
  std::string store;                 // of the integration: the URL, or a name
  std::optional<std::string> carrier_name;
  json::value silence = nullptr;   // {since, count, expected: {from, to}, …}; null if it is over
  json::value purchase = nullptr;  // the last purchase of a label_… as it is now; null if it is gone

  bool is_of_import() const { return cause == "import_failed"; }
  bool is_of_source() const { return cause == "import_silent" || cause == "scans_silent"; }
  bool is_of_silence() const { return cause.ends_with("_silent"); }
  bool is_of_label() const { return cause.starts_with("label_"); }
};

/// The body of a webhook: {type, timestamp, data: {cause, workflow, run, response, count, replay}}. `replay`
/// is a request to this API that repeats what failed: {method, url, body}; null if nothing is to be repeated.
/// The data of silences also have `silence`, those of sources `integration` or `carrier`, and those of labels
/// `carrier` and `purchase`.
/// `public_url` is that of the API; the url is relative if it is empty.
std::string alert_payload(const Alert& alert, std::string_view public_url);

/// The same content as a mail in words, without sender and recipients.
net::MailMessage alert_mail(const Alert& alert, std::string_view public_url);

}  // namespace waybill::worker
