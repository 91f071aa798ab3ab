#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/explained.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Workflows with a timer.
class Timers : public WorkflowTest {
 protected:
  json::object definition(std::string_view field, std::string_view offset, const json::object& more = {},
                          std::string_view type = "Order") const {
    json::object body{{"name", "timed"},
                      {"entityType", type},
                      {"timer", {{"field", field}, {"offset", offset}}},
                      {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [name, value] : more) body[name] = value;
    return body;
  }
  std::string timed(std::string_view field, std::string_view offset, const json::object& more = {},
                    std::string_view type = "Order") {
    return text_at(tenant.configure(definition(field, offset, more, type)), "guid");
  }
  json::value details(const json::object& body) {
    const Response refused = tenant.http.post("/api/workflows/configure", body);
    EXPECT_EQ(refused.status, 400) << refused.text;
    return at(refused.body, "error.details");
  }

  std::int64_t waiting() {
    return tenant.sql.number("select count(*) from timers where business_id = $1", {tenant.id});
  }
  /// True once `count` timers wait, and no scan of records is under way.
  bool come_to_wait(std::int64_t count) {
    tenant.settle();
    return eventually([&] {
      return tenant.sql.number("select count(*) from timer_scans where business_id = $1", {tenant.id}) == 0 &&
             waiting() == count;
    });
  }
  /// Makes all waiting timers due now, as if the clock had jumped.
  void jump() {
    tenant.sql.exec(
        "update timers set due_at = clock_timestamp(), check_at = clock_timestamp() where business_id = '" +
        tenant.id + "'");
  }
  /// True once the results of timers that came due are these: `fired`, or the reasons.
  bool come_to_result(const std::vector<std::string>& results) {
    return eventually([&] { return this->results() == results; });
  }
  std::vector<std::string> results() {
    return tenant.sql.column("select coalesce(reason, 'fired') from timer_results where business_id = '" +
                             tenant.id + "' order by at, value");
  }
  std::vector<std::string> explained(const std::string& record) {
    return tests::explained(tenant, "timer", record);
  }
};

TEST_F(Timers, FireOnceWithTheRecordAsItIsThen) {
  const std::string workflow = timed("createdAt", "PT1S");
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "later"}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(at(body, "type"), "timer");
  EXPECT_EQ(text_at(body, "data.entity.guid"), order);
  EXPECT_EQ(at(body, "data.entity.notes"), "later");
  EXPECT_EQ(at(body, "data.entity.customer.name"), "Ada Lovelace");
  EXPECT_EQ(at(body, "data.previous"), json::value(json::object()));
  EXPECT_FALSE(body.as_object().contains("triggers"));
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "trigger"), "timer");
  EXPECT_EQ(at(run, "eventId"), json::value());
  EXPECT_EQ(at(run, "entityId"), json::value(order));
  EXPECT_EQ(at(run, "createdAt"), at(body, "timestamp")) << "the time at which it came due";
  EXPECT_EQ(received[0].header("webhook-id"), "msg_" + text_at(run, "guid"));
  EXPECT_EQ(waiting(), 0);
  EXPECT_EQ(explained(order), std::vector<std::string>{"fired " + text_at(run, "guid")});
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true));
  EXPECT_EQ(at(ledger.body, "data.matched"), at(ledger.body, "data.runs.total"));

  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object{});
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  const auto again = wait_for(2);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[1].body, again[0].body);
  EXPECT_EQ(again[1].header("webhook-id"), again[0].header("webhook-id"));
}

TEST_F(Timers, WithoutAnOffsetFireForEachNewValueOfATimeOfTheService) {
  constexpr int orders = 15;
  timed("createdAt", "PT0S");
  timed("statusChangedAt", "PT0S", {{"conditions", {{"status", "processing"}}}});
  for (int i = 0; i < orders; ++i) tenant.create_order();
  EXPECT_EQ(wait_for(orders).size(), static_cast<std::size_t>(orders));
  tenant.update_orders("status = 'processing' where true");
  EXPECT_EQ(wait_for(2UL * orders).size(), 2UL * orders);
  const std::string imported = tenant.insert_order({{"created_at", "now() - interval '2 minutes'"}});
  tenant.settle();
  EXPECT_THAT(explained(imported), testing::Contains("timer_passed"));
}

