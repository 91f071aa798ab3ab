#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// Runs a write that assigns a number (of an order, or a SKU) if `assigns_number`. Another request may commit
/// the same number first: then one of `constraints` is violated, and the write is repeated with the next
/// number, up to three attempts.
asio::awaitable<storage::Rows> write_numbered(Services& services, const storage::Statement& statement,
                                              storage::Params params, storage::Cause cause,
                                              bool assigns_number,
                                              std::span<const std::string_view> constraints);
template <storage::TypedStatement S>
asio::awaitable<storage::ResultOf<S>> write_numbered(Services& services, const S& statement,
                                                     storage::Cause cause, bool assigns_number,
                                                     std::span<const std::string_view> constraints) {
  auto rows = write_numbered(services, S::statement, statement.params(), std::move(cause), assigns_number,
                             constraints);
  if constexpr (storage::HasRow<S>) {
    return storage::typed_rows<S>(std::move(rows));
  } else {
    return rows;
  }
}

}  // namespace waybill::api
