#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/session/session.hpp"
#include "storage/sql/history.sql.hpp"
#include "storage/statement/params.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> keys(const json::value& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.as_object()) result.emplace_back(key);
  return result;
}

class Insight : public WorkflowTest {
 protected:
  json::object definition(json::value conditions, std::string_view trigger = "order_updated") const {
    return {{"name", "watched"},
            {"entityType", "Order"},
            {"triggerId", trigger_guid(trigger)},
            {"conditions", std::move(conditions)},
            {"action", {{"type", "webhook"}, {"recipient", url()}, {"headers", {{"X-Shop", "42"}}}}}};
  }

  json::value post(std::string_view path, const json::object& body) {
    const Response response = tenant.http.post("/api/workflows/" + std::string(path), body);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }

  json::array explained(const std::string& entity) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + entity);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().as_array();
  }

  // The explanation of the record's last event.
  std::string reason(const std::string& entity, std::string_view workflow) {
    tenant.settle();
    const json::array events = explained(entity);
    for (const auto& entry : events.at(0).at("workflows").as_array()) {
      if (text_at(entry, "guid") != workflow) continue;
      EXPECT_EQ(entry.at("fired").as_bool(), entry.at("reason").is_null());
      return entry.at("reason").is_null() ? "" : std::string(entry.at("reason").as_string());
    }
    return "not listed";
  }

  std::int64_t fired_last_7_days(const json::object& workflow) {
    return tenant.configure(workflow).at("firedLast7Days").as_int64();
  }
};

