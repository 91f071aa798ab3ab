#pragma once

#include <string>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {

/// Waits for the end of the first turn of a business, which takes every pull that is due by then.
inline bool has_had_tracking_turn(Session& sql, const std::string& business) {
  return eventually([&] {
    return !sql.rows(
                   "select from tracking_lanes where business_id = $1 and swept_at is not null and "
                   "lease_owner is null",
                   {business})
                .empty();
  });
}

/// Makes the lane of a business due and wakes the workers; `change` sets further columns. Waits for the end
/// of a turn, which would overwrite the row. Returns false if it does not end, or no worker adds the lane.
inline bool give_tracking_turn(Session& sql, const std::string& business,
                               const std::string& change = "swept_at = swept_at") {
  return eventually([&] {
    return !sql.rows("update tracking_lanes set look_at = now(), " + change +
                         " where business_id = $1 and lease_owner is null "
                         "returning pg_notify('waybill_pulls', '')",
                     {business})
                .empty();
  });
}

}  // namespace waybill::tests
