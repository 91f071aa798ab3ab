#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/http/call_limit.hpp"

namespace waybill::api {

/// The sender of an inbound webhook call, which has no token. Calls of unknown records are limited for its
/// network, wrong signatures for its network and the called record together: senders share addresses, and one
/// with a wrong secret must not block the others at its address.
class InboundSender {
 public:
  /// Throws Failure (RATE_LIMITED), without a query, if too many calls have failed.
  InboundSender(CallLimit& failures, const Call& call, Time now);

  /// Counts a call of an unknown `kind` of record and returns the failure (404).
  Failure unknown(std::string_view kind);
  /// Counts a call with a wrong signature and returns the failure (401).
  Failure refused(std::string message);

 private:
  CallLimit& failures_;
  const Time now_;
  const std::string network_;
  const std::string sender_;
};

/// Returns a short, printable key for the sender's id of a delivery; nullopt if there is none.
std::optional<std::string> delivery_key(std::optional<std::string_view> id);

}  // namespace waybill::api
