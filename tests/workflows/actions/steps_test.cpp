#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/runs/run.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Steps : public StepsTest {};

TEST_F(Steps, ArePerformedInOrderEachWithTheRecordAsItIsWhenItBegins) {
  const std::string flow = workflow({hook("first"),
                                     sets(R"({"notes": "changed", "tags": {"add": ["a"]}})"),
                                     wait("PT0.2S"),
                                     {{"type", "create_shipment"}},
                                     hook("last")});
  tenant.create_order({{"notes", "as created"}});
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(run),
              ElementsAre("1 webhook succeeded", "2 update_record succeeded", "3 wait succeeded",
                          "4 create_shipment succeeded", "5 webhook succeeded"));
  EXPECT_EQ(at(run, "failedSteps"), 0);
  EXPECT_EQ(at(run, "attempts"), 4);
  std::vector<std::int64_t> tried;
  for (const json::value& attempt : run.at("tries").as_array())
    tried.push_back(at(attempt, "step").as_int64());
  EXPECT_THAT(tried, ElementsAre(1, 2, 4, 5));
  const Received first = wait_for(1, "first").front();
  const Received last = wait_for(1, "last").front();
  EXPECT_EQ(text_at(first.json_body(), "data.entity.notes"), "as created");
  EXPECT_EQ(text_at(last.json_body(), "data.entity.notes"), "changed");
  EXPECT_EQ(at(last.json_body(), "data.entity.shipments").as_array().size(), 1U);
  EXPECT_EQ(last.header("webhook-id"), first.header("webhook-id") + "_5");
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
  for (const json::value& step : run.at("steps").as_array()) {
    EXPECT_TRUE(at(step, "startedAt").is_string());
    EXPECT_TRUE(at(step, "finishedAt").is_string());
  }
}

TEST_F(Steps, ThatNothingDelaysBeginWithoutAReturnToTheQueue) {
  const std::string returns = "returns_of_" + tenant.id.substr(24);
  tenant.sql.exec("create table " + returns + " (step text)");
  tenant.sql.exec("create function " + returns +
                  "() returns trigger language plpgsql as $$ begin insert into " + returns +
                  " values (new.steps::json ->> 'number'); return null; end $$");
  tenant.sql.exec("create trigger " + returns +
                  " after update on run_queue for each row when (new.status = 'queued' " +
                  "and new.business_id = '" + tenant.id + "') execute function " + returns + "()");
  const std::string flow = workflow(
      {hook("a"), hook("b"), hook("c", {{"when", {{"notes", "no"}}}}), hook("d"), sets(R"({"notes": "x"})")});
  tenant.create_order();
  const json::object run = tenant.run_with_status(flow, "succeeded");
  tenant.sql.exec("drop trigger " + returns + " on run_queue");
  EXPECT_THAT(steps_of(run),
              ElementsAre("1 webhook succeeded", "2 webhook succeeded", "3 webhook skipped CONDITION",
                          "4 webhook succeeded", "5 update_record succeeded"));
  EXPECT_EQ(tenant.sql.value("select string_agg(step, ',') from " + returns), "5")
      << "a step that changes records waits in the queue for those of other workflows";
  EXPECT_EQ(
      tenant.sql.value(
          "select string_agg(number::text, ',' order by number) from run_step_texts where business_id = '" +
          tenant.id + "'"),
      "1,2,4");
}

TEST_F(Steps, ARunOfOneActionHasOneStep) {
  const std::string flow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 webhook succeeded"));
  EXPECT_EQ(at(run, "failedSteps"), 0);
  EXPECT_EQ(at(run.at("tries").as_array().at(0), "step"), 1);
  const json::object shown = tenant.workflow(flow);
  EXPECT_TRUE(shown.at("steps").is_null());
}

TEST_F(Steps, AreSkippedByTheirConditionsAndEndAtAStop) {
  const std::string flow = workflow({hook("a", {{"when", {{"notes", "other"}}}}),
                                     hook("b", {{"when", {{"notes", "x"}}}}),
                                     {{"type", "wait"}, {"until", "collectionDate"}, {"offset", "-PT2H"}},
                                     {{"type", "wait"}, {"until", "createdAt"}},
                                     {{"type", "stop"}, {"when", {{"notes", "x"}}}},
                                     hook("c")});
  tenant.insert_order({{"notes", "'x'"}});
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 webhook skipped CONDITION", "2 webhook succeeded", "3 wait skipped NO_VALUE",
                          "4 wait succeeded", "5 stop succeeded"));
  EXPECT_EQ(wait_for(1, "b").size(), 1U);
  EXPECT_TRUE(receiver.wait_for(tenant.path("c"), 1, std::chrono::milliseconds(0)).empty());
}

