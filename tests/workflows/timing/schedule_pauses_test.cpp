// Schedules whose workflow is changed while a query that takes too long is running.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// A schedule whose query does not end, and which had two ticks whose query took too long.
class SchedulePauses : public testing::Test {
 protected:
  SchedulePauses() {
    tenant.create_order();
    tenant.settle();
    tenant.sql.exec(
        "create or replace function source_kind(o orders) returns text language plpgsql as "
        "$$ begin perform pg_sleep(60); return 'api'; end $$");
    workflow = text_at(tenant.configure({{"name", "scheduled"},
                                         {"entityType", "Order"},
                                         {"schedule", {{"cron", "0 8 1 1 *"}}},
                                         {"query", {{"filter", "source/type eq 'api'"}}},
                                         {"action", {{"type", "webhook"}, {"recipient", receiver.url()}}}}),
                       "guid");
  }

  /// Begins the third query, and returns while the slow thread performs it: the quick one gives it half a
  /// second.
  void begin_third_query() {
    EXPECT_TRUE(eventually([&] { return has_next_tick(); })) << "its first plan forgets the timeouts";
    tenant.sql.rows("update schedules set timeouts = 2 where workflow_id = $1", {workflow});
    make_tick_due(tenant, workflow);
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from pg_stat_activity where datname = current_database() and "
                 "application_name = 'waybill schedules' and wait_event = 'PgSleep' and clock_timestamp() > "
                 "query_start + interval '1 s'") == 1;
    }));
  }
  void wait_for_its_end() {
    EXPECT_TRUE(eventually([&] { return ended_by("QUERY_TIMEOUT") && has_next_tick(); }, 30s));
  }
  bool ended_by(const std::string& code) {
    return tenant.sql.number("select count(*) from runs where workflow_id = $1 and code = $2",
                             {workflow, code}) == 1;
  }
  bool has_next_tick() {
    return tenant.sql.number("select count(*) from schedules where workflow_id = $1 and next_at > now()",
                             {workflow}) == 1;
  }
  bool is_paused() {
    return tenant.sql.number("select count(*) from workflows where guid = $1 and paused_reason is not null",
                             {workflow}) == 1;
  }
  void expect_run_of_next_tick() {
    tenant.sql.exec(
        "create or replace function source_kind(o orders) returns text language sql as $$ select 'api' $$");
    make_tick_due(tenant, workflow);
    EXPECT_TRUE(
        eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 1; }));
  }

  World world;
  Receiver receiver;
  Tenant tenant{world.waybill, "pauses"};
  std::string workflow;
};

TEST_F(SchedulePauses, TheThirdQueryThatTakesTooLongPausesTheWorkflow) {
  begin_third_query();
  EXPECT_TRUE(eventually([&] { return is_paused(); }, 30s));
  EXPECT_TRUE(ended_by("QUERY_TIMEOUT"));
}

TEST_F(SchedulePauses, AWorkflowThatIsResumedMeanwhileIsNotPausedAgain) {
  tenant.sql.rows("update workflows set paused_reason = 'a test', paused_at = now() where guid = $1",
                  {workflow});
  begin_third_query();
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  wait_for_its_end();
  EXPECT_TRUE(throughout([&] { return !is_paused(); }, 500ms));
  expect_run_of_next_tick();
}

TEST_F(SchedulePauses, AWorkflowThatIsChangedMeanwhileIsNotPaused) {
  begin_third_query();
  const auto changed =
      tenant.http.post("/api/workflows/configure", {{"guid", workflow}, {"name", "renamed"}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  wait_for_its_end();
  EXPECT_TRUE(throughout([&] { return !is_paused(); }, 500ms));
  expect_run_of_next_tick();
}

}  // namespace
}  // namespace waybill::tests
