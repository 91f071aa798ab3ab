#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/action.hpp"
#include "actions/web_push/web_push_report.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "net/http/http_client.hpp"

namespace waybill::actions {

/// The results of one attempt by subscription, in the order of `add`, and the result of the attempt that
/// follows from them. A subscription waits until it has a result. Pure; one thread.
class PushResults {
 public:
  static constexpr std::size_t max_reason_bytes = 500;  // stored bytes of a refusal

  /// Returns the index of the subscription.
  std::size_t add(const Guid& subscription);
  /// Notes that the subscription can never get the message.
  void refuse(std::size_t index, std::string_view code);
  /// Notes that no request could be made for it.
  void fail(std::size_t index, std::string error);
  /// Notes the response of its push service, or its lack; not that of a cancelled request.
  PushResult respond(std::size_t index, const net::HttpResponse& response, Time now);
  /// Notes that the circuit breaker of their push service is open; they stay waiting.
  void service_is_down(const std::deque<std::size_t>& indexes);
  /// Notes that the subscriptions could not be read.
  void unreadable() { error_ = "The subscriptions could not be read."; }

  void cancel() { cancelled_ = true; }
  bool is_cancelled() const { return cancelled_; }
  bool any_waiting() const;

  /// The outcome of the attempt after those of `history`.
  Outcome outcome(const PushHistory& history) const { return push_outcome(entries_, history); }
  /// Sets the members of `result` except its times and its outcome, which must be set before. Call it once.
  void report(AttemptResult& result);

 private:
  std::optional<int> status_code() const;
  bool any_failed() const;

  std::vector<PushEntry> entries_;
  std::optional<std::string> error_;  // the first error
  bool cancelled_ = false;
  bool healthy_ = false;  // a push service answered
  bool down_ = false;     // the circuit breaker of a push service is open
};

}  // namespace waybill::actions
