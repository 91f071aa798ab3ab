#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class Notifications : public WorkflowTest {
 protected:
  std::string mail_workflow() {
    return tenant.webhook("", "order_updated",
                          {{"action",
                            {{"type", "send_email"},
                             {"recipient", "ada@example.com"},
                             {"subject", "changed"},
                             {"body", "It is {{notes}}"}}}});
  }
  std::string push_workflow() {
    return tenant.webhook("", "order_updated", {{"action", {{"type", "send_push"}, {"title", "changed"}}}});
  }

  void change(const std::string& order, std::string_view notes) {
    tenant.update_orders("notes = '" + std::string(notes) + "' where guid = '" + order + "'");
  }

  // "status code" of the workflow's runs, newest first.
  std::vector<std::string> outcomes(const std::string& workflow) {
    std::vector<std::string> result;
    for (const json::object& run : tenant.runs("workflowId=" + workflow))
      result.push_back(text_at(run, "status") + " " + text_at(run, "code"));
    return result;
  }
};

void set_notifications(Tenant& tenant, const json::object& notifications) {
  const Response response =
      tenant.http.put("/api/business/default-configuration", {{"notifications", notifications}});
  ASSERT_EQ(response.status, 200) << response.text;
}

TEST_F(Notifications, SwitchedOffMailsAreSkippedAndLaterOnesAreSent) {
  const std::string workflow = mail_workflow();
  const std::string hook = tenant.webhook(url(), "order_updated");
  const std::string order = tenant.insert_order();
  set_notifications(tenant, {{"emailEnabled", false}});
  change(order, "quiet");
  const json::object run = tenant.run_with_status(workflow, "skipped");
  EXPECT_EQ(run.at("code"), "NOTIFICATIONS_OFF");
  EXPECT_EQ(run.at("error"), "The business has switched off these notifications.");
  EXPECT_EQ(run.at("attempts"), 0);
  EXPECT_EQ(wait_for(1).size(), 1U) << "webhooks are no notifications";

  tenant.settle();
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  for (const json::value& entry : explained.data().as_array().at(0).at("workflows").as_array()) {
    const std::string guid = text_at(entry, "guid");
    if (guid == workflow) {
      EXPECT_EQ(text_at(entry, "reason"), "notifications_off");
      EXPECT_EQ(entry.at("fired"), false);
      EXPECT_EQ(text_at(entry, "runId"), text_at(run, "guid"));
    } else if (guid == hook) {
      EXPECT_EQ(entry.at("fired"), true);
    }
  }

  set_notifications(tenant, {{"emailEnabled", true}});
  change(order, "loud");
  EXPECT_TRUE(eventually([&] {
    return outcomes(workflow) == std::vector<std::string>{"succeeded ", "skipped NOTIFICATIONS_OFF"};
  })) << testing::PrintToString(outcomes(workflow));
}

TEST_F(Notifications, AMailHasTheLocalDateAlsoAfterAChangeOfTheTimeZone) {
  const std::string workflow =
      tenant.webhook("", "order_updated",
                     {{"action",
                       {{"type", "send_email"},
                        {"recipient", "ada@example.com"},
                        {"subject", "S"},
                        {"body", "{{#formatted}}{{collectionDate}}{{/formatted}}"}}}});
  const std::string order = tenant.insert_order({{"collection_date", "'2026-12-05T20:30:00Z'"}});
  const auto body = [&](std::size_t runs) {
    EXPECT_TRUE(
        eventually([&] { return outcomes(workflow) == std::vector<std::string>(runs, "succeeded "); }));
    const std::string guid = text_at(tenant.runs("workflowId=" + workflow).at(0), "guid");
    return text_at(tenant.run(guid), "request.body");
  };
  change(order, "x");
  EXPECT_EQ(body(1), "2026-12-05");
  tenant.sql.exec("update businesses set timezone = 'Pacific/Auckland' where guid = '" + tenant.id + "'");
  change(order, "y");
  EXPECT_EQ(body(2), "2026-12-06");
}

TEST_F(Notifications, MailsAndPushMessagesHaveTheirOwnSwitch) {
  const std::string mail = mail_workflow();
  const std::string push = push_workflow();
  set_notifications(tenant, {{"pushEnabled", false}});
  change(tenant.insert_order(), "x");
  EXPECT_EQ(tenant.run_with_status(push, "skipped").at("code"), "NOTIFICATIONS_OFF");
  tenant.run_with_status(mail, "succeeded");
}

TEST_F(Notifications, AnotherBusinessIsNotAffected) {
  Tenant other(world.waybill, test_name() + " other");
  set_notifications(other, {{"emailEnabled", false}, {"pushEnabled", false}});
  const std::string workflow = mail_workflow();
  change(tenant.insert_order(), "x");
  tenant.run_with_status(workflow, "succeeded");
}

TEST_F(Notifications, AReplayIsSentOnceMailsAreOnAgain) {
  const std::string workflow = mail_workflow();
  set_notifications(tenant, {{"emailEnabled", false}});
  change(tenant.insert_order(), "x");
  const json::object run = tenant.run_with_status(workflow, "skipped");
  const std::string replay = "/api/workflows/runs/" + text_at(run, "guid") + "/replay";
  ASSERT_EQ(tenant.http.post(replay).status, 201);
  EXPECT_TRUE(eventually([&] {
    return outcomes(workflow) ==
           std::vector<std::string>{"skipped NOTIFICATIONS_OFF", "skipped NOTIFICATIONS_OFF"};
  }));
  set_notifications(tenant, {{"emailEnabled", true}});
  ASSERT_EQ(tenant.http.post(replay).status, 201);
  EXPECT_TRUE(eventually([&] { return outcomes(workflow).front() == "succeeded "; }))
      << testing::PrintToString(outcomes(workflow));
}

// The switch is read when an attempt is made, also for runs that are already under way.
TEST(NotificationsOfRetriedRuns, AreCheckedBeforeEachAttempt) {
  World world({.retry_schedule = "3s,3s,3s", .arguments = {"--smtp-url", "smtp://127.0.0.1:1?tls=none"}});
  Tenant tenant(world.waybill, "retried");
  const std::string workflow = tenant.webhook("", "order_updated",
                                              {{"action",
                                                {{"type", "send_email"},
                                                 {"recipient", "ada@example.com"},
                                                 {"subject", "changed"},
                                                 {"body", "changed"}}}});
  const std::string order = tenant.insert_order();
  tenant.update_orders("notes = 'x' where guid = '" + order + "'");
  tenant.run_with_status(workflow, "retrying");
  set_notifications(tenant, {{"emailEnabled", false}});
  const json::object run = tenant.run_with_status(workflow, "skipped");
  EXPECT_EQ(run.at("code"), "NOTIFICATIONS_OFF");
  EXPECT_GE(run.at("attempts").as_int64(), 1);
}

}  // namespace
}  // namespace waybill::tests
