#include "storage/sql/schedules.sql.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

class ScheduleRows : public WorkerDatabase {
 protected:
  void remove(const Guid& workflow) {
    storage::Session session(database_.url(), "test");
    session.run(storage::sql::schedules::Remove{.business = business_, .workflow = workflow});
  }
  std::int64_t count() { return database_.number("select count(*) from schedules"); }

  const Guid workflow_ = add_workflow(R"(schedule:order:{"cron":"0 9 * * *"})");
};

// A claim during the change of a schedule can lock the new row and still see the workflow as it was before
// the change.
TEST_F(ScheduleRows, AreNotRemovedWhileTheyHaveThePlanOfTheirWorkflow) {
  ASSERT_EQ(count(), 1);
  remove(workflow_);
  EXPECT_EQ(count(), 1);
}

TEST_F(ScheduleRows, AreRemovedWithTheScheduleOfTheirWorkflow) {
  database_.exec("update workflows set trigger_code = 'order_created' where guid = '" +
                 workflow_.to_string() + "'");
  remove(workflow_);
  EXPECT_EQ(count(), 0);
}

TEST_F(ScheduleRows, AreRemovedWithTheirWorkflow) {
  database_.exec("update workflows set deleted_at = now() where guid = '" + workflow_.to_string() + "'");
  remove(workflow_);
  EXPECT_EQ(count(), 0);
}

}  // namespace
}  // namespace waybill::tests
