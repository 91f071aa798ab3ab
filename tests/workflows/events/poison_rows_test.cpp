// Records that no worker can handle: their values are older than the limits of what SQL writes.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// source_url has no index, so large values are stored fast.
constexpr const char* five_megabytes = "repeat('x', 5000000)";

/// The only dead run of a workflow.
json::object dead_run(Tenant& tenant, const std::string& workflow) {
  std::vector<json::object> found;
  EXPECT_TRUE(eventually(
      [&] {
        found = tenant.runs("status=dead&workflowId=" + workflow);
        return found.size() == 1;
      },
      60s));
  return found.empty() ? json::object() : tenant.run(text_at(found[0], "guid"));
}

class PoisonRows : public WorkflowTest {
 protected:
  PoisonRows() { tenant.write_long_values(); }

  std::string set(const std::string& order, const std::string& assignments) {
    tenant.sql.exec("update orders set " + assignments + " where guid = '" + order + "'");
    return order;
  }
  json::object dead(const std::string& workflow) { return dead_run(tenant, workflow); }
  /// The reasons of a workflow for the events of a record, newest first.
  std::vector<std::string> reasons(const std::string& order, const std::string& workflow) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + order);
    EXPECT_EQ(response.status, 200) << response.text;
    std::vector<std::string> found;
    for (const json::value& event : response.data().as_array()) {
      for (const json::value& each : at(event, "workflows").as_array()) {
        if (text_at(each, "guid") != workflow) continue;
        found.push_back(at(each, "fired").as_bool() ? "fired" : text_at(each, "reason"));
      }
    }
    return found;
  }
  void expect_balanced_ledger() {
    tenant.settle();
    const json::value ledger = tenant.http.get("/api/workflows/ledger").data();
    EXPECT_EQ(at(ledger, "matched"), at(ledger, "runs.total")) << to_json(ledger);
    EXPECT_TRUE(at(ledger, "balanced").as_bool()) << to_json(ledger);
  }
};