TEST_F(Timers, AreExplainedByTheStepsOfTheirRunsAndWhyTheseDidNotAct) {
  const std::string workflow =
      timed("createdAt", "PT1S", {{"limit", {{"by", "currency"}, {"count", 1}, {"per", "P1D"}}}});
  const auto steps = [&](const std::string& record) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + record);
    for (const json::value& entry : response.data().as_array()) {
      if (at(entry, "eventId").is_null()) return at(at(entry, "workflows").as_array().at(0), "steps");
    }
    return json::value();
  };
  const std::string first = tenant.create_order();
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(explained(first), std::vector<std::string>{"fired " + text_at(run, "guid")});
  EXPECT_EQ(text_at(steps(first).as_array().at(0), "status"), "succeeded");
  const std::string second = tenant.create_order();
  EXPECT_TRUE(steps(second).is_null()) << "it has no run yet";
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=skipped").size() == 1; }));
  EXPECT_EQ(explained(second), std::vector<std::string>{"limited"});
  EXPECT_EQ(text_at(steps(second).as_array().at(0), "code"), "LIMITED");
}

TEST_F(Timers, MoveAndDropWithTheirField) {
  timed("collectionDate", "-PT1H");
  const std::string order = tenant.insert_order({{"collection_date", "now() + interval '2 days'"}});
  ASSERT_TRUE(come_to_wait(1));
  EXPECT_EQ(explained(order), std::vector<std::string>{"timer_waiting"});
  const auto due = [&] {
    return tenant.sql.value("select due_at from timers where business_id = $1", {tenant.id});
  };
  const std::string before = due();
  tenant.update_orders("notes = 'x' where true");
  ASSERT_TRUE(come_to_wait(1));
  EXPECT_EQ(due(), before);
  tenant.update_orders("collection_date = collection_date + interval '1 day' where true");
  ASSERT_TRUE(come_to_wait(1));
  EXPECT_NE(due(), before);
  EXPECT_EQ(explained(order), (std::vector<std::string>{"timer_waiting", "timer_moved"}));
  tenant.update_orders("collection_date = null where true");
  ASSERT_TRUE(come_to_wait(0));
  tenant.update_orders("collection_date = now() + interval '1 hour 1 second' where true");
  ASSERT_EQ(wait_for(1).size(), 1U);

  tenant.update_orders("collection_date = now() + interval '3 hours' where true");
  ASSERT_TRUE(come_to_wait(1));
  tenant.update_orders("deleted_at = now() where true");
  ASSERT_TRUE(come_to_wait(0));
  const std::string late = tenant.insert_order({{"collection_date", "now() - interval '1 day'"}});
  ASSERT_TRUE(come_to_wait(0)) << "its time has passed";
  EXPECT_EQ(explained(late), std::vector<std::string>{"timer_passed"});
}

TEST_F(Timers, AValueThatComesTooLateIsExplained) {
  const std::string workflow = timed("collectionDate", "-P1D");
  const std::string order = tenant.insert_order();
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_EQ(explained(order), std::vector<std::string>{"no_value"});
  tenant.update_orders("collection_date = now() + interval '20 hours' where true");
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_EQ(explained(order), std::vector<std::string>{"timer_passed"});
  tenant.update_orders("notes = 'x' where true");
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_EQ(explained(order), std::vector<std::string>{"timer_passed"}) << "for its own event alone";
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty());
}

