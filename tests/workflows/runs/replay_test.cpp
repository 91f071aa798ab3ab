#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class ReplayOfARange : public WorkflowTest {
 protected:
  Response replay(json::object body, const Headers& headers = {}) {
    if (!body.contains("workflowId")) body["workflowId"] = workflow;
    return tenant.http.post("/api/workflows/replay", body, headers);
  }
  std::int64_t replayed(const json::object& body) {
    const Response response = replay(body);
    EXPECT_EQ(response.status, 200) << response.text;
    return at(response.body, "data.runs").as_int64();
  }
  std::vector<json::object> finished(std::size_t count) {
    std::vector<json::object> runs;
    EXPECT_TRUE(eventually([&] {
      runs = tenant.runs("workflowId=" + workflow);
      return runs.size() == count &&
             std::ranges::none_of(runs, [](const auto& run) { return run.at("finishedAt").is_null(); });
    }));
    return runs;
  }

  std::string workflow = tenant.webhook(url(), "order_created");
};

TEST_F(ReplayOfARange, SendsEachFinishedRunAgainAsANewRunThatNamesItsOriginal) {
  for (int i = 0; i < 3; ++i) tenant.insert_order();
  const auto originals = finished(3);
  EXPECT_EQ(replayed({}), 3);
  const auto received = wait_for(6);
  std::set<std::string> ids;
  for (const Received& request : received) ids.insert(request.header("webhook-id"));
  EXPECT_EQ(ids.size(), 3U);
  std::set<std::string> wanted;
  std::set<std::string> origins;
  for (const json::object& run : originals) wanted.insert(text_at(run, "guid"));
  for (const json::object& run : finished(6)) {
    if (!run.at("replayOf").is_null()) origins.insert(text_at(run, "replayOf"));
  }
  EXPECT_EQ(origins, wanted);
  EXPECT_EQ(replayed({}), 3) << "replays are not replayed";
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("matched"), 3);
}

TEST_F(ReplayOfARange, AnOrderedWorkflowKeepsTheOrderOfEachRecord) {
  workflow = tenant.webhook(url(), "order_updated", {{"ordered", true}});
  const std::string order = tenant.insert_order();
  constexpr int changes = 20;
  for (int i = 0; i < changes; ++i)
    tenant.update_orders("notes = '" + std::to_string(i) + "' where guid = '" + order + "'");
  finished(changes);
  EXPECT_EQ(replayed({}), changes);
  const auto received = wait_for(1 + 2 * changes);  // including the run of order_created
  std::vector<int> notes;
  for (const Received& request : received) {
    const json::value body = request.json_body();
    if (text_at(body, "type") == "order_updated")
      notes.push_back(std::stoi(text_at(body, "data.entity.notes")));
  }
  ASSERT_EQ(notes.size(), 2U * changes);
  EXPECT_TRUE(std::is_sorted(notes.begin(), notes.begin() + changes));
  EXPECT_TRUE(std::is_sorted(notes.begin() + changes, notes.end())) << testing::PrintToString(notes);
}