TEST_F(Steps, ThatARuleSkipsLetTheRunGoOn) {
  const json::object ship{{"type", "create_shipment"}};
  const std::string flow =
      workflow({ship, ship, {{"type", "update_status"}, {"status", "delivered"}}, hook("a")});
  const std::string locked =
      workflow({sets(R"({"notes": "late"})"), hook("b")}, {{"triggerId", trigger_guid("order_shipped")}});
  tenant.create_order();
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 create_shipment succeeded", "2 create_shipment skipped EXISTS",
                          "3 update_status skipped FORBIDDEN_MOVE", "4 webhook succeeded"));
  EXPECT_EQ(wait_for(1, "a").size(), 1U);
  const std::string order = tenant.insert_order();
  tenant.move_order(order, "shipped");
  const json::object run = tenant.run_with_status(locked, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 update_record skipped LOCKED", "2 webhook succeeded"));
  EXPECT_EQ(at(run, "failedSteps"), 0);
  EXPECT_EQ(wait_for(1, "b").size(), 1U);
}

TEST_F(Steps, AFailureEndsTheRunUnlessItIsToContinue) {
  const Reply gone = Reply::with_status(200, {{"webhook-delivery", "abort-message"}});
  receiver.answer(tenant.path("bad"), gone);
  const std::string stops = workflow({hook("bad"), hook("never")});
  const std::string goes_on = workflow({hook("bad", {{"onFailure", "continue"}}), hook("good")});
  tenant.insert_order();
  const json::object dead = tenant.run_with_status(stops, "dead");
  EXPECT_THAT(steps_of(dead), ElementsAre("1 webhook dead ABORTED"));
  EXPECT_EQ(at(dead, "code"), "ABORTED");
  EXPECT_EQ(at(dead, "failedSteps"), 1);
  const json::object run = tenant.run_with_status(goes_on, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 webhook dead ABORTED", "2 webhook succeeded"));
  EXPECT_EQ(at(run, "failedSteps"), 1);
  EXPECT_TRUE(at(run, "code").is_null());
  EXPECT_EQ(at(tenant.runs("workflowId=" + goes_on).at(0), "failedSteps"), 1);
}

TEST_F(Steps, WhoseTextsTheDatabaseRefusesEndAloneAndKeepNoOtherRun) {
  const std::string refuses = "refuses_of_" + tenant.id.substr(24);
  tenant.sql.exec("create function " + refuses +
                  "() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$");
  tenant.sql.exec("create trigger " + refuses +
                  " before update on run_queue for each row when (new.body = 'poison') " +
                  "execute function " + refuses + "()");
  const auto poison = [&](const char* on_failure) {
    return hook("poison",
                {{"contentType", "text/plain"}, {"template", "{{notes}}"}, {"onFailure", on_failure}});
  };
  const std::string stops = workflow({poison("stop"), hook("never")});
  const std::string goes_on = workflow({poison("continue"), hook("later")});
  const std::string sound = workflow({hook("sound"), hook("sound")});
  tenant.create_order({{"notes", "poison"}});
  EXPECT_THAT(steps_of(tenant.run_with_status(sound, "succeeded")),
              ElementsAre("1 webhook succeeded", "2 webhook succeeded"));
  EXPECT_THAT(steps_of(tenant.run_with_status(stops, "dead")), ElementsAre("1 webhook dead UNRECORDABLE"));
  const json::object run = tenant.run_with_status(goes_on, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 webhook dead UNRECORDABLE", "2 webhook succeeded"));
  EXPECT_EQ(at(run, "failedSteps"), 1);
  EXPECT_EQ(receiver.count(tenant.path("poison")), 0U);
  tenant.sql.exec("drop trigger " + refuses + " on run_queue");
}

TEST_F(Steps, AReplayGoesOnAtTheFirstStepThatDidNotSucceedWithTheSameTexts) {
  receiver.answer_next(tenant.path("bad"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow = workflow({hook("a"), hook("bad"), sets(R"({"notes": "done"})"), hook("c")});
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object dead = tenant.run_with_status(flow, "dead");
  tenant.update_orders("notes = 'later' where guid = '" + order + "'");
  const json::object replayed = replay(dead);
  EXPECT_EQ(text_at(replayed, "status"), "succeeded");
  EXPECT_THAT(steps_of(replayed), ElementsAre("1 webhook succeeded", "2 webhook succeeded",
                                              "3 update_record succeeded", "4 webhook succeeded"));
  const auto bad = wait_for(2, "bad");
  EXPECT_EQ(bad[0].body, bad[1].body);
  EXPECT_EQ(bad[0].header("webhook-id"), bad[1].header("webhook-id"));
  EXPECT_EQ(wait_for(1, "a").size(), 1U);
  EXPECT_EQ(text_at(wait_for(1, "c").at(0).json_body(), "data.entity.notes"), "done");

  tenant.update_orders("notes = 'again' where guid = '" + order + "'");
  const json::object from_first = replay(replayed, {{"fromStep", 1}});
  EXPECT_EQ(text_at(from_first, "status"), "succeeded");
  const auto a = wait_for(2, "a"), c = wait_for(2, "c");
  EXPECT_EQ(a[0].body, a[1].body);
  EXPECT_EQ(c[0].body, c[1].body);
  EXPECT_EQ(c[0].header("webhook-id"), c[1].header("webhook-id"));
  const json::object from_third = replay(dead, {{"fromStep", 3}});
  EXPECT_THAT(steps_of(from_third), ElementsAre("1 webhook succeeded", "2 webhook dead ABORTED",
                                                "3 update_record succeeded", "4 webhook succeeded"));
  const Response beyond = tenant.http.post("/api/workflows/runs/" + text_at(dead, "guid") + "/replay",
                                           json::object{{"fromStep", 5}});
  EXPECT_EQ(beyond.status, 400);
  EXPECT_EQ(text_at(at(beyond.body, "error.details"), "fromStep"), "must be at most 4, the number of steps");
}

TEST_F(Steps, AReplayDoesNotRepeatStepsBeforeTheFailedOneThatARuleSkipped) {
  receiver.answer_next(tenant.path("bad"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow = workflow({hook("a", {{"when", {{"notes", "other"}}}}), hook("b"), hook("bad")});
  tenant.insert_order();
  const json::object replayed = replay(tenant.run_with_status(flow, "dead"));
  EXPECT_THAT(steps_of(replayed),
              ElementsAre("1 webhook skipped CONDITION", "2 webhook succeeded", "3 webhook succeeded"));
  EXPECT_EQ(wait_for(2, "bad").size(), 2U);
  EXPECT_EQ(receiver.count(tenant.path("b")), 1U);
}

TEST_F(Steps, AReplayOfARunWithoutAFailedOrOpenStepBeginsAgain) {
  const std::string flow = workflow({hook("a"), hook("b", {{"when", {{"notes", "other"}}}})});
  tenant.insert_order();
  const json::object replayed = replay(tenant.run_with_status(flow, "succeeded"));
  EXPECT_THAT(steps_of(replayed), ElementsAre("1 webhook succeeded", "2 webhook skipped CONDITION"));
  EXPECT_EQ(wait_for(2, "a").size(), 2U);
}

TEST_F(Steps, AReplayOfACancelledRunGoesOnAtTheStepThatHadNotEnded) {
  const std::string flow =
      workflow({hook("a"), hook("b", {{"when", {{"notes", "other"}}}}), wait("PT1H"), hook("c")});
  tenant.insert_order();
  const std::string waiting = text_at(tenant.run_with_status(flow, "waiting"), "guid");
  ASSERT_EQ(tenant.http.post("/api/workflows/runs/" + waiting + "/cancel").status, 200);
  const Response answer = tenant.http.post("/api/workflows/runs/" + waiting + "/replay", json::object());
  ASSERT_EQ(answer.status, 201) << answer.text;
  json::object run;
  EXPECT_TRUE(eventually([&] {
    run = tenant.run(text_at(answer.body, "data.guid"));
    return text_at(run, "status") == "waiting";
  }));
  EXPECT_THAT(steps_of(run),
              ElementsAre("1 webhook succeeded", "2 webhook skipped CONDITION", "3 wait waiting"));
  EXPECT_EQ(receiver.count(tenant.path("a")), 1U);
}

TEST_F(Steps, AReplayOfARangeGoesOnLikeThatOfARun) {
  receiver.answer_next(tenant.path("bad"), Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string flow = workflow({hook("a"), hook("bad")});
  tenant.insert_order();
  tenant.run_with_status(flow, "dead");
  const Response answer = tenant.http.post("/api/workflows/replay", json::object{{"workflowId", flow}});
  EXPECT_EQ(at(answer.body, "data.runs"), 1);
  wait_for(2, "bad");
  EXPECT_EQ(wait_for(1, "a").size(), 1U);
}

TEST_F(Steps, ARunKeepsTheVersionItBeganWith) {
  const std::string flow = workflow({wait("PT1S"), hook("old")});
  tenant.insert_order();
  tenant.settle();
  tenant.configure(definition({hook("new")}, {{"guid", flow}}));
  EXPECT_EQ(wait_for(1, "old").size(), 1U);
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(at(run, "workflowVersion"), 1);
}

TEST_F(Steps, ARunSendsTheHeadersOfItsVersion) {
  const json::object headers{{"headers", {{"X-Key", "sesame"}}}};
  const std::string elsewhere = workflow({wait("PT1H"), hook("old", headers)});
  const std::string without = workflow({wait("PT1H"), hook("older", headers)});
  tenant.insert_order();
  for (const std::string& each : {elsewhere, without}) tenant.run_with_status(each, "waiting");
  const json::object other{{"type", "webhook"}, {"recipient", "http://127.0.0.1:1/elsewhere"}};
  tenant.configure(definition(json::array{other}, {{"guid", elsewhere}}));
  tenant.configure(definition({hook("new")}, {{"guid", without}}));
  tenant.configure({{"guid", without}, {"name", "renamed"}});
  tenant.sql.rows("update run_queue set due_at = now() where business_id = $1 and status = 'waiting'",
                  {tenant.id});
  EXPECT_EQ(wait_for(1, "old").at(0).header("x-key"), "sesame");
  EXPECT_EQ(wait_for(1, "older").at(0).header("x-key"), "sesame");
  for (const std::string& each : {elsewhere, without}) tenant.run_with_status(each, "succeeded");
}

TEST_F(Steps, ALaterStepHasTheTemplatesAsOfTheEvent) {
  const auto make = [&](std::string_view code, std::string_view body) {
    const Response made = tenant.http.post(
        "/api/workflows/templates",
        {{"code", code}, {"name", "T"}, {"entityType", "Order"}, {"type", "webhook"}, {"body", body}});
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.data(), "guid");
  };
  const auto change_template = [&](const std::string& guid, std::string_view body) {
    EXPECT_EQ(tenant.http.put("/api/workflows/templates/" + guid, {{"body", body}}).status, 200);
  };
  const std::string part = make("part", R"("old part")");
  const std::string text = make("text", R"({"text": "old", "part": {{> part}}})");
  const json::object step = hook("late", {{"template", "text"}});
  const std::string waiting = workflow({wait("PT1H"), step});
  const std::string delayed = workflow({step}, {{"delay", "PT1H"}});
  const std::string changed = workflow({wait("PT1H"), step});
  tenant.insert_order();
  for (const std::string& each : {waiting, delayed, changed}) tenant.run_with_status(each, "waiting");
  change_template(text, R"({"text": "new"})");
  change_template(part, R"("new part")");
  change_template(text, R"({"text": "newest"})");
  tenant.configure({{"guid", changed}, {"name", "renamed"}});
  tenant.sql.rows("update run_queue set due_at = now() where business_id = $1 and status = 'waiting'",
                  {tenant.id});
  for (const Received& request : wait_for(3, "late"))
    EXPECT_EQ(request.body, R"({"text": "old", "part": "old part"})");
  for (const std::string& each : {waiting, delayed, changed}) tenant.run_with_status(each, "succeeded");
}

TEST_F(Steps, ADeletedRecordOrWorkflowEndsAWaitingRun) {
  workflow({wait("PT1S"), hook("a")});
  const std::string of_workflow = workflow({wait("PT1S"), hook("b")}, {{"conditions", {{"notes", "kept"}}}});
  const std::string order = tenant.insert_order();
  tenant.insert_order({{"notes", "'kept'"}});
  tenant.settle();
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select count(*) from run_queue where business_id = $1 and status = 'waiting'",
                             {tenant.id}) == 3;
  }));
  tenant.sql.exec("update orders set deleted_at = now() where guid = '" + order + "'");
  EXPECT_EQ(tenant.http.del("/api/workflows/configured/" + of_workflow).status, 200);
  std::vector<json::object> ended;
  EXPECT_TRUE(eventually([&] {
    ended = tenant.runs("status=skipped");
    return ended.size() == 2;
  }));
  std::vector<std::string> codes;
  for (const json::object& run : ended) {
    codes.push_back(text_at(run, "code"));
    EXPECT_FALSE(at(tenant.run(text_at(run, "guid")), "steps").as_array().empty());
  }
  EXPECT_THAT(codes, testing::UnorderedElementsAre("NO_RECORD", "WORKFLOW_DELETED"));
  EXPECT_EQ(wait_for(1, "a").size(), 1U);
}

TEST_F(Steps, APausedWorkflowHoldsItsRunsBetweenSteps) {
  const std::string flow = workflow({wait("PT1S"), hook("a")});
  tenant.insert_order();
  tenant.settle();
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" + flow +
                  "'");
  tenant.run_with_status(flow, "held");
  EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + flow).status, 200);
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 wait succeeded", "2 webhook succeeded"));
}