TEST_F(Timers, AreExplainedWhileTheirFieldHasNoValue) {
  const std::string order = tenant.insert_order();
  tenant.settle();
  timed("collectionDate", "-PT1H");
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_EQ(explained(order), std::vector<std::string>{"no_value"}) << "of a newer workflow, too";
  tenant.update_orders("collection_date = now() + interval '2 days' where true");
  ASSERT_TRUE(come_to_wait(1));
  EXPECT_EQ(explained(order), std::vector<std::string>{"timer_waiting"});
  tenant.update_orders("collection_date = null where true");
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_THAT(explained(order), testing::UnorderedElementsAre("timer_moved", "no_value"));
  tenant.update_orders("deleted_at = now() where true");
  ASSERT_TRUE(come_to_wait(0));
  EXPECT_EQ(explained(order), std::vector<std::string>{"timer_moved"}) << "the record is gone";
}

TEST_F(Timers, IncludeRecordsWhoseTimeIsStillToCome) {
  const std::string soon =
      tenant.insert_order({{"created_at", "now() - interval '1 day' + interval '3 seconds'"}});
  tenant.insert_order({{"created_at", "now() - interval '2 days'"}});
  tenant.settle();
  timed("createdAt", "P1D");
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.guid"), soon);
  EXPECT_TRUE(come_to_wait(0));
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Timers, ScanMoreRecordsThanOneTransactionSets) {
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'S-' || n from generate_series(1, 450) n");
  tenant.settle();
  timed("createdAt", "P1D");
  EXPECT_TRUE(come_to_wait(450));
}

TEST_F(Timers, DoNotFireForAWorkflowThatIsOffWhenTheyAreDue) {
  const std::string workflow = timed("createdAt", "P1D");
  const std::string order = tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  const auto toggle = [&] { tenant.http.get("/api/workflows/configured/" + workflow + "/toggle"); };
  toggle();
  EXPECT_EQ(explained(order), std::vector<std::string>{"switched_off"});
  jump();
  EXPECT_TRUE(come_to_result({"switched_off"}));
  toggle();
  EXPECT_EQ(explained(order), std::vector<std::string>{"switched_off"});
  EXPECT_EQ(waiting(), 0);
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty());
}

TEST_F(Timers, FireForAWorkflowThatIsOnAgainBeforeTheyAreDue) {
  const std::string workflow = timed("createdAt", "P1D");
  tenant.http.get("/api/workflows/configured/" + workflow + "/toggle");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1)) << "they follow their records also while it is off";
  tenant.http.get("/api/workflows/configured/" + workflow + "/toggle");
  jump();
  EXPECT_EQ(wait_for(1).size(), 1U);
}

TEST_F(Timers, HoldTheConditionsWhenTheyAreDue) {
  const json::object pending{{"conditions", {{"status", "pending"}, {"customer.name", "Ada Lovelace"}}}};
  timed("createdAt", "P1D", pending);
  const std::string moved = tenant.create_order();
  const std::string kept = tenant.create_order();
  tenant.update_orders("status = 'cancelled' where guid = '" + moved + "'");
  ASSERT_TRUE(come_to_wait(2));
  jump();
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.guid"), kept);
  EXPECT_TRUE(eventually([&] { return results().size() == 2; }));
  EXPECT_EQ(explained(moved), std::vector<std::string>{"condition"});
}

TEST_F(Timers, AChangedOffsetConcernsOnlyValuesThatHaveNotFired) {
  const std::string workflow = timed("createdAt", "P1D");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  jump();
  ASSERT_EQ(wait_for(1).size(), 1U);
  const std::string later = tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  json::object changed = definition("createdAt", "P2D");
  changed["guid"] = workflow;
  tenant.configure(changed);
  const auto is_moved = [&] {
    return tenant.sql.number(
               "select count(*) from timers t join orders o on o.guid = t.entity_id where t.business_id = $1 "
               "and t.entity_id = $2 and t.due_at = o.created_at + interval '2 days'",
               {tenant.id, later}) == 1;
  };
  EXPECT_TRUE(eventually(is_moved));
  ASSERT_TRUE(come_to_wait(1)) << "not the order that has fired";
  jump();
  EXPECT_EQ(wait_for(2).size(), 2U);
  changed["timer"] = json::object{{"field", "createdAt"}, {"offset", "PT0S"}};
  tenant.configure(changed);
  EXPECT_TRUE(come_to_wait(0));
}

