#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// Limits on the configuration of a business.
class WorkflowLimits : public testing::Test {
 protected:
  static Waybill::Options small() {
    Waybill::Options options;
    options.arguments = {"--workflows-per-business", "4", "--workflows-per-trigger", "2",
                         "--runs-retention-days",    "3"};
    return options;
  }
  json::object definition(std::string_view trigger, bool is_active = true) const {
    return {{"name", "one more"},
            {"entityType", "Order"},
            {"triggerId", trigger_guid(trigger)},
            {"isActive", is_active},
            {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/"}}}};
  }
  Response configure(const json::object& body) { return tenant.http.post("/api/workflows/configure", body); }

  World world{small()};
  Tenant tenant{world.waybill, "limited"};
};

TEST_F(WorkflowLimits, ABusinessHasALimitedNumberOfWorkflows) {
  for (const char* trigger : {"order_created", "order_created", "order_updated", "order_updated"})
    ASSERT_EQ(configure(definition(trigger)).status, 201);
  const Response refused = configure(definition("order_deleted", false));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(text_at(refused.body, "error.code"), "CONFLICT");
  EXPECT_THAT(text_at(refused.body, "error.message"), HasSubstr("has 4 workflows"));
}

TEST_F(WorkflowLimits, ATriggerHasALimitedNumberOfActiveWorkflows) {
  const std::string first = text_at(configure(definition("order_created")).body, "data.guid");
  ASSERT_EQ(configure(definition("order_created")).status, 201);
  EXPECT_EQ(configure(definition("order_created")).status, 409);
  const Response passive = configure(definition("order_created", false));
  ASSERT_EQ(passive.status, 201) << "it is not active";
  const std::string third = text_at(passive.body, "data.guid");
  const std::string toggle = "/api/workflows/configured/" + third + "/toggle";
  EXPECT_EQ(tenant.http.get(toggle).status, 409);
  EXPECT_EQ(configure({{"guid", third}, {"isActive", true}}).status, 409);
  EXPECT_EQ(configure({{"guid", first}, {"name", "renamed"}}).status, 200) << "it already counts";

  ASSERT_EQ(tenant.http.get("/api/workflows/configured/" + first + "/toggle").status, 200);
  EXPECT_EQ(tenant.http.get(toggle).status, 200);
  EXPECT_EQ(configure({{"guid", first}, {"isActive", true}}).status, 409);
  EXPECT_EQ(
      configure({{"guid", first}, {"isActive", true}, {"triggerId", trigger_guid("order_updated")}}).status,
      200);
}

TEST_F(WorkflowLimits, AListCountsForEachOfItsTriggers) {
  json::object list = definition("order_created");
  list.erase("triggerId");
  list["triggers"] = json::array{"*"};
  ASSERT_EQ(configure(list).status, 201);
  json::object form = definition("order_shipped");
  form["action"].as_object()["method"] = "PUT";  // a method of the second format
  ASSERT_EQ(configure(form).status, 201);
  const Response refused = configure(definition("order_shipped"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(text_at(refused.body, "error.message"), HasSubstr("the trigger order_shipped"));
  list["triggers"] = json::array{"order_created", "order_shipped"};
  EXPECT_EQ(configure(list).status, 409);
  list["triggers"] = json::array{"order_created", "order_updated"};
  EXPECT_EQ(configure(list).status, 201);
}

TEST_F(WorkflowLimits, ADelayIsShorterThanTheRetentionOfItsEvent) {
  json::object body = definition("order_created");
  body["delay"] = "P3D";
  const Response refused = configure(body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(text_at(refused.body, "error.details.delay"), HasSubstr("shorter than the 3 days"));
  body["delay"] = "P2DT23H59M";
  EXPECT_EQ(configure(body).status, 201);
}

/// Runs that were held for so long that their event is deleted when their delay ends.
class LateRuns : public WorkflowTest {};

TEST_F(LateRuns, AreNotPerformedForADeletedRecord) {
  const std::string workflow = tenant.webhook(url(), "order_created", {{"delay", "PT1S"}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  tenant.update_orders("deleted_at = now() where true");
  tenant.settle();
  tenant.sql.rows("delete from events where business_id = $1", {tenant.id});
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "skipped"), "code"), "NO_RECORD");
  EXPECT_EQ(receiver.count(tenant.path()), 0U);
}

TEST_F(LateRuns, AreCheckedAgainstTheCurrentRecord) {
  const std::string workflow =
      tenant.webhook(url(), "order_created", {{"delay", "PT1S"}, {"conditions", {{"status", "pending"}}}});
  tenant.insert_order();
  tenant.run_with_status(workflow, "waiting");
  tenant.update_orders("status = 'processing' where true");
  tenant.settle();
  tenant.sql.rows("delete from events where business_id = $1", {tenant.id});
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "skipped"), "code"), "CONDITION");
}

TEST_F(LateRuns, KeepTheDepthOfTheirEvent) {
  const std::string workflow = tenant.update_status("order_updated", "", "cancelled", {{"delay", "PT1S"}});
  const std::string order = tenant.insert_order();
  tenant.settle();
  tenant.sql.exec("begin");
  tenant.sql.rows("select set_config('waybill.cause', $1, true)",
                  {R"({"by": {"type": "workflow", "guid": null, "name": "x"}, "depth": 7})"});
  tenant.update_orders("notes = 'x' where true");
  tenant.sql.exec("commit");
  tenant.run_with_status(workflow, "waiting");
  tenant.sql.rows("delete from events where business_id = $1", {tenant.id});
  tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(tenant.sql.number("select (cause ->> 'depth')::int from events where business_id = $1 "
                              "order by id desc limit 1",
                              {tenant.id}),
            8);
}

}  // namespace
}  // namespace waybill::tests