TEST_F(Steps, OfReplaysWaitAtThePlacesOfTheirRunsAndNameTheirChanges) {
  const std::string flow = workflow({sets(R"({"notes": "changed"})")});
  tenant.insert_order();
  const json::object run = tenant.run_with_status(flow, "succeeded");
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" + flow +
                  "'");
  EXPECT_EQ(
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object()).status,
      201);
  EXPECT_EQ(tenant.http.post("/api/workflows/replay", {{"workflowId", flow}}).status, 200);
  const auto replays = tenant.sql.rows(
      "select guid, destination, changing_action from run_queue where workflow_id = $1", {flow});
  EXPECT_EQ(replays.size(), 2U);
  for (const auto& replay : replays) {
    EXPECT_EQ(replay[1],
              storage::step_destination(Guid::parse(tenant.id).value(), Guid::parse(*replay[0]).value()));
    EXPECT_EQ(replay[2], "update_record");
  }
}

TEST_F(Steps, RunsOfOneEventChangeRecordsInTheOrderOfTheirWorkflows) {
  std::vector<std::string> flows;
  flows.push_back(workflow({{{"type", "update_status"}, {"status", "processing"}}, hook("a")}));
  flows.push_back(tenant.update_status("order_created", "", "ready"));
  flows.push_back(workflow({{{"type", "update_status"}, {"status", "shipped"}}}));
  const std::string order = tenant.insert_order();
  for (const std::string& flow : flows) tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(tenant.history_of_order(order),
              ElementsAre(" > pending by sql", "pending > processing by workflow",
                          "processing > ready by workflow", "ready > shipped by workflow"));
}

