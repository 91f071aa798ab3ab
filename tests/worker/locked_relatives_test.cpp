// A locked table that events need does not keep the worker from its other work.
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

TEST(LockedRelatives, LeaveTheWorkerItsDueRuns) {
  World world;
  Receiver receiver;
  Tenant loud(world.waybill, "loud");
  Tenant quiet(world.waybill, "quiet");
  loud.webhook(receiver.url(loud.path()), "order_created");
  quiet.webhook(receiver.url(quiet.path()), "order_created");
  receiver.answer_next(quiet.path(), Reply{.status = 500});
  quiet.insert_order();
  ASSERT_EQ(receiver.wait_for(quiet.path(), 1).size(), 1U);
  Session holder = world.database.connect();
  holder.exec("begin; lock table customers in access exclusive mode");
  loud.insert_order();
  EXPECT_EQ(receiver.wait_for(quiet.path(), 2).size(), 2U) << "the retry";
  EXPECT_EQ(receiver.count(loud.path()), 0U) << "its event needs the table";
  holder.exec("rollback");
  EXPECT_EQ(receiver.wait_for(loud.path(), 1).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