TEST_F(ReplayOfARange, SelectsRunsByTimeAndStatus) {
  receiver.answer_next(tenant.path(), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  tenant.insert_order();
  finished(1);
  tenant.insert_order();
  finished(2);
  EXPECT_EQ(replayed({{"status", "skipped"}}), 0);
  EXPECT_EQ(replayed({{"to", "2020-01-01"}}), 0);
  EXPECT_EQ(replayed({{"from", "2999-01-01T00:00:00Z"}}), 0);
  EXPECT_EQ(replayed({{"status", "dead"}, {"from", "2020-01-01"}, {"to", "2999-12-31"}}), 1);
  EXPECT_EQ(finished(3).size(), 3U);
}

TEST_F(ReplayOfARange, IsPerformedOnceForAnIdempotencyKey) {
  tenant.insert_order();
  finished(1);
  const Headers key{{"Idempotency-Key", "once"}};
  for (int i = 0; i < 2; ++i) {
    const Response response = replay({}, key);
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(at(response.body, "data.runs"), 1);
  }
  EXPECT_EQ(finished(2).size(), 2U);
}

TEST_F(ReplayOfARange, BadRequestsAreRefused) {
  const auto bad_fields = [&](const json::object& body) {
    const Response response = tenant.http.post("/api/workflows/replay", body);
    EXPECT_EQ(response.status, 400) << response.text;
    std::vector<std::string> names;
    for (const auto& [name, text] : response.details()) names.emplace_back(name);
    return names;
  };
  EXPECT_THAT(bad_fields({{"workflowId", "x"}}), ElementsAre("workflowId"));
  EXPECT_THAT(bad_fields({{"workflowId", workflow}, {"status", "queued"}}), ElementsAre("status"));
  EXPECT_THAT(bad_fields({{"workflowId", workflow}, {"from", "yesterday"}}), ElementsAre("from"));
  EXPECT_EQ(replay({{"workflowId", "00000000-0000-4000-8000-000000000000"}}).status, 404);
  Tenant other_business(world.waybill, test_name() + ", another business");
  EXPECT_EQ(other_business.http.post("/api/workflows/replay", {{"workflowId", workflow}}).status, 404);
  EXPECT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  EXPECT_EQ(replay({}).status, 404);
}

TEST_F(ReplayOfARange, BeyondTheLimitIs400AndQueuesNothingButAPlanCountsAll) {
  tenant.insert_order();
  finished(1);
  tenant.sql.exec(
      "insert into runs select business_id, timed_guid(now()), workflow_id, workflow_version, event_id, "
      "entity_type, "
      "entity_id, trigger_code, action, status, code, error, attempts, created_at, finished_at, origin, "
      "replay_of, "
      "destination, request, body, tries from runs, generate_series(1, 100000) where workflow_id = '" +
      workflow + "'");
  const Response response = replay({});
  EXPECT_EQ(response.status, 400) << response.text;
  EXPECT_TRUE(response.details().contains("from"));
  EXPECT_EQ(tenant.sql.number(
                "select count(*) from all_runs where workflow_id = $1 and replay_of is not null", {workflow}),
            0);
  EXPECT_EQ(replayed({{"plan", true}}), 100'001);
  EXPECT_EQ(replayed({{"plan", true}, {"status", "succeeded"}, {"from", "2020-01-01"}}), 100'001);
  EXPECT_EQ(replayed({{"plan", true}, {"to", "2020-01-01"}}), 0);
  EXPECT_EQ(replay({{"plan", true}, {"workflowId", tenant.id}}).status, 404);
}

TEST_F(ReplayOfARange, BeyondTheOpenRunsOfTheBusinessIs409AndQueuesNothing) {
  tenant.insert_order();
  finished(1);
  tenant.sql.exec(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, trigger_code, action, status, created_at, due_at, origin, destination, request) "
      "select business_id, gen_random_uuid(), workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, trigger_code, action, 'waiting', created_at, now() + interval '1 day', origin, "
      "destination, "
      "request from runs, generate_series(1, 300000) where workflow_id = '" +
      workflow + "'");
  const Response response = replay({});
  EXPECT_EQ(response.status, 409) << response.text;
  EXPECT_EQ(tenant.sql.number(
                "select count(*) from all_runs where workflow_id = $1 and replay_of is not null", {workflow}),
            0);
  tenant.sql.exec("delete from run_queue where workflow_id = '" + workflow + "'");
  EXPECT_EQ(replayed({}), 1);
}

class ReplayOfAll : public WorkflowTest {
 protected:
  std::int64_t replay(const json::object& body) {
    const auto answer = tenant.http.post("/api/workflows/replay", body);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return at(answer.body, "data.runs").as_int64();
  }
};

TEST_F(ReplayOfAll, APlanCountsWithoutSending) {
  const std::string first = tenant.webhook(url(), "order_created");
  const std::string second = tenant.webhook(url(), "order_created");
  const std::string deleted = tenant.webhook(url("deleted"), "order_created");
  tenant.insert_order();
  for (const auto& workflow : {first, second, deleted}) tenant.run_with_status(workflow, "succeeded");
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + deleted).status, 200);
  EXPECT_EQ(replay({{"plan", true}}), 2);
  EXPECT_EQ(replay({{"plan", true}, {"workflowId", first}}), 1);
  EXPECT_EQ(replay({{"plan", true}, {"status", "dead"}}), 0);
  EXPECT_EQ(tenant.runs("status=succeeded").size(), 3U);
  EXPECT_EQ(replay(json::object{}), 2);
  EXPECT_EQ(wait_for(4).size(), 4U);
}

}  // namespace
}  // namespace waybill::tests