TEST_F(Steps, AreRefusedWithThePathOfEachError) {
  const json::value details =
      refused({{{"type", "webhook"}},
               {{"type", "wait"}},
               {{"type", "wait"}, {"delay", "2h"}, {"until", "createdAt"}},
               {{"type", "wait"}, {"until", "status"}, {"offset", "x"}, {"when", nullptr}},
               {{"type", "stop"}, {"when", {{"nothing", 1}}}, {"onFailure", "stop"}},
               hook("a", {{"onFailure", "retry"}, {"nme", 1}}),
               {{"type", "nothing"}},
               1});
  const char* const fields[] = {"steps[0].recipient",
                                "steps[1].delay",
                                "steps[2].delay",
                                "steps[2].until",
                                "steps[3].until",
                                "steps[3].offset",
                                "steps[3].when",
                                "steps[4].when.nothing",
                                "steps[4].onFailure",
                                "steps[5].nme",
                                "steps[5].onFailure",
                                "steps[6].type",
                                "steps[7]"};
  for (const char* const field : fields) EXPECT_TRUE(details.as_object().contains(field)) << field;
  EXPECT_EQ(details.as_object().size(), std::size(fields)) << json::serialize(details);
  EXPECT_TRUE(refused({}).as_object().contains("steps"));
  EXPECT_TRUE(refused(json::array(51, wait("PT1S"))).as_object().contains("steps"));
  EXPECT_EQ(tenant.configure(definition(json::array(20, wait("PT1S")))).at("version"), 1);
  EXPECT_TRUE(refused({hook("a")}, {{"action", hook("a")}}).as_object().contains("steps"));
  EXPECT_TRUE(refused({wait("P20D"), hook("a"), wait("P9D")}, {{"delay", "P1D"}})
                  .as_object()
                  .contains("steps[2].delay"));
  EXPECT_TRUE(refused({{{"type", "wait"}, {"until", "createdAt"}, {"offset", "-P31D"}}})
                  .as_object()
                  .contains("steps[0].offset"));
}

