#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "actions/web_push_report.hpp"
#include "actions/web_push_sender.hpp"

namespace waybill::actions {

/// What one try of a run sends to each subscription.
struct PushMessage {
  Guid business;
  std::optional<Guid> user;  // nullopt: the whole business
  std::string text;          // before its encryption, at most net::max_push_message bytes
  std::vector<std::pair<std::string, std::string>> headers;  // TTL, Urgency, Topic (RFC 8030 section 5)
  PushHistory history;
};

/// Sends `message` to all that are subscribed now and, after an earlier try, still to be served. The sender,
/// the client and the clock outlive it. `finish` is called once, on the sender's thread, within 25 s: within
/// the lease of a try.
void fan_out_push(PushMessage message, WebPushSender& sender, net::HttpClient& http, const Clock& clock,
                  Action::Finish finish);

}  // namespace waybill::actions
