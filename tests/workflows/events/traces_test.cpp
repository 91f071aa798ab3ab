#include <csignal>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr Deadline nothing_more = std::chrono::milliseconds(500);

// SQL that reports scans of a shipment that move nothing, with one update for all of them. Only the newest is
// an event if the shipment has had no event of a scan.
std::string scans_of(std::string_view shipment, const std::vector<std::string>& descriptions,
                     std::string_view location = "Oslo") {
  const std::string guid = "'" + std::string(shipment) + "'";
  std::string sql;
  for (const std::string& description : descriptions) {
    sql +=
        "insert into shipment_traces (business_id, shipment_id, at, status, description, location, "
        "external_id, is_move) select business_id, guid, now(), status, '" +
        description + "', '" + std::string(location) + "', '" + description +
        "', false from shipments where guid = " + guid + ";";
  }
  return sql +
         "update shipments set last_trace_id = (select max(id) from shipment_traces where shipment_id = " +
         guid + "), last_trace_at = now() where guid = " + guid;
}

// Adds the event of an erasure.
constexpr std::string_view erasure =
    "with e as (insert into events (business_id, entity_type, entity_id, detail) "
    "select business_id, 2, guid, '{\"erased\": true}' from customers where guid = $1 "
    "returning business_id, id, at) "
    "insert into pending_events (shard, id, business_id, at) select shard_of(business_id), id, business_id, "
    "at "
    "from e returning id";

class Traces : public WorkflowTest {
 protected:
  std::string insert_customer() {
    return tenant.sql.value(
        "insert into customers (business_id, name, email) values ($1, 'Ada', "
        "'ada@example.com') returning guid",
        {tenant.id});
  }

  json::value post(std::string_view path, const json::object& body) {
    const Response response = tenant.http.post("/api/workflows/" + std::string(path), body);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }

  json::value last_event(const std::string& entity) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + entity);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().as_array().at(0);
  }

  std::vector<std::string> descriptions(std::string_view hook = "hook") const {
    std::vector<std::string> all;
    for (const Received& request : receiver.received(tenant.path(hook)))
      all.push_back(text_at(request.json_body(), "data.entity.trace.description"));
    return all;
  }
};

TEST_F(Traces, AScanFiresItsTriggerAlone) {
  const std::string shipment = tenant.insert_shipment("", "in_transit");
  tenant.webhook(url(), "shipment_trace_added");
  tenant.webhook(url("updated"), "shipment_updated");
  tenant.webhook(url("moved"), "shipment_status_changed");
  tenant.sql.exec(scans_of(shipment, {"Sorted"}));
  const auto received = wait_for(1);
  ASSERT_THAT(received, SizeIs(1));
  const json::value body = received[0].json_body();
  EXPECT_EQ(text_at(body, "type"), "shipment_trace_added");
  EXPECT_EQ(text_at(body, "data.entity.guid"), shipment);
  const json::object& trace = at(body, "data.entity.trace").as_object();
  EXPECT_EQ(trace.size(), 5U);
  EXPECT_EQ(text_at(trace, "status"), "in_transit");
  EXPECT_EQ(text_at(trace, "description"), "Sorted");
  EXPECT_EQ(text_at(trace, "location"), "Oslo");
  EXPECT_EQ(text_at(trace, "externalId"), "Sorted");
  EXPECT_TRUE(parse_timestamp(text_at(trace, "timestamp")).has_value());
  EXPECT_EQ(at(body, "data.previous"), json::object());
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("updated")), 0U);
  EXPECT_EQ(receiver.count(tenant.path("moved")), 0U);
}

TEST_F(Traces, AMoveAndItsTraceAreOneEvent) {
  const std::string shipment = tenant.insert_shipment("");
  const std::string added = tenant.webhook(url(), "shipment_trace_added");
  const std::string moved = tenant.webhook(url("moved"), "shipment_status_changed");
  tenant.move_shipment(shipment, "collected");
  for (const char* hook : {"hook", "moved"}) {
    const auto received = wait_for(1, hook);
    ASSERT_THAT(received, SizeIs(1)) << hook;
    const json::value body = received[0].json_body();
    EXPECT_EQ(text_at(body, "data.entity.status"), "collected");
    EXPECT_EQ(text_at(body, "data.entity.trace.status"), "collected");
    EXPECT_EQ(text_at(body, "data.previous.status"), "created");
  }
  EXPECT_EQ(tenant.run_with_status(added, "succeeded").at("eventId"),
            tenant.run_with_status(moved, "succeeded").at("eventId"));
}