TEST_F(Steps, AreShownAsTheyAreGivenAndInEachVersion) {
  const json::object made = tenant.configure(
      definition({hook("a", {{"headers", {{"X-Key", "secret"}}}}), wait("PT1H"), {{"type", "stop"}}}));
  const std::string flow = text_at(made, "guid");
  EXPECT_TRUE(at(made, "action").is_null());
  EXPECT_THAT(text_at(made.at("steps").as_array().at(0), "secret"), HasSubstr("whsec_"));
  const json::object shown = tenant.workflow(flow);
  EXPECT_TRUE(shown.at("action").is_null());
  const json::array& steps = shown.at("steps").as_array();
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(text_at(steps[0], "onFailure"), "stop");
  EXPECT_EQ(text_at(at(steps[0], "headers"), "X-Key"), "********");
  EXPECT_FALSE(steps[0].as_object().contains("secret"));
  EXPECT_EQ(steps[1], json::parse(R"({"type": "wait", "delay": "PT1H", "until": null, "offset": null})"));
  EXPECT_EQ(at(tenant.configure(shown), "version"), 1) << "nothing has changed";
  const Response headers = tenant.http.get("/api/workflows/configured/" + flow + "/headers?step=1");
  EXPECT_EQ(text_at(headers.data(), "headers.X-Key"), "secret");
  tenant.configure({{"guid", flow}, {"steps", json::array{hook("a")}}});
  const Response versions = tenant.http.get("/api/workflows/configured/" + flow + "/versions");
  EXPECT_EQ(at(versions.data().as_array().at(1), "definition.steps").as_array().size(), 3U);
  const Response restored =
      tenant.http.post("/api/workflows/configured/" + flow + "/versions/1/restore", json::object());
  EXPECT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(text_at(at(restored.data(), "steps").as_array().at(0), "headers.X-Key"), "********");
  const Response again_headers = tenant.http.get("/api/workflows/configured/" + flow + "/headers?step=1");
  EXPECT_EQ(text_at(again_headers.data(), "headers.X-Key"), "secret");
  const Response rotated =
      tenant.http.post("/api/workflows/configured/" + flow + "/rotate-secret", json::object());
  EXPECT_EQ(rotated.status, 200) << rotated.text;
  tenant.configure({{"guid", flow}, {"action", hook("b")}});
  EXPECT_TRUE(tenant.workflow(flow).at("steps").is_null());
}

