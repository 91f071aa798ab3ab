#pragma once

#include <utility>

namespace waybill::storage::blocking {

/// Throws the error of libpqxx that is being handled as the project's own: StatementError with its SQLSTATE
/// if the server refused a statement, DatabaseUnavailable if the session or the connection has ended, or if a
/// commit is in doubt. Rethrows everything else. Call it in a catch block.
[[noreturn]] void throw_translated();

/// The same for an error of connecting, which has the reason in its message.
[[noreturn]] void throw_not_connected();

/// Calls `call`, translating its errors.
template <typename Call>
decltype(auto) translated(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    throw_translated();
  }
}

}  // namespace waybill::storage::blocking
