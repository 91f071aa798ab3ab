#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// Workflows made with `triggers`, a list of codes.
class SeveralTriggers : public WorkflowTest {
 protected:
  json::object definition(const json::array& triggers) const {
    return {{"name", "several"},
            {"entityType", "Order"},
            {"triggers", triggers},
            {"action", {{"type", "webhook"}, {"recipient", url()}}}};
  }
  std::string configured(const json::array& triggers) {
    const Response made = tenant.http.post("/api/workflows/configure", definition(triggers));
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.body, "data.guid");
  }
  json::value details(const json::object& body) {
    const Response refused = tenant.http.post("/api/workflows/configure", body);
    EXPECT_EQ(refused.status, 400) << refused.text;
    return at(refused.body, "error.details");
  }
};

TEST_F(SeveralTriggers, OneEventMakesOneRunNamedAfterTheNarrowest) {
  const std::string workflow = configured({"order_updated", "order_status_changed", "order_shipped"});
  tenant.create_order();
  tenant.update_orders("status = 'shipped', notes = 'x' where true");
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const json::value body = received[0].json_body();
  EXPECT_EQ(at(body, "type"), "order_shipped");
  EXPECT_EQ(at(body, "triggers"),
            json::parse(R"(["order_shipped", "order_status_changed", "order_updated"])"));
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(at(run, "trigger"), "order_shipped");
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path()), 1U);
  EXPECT_EQ(tenant.runs("workflowId=" + workflow).size(), 1U);
}

TEST_F(SeveralTriggers, AStarMeansEachTriggerOfTheEntityType) {
  const std::string workflow = configured({"*"});
  const json::object read = tenant.workflow(workflow);
  EXPECT_EQ(at(read, "triggers"), json::parse(R"(["*"])"));
  EXPECT_EQ(at(read, "trigger"), "order_created");
  EXPECT_EQ(text_at(read, "triggerId"), trigger_guid("order_created"));
  tenant.create_order();
  EXPECT_EQ(at(wait_for(1)[0].json_body(), "triggers"), json::parse(R"(["order_created"])"));
  tenant.update_orders("notes = 'x' where true");
  EXPECT_EQ(at(wait_for(2)[1].json_body(), "type"), "order_updated");
}

TEST_F(SeveralTriggers, AWorkflowWithATriggerIdKeepsItsPayload) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.create_order();
  EXPECT_FALSE(wait_for(1)[0].json_body().as_object().contains("triggers"));
  EXPECT_EQ(at(tenant.workflow(workflow), "triggers"), json::parse(R"(["order_created"])"));
}

TEST_F(SeveralTriggers, AReadCanBeSentBack) {
  for (const json::array& list :
       {json::array{"order_shipped"}, json::array{"order_updated", "order_created"}, json::array{"*"}}) {
    const std::string workflow = configured(list);
    json::object read = tenant.workflow(workflow);
    ASSERT_EQ(tenant.http.post("/api/workflows/configure", read).status, 200) << json::serialize(list);
    EXPECT_EQ(at(tenant.workflow(workflow), "triggers"), json::value(list));
    EXPECT_EQ(tenant.sql.value("select left(trigger_code, 4) from workflows where guid = $1", {workflow}),
              "any:")
        << "it stays a list";
  }
  const std::string single = tenant.webhook(url(), "order_created");
  ASSERT_EQ(tenant.http.post("/api/workflows/configure", tenant.workflow(single)).status, 200);
  EXPECT_EQ(tenant.sql.value("select trigger_code from workflows where guid = $1", {single}),
            "order_created");
}

