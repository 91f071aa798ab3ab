#include "base/error.hpp"

#include <array>

namespace waybill {
namespace {

struct ErrorRow {
  ErrorCode code;
  int status;
  std::string_view text;
};

constexpr auto error_rows = std::to_array<ErrorRow>({
    {ErrorCode::validation_error, 400, "VALIDATION_ERROR"},
    {ErrorCode::configuration_error, 400, "CONFIGURATION_ERROR"},
    {ErrorCode::unauthorized, 401, "UNAUTHORIZED"},
    {ErrorCode::forbidden, 403, "FORBIDDEN"},
    {ErrorCode::not_found, 404, "NOT_FOUND"},
    {ErrorCode::method_not_allowed, 405, "METHOD_NOT_ALLOWED"},
    {ErrorCode::conflict, 409, "CONFLICT"},
    {ErrorCode::payload_too_large, 413, "PAYLOAD_TOO_LARGE"},
    {ErrorCode::unsupported_media_type, 415, "UNSUPPORTED_MEDIA_TYPE"},
    {ErrorCode::rate_limited, 429, "RATE_LIMITED"},
    {ErrorCode::internal_error, 500, "INTERNAL_ERROR"},
    {ErrorCode::unavailable, 503, "UNAVAILABLE"},
});

constexpr bool rows_are_indexed_by_code() {
  for (std::size_t i = 0; i < error_rows.size(); ++i) {
    if (static_cast<std::size_t>(error_rows[i].code) != i) return false;
  }
  return true;
}
static_assert(rows_are_indexed_by_code());

}  // namespace

int http_status(ErrorCode code) { return error_rows.at(static_cast<std::size_t>(code)).status; }

std::string_view code_text(ErrorCode code) { return error_rows.at(static_cast<std::size_t>(code)).text; }

Failure invalid(FieldErrors details) {
  if (details.size() > most_field_errors) details.resize(most_field_errors);
  return {ErrorCode::validation_error, "The request is not valid.", std::move(details)};
}

Failure invalid(std::string field, std::string message) {
  return invalid(FieldErrors{{std::move(field), std::move(message)}});
}

Failure not_found(std::string_view kind) {
  return {ErrorCode::not_found, "There is no such " + std::string(kind) + "."};
}

Failure conflict(std::string message) { return {ErrorCode::conflict, std::move(message)}; }

}  // namespace waybill
