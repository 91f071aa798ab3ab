#pragma once

#include <type_traits>

#include "storage/blocking/connection.hpp"
#include "storage/session/session_limits.hpp"

namespace waybill::worker {

/// Performs `work` with plans that walk indexes, and returns its result. It changes or joins rows of a table
/// that grows by orders of magnitude within seconds: a kept plan that was made while the table had few rows
/// would scan all of them for each of these rows. If `work` throws, the session keeps the settings; Duties
/// then drops it.
template <typename Work>
auto walk_indexes(storage::blocking::Connection& session, Work work) {
  session.execute(storage::index_walking_plans);
  if constexpr (std::is_void_v<decltype(work())>) {
    work();
    session.execute(storage::usual_plans);
  } else {
    auto result = work();
    session.execute(storage::usual_plans);
    return result;
  }
}

}  // namespace waybill::worker
