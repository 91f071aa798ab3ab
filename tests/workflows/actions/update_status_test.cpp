#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class UpdateStatus : public WorkflowTest {
 protected:
  bool reaches_status(const std::string& record, std::string_view status) {
    return eventually([&] { return tenant.status_of(record) == status; });
  }
  void change(const std::string& order) {
    tenant.update_orders("notes = 'changed' where guid = '" + order + "'");
  }
  // Statuses and codes of a workflow's runs, the oldest first.
  std::vector<std::string> endings(std::string_view workflow) {
    tenant.settle();
    std::vector<std::string> result;
    for (const json::object& run : tenant.runs("workflowId=" + std::string(workflow))) {
      const bool has_code = !run.at("code").is_null();
      result.insert(result.begin(), text_at(run, "status") + (has_code ? " " + text_at(run, "code") : ""));
    }
    return result;
  }
};

TEST_F(UpdateStatus, ChangesTheRecordInTheTransactionOfTheRunAndIsTheCauseOfTheChange) {
  const std::string workflow = tenant.update_status("order_updated", "", "ready", {{"name", "make ready"}});
  const std::string order = tenant.insert_order();
  change(order);
  ASSERT_TRUE(reaches_status(order, "ready"));
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "attempts"), 1);
  EXPECT_EQ(at(run, "code"), nullptr);
  EXPECT_EQ(at(run, "request"),
            (json::object{{"entityType", "Order"}, {"entityIds", {order}}, {"status", "ready"}}));
  EXPECT_EQ(at(run, "tries").as_array().size(), 1U);
  EXPECT_THAT(tenant.history_of_order(order),
              ElementsAre(" > pending by sql", "pending > ready by workflow"));
  EXPECT_EQ(json::parse(tenant.sql.value(
                "select cause from events where entity_id = $1 order by id desc limit 1", {order})),
            (json::object{{"by", {{"type", "workflow"}, {"guid", workflow}, {"name", "make ready"}}},
                          {"run", run.at("guid")},
                          {"depth", 1}}));
  EXPECT_EQ(tenant.sql.number("select count(*) from runs r join events e on e.entity_id = r.entity_id "
                              "where r.guid = $1 and r.xmin = e.xmin",
                              {text_at(run, "guid")}),
            1)
      << "one transaction wrote the run and the change";
}

TEST_F(UpdateStatus, AForbiddenStatusChangeEndsTheRunAsSkipped) {
  const std::string workflow = tenant.update_status("order_updated", "", "delivered");
  const std::string order = tenant.insert_order();
  change(order);
  const json::object run = tenant.run_with_status(workflow, "skipped");
  EXPECT_EQ(text_at(run, "code"), "FORBIDDEN_MOVE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("processing, ready, shipped, cancelled"));
  EXPECT_EQ(tenant.status_of(order), "pending");
}

TEST_F(UpdateStatus, AChangeToTheSameStatusIsASuccessWithoutAnEvent) {
  const std::string workflow = tenant.update_status("order_updated", "", "pending");
  const std::string order = tenant.insert_order();
  change(order);
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(tenant.sql.number("select count(*) from events where entity_id = $1", {order}), 2);
}

TEST_F(UpdateStatus, ADeletedRecordIsSkipped) {
  const std::string workflow = tenant.update_status("order_deleted", "", "cancelled");
  const std::string without_order = tenant.update_status("shipment_updated", "order", "shipped");
  const std::string order = tenant.insert_order();
  tenant.sql.exec("delete from orders where guid = '" + order + "'");
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "skipped"), "code"), "NO_RECORD");
  const std::string shipment = tenant.insert_shipment("");
  tenant.sql.exec("update shipments set instructions = 'x' where guid = '" + shipment + "'");
  EXPECT_EQ(text_at(tenant.run_with_status(without_order, "skipped"), "code"), "NO_RECORD");
}

