#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Workflows that this version cannot read, because a newer version wrote them or SQL changed them.
class Unreadable : public WorkflowTest {
 protected:
  void set_type(const std::string& workflow, const std::string& type) {
    tenant.sql.rows(
        "update workflows set action = jsonb_set(action, '{type}', to_jsonb($2::text)) where guid = $1",
        {workflow, type});
  }
  void set_conditions(const std::string& workflow, const std::string& conditions) {
    tenant.sql.rows("update workflows set conditions = $2::jsonb where guid = $1", {workflow, conditions});
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
  set_trigger("4:order_created");
  EXPECT_EQ(at(tenant.workflow(workflow), "problem"), "unknown trigger 4:order_created");
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