TEST_F(Insight, TestShowsConditionsAndTheRequestWithoutSendingIt) {
  const std::string order = tenant.create_order({{"notes", "Grüße"}});
  const json::value tested = post(
      "test", {{"definition", definition({{"totalValue", {{"gte", 10}, {"lt", 20}}}, {"status", "pending"}})},
               {"entityId", order}});
  EXPECT_THAT(keys(tested), UnorderedElementsAre("matches", "conditions", "wouldSend"));
  EXPECT_EQ(tested.at("matches"), false);
  EXPECT_EQ(tested.at("conditions"),
            json::parse(
                R"([{"path": "totalValue", "operator": "gte", "expected": 10, "actual": 39.98, "holds": true},
                            {"path": "totalValue", "operator": "lt", "expected": 20, "actual": 39.98, "holds": false},
                            {"path": "status", "operator": "eq", "expected": "pending", "actual": "pending",
                             "holds": true}])"));
  const json::value& sent = tested.at("wouldSend");
  EXPECT_THAT(keys(sent), UnorderedElementsAre("url", "headers", "body"));
  EXPECT_EQ(text_at(sent, "url"), url());
  EXPECT_EQ(sent.at("headers").at("X-Shop"), "********");
  const json::value body = json::parse(sent.at("body").as_string());
  EXPECT_EQ(at(body, "data.entity"), tenant.http.get("/api/v1/Orders/" + order).data());
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(Insight, TestAcceptsAStoredWorkflowInsteadOfADefinition) {
  const json::object workflow = tenant.configure(definition({{"status", "pending"}}, "order_deleted"));
  const std::string order = tenant.create_order();
  const json::value tested = post("test", {{"workflowId", workflow.at("guid")}, {"entityId", order}});
  EXPECT_EQ(tested.at("matches"), true);
  const std::string secret(workflow.at("action").at("secret").as_string());
  EXPECT_EQ(json::serialize(tested).find(secret), std::string::npos);
}

TEST_F(Insight, TestShowsMailsAndPushMessagesAsRunsDo) {
  const std::string order = tenant.create_order({{"orderNumber", "T-1"}});
  const auto would_send = [&](const json::object& action) {
    json::object test_definition = definition(json::object());
    test_definition["action"] = action;
    return post("test", {{"definition", test_definition}, {"entityId", order}}).at("wouldSend");
  };
  EXPECT_EQ(
      would_send({{"type", "send_email"},
                  {"recipient", "{{customer.email}}"},
                  {"subject", "{{orderNumber}}"},
                  {"body", "It is {{status}}"}}),
      json::parse(R"({"to": ["ada@example.com"], "subject": "T-1", "body": "It is pending", "html": null})"));
  EXPECT_EQ(would_send({{"type", "send_push"}, {"title", "{{orderNumber}}"}, {"body", "moved"}}),
            json::parse(R"({"title": "T-1", "body": "moved", "url": null, "subscriptions": 0})"));
}

TEST_F(Insight, TestSaysWhyARunWouldEndWithoutItsAction) {
  const std::string order = tenant.insert_order({{"status", "'shipped'"}});
  tenant.insert_shipment(order, "in_transit");
  const auto code_of = [&](const json::object& action) {
    json::object test_definition = definition(json::object());
    test_definition["action"] = action;
    const json::value shown = post("test", {{"definition", test_definition}, {"entityId", order}});
    EXPECT_EQ(shown.at("matches"), true) << "that is about the conditions";
    EXPECT_FALSE(shown.at("wouldSend").is_null());
    return shown.as_object().contains("code") ? text_at(shown, "code") : "";
  };
  const json::object move{{"type", "update_status"}, {"status", "draft"}};
  const json::object ship{{"type", "create_shipment"}};
  const json::object set{{"type", "update_record"}, {"set", {{"serviceLevel", "express"}}}};
  const json::object letter{
      {"type", "send_email"}, {"recipient", "{{notes}}"}, {"subject", "S"}, {"body", "B"}};
  json::object good = letter;
  good["recipient"] = "ada@example.com";
  EXPECT_EQ(code_of(move), "FORBIDDEN_MOVE");
  EXPECT_EQ(code_of({{"type", "update_status"}, {"status", "delivered"}}), "");
  EXPECT_EQ(code_of(ship), "EXISTS");
  EXPECT_EQ(code_of(set), "LOCKED");
  EXPECT_EQ(code_of(letter), "NO_RECIPIENT");
  EXPECT_EQ(code_of(good), "");
  const Response off =
      tenant.http.put("/api/business/default-configuration", {{"notifications", {{"emailEnabled", false}}}});
  ASSERT_EQ(off.status, 200) << off.text;
  EXPECT_EQ(code_of(good), "NOTIFICATIONS_OFF");

  json::object several = definition(json::object());
  several.erase("action");
  several["steps"] = json::array{move, ship, set};
  const json::value shown = post("test", {{"definition", several}, {"entityId", order}});
  std::vector<std::string> codes;
  for (const json::value& step : shown.at("steps").as_array()) codes.push_back(text_at(step, "code"));
  EXPECT_THAT(codes, ElementsAre("FORBIDDEN_MOVE", "EXISTS", "LOCKED"));
  EXPECT_FALSE(shown.as_object().contains("code"));
}

TEST_F(Insight, TestKnowsACarrierThatIsNone) {
  const std::string order = tenant.create_order();
  json::object test_definition = definition(json::object());
  test_definition["action"] = {{"type", "update_record"}, {"set", {{"carrierId", "{{guid}}"}}}};
  const json::value shown = post("test", {{"definition", test_definition}, {"entityId", order}});
  EXPECT_EQ(text_at(shown, "code"), "INVALID_VALUE");
  EXPECT_EQ(text_at(shown, "error"), "carrierId names no carrier");
}

TEST_F(Insight, BadRequestsAreReportedByField) {
  const std::string order = tenant.create_order();
  const auto refused = [&](const json::object& body) {
    const Response response = tenant.http.post("/api/workflows/test", body);
    EXPECT_EQ(response.status, 400) << response.text;
    return keys(at(response.body, "error.details"));
  };
  EXPECT_THAT(refused({{"entityId", order}}), ElementsAre("definition"));
  EXPECT_THAT(refused({{"definition", 1}, {"entityId", "x"}}),
              UnorderedElementsAre("definition", "entityId"));
  EXPECT_THAT(refused({{"definition", definition({{"nmae", 1}})}, {"entityId", order}}),
              ElementsAre("definition.conditions.nmae"));
  json::object wrong = definition(json::object());
  wrong["action"] = {{"type", "webhook"}, {"recipient", "ftp://example.com"}};
  EXPECT_THAT(refused({{"definition", wrong}, {"entityId", order}}),
              ElementsAre("definition.action.recipient"));
  EXPECT_EQ(tenant.http
                .post("/api/workflows/test", {{"definition", definition(json::object())},
                                              {"entityId", "00000000-0000-4000-8000-000000000000"}})
                .status,
            404);
  for (const Response& response :
       {tenant.http.get("/api/workflows/ledger?from=2026-02-02&to=2026-02-01"),
        tenant.http.post(
            "/api/workflows/backtest",
            {{"definition", definition(json::object())}, {"from", "2026-02-02"}, {"to", "2026-01-31"}})}) {
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(keys(response.details()), ElementsAre("from"));
  }
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger?from=2026-02-01&to=2026-02-01").status, 200);
}

TEST_F(Insight, NothingIsShownOfAnotherBusiness) {
  const std::string order = tenant.create_order();
  const std::string workflow = tenant.webhook(url(), "order_updated");
  Tenant other(world.waybill, test_name() + " other");
  EXPECT_EQ(other.http.get("/api/workflows/explain?entityId=" + order).status, 404);
  EXPECT_EQ(other.http.post("/api/workflows/test", {{"workflowId", workflow}, {"entityId", order}}).status,
            404);
  EXPECT_EQ(other.http.post("/api/workflows/backtest", {{"workflowId", workflow}}).status, 404);
  EXPECT_EQ(
      other.http
          .post("/api/workflows/test", {{"definition", definition(json::object())}, {"entityId", order}})
          .status,
      404);
  const json::value ledger = other.http.get("/api/workflows/ledger").data();
  EXPECT_EQ(ledger.at("events"), 0);
}

TEST_F(Insight, ABacktestOfAnUnchangedWorkflowReturnsExactlyItsRuns) {
  const std::string workflow = tenant.webhook(
      url(), "order_updated", {{"conditions", {{"customer.email", {{"endsWith", "@gold.example"}}}}}});
  const std::string order = tenant.create_order();
  const std::string customer = text_at(tenant.http.get("/api/v1/Orders/" + order).body, "data.customer.guid");
  const auto email = [&](const char* address) {
    tenant.settle();  // related records are those at the time of matching
    tenant.sql.exec("update customers set email = '" + std::string(address) + "' where guid = '" + customer +
                    "'");
    tenant.settle();
  };
  const auto change = [&](int times) {
    for (int i = 0; i < times; ++i) tenant.put_order(order, {{"notes", std::to_string(i)}});
  };
  change(2);
  email("ada@gold.example");
  change(3);
  email("ada@example.com");
  change(4);
  tenant.settle();
  const auto runs = tenant.runs("workflowId=" + workflow);
  EXPECT_EQ(runs.size(), 3U);
  std::set<std::int64_t> run_events, sampled;
  for (const json::object& run : runs) run_events.insert(run.at("eventId").as_int64());

  const json::value result = post("backtest", {{"workflowId", workflow}});
  EXPECT_THAT(keys(result), UnorderedElementsAre("events", "matches", "perDay", "sample", "conditions"));
  EXPECT_EQ(result.at("events"), 10);  // including the creation
  EXPECT_EQ(result.at("matches"), 3);
  for (const auto& match : result.at("sample").as_array()) sampled.insert(match.at("eventId").as_int64());
  EXPECT_EQ(sampled, run_events);
  std::int64_t total = 0;
  for (const auto& day : result.at("perDay").as_array()) total += day.at("count").as_int64();
  EXPECT_EQ(total, 3);

  EXPECT_EQ(post("backtest", {{"workflowId", workflow}, {"to", "2020-01-01"}}).at("events"), 0);
}

TEST_F(Insight, BacktestCountsHowOftenEachConditionHeld) {
  const std::string workflow =
      tenant.webhook(url(), "order_created",
                     {{"conditions",
                       {{"any", {{{"notes", {{"startsWith", "a"}, {"endsWith", "z"}}}}, {{"notes", "b"}}}},
                        {"currency", "EUR"}}}});
  for (const char* const notes : {"'az'", "'ay'", "'b'", "'b'", "null"})
    tenant.insert_order({{"notes", notes}, {"currency", "'EUR'"}});
  tenant.update_orders("notes = 'az' where true");
  tenant.settle();
  const json::value result = post("backtest", {{"workflowId", workflow}});
  EXPECT_EQ(result.at("matches"), 3);
  const auto count = [](const char* path, const char* op, const char* expected, int held) {
    return json::value{
        {"path", path}, {"operator", op}, {"expected", expected}, {"held", held}, {"evaluated", 5}};
  };
  EXPECT_EQ(result.at("conditions"),
            (json::array{count("notes", "endsWith", "z", 1), count("notes", "startsWith", "a", 2),
                         count("notes", "eq", "b", 2), count("currency", "eq", "EUR", 5)}))
      << "only events that meet the trigger count";
  const std::string timer =
      text_at(tenant.configure({{"name", "late"},
                                {"entityType", "Order"},
                                {"timer", {{"field", "createdAt"}, {"offset", "PT1S"}}},
                                {"conditions", {{"notes", "az"}}},
                                {"isActive", false},
                                {"action", {{"type", "webhook"}, {"recipient", url()}}}}),
              "guid");
  const json::value late =
      post("backtest",
           {{"workflowId", timer}, {"to", format_timestamp(system_clock().now() + std::chrono::hours(1))}});
  EXPECT_EQ(late.at("conditions").as_array().at(0).at("evaluated"), 5);
  EXPECT_EQ(late.at("conditions").as_array().at(0).at("held"), 5);
}

TEST_F(Insight, BacktestComparesTheMatchesOfTwoWorkflowsOrVersions) {
  const auto with = [&](const json::object& conditions) {
    return tenant.webhook(url(), "order_created", {{"conditions", conditions}});
  };
  const std::string narrow = with({{"notes", "a"}});
  const std::string wide = with({{"notes", {{"in", {"b", "c"}}}}});
  tenant.configure({{"guid", narrow}, {"conditions", {{"notes", {{"in", {"a", "b"}}}}}}});
  std::map<std::string, std::string> orders;
  for (const std::string notes : {"a", "b", "c", "d"})
    orders[notes] = tenant.insert_order({{"notes", "'" + notes + "'"}});
  tenant.settle();
  const json::value both =
      post("backtest", {{"workflowId", narrow}, {"against", {{"workflowId", wide}}}}).at("against");
  EXPECT_EQ(both.at("onlyThis"), 1);
  EXPECT_EQ(both.at("onlyOther"), 1);
  std::map<std::string, std::string> only;
  for (const json::value& each : both.at("sample").as_array())
    only[text_at(each, "only")] = text_at(each, "entityId");
  EXPECT_EQ(only, (std::map<std::string, std::string>{{"this", orders["a"]}, {"other", orders["c"]}}));
  const json::value versions =
      post("backtest", {{"workflowId", narrow}, {"against", {{"workflowId", narrow}, {"version", 1}}}})
          .at("against");
  EXPECT_EQ(versions.at("onlyThis"), 1) << "the order with the notes b";
  EXPECT_EQ(versions.at("onlyOther"), 0);
  const auto status = [&](const json::object& against) {
    return tenant.http
        .post("/api/workflows/backtest", json::object{{"workflowId", narrow}, {"against", against}})
        .status;
  };
  EXPECT_EQ(status({{"workflowId", narrow}, {"version", 9}}), 404);
  EXPECT_EQ(status({{"workflowId", Guid::random().to_string()}}), 404);
  EXPECT_EQ(status({{"version", 1}}), 400);
  const std::string products = tenant.webhook(url(), "product_created", {{"entityType", "Product"}});
  EXPECT_EQ(status({{"workflowId", products}}), 400);
}

TEST_F(Insight, BacktestAndExplainUseRelatedRecordsDeletedOrChangedSince) {
  const auto workflow_with = [&](const char* path, json::value expected) {
    return tenant.webhook(url(), "order_updated", {{"conditions", {{path, std::move(expected)}}}});
  };
  const std::vector<std::string> workflows{
      workflow_with("customer.email", {{"exists", true}}), workflow_with("shipments.status", "delivered"),
      workflow_with("shipments.status", "returned"), workflow_with("shipments.labelStatus", "bought")};
  const std::string order = tenant.create_order();
  tenant.insert_shipment(order, "delivered");
  tenant.insert_shipment(order, "returned");
  tenant.sql.exec("update shipments set label_status = 'bought' where order_id = '" + order +
                  "' and status = 'delivered'");
  tenant.settle();
  tenant.put_order(order, {{"notes", "then"}});
  tenant.settle();
  tenant.sql.exec("delete from shipments where order_id = '" + order + "' and status = 'delivered'");
  tenant.sql.exec("update shipments set order_id = null where order_id = '" + order + "'");
  tenant.sql.exec("delete from customers where business_id = '" + tenant.id + "'");
  tenant.settle();
  tenant.put_order(order, {{"notes", "now"}});
  tenant.settle();
  for (const std::string& workflow : workflows) {
    EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 1U);
    EXPECT_EQ(post("backtest", {{"workflowId", workflow}}).at("matches"), 1);
  }
  for (const auto& event : explained(order)) {
    for (const auto& entry : event.at("workflows").as_array()) {
      if (entry.at("reason") == "other_trigger") continue;
      for (const auto& condition : entry.at("conditions").as_array())
        EXPECT_EQ(condition.at("holds"), entry.at("fired")) << entry;
    }
  }
}