TEST_F(Traces, EachScanOfAStatementIsAnEvent) {
  const std::string shipment = tenant.insert_shipment("");
  tenant.move_shipment(shipment, "collected");
  tenant.settle();
  tenant.webhook(url(), "shipment_trace_added", {{"ordered", true}});
  tenant.sql.exec(scans_of(shipment, {"one", "two", "three"}));
  wait_for(3);
  EXPECT_THAT(descriptions(), ElementsAre("one", "two", "three"));
}

TEST_F(Traces, ConditionsTestBacktestAndExplainKnowTheTrace) {
  const std::string shipment = tenant.insert_shipment("", "in_transit");
  const std::string other = tenant.insert_shipment("", "in_transit");
  const json::object definition{{"name", "scans in Oslo"},
                                {"entityType", "Shipment"},
                                {"triggerId", trigger_guid("shipment_trace_added")},
                                {"conditions", {{"trace.location", "Oslo"}, {"trace.status", "in_transit"}}},
                                {"action", {{"type", "webhook"}, {"recipient", url()}}}};
  const std::string workflow = text_at(tenant.configure(definition), "guid");
  tenant.sql.exec(scans_of(shipment, {"first"}));
  tenant.sql.exec(scans_of(other, {"second"}, "Bergen"));
  tenant.settle();
  wait_for(1);
  EXPECT_THAT(descriptions(), ElementsAre("first"));

  const json::value fired = last_event(shipment);
  EXPECT_EQ(at(fired, "triggers"), (json::array{"shipment_trace_added"}));
  const json::value refused = last_event(other);
  for (const json::value& entry : at(refused, "workflows").as_array()) {
    if (text_at(entry, "guid") != workflow) continue;
    EXPECT_EQ(text_at(entry, "reason"), "condition");
    EXPECT_EQ(entry.at("conditions").at(1).at("actual"), "Bergen");
  }

  const json::value past = post("backtest", {{"definition", definition}});
  EXPECT_EQ(past.at("matches"), 1);
  EXPECT_EQ(text_at(past.at("sample").at(0), "entityId"), shipment);

  const json::value tested = post("test", {{"workflowId", workflow}, {"entityId", other}});
  EXPECT_EQ(tested.at("matches"), false);
  const json::value body = json::parse(text_at(tested, "wouldSend.body"));
  EXPECT_EQ(text_at(body, "data.entity.trace.description"), "second");
}

TEST_F(Traces, ConditionsOnTracesAreCheckedAtConfigure) {
  const auto refused = [&](const json::value& conditions, std::string_view entity, std::string_view trigger) {
    const Response response = tenant.http.post("/api/workflows/configure",
                                               {{"name", "x"},
                                                {"entityType", entity},
                                                {"triggerId", trigger_guid(trigger)},
                                                {"conditions", conditions},
                                                {"action", {{"type", "webhook"}, {"recipient", url()}}}});
    EXPECT_EQ(response.status, 400) << response.text;
  };
  refused({{"trace.status", "lost"}}, "Shipment", "shipment_trace_added");
  refused({{"trace.location", {{"changed", true}}}}, "Shipment", "shipment_trace_added");
  refused({{"previous.trace.status", "in_transit"}}, "Shipment", "shipment_trace_added");
  refused({{"trace.status", "in_transit"}}, "Order", "order_updated");
  refused(json::object(), "Order", "shipment_trace_added");
}

TEST_F(Traces, ADelayedRunSendsTheTraceOfItsEvent) {
  const std::string shipment = tenant.insert_shipment("", "in_transit");
  tenant.webhook(url(), "shipment_trace_added",
                 {{"delay", "PT1S"}, {"conditions", {{"trace.description", "early"}}}});
  tenant.sql.exec(scans_of(shipment, {"early"}));
  tenant.sql.exec(scans_of(shipment, {"late"}));
  const auto received = wait_for(1);
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_THAT(descriptions(), ElementsAre("early"));
  EXPECT_THAT(wait_for(2, "hook", nothing_more), SizeIs(1));
}