TEST_F(UpdateStatus, RelatedRecordsAreChangedAllOrNothing) {
  const std::string workflow = tenant.update_status("order_updated", "shipments", "cancelled");
  const std::string good = tenant.insert_order();
  const std::vector<std::string> both = {tenant.insert_shipment(good),
                                         tenant.insert_shipment(good, "exception")};
  change(good);
  for (const std::string& shipment : both) EXPECT_TRUE(reaches_status(shipment, "cancelled"));

  const std::string bad = tenant.insert_order();
  const std::string allowed = tenant.insert_shipment(bad);
  const std::string forbidden = tenant.insert_shipment(bad, "in_transit");
  change(bad);
  ASSERT_TRUE(eventually([&] { return endings(workflow).size() == 2; }));
  EXPECT_THAT(endings(workflow), ElementsAre("succeeded", "skipped FORBIDDEN_MOVE"));
  EXPECT_EQ(tenant.status_of(allowed), "created");
  EXPECT_EQ(tenant.status_of(forbidden), "in_transit");
  const json::object run = tenant.runs("entityId=" + bad).at(0);
  EXPECT_THAT(text_at(run, "error"), HasSubstr(forbidden));
}

TEST_F(UpdateStatus, ADeliveredShipmentHasADeliveryTimeAndATrace) {
  tenant.update_status("shipment_updated", "", "delivered");
  const std::string shipment = tenant.insert_shipment("");
  tenant.sql.exec("update shipments set instructions = 'x' where guid = '" + shipment + "'");
  ASSERT_TRUE(reaches_status(shipment, "delivered"));
  const Response read = tenant.http.get("/api/v1/shipments/" + shipment);
  const std::string delivered_at = text_at(read.body, "data.deliveredAt");
  EXPECT_TRUE(parse_timestamp(delivered_at).has_value()) << read.text;
  const Response traces = tenant.http.get("/api/v1/shipments/" + shipment + "/traces");
  const json::value newest = traces.data().as_array().back();
  EXPECT_EQ(text_at(newest, "status"), "delivered");
  EXPECT_EQ(text_at(newest, "timestamp"), delivered_at);
}

TEST_F(UpdateStatus, RunsOfOneEventFollowTheCreationOrderOfTheirWorkflows) {
  const std::vector<std::string> workflows = {tenant.update_status("order_updated", "", "ready"),
                                              tenant.update_status("order_updated", "", "shipped"),
                                              tenant.update_status("order_updated", "", "delivered")};
  // Changing a workflow does not change its position.
  tenant.configure({{"guid", workflows[0]}, {"name", "still the first"}});
  for (int i = 0; i < 5; ++i) {
    const std::string order = tenant.insert_order();
    change(order);
    ASSERT_TRUE(reaches_status(order, "delivered"));
    EXPECT_THAT(tenant.history_of_order(order),
                ElementsAre(" > pending by sql", "pending > ready by workflow", "ready > shipped by workflow",
                            "shipped > delivered by workflow"));
  }
}

TEST_F(UpdateStatus, TheOrderIsKeptWhenTheFirstRunIsQueued) {
  tenant.update_status("order_updated", "", "shipped", {{"ordered", true}});
  tenant.update_status("order_updated", "", "delivered");
  for (int i = 0; i < 5; ++i) {
    const std::string order = tenant.insert_order();
    change(order);
    ASSERT_TRUE(reaches_status(order, "delivered"));
  }
}

TEST_F(UpdateStatus, ALockedRecordDelaysNoOtherAndIsChangedLaterInOrder) {
  const std::string first = tenant.update_status("shipment_updated", "order", "shipped");
  const std::string second = tenant.update_status("shipment_updated", "order", "delivered");
  const auto ship = [&](const std::string& order) {
    const std::string shipment = tenant.insert_shipment(order);
    tenant.sql.exec("update shipments set instructions = 'x' where guid = '" + shipment + "'");
  };
  const std::string held = tenant.insert_order();
  const std::string free = tenant.insert_order();
  Session other = world.database.connect();
  other.exec("begin");
  other.exec("update orders set notes = 'mine' where guid = '" + held + "'");
  ship(held);
  ship(free);
  ASSERT_TRUE(reaches_status(free, "delivered"));
  const auto open_runs = [&] {
    return tenant.sql.number("select count(*) from run_queue where business_id = $1 and attempts = 0",
                             {tenant.id});
  };
  EXPECT_TRUE(eventually([&] { return open_runs() == 2; }));
  EXPECT_TRUE(throughout([&] { return open_runs() == 2; }, 600ms)) << "waiting for a lock is no attempt";
  other.exec("commit");
  ASSERT_TRUE(reaches_status(held, "delivered"));
  EXPECT_TRUE(eventually([&] { return open_runs() == 0; }));
  EXPECT_THAT(endings(first), ElementsAre("succeeded", "succeeded"));
  EXPECT_THAT(endings(second), ElementsAre("succeeded", "succeeded"));
}

