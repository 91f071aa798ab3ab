// Workflows that are switched off and on while no worker runs.
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class SwitchedWhileDown : public testing::Test {
 protected:
  SwitchedWhileDown() { start_worker(); }

  void start_worker() {
    Waybill::Options options;
    options.command = "worker";
    options.secret_key_file = api.secret_key_file();
    worker = std::make_unique<Waybill>(database.url(), options);
  }
  void kill_worker() {
    worker->process().kill(SIGKILL);
    worker->process().wait_exit();
    worker.reset();
  }
  void toggle(const std::string& workflow) {
    ASSERT_EQ(tenant.http.post("/api/workflows/configured/" + workflow + "/toggle", json::object{}).status,
              200);
  }
  std::string made(json::object definition, const std::string& hook) {
    definition["name"] = hook;
    definition["entityType"] = "Order";
    definition["action"] = {{"type", "webhook"}, {"recipient", receiver.url("/" + hook)}};
    return text_at(tenant.configure(definition), "guid");
  }
  /// The reasons of a workflow for the events of a record, or for its timers, newest first; "fired" if it
  /// fired.
  std::vector<std::string> reasons(const std::string& record, const std::string& workflow,
                                   bool of_timers = false) {
    const Response response = tenant.http.get("/api/workflows/explain?entityId=" + record);
    std::vector<std::string> all;
    for (const json::value& entry : response.data().as_array()) {
      if (at(entry, "eventId").is_null() != of_timers) continue;
      for (const json::value& each : at(entry, "workflows").as_array()) {
        if (at(each, "guid") != json::value(workflow)) continue;
        all.push_back(at(each, "fired").as_bool() ? "fired" : text_at(each, "reason"));
      }
    }
    return all;
  }

  TestDatabase database;
  Waybill api{database.url(), [] {
                Waybill::Options options;
                options.command = "api";
                return options;
              }()};
  std::unique_ptr<Waybill> worker;
  Receiver receiver;
  Tenant tenant{api, "SwitchedWhileDown"};
};

TEST_F(SwitchedWhileDown, WorkflowsFireForTheEventsAtWhichTheyWereOn) {
  const std::string toggled = made({{"triggers", {"order_updated"}}}, "toggled");
  const std::string configured = made({{"triggers", {"order_updated"}}}, "configured");
  const std::string left_off = made({{"triggers", {"order_updated"}}}, "left-off");
  const std::string digest =
      made({{"triggers", {"order_updated"}}, {"digest", {{"every", "PT1H"}, {"max", 2}}}}, "digest");
  const std::string order = tenant.create_order();
  tenant.settle();
  kill_worker();
  tenant.put_order(order, {{"notes", "on"}});
  for (const std::string& workflow : {toggled, left_off, digest}) toggle(workflow);
  tenant.configure({{"guid", configured}, {"isActive", false}});
  tenant.put_order(order, {{"notes", "off"}});
  toggle(toggled);
  toggle(digest);
  tenant.configure({{"guid", configured}, {"isActive", true}});
  tenant.put_order(order, {{"notes", "on again"}});
  start_worker();
  tenant.settle();
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number("select (select count(*) from run_queue) + (select count(*) from digests)") == 0;
  }));
  EXPECT_EQ(receiver.count("/toggled"), 2U);
  EXPECT_EQ(receiver.count("/configured"), 2U);
  EXPECT_EQ(receiver.count("/left-off"), 1U);
  ASSERT_EQ(receiver.count("/digest"), 1U);
  EXPECT_EQ(at(receiver.received("/digest").front().json_body(), "data.count"), json::value(2));
  const std::vector<std::string> off_between{"fired", "switched_off", "fired", "other_trigger"};
  EXPECT_EQ(reasons(order, toggled), off_between);
  EXPECT_EQ(reasons(order, configured), off_between);
  EXPECT_EQ(reasons(order, left_off),
            (std::vector<std::string>{"switched_off", "switched_off", "fired", "other_trigger"}));
  const Response ledger = tenant.http.get("/api/workflows/ledger");
  EXPECT_EQ(at(ledger.body, "data.balanced"), json::value(true)) << ledger.text;
}

TEST_F(SwitchedWhileDown, WorkflowsFireForTheTimersAndTicksAtWhichTheyWereOn) {
  const std::string timed = made({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}}}}, "timed");
  const std::string late = made({{"timer", {{"field", "createdAt"}, {"offset", "P1D"}}}}, "late");
  const std::string scheduled = made({{"schedule", {{"cron", "0 8 1 1 *"}}}}, "scheduled");
  const std::string order = tenant.create_order();
  ASSERT_TRUE(eventually([&] { return tenant.sql.number("select count(*) from timers") == 2; }));
  ASSERT_TRUE(eventually(
      [&] { return tenant.sql.number("select count(*) from schedules where next_at is not null") == 1; }));
  kill_worker();
  toggle(late);
  tenant.sql.exec("update timers set due_at = clock_timestamp(), check_at = clock_timestamp()");
  tenant.sql.exec("update schedules set next_at = clock_timestamp(), check_at = clock_timestamp()");
  for (const std::string& workflow : {timed, scheduled}) {
    toggle(workflow);
    EXPECT_EQ(
        at(tenant.http.get("/api/workflows/upcoming?workflowId=" + workflow).body, "data").as_array().size(),
        0U)
        << "it is off";
    toggle(workflow);
    EXPECT_EQ(
        at(tenant.http.get("/api/workflows/upcoming?workflowId=" + workflow).body, "data").as_array().size(),
        1U)
        << "it was on when this came due";
  }
  toggle(late);
  EXPECT_EQ(reasons(order, timed, true), std::vector<std::string>{"timer_waiting"});
  EXPECT_EQ(reasons(order, late, true), std::vector<std::string>{"switched_off"});
  start_worker();
  EXPECT_EQ(receiver.wait_for("/timed", 1).size(), 1U);
  EXPECT_EQ(receiver.wait_for("/scheduled", 1).size(), 1U);
  EXPECT_TRUE(eventually([&] { return tenant.sql.number("select count(*) from timers") == 0; }));
  EXPECT_EQ(receiver.count("/late"), 0U);
  EXPECT_EQ(tenant.sql.column("select coalesce(reason, 'fired') from timer_results order by 1"),
            (std::vector<std::string>{"fired", "switched_off"}));
}

}  // namespace
}  // namespace waybill::tests