TEST_F(Steps, SendTheHeadersOfTheirStep) {
  const std::string flow = workflow({hook("a", {{"headers", {{"X-Key", "one"}}}}),
                                     hook("b", {{"headers", {{"X-Key", "two"}}}}), hook("c")});
  tenant.insert_order();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(wait_for(1, "a").at(0).header("X-Key"), "one");
  EXPECT_EQ(wait_for(1, "b").at(0).header("X-Key"), "two");
  EXPECT_EQ(wait_for(1, "c").at(0).header("X-Key"), "");
}

TEST_F(Steps, AreAllShownByATest) {
  const std::string order = tenant.insert_order({{"notes", "'x'"}});
  const json::object body{{"definition", definition({hook("a", {{"when", {{"notes", "other"}}}}),
                                                     wait("PT1H"),
                                                     sets(R"({"notes": "{{orderNumber}}"})"),
                                                     {{"type", "stop"}}})},
                          {"entityId", order}};
  const Response tested = tenant.http.post("/api/workflows/test", body);
  ASSERT_EQ(tested.status, 200) << tested.text;
  const json::array& steps = at(tested.data(), "steps").as_array();
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(at(steps[0], "matches"), false);
  EXPECT_EQ(text_at(at(steps[0], "conditions").as_array().at(0), "actual"), "x");
  EXPECT_TRUE(at(steps[1], "until").is_string());
  EXPECT_TRUE(at(steps[1], "wouldSend").is_null());
  EXPECT_TRUE(at(steps[2], "wouldSend.changes.notes").is_string());
  EXPECT_EQ(at(tested.data(), "wouldSend"), at(steps[2], "wouldSend"));
  EXPECT_EQ(at(steps[3], "number"), 4);
}