TEST_F(Traces, AnErasureFiresItsTriggerAloneWithTheGuid) {
  const std::string customer = insert_customer();
  const std::string workflow = tenant.webhook(url(), "customer_erased");
  tenant.webhook(url("delayed"), "customer_erased", {{"delay", "PT1S"}});
  for (const char* other : {"customer_updated", "customer_deleted", "customer_created"})
    tenant.webhook(url("other"), other);
  tenant.sql.value(erasure, {customer});
  for (const char* hook : {"hook", "delayed"}) {
    const auto received = wait_for(1, hook);
    ASSERT_THAT(received, SizeIs(1)) << hook;
    const json::value body = received[0].json_body();
    EXPECT_EQ(text_at(body, "type"), "customer_erased");
    EXPECT_EQ(at(body, "data.entity"), (json::object{{"guid", customer}}));
    EXPECT_EQ(at(body, "data.previous"), json::object());
    EXPECT_EQ(received[0].body.find("Ada"), std::string::npos);
  }
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("other")), 0U);
  EXPECT_EQ(at(last_event(customer), "triggers"), (json::array{"customer_erased"}));
  EXPECT_EQ(post("backtest", {{"workflowId", workflow}}).at("matches"), 1);
  const json::value tested = post("test", {{"workflowId", workflow}, {"entityId", customer}});
  EXPECT_EQ(at(json::parse(text_at(tested, "wouldSend.body")), "data.entity"),
            (json::object{{"guid", customer}}));
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.data(), "balanced"), true) << ledger.text;
}

// A worker of an earlier version knows neither trigger: for it such a workflow is unreadable.
TEST_F(Traces, TracesAndErasuresWaitForAWorkerThatKnowsTheirWorkflows) {
  const std::string shipment = tenant.insert_shipment("", "in_transit");
  const std::string customer = insert_customer();
  const std::string traced = tenant.webhook(url("traced"), "shipment_trace_added");
  const std::string erased = tenant.webhook(url("erased"), "customer_erased");
  const auto set_type = [&](const std::string& type) {
    for (const std::string& workflow : {traced, erased}) {
      tenant.sql.rows(
          "update workflows set action = jsonb_set(action, '{type}', to_jsonb($2::text)) where guid = $1",
          {workflow, type});
    }
  };
  set_type("send_fax");
  tenant.sql.exec(scans_of(shipment, {"Sorted"}));
  tenant.sql.value(erasure, {customer});
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from postponed_matches where business_id = $1", {tenant.id}),
            2);
  set_type("webhook");
  ASSERT_THAT(wait_for(1, "traced"), SizeIs(1));
  EXPECT_THAT(descriptions("traced"), ElementsAre("Sorted"));
  const auto received = wait_for(1, "erased");
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(at(received[0].json_body(), "data.entity"), (json::object{{"guid", customer}}));
}

// Every scan of a session that continues while workers are killed is delivered.
TEST(TracesAndCrashes, NoScanIsLostWhenWorkersAreKilled) {
  const TestDatabase database;
  const Waybill api(database.url(), {.command = "api"});
  const auto start = [&] {
    return std::make_unique<Waybill>(
        database.url(), Waybill::Options{.command = "worker", .secret_key_file = api.secret_key_file()});
  };
  auto worker = start();
  Receiver receiver;
  Tenant tenant(api, "scans");
  const std::string shipment = tenant.insert_shipment("");
  tenant.move_shipment(shipment, "in_transit");
  const std::string workflow = tenant.webhook(receiver.url("/hook"), "shipment_trace_added");
  std::set<std::string> reported;
  for (int round = 0; round < 4; ++round) {
    for (int scan = 0; scan < 50; ++scan) {
      const std::string name = std::to_string(round) + "-" + std::to_string(scan);
      tenant.sql.exec(scans_of(shipment, {name + "-a", name + "-b"}));
      reported.insert({name + "-a", name + "-b"});
      if (scan == 25) worker->process().kill(SIGKILL);
    }
    worker = start();
  }
  tenant.settle(std::chrono::seconds(30));
  std::set<std::string> delivered;
  EXPECT_TRUE(receiver.wait_until(
      "/hook",
      [&](const std::vector<Received>& all) {
        for (const Received& request : all)
          delivered.insert(text_at(request.json_body(), "data.entity.trace.description"));
        return delivered.size() >= reported.size();
      },
      std::chrono::seconds(60)));
  EXPECT_EQ(delivered, reported);
  EXPECT_EQ(tenant.sql.number("select count(*) from all_runs where business_id = $1 and workflow_id = $2",
                              {tenant.id, workflow}),
            static_cast<std::int64_t>(reported.size()));
}

}  // namespace
}  // namespace waybill::tests
