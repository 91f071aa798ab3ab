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

}  // namespace

Failure configuration_failure(const connectors::GatewayError& error, bool has_url) {
  std::string message = connectors::sentence_of(error.message());
  const bool may_pass =
      error.problem() == Problem::busy || (error.problem() == Problem::unreachable && !has_url);
  if (may_pass) {
    Failure failure(ErrorCode::unavailable,
                    "The gateway does not answer the checks; nothing is saved. " + message);
    if (!error.retry_after()) return failure;
    return std::move(failure).with_retry_after(std::chrono::ceil<std::chrono::seconds>(*error.retry_after()));
  }
  return {ErrorCode::configuration_error,
          "The carrier does not accept this configuration.",
          {{field_of(error.problem()), message.empty() ? "is refused" : std::move(message)}}};
}

}  // namespace waybill::api
