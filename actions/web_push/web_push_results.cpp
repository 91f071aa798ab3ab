#include "actions/web_push/web_push_results.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "actions/http_response.hpp"
#include "domain/workflows/retry.hpp"

namespace waybill::actions {
namespace {

bool is_permanent(int status) { return status < 500 && status != 429 && status != 408; }

PushEntry entry_for(const Guid& subscription, const net::HttpResponse& response, Time now) {
  PushEntry entry{.subscription = subscription, .code = {}};
  if (response.failure != net::HttpFailure::none) {
    entry.result = PushResult::failed;
    entry.code = failure_code(response.failure);
    return entry;
  }
  entry.status_code = response.status;
  if (response.status >= 200 && response.status < 300) {
    entry.result = PushResult::delivered;
    return entry;
  }
  entry.code = "HTTP_" + std::to_string(response.status);
  if (response.status == 404 || response.status == 410) {
    entry.result = PushResult::gone;  // RFC 8030 section 7.3
  } else if (is_permanent(response.status)) {
    entry.result = PushResult::refused;
  } else {
    entry.result = PushResult::failed;
    if (const auto after = response.header("retry-after"))
      entry.retry_after = domain::parse_retry_after(*after, now);
  }
  return entry;
}

}  // namespace

std::size_t PushResults::add(const Guid& subscription) {
  entries_.push_back({.subscription = subscription, .code = "NOT_TRIED"});
  return entries_.size() - 1;
}

void PushResults::refuse(std::size_t index, std::string_view code) {
  entries_[index].result = PushResult::refused;
  entries_[index].code = code;
}

void PushResults::fail(std::size_t index, std::string error) {
  entries_[index].result = PushResult::failed;
  entries_[index].code = "INTERNAL_ERROR";
  error_ = std::move(error);
}

PushResult PushResults::respond(std::size_t index, const net::HttpResponse& response, Time now) {
  if (!is_destination_failure(response)) healthy_ = true;
  PushEntry& entry = entries_[index];
  entry = entry_for(entry.subscription, response, now);
  if (entry.result == PushResult::delivered || entry.result == PushResult::gone || error_)
    return entry.result;
  error_ = response.failure != net::HttpFailure::none
               ? response.error
               : "A push service answered " + std::to_string(response.status) + ": " +
                     limited_text(response.body, max_reason_bytes);
  return entry.result;
}

void PushResults::service_is_down(const std::deque<std::size_t>& indexes) {
  for (const std::size_t index : indexes) entries_[index].code = "SERVICE_DOWN";
  down_ = true;
}

bool PushResults::any_waiting() const {
  return std::ranges::any_of(entries_,
                             [](const PushEntry& entry) { return entry.result == PushResult::waiting; });
}

bool PushResults::any_failed() const {
  return std::ranges::any_of(entries_,
                             [](const PushEntry& entry) { return entry.result == PushResult::failed; });
}

void PushResults::report(AttemptResult& result) {
  result.cancelled = cancelled_;
  if (!entries_.empty()) result.response = push_report(entries_);
  result.status_code = status_code();
  if (!std::holds_alternative<Done>(result.outcome)) result.error = std::move(error_);
  if (std::holds_alternative<Skip>(result.outcome) && !result.error)
    result.error = "No browser is subscribed to receive the message.";
  result.destination_failed = !healthy_ && (down_ || any_failed());
}

// The status code of the worst result.
std::optional<int> PushResults::status_code() const {
  for (const auto wanted :
       {PushResult::failed, PushResult::refused, PushResult::delivered, PushResult::gone}) {
    for (const PushEntry& entry : entries_) {
      if (entry.result == wanted && entry.status_code) return entry.status_code;
    }
  }
  return std::nullopt;
}

}  // namespace waybill::actions