TEST_F(UpdateStatus, EachOfManyOrdersThatMoveAtOnceIsMovedByItsOwnRun) {
  const std::string workflow = tenant.update_status("order_updated", "", "ready", {{"name", "move"}});
  tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                  "', 'N' || n from generate_series(1, 600) n");
  tenant.update_orders("notes = 'all' where true");
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from runs r join events e on e.business_id = r.business_id "
                              "and e.entity_id = r.entity_id and e.cause ->> 'run' = r.guid::text "
                              "and (e.order_after).status = 'ready' where r.workflow_id = $1 "
                              "and r.status = 'succeeded' and e.cause - 'run' = $2::jsonb",
                              {workflow, R"({"by": {"type": "workflow", "guid": ")" + workflow +
                                             R"(", "name": "move"}, "depth": 1})"}),
            600);
}

TEST_F(UpdateStatus, EachOfManyOrdersThatMoveAtOnceHasItsOwnResult) {
  const std::vector<std::string> kinds = {"free", "ready", "cancelled", "deleted", "locked"};
  for (int i = 0; i < 50; ++i) {
    const std::string& kind = kinds[i % kinds.size()];
    const std::string status = kind == "ready" || kind == "cancelled" ? kind : "pending";
    tenant.insert_shipment(
        tenant.insert_order({{"notes", "'" + kind + "'"}, {"status", "'" + status + "'"}}));
  }
  const std::string workflow = tenant.update_status("shipment_updated", "order", "ready");
  const auto results_of = [&](const std::string& kind) {
    return tenant.sql.value(
        "select string_agg(format('%s %s × %s', result, status, count), ', ' order by result) from (select "
        "coalesce(r.status || ' ' || r.code, r.status, 'open') as result, o.status, count(*) "
        "from orders o join shipments s on s.order_id = o.guid "
        "left join runs r on r.entity_id = s.guid and r.workflow_id = $2 "
        "where o.business_id = $1 and o.notes = $3 group by 1, 2) each",
        {tenant.id, workflow, kind});
  };
  Session other = world.database.connect();
  other.exec("begin; select from orders where notes = 'locked' for update");
  tenant.sql.exec("begin; update shipments set instructions = 'x' where business_id = '" + tenant.id +
                  "'; update orders set deleted_at = now() where notes = 'deleted'; commit");
  EXPECT_TRUE(eventually([&] { return results_of("free") == "succeeded ready × 10"; })) << results_of("free");
  EXPECT_TRUE(eventually([&] { return results_of("ready") == "succeeded ready × 10"; }))
      << results_of("ready");
  EXPECT_TRUE(eventually([&] { return results_of("cancelled") == "skipped FORBIDDEN_MOVE cancelled × 10"; }))
      << results_of("cancelled");
  EXPECT_TRUE(eventually([&] { return results_of("deleted") == "skipped NO_RECORD pending × 10"; }))
      << results_of("deleted");
  EXPECT_EQ(results_of("locked"), "open pending × 10");
  other.exec("commit");
  EXPECT_TRUE(eventually([&] { return results_of("locked") == "succeeded ready × 10"; }))
      << results_of("locked");
}

