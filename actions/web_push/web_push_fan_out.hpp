#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "actions/web_push/web_push_report.hpp"
#include "actions/web_push/web_push_sender.hpp"

namespace waybill::actions {

/// The message that one attempt of a run sends to each subscription.
struct PushMessage {
  Guid business;
  std::optional<Guid> user;  // nullopt: all users of the business
  std::string text;          // unencrypted, at most net::max_push_message bytes
  std::vector<std::pair<std::string, std::string>> headers;  // TTL, Urgency, Topic (RFC 8030 section 5)
  PushHistory history;
  Guid workflow = {};  // whose run sends it
};

/// Sends `message` to the current subscriptions; after an earlier attempt, only to those that remain. The
/// sender, the client and the clock must outlive it. `finish` is called once, on the sender's thread, within
/// 25 s, which is less than the lease of a run.
void fan_out_push(PushMessage message, WebPushSender& sender, net::HttpSender& http, const Clock& clock,
                  Action::Finish finish);

}  // namespace waybill::actions
