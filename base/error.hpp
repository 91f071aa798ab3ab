#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waybill {

/// All error codes of the API; `http_status` and `code_text` map them.
enum class ErrorCode {
  validation_error,
  configuration_error,
  unauthorized,
  forbidden,
  not_found,
  method_not_allowed,
  conflict,
  payload_too_large,
  unsupported_media_type,
  rate_limited,
  internal_error,
  unavailable,
};

int http_status(ErrorCode code);
std::string_view code_text(ErrorCode code);

/// One entry of `details`: the field's name as the caller wrote it (`items[2].quantity`, `$filter`) and the
/// error.
struct FieldError {
  std::string field;
  std::string message;
  bool operator==(const FieldError&) const = default;
};

using FieldErrors = std::vector<FieldError>;

/// The most entries of `details`: without a bound, an answer could be many times as long as its request.
inline constexpr std::size_t most_field_errors = 1'000;

/// The reason for which a request is refused. Validation and handlers throw it before they change anything;
/// api/gate/errors.cpp turns it into an answer.
class Failure : public std::exception {
 public:
  Failure(ErrorCode code, std::string message, FieldErrors details = {})
      : code_(code), message_(std::move(message)), details_(std::move(details)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const FieldErrors& details() const { return details_; }
  /// The wait after which a retry may succeed; nullopt if that is unknown or follows from the code.
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
  Failure&& with_retry_after(std::chrono::seconds wait) && {
    retry_after_ = wait;
    return std::move(*this);
  }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
  FieldErrors details_;
  std::optional<std::chrono::seconds> retry_after_;
};

/// 400 VALIDATION_ERROR with these details; those beyond `most_field_errors` are left out.
Failure invalid(FieldErrors details);
/// 400 VALIDATION_ERROR with one detail.
Failure invalid(std::string field, std::string message);
/// 404 NOT_FOUND; `kind` is the kind of record, such as "order".
Failure not_found(std::string_view kind);
/// 409 CONFLICT.
Failure conflict(std::string message);

}  // namespace waybill