TEST_F(Insight, FiredLast7DaysCountsPastRuns) {
  EXPECT_EQ(fired_last_7_days(definition(json::object())), 0);
  const std::string order = tenant.create_order();
  for (const char* notes : {"a", "b", "c"}) tenant.put_order(order, {{"notes", notes}});
  EXPECT_EQ(fired_last_7_days(definition(json::object())), 3);
  EXPECT_EQ(fired_last_7_days(definition({{"notes", "b"}})), 1);
  EXPECT_EQ(fired_last_7_days(definition(json::object(), "order_created")), 1);
}

TEST_F(Insight, ExplainShowsWhyAWorkflowDidNotFire) {
  const std::string order = tenant.create_order();
  const std::string fires = tenant.webhook(url(), "order_updated");
  const std::string never = tenant.webhook(url(), "order_updated", {{"conditions", {{"notes", "never"}}}});
  const std::string deleted = tenant.webhook(url(), "order_deleted");
  const std::string off = tenant.webhook(url(), "order_updated", {{"isActive", false}});
  const std::string paused = tenant.webhook(url(), "order_updated");
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" + paused +
                  "'");
  tenant.put_order(order, {{"notes", "x"}});
  const std::string newer = tenant.webhook(url(), "order_updated");

  EXPECT_EQ(reason(order, fires), "");
  EXPECT_EQ(reason(order, never), "condition");
  EXPECT_EQ(reason(order, deleted), "other_trigger");
  EXPECT_EQ(reason(order, off), "switched_off");
  EXPECT_EQ(reason(order, paused), "paused");
  EXPECT_EQ(reason(order, newer), "newer_than_event");

  const json::array events = explained(order);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_THAT(keys(events[0]), UnorderedElementsAre("eventId", "at", "triggers", "workflows"));
  EXPECT_EQ(events[0].at("triggers"), json::array({"order_updated"}));
  EXPECT_EQ(events[1].at("triggers"), json::array({"order_created"}));
  const json::value& workflow = events[0].at("workflows").at(0);
  EXPECT_THAT(keys(workflow),
              UnorderedElementsAre("guid", "name", "fired", "runId", "reason", "steps", "conditions"));
  EXPECT_EQ(at(workflow, "steps").as_array().size(), 1U);
  EXPECT_EQ(text_at(tenant.run(text_at(workflow, "runId")), "workflowId"), fires);
}

