// Ends all open runs that a request selects.
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixtures/jobs.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class CancelOfARange : public WorkflowTest {
 protected:
  Response cancel(const json::object& body, const Headers& headers = {}) {
    return tenant.http.post("/api/workflows/cancel", body, headers);
  }
  std::int64_t cancelled(const json::object& body, const Headers& headers = {}) {
    const Response response = cancel(body, headers);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.status == 200 ? at(response.body, "data.runs").as_int64() : -1;
  }
  /// A workflow with `count` waiting runs.
  std::string waiting(int count) {
    const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
    for (int i = 0; i < count; ++i) tenant.insert_order();
    EXPECT_TRUE(eventually([&] { return open(workflow) == count; }));
    tenant.sql.rows("update workflows set is_active = false where guid = $1", {workflow});
    return workflow;
  }
  /// Queues waiting runs of a workflow that may not exist.
  void queue(const std::string& workflow, int count) {
    tenant.sql.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, destination, request) "
        "select $1, timed_guid(clock_timestamp()), $2, 1, n, 0, $2, 'order_created', 'webhook', 'waiting', "
        "now(), now() + interval '1 day', $2, '', '{}' from generate_series(1, $3::int) n",
        {tenant.id, workflow, std::to_string(count)});
  }
  std::int64_t open(const std::string& workflow) {
    return tenant.sql.number("select count(*) from run_queue where workflow_id = $1", {workflow});
  }
  std::int64_t ended(const std::string& workflow) {
    return tenant.sql.number(
        "select count(*) from runs where workflow_id = $1 and status = 'skipped' and code = 'CANCELLED'",
        {workflow});
  }
};

TEST_F(CancelOfARange, EndsTheOpenRunsOfAWorkflowAndAPlanOnlyCountsThem) {
  const std::string first = waiting(3);
  const std::string second = waiting(2);
  EXPECT_EQ(cancelled({{"plan", true}}), 5);
  EXPECT_EQ(cancelled({{"plan", true}, {"workflowId", first}}), 3);
  EXPECT_EQ(open(first), 3);
  EXPECT_EQ(cancelled({{"workflowId", first}}), 3);
  EXPECT_EQ(ended(first), 3);
  EXPECT_EQ(open(first), 0);
  EXPECT_EQ(open(second), 2);
  for (const json::object& run : tenant.runs("workflowId=" + first))
    EXPECT_FALSE(run.at("finishedAt").is_null());
  EXPECT_EQ(cancelled({{"workflowId", first}}), 0);
  EXPECT_EQ(cancelled({}), 2);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

TEST_F(CancelOfARange, SelectsRunsByStatusAndTimeOfCreation) {
  const std::string workflow = waiting(3);
  tenant.sql.rows(
      "update run_queue set created_at = '2026-01-02T12:00:00Z' where guid = (select guid from run_queue "
      "where workflow_id = $1 order by guid limit 1)",
      {workflow});
  EXPECT_EQ(cancelled({{"status", "held"}}), 0);
  EXPECT_EQ(cancelled({{"plan", true}, {"status", "waiting"}}), 3);
  EXPECT_EQ(cancelled({{"from", "2999-01-01T00:00:00Z"}}), 0);
  EXPECT_EQ(cancelled({{"to", "2026-01-01"}}), 0);
  EXPECT_EQ(cancelled({{"plan", true}, {"from", "2026-01-02"}, {"to", "2026-01-02"}}), 1);
  EXPECT_EQ(cancelled({{"from", "2026-01-02T12:00:00Z"}, {"to", "2026-01-02T12:00:00Z"}}), 1);
  EXPECT_EQ(open(workflow), 2);
  EXPECT_EQ(cancelled({{"status", "waiting"}}), 2);
}

TEST_F(CancelOfARange, LeavesFinishedRunsAndThoseOfOtherBusinesses) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(workflow, "succeeded"), "guid");
  const std::string others = waiting(1);
  Tenant other(world.waybill, test_name() + ", another business");
  const auto answer = other.http.post("/api/workflows/cancel", json::object());
  EXPECT_EQ(at(answer.body, "data.runs"), 0) << answer.text;
  EXPECT_EQ(other.http.post("/api/workflows/cancel", {{"workflowId", others}}).status, 404);
  EXPECT_EQ(open(others), 1);
  EXPECT_EQ(cancelled({}), 1);
  EXPECT_EQ(text_at(tenant.run(run), "status"), "succeeded");
}

