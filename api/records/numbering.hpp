#pragma once

#include <span>
#include <string_view>

#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// A write that draws a number (an order's, a SKU's) unless one was given. Another request may take by hand
/// what was drawn, before either commits: then one of `constraints` is violated, and the write is made again
/// with the next number.
asio::awaitable<storage::Rows> write_drawing(Services& services, const storage::Statement& statement,
                                             storage::Params params, storage::Cause cause, bool draws,
                                             std::span<const std::string_view> constraints);

}  // namespace waybill::api