TEST_F(Insight, AConditionThatNoLongerHeldAfterTheDelayIsTheReason) {
  const std::string workflow = tenant.webhook(
      url(), "order_updated", {{"delay", "PT1H"}, {"conditions", {{"currency", "EUR"}, {"notes", "a"}}}});
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "a"}});
  tenant.run_with_status(workflow, "waiting");
  tenant.put_order(order, {{"notes", "b"}});
  tenant.settle();
  tenant.sql.rows("update run_queue set due_at = now() where workflow_id = $1", {workflow});
  const json::object run = tenant.run_with_status(workflow, "skipped");
  EXPECT_EQ(at(run, "code"), "CONDITION");
  EXPECT_EQ(at(run, "error"),
            R"(The conditions no longer held after the delay: notes eq "a"; the value was "b".)");
  const json::array events = explained(order);
  const json::value& entry = events.at(1).at("workflows").at(0);
  EXPECT_EQ(at(entry, "runId"), at(run, "guid"));
  EXPECT_EQ(at(entry, "fired"), false);
  EXPECT_EQ(at(entry, "reason"), "condition");
  EXPECT_EQ(at(entry, "steps.0.error"), at(run, "error"));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(Insight, AConditionOfAnActionIsNoReasonThatAWorkflowDidNotFire) {
  const std::string workflow = tenant.webhook(
      url(), "order_updated",
      {{"action", {{"type", "update_status"}, {"status", "shipped"}, {"whenAllShipments", "delivered"}}}});
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "a"}});
  EXPECT_EQ(at(tenant.run_with_status(workflow, "skipped"), "code"), "CONDITION");
  EXPECT_EQ(reason(order, workflow), "");
}

