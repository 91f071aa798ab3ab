#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// Limits on the configuration of a business.
class WorkflowLimits : public testing::Test {
 protected:
  static Waybill::Options small() {
    Waybill::Options options;
    options.arguments = {"--workflows-per-business", "4", "--workflows-per-trigger",       "2",
                         "--runs-retention-days",    "3", "--workflow-bytes-per-business", "600000"};
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

/// Conditions with a text of `size` bytes.
json::object conditions_of(std::size_t size) {
  json::array any;
  for (; size > 10'000; size -= 10'000) any.push_back({{"notes", std::string(10'000, 'x')}});
  any.push_back({{"notes", std::string(size, 'x')}});
  return {{"any", std::move(any)}};
}

TEST_F(WorkflowLimits, ADefinitionHasALimitedSize) {
  json::object body = definition("order_created");
  body["conditions"] = conditions_of(270'000);
  const Response refused = configure(body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(text_at(refused.body, "error.code"), "VALIDATION_ERROR");
  EXPECT_THAT(text_at(refused.body, "error.details.conditions"), HasSubstr("262144 are allowed"));
  body["conditions"] = conditions_of(250'000);
  const Response made = configure(body);
  ASSERT_EQ(made.status, 201);
  const std::string guid = text_at(made.body, "data.guid");
  EXPECT_EQ(configure({{"guid", guid}, {"conditions", conditions_of(270'000)}}).status, 400);
  tenant.sql.rows(
      "update workflows set conditions = jsonb_build_object('any', "
      "(select jsonb_agg(jsonb_build_object('notes', repeat('x', 9999))) from generate_series(1, 30))) "
      "where guid = $1",
      {guid});
  EXPECT_EQ(configure({{"guid", guid}, {"name", "renamed"}}).status, 200) << "a larger one of before";
}

TEST_F(WorkflowLimits, TheDefinitionsOfABusinessHaveALimitedSize) {
  json::object large = definition("order_created");
  large["conditions"] = conditions_of(250'000);
  const std::string first = text_at(configure(large).body, "data.guid");
  large["isActive"] = false;
  const Response second = configure(large);
  ASSERT_EQ(second.status, 201);
  const Response refused = configure(large);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(text_at(refused.body, "error.code"), "CONFLICT");
  EXPECT_THAT(text_at(refused.body, "error.message"), HasSubstr("600000 are allowed"));
  const Response small = configure(definition("order_created"));
  ASSERT_EQ(small.status, 201);
  EXPECT_EQ(
      configure({{"guid", text_at(small.body, "data.guid")}, {"conditions", large.at("conditions")}}).status,
      409);
  EXPECT_EQ(configure({{"guid", first}, {"name", "renamed"}}).status, 200);
  const std::string toggle = "/api/workflows/configured/" + text_at(second.body, "data.guid") + "/toggle";
  ASSERT_EQ(tenant.http.get("/api/workflows/configured/" + first + "/toggle").status, 200);
  EXPECT_EQ(tenant.http.get(toggle).status, 200) << "it counts already";
}

/// A template with texts of 78 001 bytes, which include the template with the code `included`.
json::object large_template(const std::string& code, const std::string& included = {}) {
  std::string text = included.empty() ? "" : "{{> " + included + "}}";
  while (text.size() % 4 != 0) text += ' ';
  while (text.size() < 39'000) text += "\U0001F600";
  text.resize(39'000);
  return {{"code", code},   {"name", code}, {"entityType", "Order"}, {"type", "send_email"},
          {"subject", "s"}, {"body", text}, {"html", text}};
}

TEST_F(WorkflowLimits, TheTextsOfTemplatesCountForEachWorkflow) {
  const std::string templates = "/api/workflows/templates";
  ASSERT_EQ(tenant.http.post(templates, large_template("a", "b")).status, 201);
  const std::string b = text_at(tenant.http.post(templates, large_template("b", "c")).body, "data.guid");
  const auto mail = [&](std::string_view trigger) {
    json::object body = definition(trigger);
    body["action"] = {{"type", "send_email"}, {"recipient", "ada@example.com"}, {"template", "a"}};
    return body;
  };
  const std::string first = text_at(configure(mail("order_created")).body, "data.guid");
  ASSERT_EQ(configure(mail("order_updated")).status, 201);
  ASSERT_EQ(configure(mail("order_deleted")).status, 201);
  const Response fourth = configure(mail("order_cancelled"));
  EXPECT_EQ(fourth.status, 409);
  EXPECT_THAT(text_at(fourth.body, "error.message"), HasSubstr("600000 are allowed"));
  EXPECT_EQ(configure({{"guid", first}, {"name", "renamed"}}).status, 200);

  const Response third = tenant.http.post(templates, large_template("c"));
  EXPECT_EQ(third.status, 409) << "the three workflows would have 702 000 bytes";
  EXPECT_EQ(text_at(third.body, "error.code"), "CONFLICT");
  EXPECT_THAT(text_at(third.body, "error.message"), HasSubstr("600000 are allowed"));
  EXPECT_EQ(tenant.http.put(templates + "/" + b, {{"body", "{{> c}}"}, {"html", "{{> c}}"}}).status, 200);
  EXPECT_EQ(tenant.http.post(templates, large_template("c")).status, 201);
  EXPECT_EQ(tenant.http.put(templates + "/" + b, large_template("b", "c")).status, 409);
}

TEST_F(WorkflowLimits, TheTextsOfTemplatesHaveALimitedSize) {
  const std::string templates = "/api/workflows/templates";
  std::string last;
  for (int i = 0; i < 7; ++i) {
    const Response made = tenant.http.post(templates, large_template("t" + std::to_string(i)));
    ASSERT_EQ(made.status, 201) << i;
    last = text_at(made.body, "data.guid");
  }
  const Response refused = tenant.http.post(templates, large_template("t7"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(text_at(refused.body, "error.message"), HasSubstr("600000 are allowed"));
  EXPECT_EQ(tenant.http.put(templates + "/" + last, {{"body", "short"}}).status, 200);
  EXPECT_EQ(tenant.http.post(templates, large_template("t7")).status, 201);
}

TEST_F(WorkflowLimits, TheListOfVersionsHasTheNewestUntil4MiB) {
  const std::string guid = text_at(configure(definition("order_created")).body, "data.guid");
  const std::string path = "/api/workflows/configured/" + guid + "/versions";
  const auto versions = [&] {
    std::vector<std::int64_t> numbers;
    const json::value body = tenant.http.get(path).body;
    for (const json::value& each : at(body, "data").as_array())
      numbers.push_back(each.as_object().at("version").to_number<std::int64_t>());
    return numbers;
  };
  const auto add = [&](int version, std::size_t size) {
    tenant.sql.rows(
        "insert into workflow_versions (business_id, workflow_id, version, definition) "
        "select business_id, workflow_id, $2::int, "
        "jsonb_set(definition, '{conditions}', jsonb_build_object('notes', repeat('x', $3::int))) "
        "from workflow_versions where workflow_id = $1::uuid and version = 1",
        {guid, std::to_string(version), std::to_string(size)});
  };
  for (int version = 2; version <= 6; ++version) add(version, 1'000'000);
  EXPECT_THAT(versions(), testing::ElementsAre(6, 5, 4, 3));
  add(7, 5'000'000);
  EXPECT_THAT(versions(), testing::ElementsAre(7)) << "the newest is always listed";
  tenant.sql.rows("delete from workflow_versions where workflow_id = $1 and version > 3", {guid});
  EXPECT_THAT(versions(), testing::ElementsAre(3, 2, 1));
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
  tenant.insert_order();
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
