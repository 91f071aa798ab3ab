#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Workflows that this version cannot read, because a newer version wrote them or SQL changed them.
class Unreadable : public WorkflowTest {
 protected:
  /// The guid of a new workflow that waits for an hour and then calls `url()`.
  std::string wait_and_webhook() {
    return text_at(tenant.configure({{"name", "steps"},
                                     {"entityType", "Order"},
                                     {"triggerId", trigger_guid("order_created")},
                                     {"steps",
                                      {{{"type", "wait"}, {"delay", "PT1H"}},
                                       {{"type", "webhook"}, {"recipient", url()}}}}}),
                   "guid");
  }
  void set_type(const std::string& workflow, const std::string& type) {
    tenant.sql.rows(
        "update workflows set action = jsonb_set(action, '{type}', to_jsonb($2::text)) where guid = $1",
        {workflow, type});
  }
  void set_conditions(const std::string& workflow, const std::string& conditions) {
    tenant.sql.rows("update workflows set conditions = $2::jsonb where guid = $1", {workflow, conditions});
  }
  /// Replaces a text in the stored definition of the first version.
  void rewrite_first_version(const std::string& workflow, const std::string& from, const std::string& to) {
    tenant.sql.rows(
        "update workflow_versions set definition = replace(definition::text, $2, $3)::jsonb"
        " where workflow_id = $1 and version = 1",
        {workflow, from, to});
  }
  void make_second_version(const std::string& workflow) {
    tenant.configure({{"guid", workflow}, {"name", "second"}});
    ASSERT_EQ(tenant.sql.number("select version from workflows where guid = $1", {workflow}), 2);
  }
  /// Makes the only run of a workflow due.
  void make_due(const std::string& workflow) {
    tenant.sql.rows("update run_queue set due_at = now() where workflow_id = $1 and status <> 'running'",
                    {workflow});
  }
  bool is_held(const std::string& workflow) {
    return eventually([&] {
      const auto runs = tenant.runs("workflowId=" + workflow);
      return runs.size() == 1 && at(runs[0], "code") == "WORKFLOW_UNREADABLE";
    });
  }
  std::int64_t postponed() {
    return tenant.sql.number("select count(*) from postponed_matches where business_id = $1", {tenant.id});
  }
};

TEST_F(Unreadable, EventsOfAnUnknownActionWaitWhileOtherWorkflowsContinue) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.webhook(url("other"), "order_created");
  set_type(workflow, "send_fax");
  EXPECT_EQ(at(tenant.workflow(workflow), "problem"), "unknown action send_fax");
  const std::string first = tenant.insert_order();
  const std::string second = tenant.insert_order();
  EXPECT_EQ(wait_for(2, "other").size(), 2U);
  tenant.settle();
  EXPECT_EQ(postponed(), 2);
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty());

  set_type(workflow, "webhook");
  const auto received = wait_for(2);
  ASSERT_EQ(received.size(), 2U);
  const std::set<std::string> orders{text_at(received[0].json_body(), "data.entity.guid"),
                                     text_at(received[1].json_body(), "data.entity.guid")};
  EXPECT_EQ(orders, (std::set<std::string>{first, second}));
  EXPECT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 2; }));
  EXPECT_EQ(postponed(), 0);
  EXPECT_EQ(receiver.count(tenant.path("other")), 2U);
  EXPECT_TRUE(at(tenant.workflow(workflow), "problem").is_null());
}

TEST_F(Unreadable, EventsOfATriggerInAnUnknownFormAreKept) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const auto set_trigger = [&](const std::string& code) {
    tenant.sql.rows("update workflows set trigger_code = $2 where guid = $1", {workflow, code});
  };
  set_trigger("9:order_created");
  EXPECT_EQ(at(tenant.workflow(workflow), "problem"), "unknown trigger 9:order_created");
  tenant.insert_order();
  tenant.settle();
  EXPECT_EQ(postponed(), 1);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  set_trigger("2:order_created");
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_TRUE(at(tenant.workflow(workflow), "problem").is_null());
}

TEST_F(Unreadable, WaitingEventsThatDoNotMeetTheConditionsMakeNoRun) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  set_conditions(workflow, R"({"notes": {"resembles": "x"}})");
  tenant.insert_order({{"notes", "'no'"}});
  const std::string matching = tenant.insert_order({{"notes", "'yes'"}});
  tenant.settle();
  EXPECT_EQ(postponed(), 2);
  set_conditions(workflow, R"({"notes": "yes"})");
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "succeeded"), "entityId"), matching);
  EXPECT_EQ(postponed(), 0);
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
}