TEST_F(Insight, ExplainUsesTheVersionAndStateAtTheTimeOfTheEvent) {
  json::object changed = definition({{"notes", "a"}});
  const std::string workflow(tenant.configure(changed).at("guid").as_string());
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "a"}});
  tenant.settle();
  changed["guid"] = workflow;
  changed["conditions"] = {{"notes", "b"}};
  tenant.configure(changed);
  tenant.put_order(order, {{"notes", "c"}});
  const auto toggle = [&] {
    tenant.settle();  // events matched after it is switched off do not fire
    tenant.http.get("/api/workflows/configured/" + workflow + "/toggle");
  };
  toggle();
  tenant.put_order(order, {{"notes", "b"}});
  toggle();
  tenant.put_order(order, {{"serviceLevel", "express"}});
  tenant.settle();
  std::vector<std::string> reasons;
  for (const auto& event : explained(order)) {
    const auto& entry = event.at("workflows").at(0);
    reasons.push_back(entry.at("fired").as_bool() ? "fired" : std::string(entry.at("reason").as_string()));
  }
  EXPECT_THAT(reasons, ElementsAre("fired", "switched_off", "condition", "fired", "other_trigger"));
}

TEST_F(Insight, ExplainReadsOnlyTheVersionsAndSwitchesOfItsEvents) {
  json::object changed = definition({{"notes", "a"}});
  const std::string workflow(tenant.configure(changed).at("guid").as_string());
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "a"}});
  tenant.settle();
  // A careless script leaves thousands of versions and switches, the last of them on.
  tenant.sql.exec(
      "insert into workflow_versions (business_id, workflow_id, version, definition, created_at)"
      " select business_id, workflow_id, version + n, jsonb_set(definition, '{name}', to_jsonb('v' || n)),"
      " now() + n * interval '1 microsecond'"
      " from workflow_versions, generate_series(1, 3000) n where workflow_id = '" +
      workflow + "'");
  tenant.sql.exec(
      "insert into workflow_switches (business_id, workflow_id, at, is_active)"
      " select '" +
      tenant.id + "', '" + workflow + "', now() + n * interval '1 microsecond', n % 2 = 0" +
      " from generate_series(1, 3000) n");
  tenant.put_order(order, {{"notes", "b"}});
  tenant.settle();
  const json::array events = explained(order);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(text_at(events[0].at("workflows").at(0), "name"), "v3000");
  EXPECT_EQ(text_at(events[0].at("workflows").at(0), "reason"), "condition");
  EXPECT_EQ(text_at(events[1].at("workflows").at(0), "name"), "watched");
  EXPECT_TRUE(events[1].at("workflows").at(0).at("fired").as_bool());
  storage::Session session(world.database.url(), "test");
  const auto first = tenant.sql.value("select min(at) from events where entity_id = $1", {order});
  const auto rows =
      session.run(storage::sql::history::Workflows{.business = Guid::parse(tenant.id).value(),
                                                   .entity_type = 0,
                                                   .times = storage::ArrayLiteral().add(first)});
  EXPECT_EQ(rows.size(), 2) << "the version at that time and the newest";
}