TEST_F(CancelOfARange, BadRequestsAreRefused) {
  const auto bad_fields = [&](const json::object& body) {
    const Response response = cancel(body);
    EXPECT_EQ(response.status, 400) << response.text;
    std::vector<std::string> names;
    for (const auto& [name, text] : response.details()) names.emplace_back(name);
    return names;
  };
  EXPECT_THAT(bad_fields({{"workflowId", "x"}}), ElementsAre("workflowId"));
  EXPECT_THAT(bad_fields({{"status", "dead"}}), ElementsAre("status"));
  EXPECT_THAT(bad_fields({{"from", "yesterday"}}), ElementsAre("from"));
  EXPECT_THAT(bad_fields({{"from", "2026-01-02"}, {"to", "2026-01-01"}}), ElementsAre("from"));
  EXPECT_THAT(bad_fields({{"workflow", tenant.id}}), ElementsAre("workflow"));
  EXPECT_EQ(cancel({{"workflowId", tenant.id}}).status, 404);
  EXPECT_EQ(cancel({{"workflowId", tenant.id}, {"plan", true}}).status, 404);
}

TEST_F(CancelOfARange, ManyRunsEndInPortionsOnceForAnIdempotencyKey) {
  const std::string workflow = waiting(0);
  queue(workflow, 2'500);
  const Headers key{{"Idempotency-Key", "once"}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cancelled({{"workflowId", workflow}}, key), 2'500);
  EXPECT_EQ(ended(workflow), 2'500);
  queue(workflow, 2'000);  // the last portion is full
  EXPECT_EQ(cancelled({{"workflowId", workflow}}), 2'000);
  EXPECT_EQ(ended(workflow), 4'500);
  EXPECT_EQ(tenant.sql.number("select sum(runs) from run_counts where workflow_id = $1 and unit = 'day' and "
                              "status = 'skipped'",
                              {workflow}),
            4'500);
}

TEST_F(CancelOfARange, BeyondTheLimitIs400AndEndsNothingButAJobEndsAll) {
  const std::string workflow = waiting(0);
  queue(workflow, 100'001);
  const Response response = cancel({{"workflowId", workflow}});
  EXPECT_EQ(response.status, 400) << response.text;
  EXPECT_TRUE(response.details().contains("from"));
  EXPECT_EQ(open(workflow), 100'001);
  EXPECT_EQ(cancelled({{"plan", true}}), 100'001);
  tenant.sql.exec("delete from run_queue where workflow_id = '" + workflow +
                  "' and guid > (select guid from run_queue where workflow_id = '" + workflow +
                  "' order by guid offset 2500 limit 1)");
  const auto job = accepted(cancel({{"workflowId", workflow}}, as_job));
  EXPECT_EQ(at(result_of(tenant.http, job), "runs"), 2'501);
  EXPECT_EQ(at(tenant.http.get(job_path(job)).data(), "kind"), "cancel");
  EXPECT_EQ(ended(workflow), 2'501);
  error_of(tenant.http, accepted(cancel({{"workflowId", tenant.id}}, as_job)), "NOT_FOUND");
}

TEST_F(CancelOfARange, AJobLeavesTheRunsThatAreCreatedAfterItsCall) {
  const std::string workflow = waiting(1);
  tenant.sql.rows("update run_queue set created_at = now() + interval '1 hour' where workflow_id = $1",
                  {workflow});
  EXPECT_EQ(at(result_of(tenant.http, accepted(cancel({}, as_job))), "runs"), 0);
  EXPECT_EQ(cancelled({}), 1);
}

TEST_F(CancelOfARange, TheNextRunOfAnOrderedWorkflowFollows) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path(), Reply::after(gate));
  const std::string workflow = tenant.webhook(url(), "order_updated", {{"ordered", true}});
  const std::string order = tenant.insert_order();
  for (const char* const notes : {"a", "b", "c"})
    tenant.update_orders("notes = '" + std::string(notes) + "' where guid = '" + order + "'");
  wait_for(1);
  ASSERT_TRUE(eventually([&] { return open(workflow) == 3; }));
  EXPECT_EQ(cancelled({{"status", "running"}}), 1);
  const auto received = wait_for(3);
  ASSERT_EQ(received.size(), 3U);
  EXPECT_EQ(text_at(received.back().json_body(), "data.entity.notes"), "c");
  gate->open();
  tenant.settle();
  EXPECT_EQ(ended(workflow), 1);
}

TEST_F(CancelOfARange, ARunThatChangesAtTheSameTimeIsJudgedAsItIsThen) {
  const std::string workflow = waiting(2);
  const std::string first =
      tenant.sql.value("select guid from run_queue where workflow_id = $1 order by guid limit 1", {workflow});
  Session other(world.database.url());
  other.exec("begin; update run_queue set status = 'held' where guid = '" + first + "'");
  std::int64_t ended_runs = 0;
  std::thread call([&] { ended_runs = cancelled({{"status", "waiting"}}); });
  EXPECT_TRUE(eventually([&] { return other.blocks_others(tenant.sql); }));
  other.exec("commit");
  call.join();
  EXPECT_EQ(ended_runs, 1);
  EXPECT_EQ(tenant.sql.value("select status from run_queue where workflow_id = $1", {workflow}), "held");
}

}  // namespace
}  // namespace waybill::tests
