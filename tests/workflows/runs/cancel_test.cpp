#include <memory>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class Cancel : public WorkflowTest {
 protected:
  Response cancel(std::string_view run) {
    return tenant.http.post("/api/workflows/runs/" + std::string(run) + "/cancel");
  }
};

TEST_F(Cancel, AnOpenRunEndsAsSkippedAndTheLedgerBalances) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "waiting"), "guid");
  const auto answer = cancel(run);
  EXPECT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(at(answer.data(), "status"), "skipped");
  const json::object ended = tenant.run(run);
  EXPECT_EQ(text_at(ended, "status"), "skipped");
  EXPECT_EQ(text_at(ended, "code"), "CANCELLED");
  EXPECT_FALSE(ended.at("finishedAt").is_null());
  EXPECT_EQ(cancel(run).status, 409);
  EXPECT_EQ(cancel("00000000-0000-4000-8000-000000000000").status, 404);
  EXPECT_EQ(tenant.runs("status=skipped").size(), 1U);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http.post("/api/workflows/runs/" + run + "/cancel").status, 404);
}

TEST_F(Cancel, AHeldRunStaysCancelledWhenItsWorkflowIsResumed) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {workflow});
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "held"), "guid");
  ASSERT_EQ(cancel(run).status, 200);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  EXPECT_EQ(text_at(tenant.run(run), "status"), "skipped");
}

TEST_F(Cancel, ARunThatIsBeingPerformedHasOneFinalStatus) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path(), Reply::after(gate));
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "running"), "guid");
  EXPECT_EQ(cancel(run).status, 200);
  gate->open();
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.settle();
  EXPECT_EQ(text_at(tenant.run(run), "code"), "CANCELLED");
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where guid = $1", {run}), 1);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

}  // namespace
}  // namespace waybill::tests