TEST_F(Insight, ExplainReadsABoundedNumberOfDeletedWorkflows) {
  const std::string order = tenant.create_order();
  tenant.settle();
  const auto insert = [&](const std::string& name, const std::string& created, const std::string& deleted) {
    tenant.sql.exec(
        "with event as (select at from events where entity_id = '" + order +
        "'), made as (insert into workflows (business_id, name, entity_type, trigger_code, action, is_active,"
        " created_at, deleted_at) select '" +
        tenant.id + "', '" + name +
        "', 0, 'order_created', '{\"type\": \"webhook\", \"recipient\": \"http://127.0.0.1:9/x\"}', false, " +
        created + ", " + deleted +
        " + n * interval '1 second' from event, generate_series(1, 150) n returning *)" +
        " insert into workflow_versions (business_id, workflow_id, version, definition, created_at)"
        " select business_id, guid, 1, jsonb_build_object('name', name, 'trigger', trigger_code, "
        "'conditions',"
        " conditions), created_at from made on conflict do nothing");
  };
  insert("before", "at - interval '2 hours'", "at - interval '1 hour'");
  insert("then", "at - interval '1 hour'", "at");
  insert("later", "at + interval '1 hour'", "at + interval '2 hours'");
  std::map<std::string, int> shown;
  const auto events = explained(order);
  for (const json::value& entry : events.at(0).at("workflows").as_array()) ++shown[text_at(entry, "name")];
  EXPECT_EQ(shown["then"], 100) << "those that were deleted last";
  EXPECT_EQ(shown["before"] + shown["later"], 0);
}