TEST_F(Timers, AValueThatHasFiredLeavesNoTimerOfTheValueBefore) {
  const std::string workflow = timed("collectionDate", "PT0S");
  const std::string order = tenant.insert_order({{"collection_date", "now() + interval '1 day'"}});
  ASSERT_TRUE(come_to_wait(1));
  jump();
  ASSERT_EQ(wait_for(1).size(), 1U);
  ASSERT_TRUE(come_to_result({"fired"}));
  json::object changed = definition("collectionDate", "PT30S");
  changed["guid"] = workflow;
  tenant.configure(changed);
  tenant.update_orders("collection_date = collection_date + interval '1 day' where true");
  ASSERT_TRUE(come_to_wait(1));
  tenant.update_orders("collection_date = collection_date - interval '1 day' where true");
  EXPECT_TRUE(come_to_wait(0));
  EXPECT_THAT(explained(order), testing::Not(testing::Contains("timer_waiting")));
  const Response upcoming = tenant.http.get("/api/workflows/upcoming?entityId=" + order);
  EXPECT_TRUE(upcoming.data().as_array().empty()) << upcoming.text;
}

TEST_F(Timers, AreHeldWhileTheWorkflowIsPaused) {
  const std::string workflow = timed("createdAt", "P1D");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  tenant.sql.exec("update workflows set paused_reason = 'test', paused_at = now() where guid = '" + workflow +
                  "'");
  jump();
  tenant.run_with_status(workflow, "held");
  tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow);
  EXPECT_EQ(wait_for(1).size(), 1U);
}

TEST_F(Timers, GoWithTheirWorkflow) {
  const std::string workflow = timed("createdAt", "P1D");
  const std::string order = tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  jump();
  EXPECT_TRUE(come_to_wait(0));
  EXPECT_TRUE(results().empty());
  EXPECT_TRUE(explained(order).empty());
}

TEST_F(Timers, ShipmentsHaveTheirFields) {
  timed("lastTraceAt", "P1D", {{"conditions", {{"status", {{"nin", {"delivered"}}}}}}}, "Shipment");
  timed("estimatedDelivery", "-PT1H", {{"action", {{"type", "webhook"}, {"recipient", url("late")}}}},
        "Shipment");
  const std::string shipment = tenant.insert_shipment("");
  ASSERT_TRUE(come_to_wait(1)) << "it has no scan yet";
  EXPECT_EQ(explained(shipment), (std::vector<std::string>{"timer_waiting", "no_value"}));
  for (const char* const status : {"collected", "in_transit"}) {
    tenant.move_shipment(shipment, status);
    ASSERT_TRUE(come_to_wait(2));
  }
  jump();
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_EQ(wait_for(1, "late").size(), 1U);
}

TEST_F(Timers, ReadsOfTimersCanBeSentBack) {
  const std::string workflow = timed("collectionDate", "-P1DT1H");
  json::object read = tenant.workflow(workflow);
  EXPECT_EQ(at(read, "timer"), json::parse(R"({"field": "collectionDate", "offset": "-P1DT1H"})"));
  EXPECT_EQ(at(read, "trigger"), "timer");
  EXPECT_EQ(at(read, "triggerId"), json::value());
  EXPECT_EQ(at(read, "triggers"), json::value(json::array()));
  EXPECT_EQ(at(read, "problem"), json::value());
  const Response sent = tenant.http.post("/api/workflows/configure", read);
  ASSERT_EQ(sent.status, 200) << sent.text;
  EXPECT_EQ(at(sent.body, "data.version"), 1) << "nothing has changed";
  const json::object triggered{{"guid", workflow}, {"triggerId", trigger_guid("order_created")}};
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", triggered).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "timer"), json::value());
  const Response versions = tenant.http.get("/api/workflows/configured/" + workflow + "/versions");
  EXPECT_EQ(at(versions.data().as_array().at(1), "definition.timer.offset"), "-P1DT1H");
  const Response restored =
      tenant.http.post("/api/workflows/configured/" + workflow + "/versions/1/restore", json::object{});
  ASSERT_EQ(restored.status, 200) << restored.text;
  EXPECT_EQ(at(tenant.workflow(workflow), "timer.offset"), "-P1DT1H");
  const Response listed = tenant.http.get("/api/workflows/Order/configured");
  EXPECT_EQ(at(listed.data().as_array().at(0), "timer.field"), "collectionDate");
}

