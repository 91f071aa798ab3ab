// Workflows that were switched on while the clock of the database was ahead.
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using WrongSwitch = WorkflowTest;

TEST_F(WrongSwitch, InTheFutureLosesNeitherEventsNorTimers) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const std::string timer =
      text_at(tenant.configure({{"name", "timed"},
                                {"entityType", "Order"},
                                {"timer", {{"field", "createdAt"}, {"offset", "PT1S"}}},
                                {"action", {{"type", "webhook"}, {"recipient", url("timer")}}}}),
              "guid");
  tenant.sql.rows("update workflows set active_since = now() + interval '1 day' where business_id = $1",
                  {tenant.id});
  tenant.create_order();
  tenant.run_with_status(workflow, "succeeded");
  tenant.run_with_status(timer, "succeeded");
}

}  // namespace
}  // namespace waybill::tests