TEST_F(Insight, ExplainDoesNotWaitForBacktestsOfOtherBusinesses) {
  const std::string order = tenant.create_order();
  tenant.settle();
  Tenant busy(world.waybill, test_name() + ", busy");
  busy.sql.exec("insert into customers (business_id, name) select '" + busy.id +
                "', 'x' || n from generate_series(1, 5000) n");
  json::object customers = definition({{"name", {{"contains", "x"}}}}, "customer_created");
  customers["entityType"] = "Customer";
  const json::object question{{"definition", customers}};
  std::atomic<int> refused = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 60; ++i) {
    workers.emplace_back([&] {
      auto client = busy.http.with_token(busy.http.token());
      const auto response = client.post("/api/workflows/backtest", question);
      if (response.status == 200) return;
      EXPECT_EQ(response.status, 503) << response.text;
      EXPECT_NE(response.header("retry-after"), "");
      ++refused;
    });
  }
  ASSERT_TRUE(eventually([&] { return refused > 0; }))
      << "the number of waiting requests of a business is limited";
  for (int i = 0; i < 3; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const auto response = tenant.http.get("/api/workflows/explain?entityId=" + order);
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  }
}

TEST_F(Insight, ExplainContinuesBeyondItsFirstHundredEvents) {
  const std::string order = tenant.create_order();
  for (int i = 0; i < 100; ++i)
    tenant.sql.exec("update orders set notes = '" + std::to_string(i) + "' where guid = '" + order + "'");
  tenant.settle();
  const json::array newest = explained(order);
  ASSERT_EQ(newest.size(), 100U);
  const json::array older = explained(order + "&before=" + json::serialize(newest.back().at("eventId")));
  ASSERT_EQ(older.size(), 1U);
  EXPECT_EQ(older[0].at("triggers"), json::array({"order_created"}));
  EXPECT_EQ(explained(order + "&before=1").size(), 0U);
  for (const char* const bad : {"0", "x", "99999999999999999999"}) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + order + "&before=" + bad);
    EXPECT_EQ(response.status, 400) << bad;
  }
}

TEST_F(Insight, ExplainOfAnUnknownRecordIs404) {
  EXPECT_EQ(tenant.http.get("/api/workflows/explain?entityId=00000000-0000-4000-8000-000000000000").status,
            404);
  EXPECT_EQ(tenant.http.get("/api/workflows/explain").status, 400);
}

TEST_F(Insight, LedgerBalancesEventsRunsAndAttempts) {
  tenant.webhook(url(), "order_created");
  tenant.webhook(url("dead"), "order_created", {{"isActive", true}});
  receiver.answer(tenant.path("dead"), Reply::with_status(410));
  for (int i = 0; i < 3; ++i) tenant.create_order();
  tenant.settle();
  const auto ledger = [&] { return tenant.http.get("/api/workflows/ledger").data(); };
  ASSERT_TRUE(
      eventually([&] { return ledger().at("pending") == 0 && ledger().at("runs").at("succeeded") == 3; }));
  const json::value balance = ledger();
  EXPECT_THAT(keys(balance),
              UnorderedElementsAre("events", "pending", "matched", "runs", "tries", "digests", "balanced"));
  EXPECT_EQ(balance.at("events"),
            tenant.sql.number("select count(*) from events where business_id = $1", {tenant.id}));
  EXPECT_EQ(balance.at("matched"), 6);
  const json::value& runs = balance.at("runs");
  EXPECT_THAT(keys(runs), UnorderedElementsAre("total", "succeeded", "dead", "skipped", "open"));
  EXPECT_EQ(runs.at("total"), 6);
  EXPECT_EQ(runs.at("succeeded"), 3);
  EXPECT_EQ(balance.at("balanced"), true);
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger?from=2020-01-01&to=2020-01-02").data().at("events"), 0);
}

}  // namespace
}  // namespace waybill::tests
