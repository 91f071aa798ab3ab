#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waybill::api {

/// A refusal as it goes out.
struct ErrorAnswer {
  int status;
  std::string body;  // {"success":false,"error":{...}}
  std::optional<std::chrono::seconds> retry_after = {};
  std::string fault = {};  // what the operator has to see; empty when the caller alone is concerned
};

ErrorAnswer error_answer(const Failure& failure);

/// The one place where what handlers throw becomes an answer: Failure as it says; a violated constraint 409,
/// 404 or 400; a database that is away, overloaded or out of time 503; all else 500, which names nothing but
/// the request.
ErrorAnswer error_answer(const std::exception_ptr& thrown, std::string_view request_id);

}  // namespace waybill::api
