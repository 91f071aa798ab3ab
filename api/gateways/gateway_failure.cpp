#include "api/gateways/gateway_failure.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace waybill::api {
namespace {

using Problem = connectors::GatewayError::Problem;

const char* field_of(Problem problem) {
  switch (problem) {
    case Problem::mode:
      return "testMode";
    case Problem::unreachable:
      return "apiUrl";
    case Problem::account:
      return "accountNumber";
    default:
      return "apiKey";
  }
}

Failure unavailable(std::string message, const connectors::GatewayError& error) {
  Failure failure(ErrorCode::unavailable, std::move(message));
  if (!error.retry_after()) return failure;
  return std::move(failure).with_retry_after(std::chrono::ceil<std::chrono::seconds>(*error.retry_after()));
}

}  // namespace

Failure configuration_failure(const connectors::GatewayError& error, bool has_url) {
  std::string message = connectors::sentence_of(error.message());
  const bool may_pass =
      error.problem() == Problem::busy || (error.problem() == Problem::unreachable && !has_url);
  if (may_pass)
    return unavailable("The gateway does not answer the checks; nothing is saved. " + message, error);
  return {ErrorCode::configuration_error,
          "The carrier does not accept this configuration.",
          {{field_of(error.problem()), message.empty() ? "is refused" : std::move(message)}}};
}

Failure tracking_failure(const connectors::GatewayError& error) {
  std::string message = "The gateway does not tell the scans. " + connectors::sentence_of(error.message());
  const bool may_pass = error.problem() == Problem::busy || error.problem() == Problem::unreachable;
  return may_pass ? unavailable(std::move(message), error) : conflict(std::move(message));
}

}  // namespace waybill::api