TEST_F(Steps, OfATestHaveRequestsOfAtMost4MiBTogether) {
  const std::string order = tenant.create_order({{"notes", std::string(9'900, 'x')}});
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{{notes}}";
  const json::array large(50, hook("a", {{"contentType", "text/plain"}, {"template", text}}));
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"definition", definition(large)}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text.substr(0, 1'000);
  EXPECT_LT(tested.text.size(), 6UL << 20);
  const json::array& steps = at(tested.data(), "steps").as_array();
  ASSERT_EQ(steps.size(), 50U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(at(steps[i], "code").is_null()) << i;
    EXPECT_EQ(text_at(steps[i], "wouldSend.body").size(), 990'000U) << i;
  }
  for (std::size_t i = 4; i < steps.size(); ++i) {
    EXPECT_EQ(text_at(steps[i], "code"), "PAYLOAD_TOO_LARGE") << i;
    EXPECT_THAT(text_at(steps[i], "error"), HasSubstr("4 MiB")) << i;
    EXPECT_TRUE(at(steps[i], "wouldSend").is_null()) << i;
  }
}

TEST_F(Steps, OfATestHaveValuesOfAtMost4MiBTogether) {
  const std::string order = tenant.create_order({{"notes", std::string(9'900, 'x')}});
  const json::object differs{{"notes", {{"ne", "a"}}}};
  const json::object step{{"type", "stop"}, {"when", {{"all", json::array(20, differs)}}}};
  const Response tested = tenant.http.post(
      "/api/workflows/test", {{"definition", definition(json::array(50, step))}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text.substr(0, 1'000);
  EXPECT_LT(tested.text.size(), 5UL << 20);
  const json::array& steps = at(tested.data(), "steps").as_array();
  ASSERT_EQ(steps.size(), 50U);
  EXPECT_EQ(text_at(at(steps[0], "conditions").as_array().at(0), "actual").size(), 9'900U);
  const json::value& last = at(steps[49], "conditions").as_array().at(19);
  EXPECT_TRUE(at(last, "actual").is_null());
  EXPECT_EQ(at(last, "holds"), true);
}

TEST_F(Steps, ThatCannotBeRenderedDoNotHideTheOthersInATest) {
  const std::string order = tenant.insert_order({{"notes", "'..'"}});
  const json::object bad{{"type", "webhook"}, {"recipient", receiver.url("/a/{{notes}}/b")}};
  json::object skipped = bad;
  skipped["when"] = {{"notes", "other"}};
  const json::object steps = definition({bad, skipped, hook("c")});
  const auto test = [&](const json::object& body) {
    const Response tested = tenant.http.post("/api/workflows/test", body);
    EXPECT_EQ(tested.status, 200) << tested.text;
    return tested.data();
  };
  for (const json::value& tested :
       {test({{"definition", steps}, {"entityId", order}}),
        test({{"workflowId", tenant.configure(steps).at("guid")}, {"entityId", order}})}) {
    const json::array& shown = at(tested, "steps").as_array();
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_EQ(at(shown[i], "code"), "INVALID_VALUE");
      EXPECT_THAT(text_at(shown[i], "error"), HasSubstr("recipient"));
      EXPECT_TRUE(at(shown[i], "wouldSend").is_null());
    }
    EXPECT_TRUE(at(shown[2], "code").is_null());
    EXPECT_TRUE(at(shown[2], "error").is_null());
    EXPECT_EQ(at(tested, "wouldSend"), at(shown[2], "wouldSend"));
    EXPECT_EQ(text_at(tested, "wouldSend.url"), url("c"));
  }
  const json::object single{{"name", "single"},
                            {"entityType", "Order"},
                            {"triggerId", trigger_guid("order_created")},
                            {"action", bad}};
  Response tested = tenant.http.post("/api/workflows/test", {{"definition", single}, {"entityId", order}});
  EXPECT_EQ(tested.status, 400) << tested.text;
  EXPECT_TRUE(tested.details().contains("definition.action"));
  tested = tenant.http.post("/api/workflows/test",
                            {{"workflowId", tenant.configure(single).at("guid")}, {"entityId", order}});
  EXPECT_EQ(tested.status, 400) << tested.text;
  EXPECT_TRUE(tested.details().contains("workflowId"));
}

TEST_F(Steps, StepsOfAnErasedPersonAreSentWithoutTheirData) {
  const std::string customer = text_at(
      tenant.http.post("/api/v1/Customers", {{"name", "Ada Lovelace"}, {"email", "ada@example.com"}}).body,
      "data.guid");
  const std::string flow = workflow({hook("a"), wait("PT2S"), hook("b")});
  tenant.create_order({{"customerId", customer}, {"customer", nullptr}});
  EXPECT_THAT(wait_for(1, "a").at(0).body, HasSubstr("Ada Lovelace"));
  const std::string texts = "select count(*) from run_step_texts where business_id = $1";
  ASSERT_TRUE(eventually([&] { return tenant.sql.number(texts, {tenant.id}) == 1; }));
  const Response exported = tenant.http.get("/api/v1/Customers/" + customer + "/export");
  EXPECT_THAT(exported.text, HasSubstr("earlierSteps"));
  const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase", json::object());
  EXPECT_EQ(erased.status, 200) << erased.text;
  EXPECT_EQ(tenant.sql.number(texts, {tenant.id}), 0);
  EXPECT_THAT(wait_for(1, "b").at(0).body, testing::Not(HasSubstr("Ada Lovelace")));
  tenant.run_with_status(flow, "succeeded");
}

TEST_F(Steps, ThatWaitForAnotherKeepNoAnswerAboutAnErasedPerson) {
  const std::string customer = text_at(
      tenant.http.post("/api/v1/Customers", {{"name", "Ada Lovelace"}, {"email", "ada@example.com"}}).body,
      "data.guid");
  receiver.answer_next(tenant.path("a"), Reply::with_status(200, {}, "Thanks, Ada Lovelace."));
  const std::string flow = workflow({hook("a"), wait("P1D"), hook("b")});
  tenant.create_order({{"customerId", customer}, {"customer", nullptr}});
  tenant.run_with_status(flow, "waiting");
  const std::string answers =
      "select count(*) from run_queue where business_id = $1 and status = 'waiting' and tries like '%Ada%'";
  ASSERT_TRUE(eventually([&] { return tenant.sql.number(answers, {tenant.id}) == 1; }));
  const Response erased = tenant.http.post("/api/v1/Customers/" + customer + "/erase", json::object());
  EXPECT_EQ(erased.status, 200) << erased.text;
  EXPECT_EQ(tenant.sql.number(answers, {tenant.id}), 0);
  const Response repeated = tenant.http.post("/api/v1/Customers/" + customer + "/erase", json::object());
  EXPECT_EQ(at(repeated.data(), "runs"), 0) << "nothing is left to erase";
}

TEST_F(Steps, AreShownByExplainAndSentAsATest) {
  const std::string flow = workflow({sets(R"({"notes": "x"})"), hook("a")});
  const std::string order = tenant.insert_order();
  tenant.run_with_status(flow, "succeeded");
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  const json::array events = explained.data().as_array();
  bool is_shown = false;
  for (const json::value& event : events) {
    for (const json::value& entry : at(event, "workflows").as_array()) {
      if (at(entry, "fired") != json::value(true) || text_at(entry, "guid") != flow) continue;
      is_shown = true;
      EXPECT_EQ(at(entry, "steps").as_array().size(), 2U);
    }
  }
  EXPECT_TRUE(is_shown);
  const std::string path = "/api/workflows/configured/" + flow + "/send-test";
  EXPECT_EQ(tenant.http.post(path, json::object{{"step", 1}}).status, 400);
  EXPECT_EQ(tenant.http.post(path, json::object{{"step", 3}}).status, 400);
  const Response sent = tenant.http.post(path, json::object{{"step", 2}});
  EXPECT_EQ(at(sent.data(), "statusCode"), 200) << sent.text;
  EXPECT_EQ(wait_for(2, "a").at(1).header("webhook-test"), "true");
}

}  // namespace
}  // namespace waybill::tests
