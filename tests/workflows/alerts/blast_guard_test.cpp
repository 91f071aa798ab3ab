#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// Limits under which a few firings are many.
class BlastGuard : public testing::Test {
 protected:
  static Waybill::Options guarded(std::string factor, std::string minimum) {
    Waybill::Options options;
    options.arguments = {"--blast-guard-factor", std::move(factor), "--blast-guard-minimum",
                         std::move(minimum)};
    return options;
  }

  static void insert_orders(Tenant& tenant, int count) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number) select $1, gen_random_uuid() from "
        "generate_series(1, $2::int)",
        {tenant.id, std::to_string(count)});
    tenant.settle();
  }
  static std::size_t count(Tenant& tenant, const std::string& workflow, std::string_view status) {
    return tenant.runs("workflowId=" + workflow + "&status=" + std::string(status)).size();
  }

  Receiver receiver;
};

TEST_F(BlastGuard, PausesBeyondTheMinimumAndHoldsTheRemainingRuns) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "burst");
  tenant.sql.rows("update businesses set email = 'ops@burst.example' where guid = $1", {tenant.id});
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  const std::string other = tenant.webhook(receiver.url("/other"), "order_updated");
  insert_orders(tenant, 20);
  EXPECT_EQ(receiver.wait_for("/hook", 20).size(), 20U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");

  insert_orders(tenant, 5);
  const json::object paused = tenant.workflow(workflow);
  EXPECT_EQ(text_at(paused, "status"), "paused");
  EXPECT_NE(text_at(paused, "pausedReason").find("it fired 21 times within a minute"), std::string::npos);
  EXPECT_EQ(text_at(tenant.workflow(other), "status"), "active");
  EXPECT_TRUE(world.waybill.process().wait_for_line("workflow.paused"));
  insert_orders(tenant, 1);
  EXPECT_EQ(count(tenant, workflow, "held"), 6U);
  EXPECT_EQ(receiver.count("/hook"), 20U);
  // The mail was sent with the pause.
  EXPECT_TRUE(world.waybill.process().wait_for_line("mail.written"));

  // A user who resumes has seen the warning, so the count starts again.
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(receiver.wait_for("/hook", 26).size(), 26U);
  insert_orders(tenant, 20);
  EXPECT_EQ(receiver.wait_for("/hook", 46).size(), 46U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");

  EXPECT_EQ(world.waybill.stop(), 0);
  EXPECT_EQ(
      world.database.number("select sum(count) from workflow_firings where workflow_id = $1", {workflow}), 40)
      << "held runs do not count as firings, in any split into batches";
  EXPECT_EQ(
      world.database.number("select sum(held) from workflow_firings where workflow_id = $1", {workflow}), 6);
  EXPECT_EQ(
      world.database.number("select sum(orders) from matched_events where business_id = $1", {tenant.id}),
      46);
}

TEST_F(BlastGuard, WatchesTheRecordsOfASchedule) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "scheduled");
  insert_orders(tenant, 25);
  const std::string workflow =
      text_at(tenant.configure({{"name", "scheduled"},
                                {"entityType", "Order"},
                                {"schedule", {{"cron", "0 8 1 1 *"}}},
                                {"each", true},
                                {"action", {{"type", "webhook"}, {"recipient", receiver.url("/each")}}}}),
              "guid");
  make_tick_due(tenant, workflow);
  EXPECT_TRUE(eventually([&] { return text_at(tenant.workflow(workflow), "status") == "paused"; }));
  // The first twenty are queued when the pause begins, which holds those that have not begun.
  EXPECT_TRUE(eventually([&] { return count(tenant, workflow, "held") + receiver.count("/each") == 25; }));
  EXPECT_LE(receiver.count("/each"), 20U);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_EQ(receiver.wait_for("/each", 25).size(), 25U);
}

TEST_F(BlastGuard, AWorkflowMayFireAHundredTimesItsRate) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "usual");
  const std::string fired = tenant.webhook(receiver.url("/fired"), "order_created");
  const std::string expected = tenant.webhook(receiver.url("/expected"), "order_created");
  // 5 040 firings in a week are 0.5 a minute; a hundred times that is 50.
  tenant.sql.rows("insert into workflow_firings values ($1, $2, now() - interval '6 days', 5040)",
                  {tenant.id, fired});
  tenant.sql.rows("update workflow_health set expected_weekly = 5040 where workflow_id = $1", {expected});
  insert_orders(tenant, 50);
  EXPECT_EQ(receiver.wait_for("/fired", 50).size(), 50U);
  EXPECT_EQ(receiver.wait_for("/expected", 50).size(), 50U);
  insert_orders(tenant, 1);
  for (const std::string& workflow : {fired, expected}) {
    EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
    EXPECT_EQ(count(tenant, workflow, "held"), 1U);
  }
}

TEST_F(BlastGuard, AFiringRateOlderThanAWeekIsIgnored) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "stale");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.sql.rows("insert into workflow_firings values ($1, $2, now() - interval '7 days 1 hour', 5040)",
                  {tenant.id, workflow});
  insert_orders(tenant, 21);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
}

TEST_F(BlastGuard, ConfiguringStoresTheExpectedFiringRate) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "configured");
  insert_orders(tenant, 7);
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  EXPECT_EQ(
      tenant.sql.number("select expected_weekly from workflow_health where workflow_id = $1", {workflow}), 7);
}

TEST_F(BlastGuard, ABacklogIsCountedByTheTimesOfItsEvents) {
  World world(guarded("100", "20"));
  Tenant tenant(world.waybill, "backlog");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
  tenant.sql.rows("update workflows set active_since = now() - interval '1 day' where guid = $1", {workflow});
  // Matched at once, although one was created every ten seconds.
  tenant.sql.exec("begin");
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, gen_random_uuid() from "
      "generate_series(1, 60)",
      {tenant.id});
  tenant.sql.rows(
      "with numbered as (select id, at as was, row_number() over (order by id) as n from events "
      "where business_id = $1), moved as (update events e set at = now() - interval '15 minutes' + "
      "n.n * interval '10 seconds' from numbered n where e.id = n.id and e.at = n.was returning e.id, e.at) "
      "update pending_events p set at = m.at from moved m where p.id = m.id",
      {tenant.id});
  tenant.sql.exec("commit");
  EXPECT_EQ(receiver.wait_for("/hook", 60).size(), 60U);
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
}

TEST_F(BlastGuard, ZeroDisablesTheGuard) {
  for (const auto& [factor, minimum] : {std::pair("0", "20"), std::pair("100", "0")}) {
    World world(guarded(factor, minimum));
    Tenant tenant(world.waybill, "unguarded");
    const std::string workflow = tenant.webhook(receiver.url("/hook"), "order_created");
    insert_orders(tenant, 60);
    EXPECT_EQ(count(tenant, workflow, "held"), 0U);
    EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
  }
}

}  // namespace
}  // namespace waybill::tests
