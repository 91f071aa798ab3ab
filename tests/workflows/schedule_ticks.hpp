#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/tenant.hpp"

namespace waybill::tests {

/// Makes the next tick of a workflow's schedule one of the past. The workflow was on for a month, unless it
/// is not to be.
inline void make_tick_due(Tenant& tenant, const std::string& workflow, const std::string& ago = "1 minute",
                          bool was_on = true) {
  EXPECT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from schedules where workflow_id = $1 and next_at is not null",
                             {workflow}) == 1;
  }));
  if (was_on) {
    tenant.sql.exec("update workflows set active_since = now() - interval '30 days' where guid = '" +
                    workflow + "'");
  }
  tenant.sql.exec("update schedules set next_at = now() - interval '" + ago +
                  "', check_at = now() where workflow_id = '" + workflow + "'");
}

}  // namespace waybill::tests