TEST_F(Timers, BadTimersAreNamed) {
  EXPECT_EQ(details(definition("createdAt", "soon")).as_object().begin()->key(), "timer.offset");
  EXPECT_EQ(details(definition("estimatedDelivery", "P1D")).as_object().begin()->key(), "timer.field");
  json::object body = definition("createdAt", "P1D");
  body["triggerId"] = trigger_guid("order_created");
  EXPECT_TRUE(details(body).as_object().contains("timer"));
  body.erase("triggerId");
  body["triggers"] = json::array{"order_created"};
  EXPECT_TRUE(details(body).as_object().contains("timer"));
  body.erase("triggers");
  body["timer"] = "P1D";
  EXPECT_TRUE(details(body).as_object().contains("timer"));
  body["timer"] = json::object{{"field", "createdAt"}};
  EXPECT_EQ(details(body), json::parse(R"({"timer.offset": "is required"})"));
}

TEST_F(Timers, HaveNoQuery) {
  for (const json::object& more :
       {json::object{{"query", {{"limit", 1}}}}, {{"each", true}}, {{"runWhenEmpty", false}}}) {
    EXPECT_EQ(details(definition("createdAt", "P1D", more)),
              json::value(json::object{{more.begin()->key(), "needs a schedule"}}));
  }
  const json::object none{{"schedule", nullptr}, {"query", nullptr}, {"each", nullptr}};
  EXPECT_FALSE(timed("createdAt", "P1D", none).empty());
}

TEST_F(Timers, TestAndBacktestKnowTimers) {
  const std::string order = tenant.create_order();
  const json::object body = definition("createdAt", "PT1H", {{"conditions", {{"status", "pending"}}}});
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"definition", body}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  EXPECT_EQ(at(tested.body, "data.matches"), json::value(true));
  EXPECT_EQ(at(json::parse(text_at(tested.body, "data.wouldSend.body")), "type"), "timer");

  // Events of the past: an order that was still pending an hour later, and one that was not.
  tenant.sql.exec("update orders set created_at = created_at - interval '5 hours' where guid = '" + order +
                  "'");
  const std::string moved = tenant.create_order();
  tenant.move_order(moved, "cancelled");
  tenant.settle();
  tenant.sql.exec(
      "update events set at = at - interval '5 hours', order_after = jsonb_populate_record(order_after, "
      "jsonb_build_object('created_at', (order_after).created_at - interval '5 hours')) where entity_id = '" +
      moved + "'");
  const Response backtested = tenant.http.post("/api/workflows/backtest", {{"definition", body}});
  ASSERT_EQ(backtested.status, 200) << backtested.text;
  EXPECT_EQ(at(backtested.body, "data.matches"), 0) << backtested.text;
  const Response all =
      tenant.http.post("/api/workflows/backtest", {{"definition", definition("createdAt", "PT1H")}});
  EXPECT_EQ(at(all.body, "data.matches"), 1) << all.text;
  EXPECT_EQ(text_at(at(all.body, "data.sample").as_array().at(0), "entityId"), moved);
  EXPECT_EQ(at(tenant.configure(definition("createdAt", "PT1H")), "firedLast7Days"), 1);
}