TEST_F(UpdateStatus, AChangeThatTheDatabaseRefusesEndsOnlyItsRun) {
  const std::string workflow = tenant.update_status("order_updated", "", "ready");
  tenant.webhook(url(), "order_updated");
  std::vector<std::string> orders;
  for (int i = 0; i < 20; ++i) orders.push_back(tenant.insert_order());
  const std::string refused_order = orders[7];
  tenant.sql.exec(
      "create function refuse_" + refused_order.substr(0, 8) +
      "() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;"
      "create trigger poisoned before update of status on orders for each row when (new.guid = '" +
      refused_order + "' and new.status = 'ready') execute function refuse_" + refused_order.substr(0, 8) +
      "()");
  tenant.update_orders("notes = 'all' where true");
  for (const std::string& order : orders) {
    if (order != refused_order) EXPECT_TRUE(reaches_status(order, "ready"));
  }
  wait_for(20);
  ASSERT_TRUE(eventually([&] { return tenant.runs("entityId=" + refused_order).size() == 2; }));
  for (const json::object& run : tenant.runs("entityId=" + refused_order)) {
    const bool refused = text_at(run, "workflowId") == workflow;
    EXPECT_EQ(text_at(run, "status"), refused ? "dead" : "succeeded");
    if (refused) EXPECT_THAT(text_at(run, "error"), HasSubstr("not this one"));
  }
  tenant.sql.exec("drop trigger poisoned on orders");
}

TEST_F(UpdateStatus, ADelayedRunChecksItsConditionsAgain) {
  const std::string workflow = tenant.update_status(
      "order_updated", "", "cancelled", {{"delay", "PT1S"}, {"conditions", {{"status", "pending"}}}});
  const std::string left = tenant.insert_order();
  const std::string processed = tenant.insert_order();
  change(left);
  change(processed);
  tenant.settle();
  tenant.move_order(processed, "ready");
  ASSERT_TRUE(reaches_status(left, "cancelled"));
  ASSERT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=skipped").size() == 1; }));
  EXPECT_EQ(tenant.status_of(processed), "ready");
  EXPECT_EQ(tenant.sql.value(
                "select cause ->> 'depth' from events where entity_id = $1 order by id desc limit 1", {left}),
            "1");
}

TEST_F(UpdateStatus, APausedWorkflowChangesNothingUntilResumed) {
  const std::string workflow = tenant.update_status("order_updated", "", "ready");
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" +
                  workflow + "'");
  const std::string order = tenant.insert_order();
  change(order);
  tenant.run_with_status(workflow, "held");
  EXPECT_EQ(tenant.status_of(order), "pending");
  EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  EXPECT_TRUE(reaches_status(order, "ready"));
}

TEST_F(UpdateStatus, ACycleEndsAtDepth8WhileOtherActionsContinue) {
  const auto if_status = [](std::string_view status) {
    return json::object{{"conditions", {{"status", status}}}};
  };
  const std::string to_processing =
      tenant.update_status("order_status_changed", "", "processing", if_status("pending"));
  const std::string to_pending =
      tenant.update_status("order_status_changed", "", "pending", if_status("processing"));
  tenant.webhook(url(), "order_status_changed");
  const std::string order = tenant.insert_order();
  tenant.move_order(order, "processing");
  // The order's own move and eight by workflows.
  EXPECT_EQ(wait_for(9).size(), 9U);
  ASSERT_TRUE(eventually([&] { return tenant.runs("entityId=" + order + "&status=dead").size() == 1; }));
  const json::object dead = tenant.runs("entityId=" + order + "&status=dead").at(0);
  EXPECT_EQ(text_at(dead, "code"), "LOOP");
  EXPECT_EQ(at(dead, "attempts"), 0);
  EXPECT_EQ(text_at(dead, "workflowId"), to_pending);
  EXPECT_THAT(endings(to_processing), testing::SizeIs(4));
  EXPECT_EQ(tenant.status_of(order), "processing");
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 9U);

  const json::value events = tenant.http.get("/api/workflows/explain?entityId=" + order).data();
  for (const auto& entry : events.at(0).at("workflows").as_array()) {
    if (text_at(entry, "guid") != to_pending) continue;
    EXPECT_EQ(text_at(entry, "reason"), "loop");
    EXPECT_EQ(entry.at("fired"), false);
  }
  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(dead, "guid") + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201);
  const std::string replay = text_at(replayed.body, "data.guid");
  ASSERT_TRUE(eventually([&] { return text_at(tenant.run(replay), "status") == "dead"; }));
  EXPECT_EQ(text_at(tenant.run(replay), "code"), "LOOP");
  EXPECT_EQ(tenant.status_of(order), "processing");
}

