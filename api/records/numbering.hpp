#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>

#include "storage/statement/errors.hpp"

namespace waybill::api {

/// Awaits `write()`, which assigns a number (a SKU) if `assigns_number`. Another request may commit the same
/// number first: then one of `constraints` is violated, and the write is repeated with the next number, up to
/// three attempts.
template <typename Write>
std::invoke_result_t<Write> write_numbered(bool assigns_number, std::span<const std::string_view> constraints,
                                           Write write) {
  constexpr int attempts = 3;
  for (int attempt = 1;; ++attempt) {
    try {
      co_return co_await write();
    } catch (const storage::StatementError& error) {
      const bool is_number_taken =
          assigns_number && std::ranges::find(constraints, error.constraint()) != constraints.end();
      if (!is_number_taken || attempt == attempts) throw;
    }
  }
}

}  // namespace waybill::api