TEST_F(Unreadable, QueuedRunsAreKept) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1S"}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  set_type(workflow, "send_fax");
  ASSERT_TRUE(eventually([&] {
    const auto runs = tenant.runs("workflowId=" + workflow);
    return runs.size() == 1 && at(runs[0], "code") == "WORKFLOW_UNREADABLE";
  }));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  set_type(workflow, "webhook");
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "attempts"), 1);
}

TEST_F(Unreadable, RunsWithStepsInAnUnknownFormAreKeptWhileOthersContinue) {
  const std::string workflow = wait_and_webhook();
  const std::string other = tenant.webhook(url("other"), "order_created", {{"delay", "PT1H"}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  tenant.run_with_status(other, "waiting");
  const auto rename = [&](const std::string& from, const std::string& to) {
    tenant.sql.rows("update run_queue set steps = replace(steps, $2, $3) where workflow_id = $1",
                    {workflow, from, to});
  };
  rename("\"goesOn\"", "\"continues\"");
  make_due(workflow);
  make_due(other);
  ASSERT_TRUE(is_held(workflow));
  EXPECT_EQ(wait_for(1, "other").size(), 1U);
  EXPECT_EQ(at(tenant.run_with_status(other, "succeeded"), "attempts"), 1);
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  rename("\"continues\"", "\"goesOn\"");
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "attempts"), 1);
}

TEST_F(Unreadable, QueuedRunsOfAnEarlierVersionAreKept) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  make_second_version(workflow);
  rewrite_first_version(workflow, "\"order_created\"", "\"9:order_created\"");
  make_due(workflow);
  ASSERT_TRUE(is_held(workflow));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  rewrite_first_version(workflow, "\"9:order_created\"", "\"order_created\"");
  make_due(workflow);
  EXPECT_EQ(wait_for(1).size(), 1U);
  EXPECT_EQ(at(tenant.run_with_status(workflow, "succeeded"), "attempts"), 1);
}

TEST_F(Unreadable, StepsOfAnEarlierVersionAreKept) {
  const std::string workflow = wait_and_webhook();
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  make_second_version(workflow);
  rewrite_first_version(workflow, "\"webhook\"", "\"send_fax\"");
  make_due(workflow);
  ASSERT_TRUE(is_held(workflow));
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
  rewrite_first_version(workflow, "\"send_fax\"", "\"webhook\"");
  make_due(workflow);
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.run_with_status(workflow, "succeeded");
}

TEST_F(Unreadable, ARunOfAVersionThatIsNoLongerStoredUsesTheCurrentOne) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1H"}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  make_second_version(workflow);
  tenant.sql.rows("delete from workflow_versions where workflow_id = $1 and version = 1", {workflow});
  make_due(workflow);
  EXPECT_EQ(wait_for(1).size(), 1U);
  tenant.run_with_status(workflow, "succeeded");
}

TEST(UnreadableWorkflow, IsLoggedAndCountedByTheMetrics) {
  World world({.arguments = {"--metrics-listen", "127.0.0.1:0"}});
  constexpr std::string_view host = "metrics=http://127.0.0.1:";
  const auto line = world.waybill.process().wait_for_line(host);
  ASSERT_TRUE(line);
  Http metrics("127.0.0.1", std::stoi(line->substr(line->find(host) + host.size())));
  const auto is_counted = [&](const std::string& count) {
    return eventually([&] {
      return metrics.get("/metrics").text.find("\nwaybill_workflows_unreadable " + count + "\n") !=
             std::string::npos;
    });
  };
  Tenant tenant(world.waybill, "metrics");
  const std::string workflow = tenant.webhook("http://127.0.0.1:9/x", "order_created");
  EXPECT_TRUE(is_counted("0"));
  tenant.sql.exec("update workflows set action = jsonb_set(action, '{type}', '\"send_fax\"') where guid = '" +
                  workflow + "'");
  EXPECT_TRUE(is_counted("1"));
  const auto logged = world.waybill.process().wait_for_line("workflow.unreadable");
  ASSERT_TRUE(logged);
  EXPECT_NE(logged->find(workflow), std::string::npos) << *logged;
}

TEST_F(Unreadable, EventsOfADeletedWorkflowAreDropped) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  set_type(workflow, "send_fax");
  tenant.insert_order();
  tenant.settle();
  EXPECT_EQ(postponed(), 1);
  tenant.sql.rows("update workflows set deleted_at = now() where guid = $1", {workflow});
  EXPECT_TRUE(eventually([&] { return postponed() == 0; }));
  EXPECT_TRUE(tenant.runs("workflowId=" + workflow).empty());
}

}  // namespace
}  // namespace waybill::tests