TEST_F(UpdateStatus, AReplayChangesTheStatusAgainWhereAllowed) {
  const std::string workflow = tenant.update_status("order_updated", "", "ready");
  const std::string order = tenant.insert_order();
  change(order);
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  tenant.move_order(order, "processing");
  ASSERT_EQ(
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object()).status,
      201);
  EXPECT_TRUE(reaches_status(order, "ready"));
}

TEST_F(UpdateStatus, TestShowsTheStatusChangesWithoutMakingThem) {
  const std::string order = tenant.insert_order();
  const std::string shipment = tenant.insert_shipment(order);
  const auto tested = [&](std::string_view entity, std::string_view recipient, std::string_view status,
                          const std::string& record) {
    std::string trigger = std::string(entity) + "_created";
    trigger[0] = static_cast<char>(trigger[0] - 'A' + 'a');
    const Response response = tenant.http.post(
        "/api/workflows/test",
        {{"definition",
          {{"name", "x"},
           {"entityType", entity},
           {"triggerId", trigger_guid(trigger)},
           {"action", {{"type", "update_status"}, {"recipient", recipient}, {"template", status}}}}},
         {"entityId", record}});
    EXPECT_EQ(response.status, 200) << response.text;
    return at(response.body, "data.wouldSend");
  };
  EXPECT_EQ(tested("Order", "", "ready", order),
            (json::object{{"entityType", "Order"}, {"entityIds", {order}}, {"status", "ready"}}));
  EXPECT_EQ(tested("Order", "shipments", "cancelled", order),
            (json::object{{"entityType", "Shipment"}, {"entityIds", {shipment}}, {"status", "cancelled"}}));
  EXPECT_EQ(tested("Shipment", "order", "shipped", shipment),
            (json::object{{"entityType", "Order"}, {"entityIds", {order}}, {"status", "shipped"}}));
  EXPECT_EQ(tenant.status_of(order), "pending");
}

TEST_F(UpdateStatus, BadDefinitionsAre400) {
  const auto refused = [&](std::string_view entity, const json::object& action) {
    std::string trigger = std::string(entity) + "_created";
    trigger[0] = static_cast<char>(trigger[0] - 'A' + 'a');
    json::object whole = action;
    whole["type"] = "update_status";
    const Response response = tenant.http.post(
        "/api/workflows/configure",
        {{"name", "x"}, {"entityType", entity}, {"triggerId", trigger_guid(trigger)}, {"action", whole}});
    EXPECT_EQ(response.status, 400) << response.text;
    std::vector<std::string> names;
    for (const auto& [name, text] : response.details()) names.emplace_back(name);
    return names;
  };
  EXPECT_THAT(refused("Order", {{"status", "lost"}}), ElementsAre("action.status"));
  EXPECT_THAT(refused("Order", {{"template", "in_transit"}}), ElementsAre("action.template"));
  EXPECT_THAT(refused("Order", {{"recipient", "order"}, {"status", "ready"}}),
              ElementsAre("action.recipient"));
  EXPECT_THAT(refused("Product", {{"status", "ready"}}), ElementsAre("action.recipient"));
  EXPECT_THAT(refused("Order", {}), ElementsAre("action.status"));
}

TEST_F(UpdateStatus, ADispatchCompletesWithItsLastShipment) {
  const std::string dispatch = tenant.sql.value(
      "insert into dispatches (business_id, name, status, planned_date) values ($1, 'd', 'in_progress', "
      "now()) "
      "returning guid",
      {tenant.id});
  const std::string shipment = tenant.insert_shipment("", "out_for_delivery");
  tenant.sql.exec("update shipments set dispatch_id = '" + dispatch + "' where guid = '" + shipment + "'");
  tenant.update_status("shipment_updated", "", "delivered");
  tenant.sql.exec("update shipments set instructions = 'x' where guid = '" + shipment + "'");
  ASSERT_TRUE(reaches_status(shipment, "delivered"));
  EXPECT_EQ(tenant.sql.value("select status from dispatches where guid = $1", {dispatch}), "completed");
}

}  // namespace
}  // namespace waybill::tests
