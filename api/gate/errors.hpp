#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waybill::api {

/// The answer to a refused or failed request.
struct ErrorAnswer {
  int status;
  std::string body;  // {"success":false,"error":{...}}
  std::optional<std::chrono::seconds> retry_after = {};
  std::string fault = {};     // for the operator; empty if only the caller is concerned
  bool is_disk_full = false;  // disk of the database
};

ErrorAnswer error_answer(const Failure& failure);

/// Maps what handlers throw to an answer: a Failure to its own status; a violated constraint to 409, 404 or
/// 400; a database that is unreachable, overloaded, full or too slow to 503; anything else to 500, which
/// names only the request.
ErrorAnswer error_answer(const std::exception_ptr& thrown, std::string_view request_id);

}  // namespace waybill::api