TEST_F(Timers, CountAsOneTriggerForTheLimit) {
  TestDatabase database;
  Waybill::Options options;
  options.arguments = {"--workflows-per-trigger", "1"};
  const Waybill limited(database.url(), options);
  Tenant other(limited, "limited");
  other.configure(definition("createdAt", "P1D"));
  const Response refused = other.http.post("/api/workflows/configure", definition("collectionDate", "P1D"));
  EXPECT_EQ(refused.status, 409) << refused.text;
}

TEST_F(Timers, DeletedWorkflowsAndOldResultsExpire) {
  const std::string workflow = timed("createdAt", "P1D");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  tenant.sql.exec(
      "insert into timer_results (business_id, entity_id, workflow_id, value, due_at, plan, reason) select "
      "'" +
      tenant.id + "', gen_random_uuid(), '" + workflow +
      "', now() - n * interval '366 days 12 hours', now(), 1, 'condition' from generate_series(1, 2) n");
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  world.database.make_duties_due();
  const Waybill another(world.database.url(),
                        {.command = "worker", .secret_key_file = world.waybill.secret_key_file()});
  EXPECT_TRUE(eventually([&] { return waiting() == 0 && results().size() == 1; })) << "a worker's start";
}

TEST_F(Timers, TimersOfASuspendedBusinessFireWhenItIsResumed) {
  timed("createdAt", "PT1H");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  set_suspended(true);
  jump();
  const auto postponed = [&] {
    return tenant.sql.number("select count(*) from timers where business_id = $1 and check_at > now()",
                             {tenant.id});
  };
  ASSERT_TRUE(eventually([&] { return postponed() == 1; }));
  EXPECT_TRUE(results().empty());
  set_suspended(false);
  jump();
  EXPECT_TRUE(come_to_result({"fired"}));
}

TEST_F(Timers, ChangesOfOneRecordInACircleEnd) {
  const auto moves = [&](std::string_view from, std::string_view to) {
    return timed(
        "statusChangedAt", "PT1H",
        {{"conditions", {{"status", from}}}, {"action", {{"type", "update_status"}, {"status", to}}}});
  };
  const std::string to_processing = moves("pending", "processing");
  const std::string to_pending = moves("processing", "pending");
  const std::string order = tenant.create_order();
  ASSERT_TRUE(eventually([&] {
    jump();
    return tenant.runs("entityId=" + order + "&status=dead").size() == 1;
  }));
  const json::object dead = tenant.runs("entityId=" + order + "&status=dead").at(0);
  EXPECT_EQ(text_at(dead, "code"), "LOOP");
  EXPECT_EQ(text_at(dead, "workflowId"), to_processing);
  EXPECT_EQ(tenant.runs("workflowId=" + to_processing + "&status=succeeded").size(), 4U);
  EXPECT_EQ(tenant.runs("workflowId=" + to_pending + "&status=succeeded").size(), 4U);
}

TEST_F(Timers, OfManyRecordsDoNotDelayThoseOfAnotherBusiness) {
  timed("createdAt", "PT1H");
  tenant.create_order();
  ASSERT_TRUE(come_to_wait(1));
  Tenant crowd(world.waybill, test_name() + "2");
  const std::string workflow = text_at(crowd.configure(definition("createdAt", "PT1H")), "guid");
  tenant.sql.exec(
      "insert into timers (business_id, workflow_id, entity_id, shard, plan, value, due_at, check_at, "
      "event_id) "
      "select '" +
      crowd.id + "', '" + workflow + "', gen_random_uuid(), shard_of('" + tenant.id +
      "'), 1, now(), now() - interval '1 hour', now() - interval '1 hour', 0 from generate_series(1, 30000)");
  jump();
  EXPECT_TRUE(come_to_result({"fired"}));
  EXPECT_GT(tenant.sql.number("select count(*) from timers where business_id = $1", {crowd.id}), 15'000)
      << "they are due since an hour";
}

}  // namespace
}  // namespace waybill::tests