TEST(PoisonRow, OfManyMegabytesEndsNoWorkerAndDelaysNobody) {
  World world;
  Receiver receiver;
  Tenant tenant(world.waybill, "attacked"), neighbour(world.waybill, "neighbour");
  const std::string created = tenant.webhook(receiver.url("/created"), "order_created");
  const std::string updated = tenant.webhook(receiver.url("/updated"), "order_updated");
  neighbour.webhook(receiver.url("/neighbour"), "order_created");
  const std::string customer =
      tenant.webhook(receiver.url("/customer"), "customer_created", {{"entityType", "Customer"}});
  tenant.write_long_values();
  const std::string order = tenant.insert_order({{"source_url", "repeat('x', 220000000)"}});
  const std::string next = neighbour.insert_order();
  EXPECT_EQ(receiver.wait_for("/neighbour", 1, 60s).size(), 1U);
  const json::object run = dead_run(tenant, created);
  EXPECT_EQ(text_at(run, "code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(text_at(run, "error"), "The order has more than 4 MiB.");
  EXPECT_EQ(text_at(run, "entityId"), order);

  tenant.sql.exec("update orders set source_url = null where guid = '" + order + "'");
  EXPECT_EQ(text_at(dead_run(tenant, updated), "code"), "PAYLOAD_TOO_LARGE")
      << "the record before the event is as large";
  tenant.sql.exec("update orders set notes = 'small again' where guid = '" + order + "'");
  const auto received = receiver.wait_for("/updated", 1, 60s);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.notes"), "small again");

  tenant.settle();
  const json::value ledger = tenant.http.get("/api/workflows/ledger").data();
  EXPECT_EQ(at(ledger, "matched"), at(ledger, "runs.total")) << to_json(ledger);
  EXPECT_TRUE(at(ledger, "balanced").as_bool()) << to_json(ledger);

  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  ASSERT_EQ(explained.status, 200) << explained.text;
  const json::array events = explained.data().as_array();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(at(events[2], "triggers"), json::parse(R"(["order_created"])"));
  EXPECT_EQ(at(events[1], "triggers"), json::array()) << "which fields changed is not known";
  const auto reason = [&](std::size_t event, const std::string& workflow) {
    for (const json::value& each : at(events[event], "workflows").as_array())
      if (text_at(each, "guid") == workflow) return to_json(at(each, "reason"));
    return std::string("absent");
  };
  EXPECT_EQ(reason(2, created), "\"too_large\"");
  EXPECT_EQ(reason(2, updated), "\"other_trigger\"");
  EXPECT_EQ(reason(1, updated), "\"too_large\"");
  EXPECT_EQ(reason(0, updated), "null");

  const Response feed = tenant.http.get("/api/events?entityType=Order");
  ASSERT_EQ(feed.status, 200) << feed.text;
  const json::array listed = at(feed.body, "data").as_array();
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(text_at(listed[0], "error"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(text_at(listed[0], "type"), "order_created");
  EXPECT_EQ(text_at(listed[1], "type"), "order_updated");
  EXPECT_EQ(at(listed[1], "entity"), json::value(json::object{{"guid", order}}));
  EXPECT_FALSE(listed[2].as_object().contains("error"));
  EXPECT_EQ(tenant.http.post("/api/workflows/backtest", {{"workflowId", created}}).status, 200);
  expect_little_memory(world.waybill.process().pid());
}

TEST_F(PoisonRows, AnEndlessTimeSilencesNoOrder) {
  const std::string created = tenant.webhook(url("created"), "order_created");
  const std::string updated = tenant.webhook(url(), "order_updated");
  const std::string order = tenant.insert_order({{"status_changed_at", "'infinity'"}});
  const json::object run = dead(created);
  EXPECT_EQ(text_at(run, "code"), "UNREADABLE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("statusChangedAt"));
  EXPECT_EQ(reasons(order, created), std::vector<std::string>{"unreadable"});
  set(order, "status_changed_at = now()");
  set(order, "notes = 'readable again'");
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.notes"), "readable again");
  tenant.settle();
  EXPECT_EQ(reasons(order, updated), (std::vector<std::string>{"fired", "other_trigger", "other_trigger"}));
  expect_balanced_ledger();
}

TEST_F(PoisonRows, AnEndlessTimeOfAShipmentLeavesDeadRuns) {
  const std::string updated = tenant.webhook(url(), "shipment_updated");
  const std::string shipment = tenant.insert_shipment("");
  tenant.sql.exec("update shipments set last_trace_at = '-infinity' where guid = '" + shipment + "'");
  const json::object run = dead(updated);
  EXPECT_EQ(text_at(run, "code"), "UNREADABLE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("lastTraceAt"));
  EXPECT_EQ(tenant.http.get("/api/v1/shipments/" + shipment).status, 200);
  expect_balanced_ledger();
}

TEST_F(PoisonRows, WorkflowsThatTheEventCannotConcernHaveNoRun) {
  const std::string updated = tenant.webhook(url(), "order_updated");
  const std::string deleted = tenant.webhook(url(), "order_deleted");
  const std::string created = tenant.webhook(url(), "order_created", {{"conditions", {{"notes", "never"}}}});
  const std::string order = tenant.insert_order({{"source_url", five_megabytes}});
  EXPECT_EQ(text_at(dead(created), "code"), "PAYLOAD_TOO_LARGE") << "its conditions cannot be evaluated";
  tenant.settle();
  EXPECT_EQ(tenant.runs("entityId=" + order).size(), 1U);
  EXPECT_TRUE(tenant.runs("workflowId=" + updated).empty());
  EXPECT_TRUE(tenant.runs("workflowId=" + deleted).empty());
  expect_balanced_ledger();
}

TEST_F(PoisonRows, ARunWhoseRecordGrewDuringItsDelayIsDead) {
  const std::string delayed =
      tenant.webhook(url(), "order_created", {{"delay", "PT2S"}, {"conditions", {{"status", "pending"}}}});
  const std::string order = tenant.insert_order();
  tenant.settle();
  set(order, std::string("source_url = ") + five_megabytes);
  const json::object run = dead(delayed);
  EXPECT_EQ(text_at(run, "code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(text_at(run, "error"), "The order has more than 4 MiB.");
}

TEST_F(PoisonRows, ALaterStepOfARecordThatGrewIsDead) {
  const std::string steps = text_at(
      tenant.configure(
          {{"name", "steps"},
           {"entityType", "Order"},
           {"triggerId", trigger_guid("order_created")},
           {"steps", {{{"type", "wait"}, {"delay", "PT3S"}}, {{"type", "webhook"}, {"recipient", url()}}}}}),
      "guid");
  const std::string order = tenant.insert_order();
  tenant.settle();
  set(order, std::string("source_url = ") + five_megabytes);
  EXPECT_EQ(text_at(dead(steps), "code"), "PAYLOAD_TOO_LARGE");
}

TEST_F(PoisonRows, ATimerOfARecordThatGrewLeavesADeadRun) {
  const std::string timed =
      text_at(tenant.configure({{"name", "timed"},
                                {"entityType", "Order"},
                                {"timer", {{"field", "createdAt"}, {"offset", "P1D"}}},
                                {"action", {{"type", "webhook"}, {"recipient", url()}}}}),
              "guid");
  const std::string order = tenant.insert_order(), other = tenant.insert_order();
  const auto timers = [&] {
    return tenant.sql.number("select count(*) from timers where workflow_id = $1", {timed});
  };
  ASSERT_TRUE(eventually([&] { return timers() == 2; }));
  set(order, std::string("source_url = ") + five_megabytes);
  set(other, "status_changed_at = 'infinity'");
  tenant.settle();
  tenant.sql.rows(
      "update timers set due_at = clock_timestamp(), check_at = clock_timestamp() where workflow_id = $1",
      {timed});
  ASSERT_TRUE(eventually([&] { return tenant.runs("workflowId=" + timed + "&status=dead").size() == 2; }));
  for (const json::object& run : tenant.runs("workflowId=" + timed))
    EXPECT_EQ(text_at(run, "code"), text_at(run, "entityId") == order ? "PAYLOAD_TOO_LARGE" : "UNREADABLE");
  EXPECT_EQ(timers(), 0);
}

TEST_F(PoisonRows, AScheduleHasADeadRunForTheRecordAndRunsForTheOthers) {
  const std::string large = tenant.insert_order({{"source_url", five_megabytes}});
  const std::string small = tenant.insert_order();
  tenant.settle();
  const auto scheduled = [&](bool each) {
    return text_at(tenant.configure({{"name", "scheduled"},
                                     {"entityType", "Order"},
                                     {"schedule", {{"cron", "0 8 1 1 *"}}},
                                     {"each", each},
                                     {"action",
                                      {{"type", "webhook"},
                                       {"recipient", url(each ? "each" : "list")},
                                       {"template", R"({"n": 1})"}}}}),
                   "guid");
  };
  const std::string each = scheduled(true);
  make_tick_due(tenant, each);
  const json::object run = dead(each);
  EXPECT_EQ(text_at(run, "entityId"), large);
  EXPECT_EQ(text_at(run, "code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(wait_for(1, "each").size(), 1U) << small;
  const std::string list = scheduled(false);
  make_tick_due(tenant, list);
  EXPECT_THAT(text_at(dead(list), "error"), HasSubstr(large));
}

TEST_F(PoisonRows, ATestOfAWorkflowNamesTheProblem) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const auto tested = [&](const std::string& order) {
    return tenant.http.post("/api/workflows/test", {{"workflowId", workflow}, {"entityId", order}});
  };
  const Response large = tested(tenant.insert_order({{"source_url", five_megabytes}}));
  EXPECT_EQ(large.status, 413) << large.text;
  EXPECT_THAT(large.text, HasSubstr("4 MiB"));
  const Response endless = tested(tenant.insert_order({{"status_changed_at", "'infinity'"}}));
  EXPECT_EQ(endless.status, 409) << endless.text;
  EXPECT_THAT(endless.text, HasSubstr("statusChangedAt"));
}

TEST_F(PoisonRows, LongTextsOfRelativesAreCut) {
  tenant.webhook(url(), "order_created");
  const std::string customer = tenant.sql.value(
      "insert into customers (business_id, name, phone) values ($1, 'Ada', repeat('1', 5000000)) returning "
      "guid",
      {tenant.id});
  tenant.insert_order({{"customer_id", "'" + customer + "'"}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(text_at(received[0].json_body(), "data.entity.customer.phone").size(), 10'000U);
}

}  // namespace
}  // namespace waybill::tests
