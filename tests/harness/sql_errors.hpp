#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/harness/postgres.hpp"

namespace waybill::tests {

/// Performs SQL and returns the error of the server; an empty text if it succeeds.
inline std::string error_of(Session& session, std::string_view sql) {
  try {
    session.exec(sql);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace waybill::tests