TEST_F(SeveralTriggers, BadCodesAreNamed) {
  json::object body = definition({"order_created", "order_lost"});
  EXPECT_EQ(details(body), json::parse(R"({"triggers[1]": "is not the code of a trigger"})"));
  body["triggers"] = json::array{};
  EXPECT_TRUE(details(body).as_object().contains("triggers"));
  body["triggers"] = "order_created";
  EXPECT_TRUE(details(body).as_object().contains("triggers"));
  body["triggers"] = json::array{"order_created", "order_updated"};
  body["triggerId"] = trigger_guid("order_updated");
  EXPECT_TRUE(details(body).as_object().contains("triggerId"));
  body.erase("triggerId");
  body.erase("triggers");
  EXPECT_TRUE(details(body).as_object().contains("triggerId"));
}

TEST_F(SeveralTriggers, TestBacktestAndExplainKnowThem) {
  const std::string order = tenant.create_order();
  tenant.settle();
  const json::object list = definition({"order_updated", "order_created"});
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"definition", list}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  const json::value body = json::parse(text_at(tested.body, "data.wouldSend.body"));
  EXPECT_EQ(at(body, "type"), "order_created") << "what its last event met";
  EXPECT_EQ(at(body, "triggers"), json::parse(R"(["order_created"])"));
  const Response backtested = tenant.http.post("/api/workflows/backtest", {{"definition", list}});
  EXPECT_EQ(at(backtested.body, "data.matches"), 1);

  const std::string workflow = configured({"order_updated", "order_shipped"});
  tenant.update_orders("notes = 'x' where true");
  wait_for(1);
  tenant.run_with_status(workflow, "succeeded");
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  ASSERT_EQ(explained.status, 200);
  const auto effect = [&](std::size_t event) {
    for (const json::value& each :
         at(at(explained.body, "data").as_array().at(event), "workflows").as_array())
      if (at(each, "guid") == json::value(workflow)) return each;
    return json::value();
  };
  EXPECT_EQ(at(effect(0), "fired"), json::value(true)) << explained.text;
  EXPECT_EQ(at(effect(1), "reason"), "newer_than_event");
}

/// Webhooks of the second format.
class WebhookForms : public WorkflowTest {};

TEST_F(WebhookForms, SendMethodUrlAndFormBody) {
  const std::string workflow =
      tenant.webhook(url(), "order_created",
                     {{"action",
                       {{"type", "webhook"},
                        {"recipient", url() + "/{{orderNumber}}?to={{customer.name}}"},
                        {"method", "PUT"},
                        {"contentType", "application/x-www-form-urlencoded"},
                        {"template", "Number={{orderNumber}}&Name={{customer.name}}"}}}});
  tenant.create_order({{"orderNumber", "A 1/2"}, {"customer", {{"name", "Ada & Co"}}}});
  const json::object run = tenant.run(text_at(tenant.run_with_status(workflow, "succeeded"), "guid"));
  const std::string path = tenant.path() + "/A%201%2F2";
  const auto received = receiver.wait_for(path, 1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].target, path + "?to=Ada%20%26%20Co");
  EXPECT_EQ(received[0].method, "PUT");
  EXPECT_EQ(received[0].header("content-type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(received[0].body, "Number=A+1%2F2&Name=Ada+%26+Co");
  EXPECT_EQ(at(run, "request.method"), "PUT");
  EXPECT_EQ(at(tenant.workflow(workflow), "problem"), json::value());
}

TEST_F(WebhookForms, AGetHasNoBody) {
  tenant.webhook(url(), "order_created",
                 {{"action", {{"type", "webhook"}, {"recipient", url()}, {"method", "GET"}}}});
  tenant.create_order();
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].method, "GET");
  EXPECT_EQ(received[0].body, "");
  EXPECT_EQ(received[0].header("content-type"), "");
  EXPECT_NE(received[0].header("webhook-signature"), "");
}

TEST_F(WebhookForms, ADotSegmentEndsTheRun) {
  const std::string workflow = tenant.webhook(
      url(), "order_created", {{"action", {{"type", "webhook"}, {"recipient", url() + "/{{notes}}/x"}}}});
  tenant.create_order({{"notes", ".."}});
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(at(run, "code"), "INVALID_VALUE");
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

}  // namespace
}  // namespace waybill::tests
