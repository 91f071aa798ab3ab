// Limits and rates while other sessions lock their rows, and the number of rows that are read when a run
// begins.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class LockedPacing : public WorkflowTest {
 protected:
  void insert_orders(int count) {
    tenant.sql.rows("insert into orders (business_id, order_number, notes) select '" + tenant.id +
                    "', 'SQL-' || gen_random_uuid(), 'x' from generate_series(1, " + std::to_string(count) +
                    ") n");
  }

  Session holder = world.database.connect();
};

TEST_F(LockedPacing, ALockedRateHoldsUpNoOtherWorkflow) {
  const json::object rate{{"perSecond", 100}};
  const std::string locked = tenant.webhook(url("locked"), "order_created", {{"rate", rate}});
  tenant.webhook(url("free"), "order_created", {{"rate", rate}});
  insert_orders(1);
  ASSERT_EQ(wait_for(1, "locked").size(), 1U);
  ASSERT_EQ(wait_for(1, "free").size(), 1U);
  holder.exec("begin; select from request_rates where workflow_id = '" + locked + "' for update");
  insert_orders(3);
  EXPECT_EQ(wait_for(4, "free").size(), 4U);
  EXPECT_EQ(receiver.count(tenant.path("locked")), 1U);
  holder.exec("rollback");
  EXPECT_EQ(wait_for(4, "locked").size(), 4U);
}

TEST_F(LockedPacing, ALockedRunOfALimitHoldsUpNoOthers) {
  const std::string workflow =
      tenant.webhook(url(), "order_created",
                     {{"limit", {{"by", "notes"}, {"count", 100}, {"per", "PT1H"}}}, {"delay", "PT3S"}});
  insert_orders(3);
  const auto runs = [&](const std::string& condition) {
    return tenant.sql.number("select count(*) from limited_runs where workflow_id = $1 and " + condition,
                             {workflow});
  };
  ASSERT_TRUE(eventually([&] { return runs("begun_at is null") == 3; }));
  holder.exec("begin; select from limited_runs where workflow_id = '" + workflow +
              "' order by run limit 1 for update");
  EXPECT_EQ(wait_for(2).size(), 2U);
  EXPECT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 2; }));
  EXPECT_EQ(runs("begun_at is null"), 1);
  holder.exec("rollback");
  EXPECT_EQ(wait_for(3).size(), 3U);
}

TEST_F(LockedPacing, AChangedWindowHoldsForARunThatAnotherSessionHadLocked) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"window", closed_window()}});
  insert_orders(2);
  const auto waiting = [&] {
    return tenant.sql.number("select count(*) from run_queue where workflow_id = $1 and code = 'WINDOW'",
                             {workflow}) == 2;
  };
  ASSERT_TRUE(eventually(waiting));
  holder.exec("begin; select from run_queue where workflow_id = '" + workflow +
              "' order by guid limit 1 for update");
  std::thread change([&] { tenant.configure({{"guid", workflow}, {"window", open_window()}}); });
  EXPECT_EQ(wait_for(1).size(), 1U) << "the other run does not wait for the lock";
  holder.exec("rollback");
  change.join();
  EXPECT_EQ(wait_for(2).size(), 2U);
}

TEST_F(LockedPacing, ARunThatIsLockedWhileItsWorkflowIsResumedIsReleasedAfterwards) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows("update workflows set paused_reason = 'a test', paused_at = now() where guid = $1",
                  {workflow});
  insert_orders(2);
  const auto held = [&] {
    return tenant.sql.number("select count(*) from run_queue where workflow_id = $1 and status = 'held'",
                             {workflow}) == 2;
  };
  ASSERT_TRUE(eventually(held));
  holder.exec("begin; select from run_queue where workflow_id = '" + workflow +
              "' order by guid limit 1 for update");
  EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(wait_for(1).size(), 1U);
  holder.exec("rollback");
  EXPECT_EQ(wait_for(2).size(), 2U);
}

/// The function that lets runs begin, called for runs of a workflow that does not exist.
class Beginnings : public WorkflowTest {
 protected:
  /// Adds a row for each number from `first` to `last`.
  void add_rows(int first, int last, const std::string& begun_at, const std::string& number) {
    tenant.sql.rows(
        "insert into limited_runs (business_id, run, workflow_id, value, begun_at, expires_at, number) "
        "select $1, " +
            run_of("n") + ", $1, 'x', " + begun_at + ", now() + interval '1 hour', " + number +
            " from generate_series($2::int, $3::int) n",
        {tenant.id, std::to_string(first), std::to_string(last)});
  }
  static std::string run_of(const std::string& number) {
    return "('00000000-0000-4000-8000-' || lpad(" + number + "::text, 12, '0'))::uuid";
  }
  bool begins(int run, int limit) {
    return tenant.sql.number(
               "select count(*) from begin_within_limits(array[$1::uuid], array[$1::uuid], array[" +
                   run_of(std::to_string(run)) + "], array[$2::int], array[interval '1 hour'])",
               {tenant.id, std::to_string(limit)}) == 0;
  }
};

TEST_F(Beginnings, ReadAFewRowsHoweverManyRunsHaveBegun) {
  constexpr int begun = 2000;
  add_rows(1, begun, "now() - interval '10 minutes' + n * interval '1 millisecond'", "n");
  add_rows(begun + 1, begun + 2, "null", "null");
  tenant.sql.exec("analyze limited_runs");
  tenant.sql.exec("begin");
  EXPECT_TRUE(begins(begun + 1, begun + 1));
  EXPECT_FALSE(begins(begun + 2, begun + 1));
  EXPECT_LT(
      tenant.sql.number("select coalesce(idx_tup_fetch, 0) + seq_tup_read from pg_stat_xact_user_tables "
                        "where relname = 'limited_runs'"),
      100);
  tenant.sql.exec("commit");
}

TEST_F(Beginnings, CountTheRunsThatBeganBeforeRunsWereNumbered) {
  add_rows(1, 2, "now() - interval '10 minutes' + n * interval '1 second'", "null");
  add_rows(3, 6, "null", "null");
  EXPECT_TRUE(begins(3, 3));
  EXPECT_FALSE(begins(4, 3));
  tenant.sql.rows(
      "update limited_runs set begun_at = begun_at - interval '1 hour' where business_id = $1 and number is "
      "null",
      {tenant.id});
  EXPECT_TRUE(begins(4, 3));
  EXPECT_TRUE(begins(5, 3));
  EXPECT_FALSE(begins(6, 3));
}

TEST_F(Beginnings, AreCountedAfterTheClockWasSetBack) {
  add_rows(1, 1, "now() + interval '10 minutes'", "1");
  add_rows(2, 3, "null", "null");
  EXPECT_TRUE(begins(2, 2));
  EXPECT_FALSE(begins(3, 2));
}

TEST_F(Beginnings, WorkersOfTheReleaseBeforeEndNoRunWhoseRowIsLocked) {
  add_rows(1, 1, "null", "null");
  Session holder = world.database.connect();
  holder.exec("begin");
  holder.rows("select from limited_runs where business_id = $1 for update", {tenant.id});
  EXPECT_THROW(
      tenant.sql.number("select count(*) from begin_limited_runs(array[$1::uuid], array[$1::uuid], array[" +
                            run_of("1") + "], array[1], array[interval '1 hour'])",
                        {tenant.id}),
      std::runtime_error);
}

}  // namespace
}  // namespace waybill::tests
