#pragma once

#include <utility>

namespace waybill::storage::blocking {

/// Replaces the error of libpqxx that a catch block handles: throws StatementError with its SQLSTATE if the
/// server refused a statement, and DatabaseUnavailable if the session has ended, the connection is lost or a
/// commit is in doubt. Rethrows other errors.
[[noreturn]] void throw_translated();

/// The same for a failed attempt to connect: DatabaseUnavailable has the message, which says why.
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
