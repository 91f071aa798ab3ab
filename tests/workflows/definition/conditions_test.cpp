#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

class Conditions : public WorkflowTest {
 protected:
  json::object definition(json::value conditions) const {
    return {{"name", "conditional"},
            {"entityType", "Order"},
            {"triggerId", trigger_guid("order_updated")},
            {"action", {{"type", "webhook"}, {"recipient", url()}}},
            {"conditions", std::move(conditions)}};
  }
};

TEST_F(Conditions, ThatNeedTooMuchWorkAreReported) {
  json::array any;
  for (int i = 0; i < 1000; ++i)
    any.push_back({{"items.description", {{"contains", "needle " + std::to_string(i)}}}});
  json::object configured = definition(json::object{{"any", std::move(any)}});
  configured["triggerId"] = trigger_guid("order_created");
  const std::string workflow = text_at(tenant.configure(configured), "guid");
  tenant.write_long_values();
  const std::string order = tenant.insert_order(
      {{"items",
        "json_build_array(json_build_object('guid', gen_random_uuid(), 'description', repeat('x', 900000), "
        "'quantity', 1, 'price', 1))"}});
  const json::object run = tenant.run_with_status(workflow, "dead");
  EXPECT_EQ(text_at(run, "code"), "PAYLOAD_TOO_LARGE");
  EXPECT_NE(text_at(run, "error").find("conditions need too much work"), std::string::npos);
  tenant.settle();

  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  ASSERT_EQ(explained.status, 200);
  bool is_explained = false;
  const json::array& workflows =
      at(explained.body, "data").as_array().at(0).as_object().at("workflows").as_array();
  for (const json::value& each : workflows) {
    if (text_at(each, "guid") == workflow) is_explained = text_at(each, "reason") == "too_much_work";
  }
  EXPECT_TRUE(is_explained);

  const Response tested =
      tenant.http.post("/api/workflows/test", {{"workflowId", workflow}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200);
  EXPECT_EQ(at(tested.body, "data.matches"), json::value(false));
  EXPECT_EQ(at(tested.body, "data.tooMuchWork"), json::value(true));

  const Response backtested = tenant.http.post("/api/workflows/backtest", {{"workflowId", workflow}});
  ASSERT_EQ(backtested.status, 200);
  EXPECT_EQ(at(backtested.body, "data.matches"), json::value(0));
  EXPECT_EQ(at(backtested.body, "data.tooMuchWork"), json::value(1));
}

// Tests each condition with one change, notes from "old" to "new", on an order with known fields.
TEST_F(Conditions, DecideWhichEventsFire) {
  struct Row {
    const char* conditions;
    bool holds;
  };
  const std::vector<Row> rows = {
      {R"({})", true},
      {R"({"status": "pending"})", true},
      {R"({"status": "shipped"})", false},
      {R"({"totalValue": {"gte": 100, "lt": 500}})", true},
      {R"({"totalValue": {"gt": 100.01}})", false},
      {R"({"totalValue": {"eq": 100.01}})", true},
      {R"({"status": {"in": ["pending", "ready"]}})", true},
      {R"({"status": {"nin": ["pending", "ready"]}})", false},
      {R"({"notes": {"contains": "ew"}})", true},
      {R"({"notes": {"contains": "EW"}})", false},
      {R"({"deliveryAddress.city": {"startsWith": "Lis"}})", true},
      {R"({"deliveryAddress.city": {"endsWith": "Lis"}})", false},
      {R"({"deliveryAddress.state": {"exists": false}})", true},
      {R"({"notes": {"changed": true}})", true},
      {R"({"status": {"changed": true}})", false},
      {R"({"notes": {"from": "old", "to": "new"}})", true},
      {R"({"notes": {"from": "new"}})", false},
      {R"({"previous.notes": "old", "previous.status": "pending"})", true},
      {R"({"customer.email": "ada@example.com"})", true},
      {R"({"customer.email": {"ne": "ada@example.com"}})", false},
      {R"({"items.description": "Lamp"})", true},
      {R"({"items.description": "Chair"})", false},
      {R"({"all": [{"status": "pending"}, {"not": {"notes": "old"}}]})", true},
      {R"({"any": [{"status": "shipped"}, {"notes": "new"}]})", true},
      {R"({"status": "pending", "notes": "old"})", false},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json::object workflow = definition(json::parse(rows[i].conditions));
    workflow["name"] = "row " + std::to_string(i);
    tenant.configure(workflow);
  }
  const std::string order = tenant.create_order(
      {{"notes", "old"}, {"items", {{{"description", "Lamp"}, {"quantity", 1}, {"price", 100.01}}}}});
  tenant.put_order(order, {{"notes", "new"}});
  tenant.settle();
  const auto names = tenant.sql.column(
      "select w.name from all_runs r join workflows w on w.guid = r.workflow_id where r.business_id = $1",
      {tenant.id});
  const std::set<std::string> fired(names.begin(), names.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(fired.contains("row " + std::to_string(i)), rows[i].holds) << rows[i].conditions;
  }
}

TEST_F(Conditions, ThatAreInvalidAre400AtConfigure) {
  for (const char* bad : {
           R"({"colour": "red"})",
           R"({"status": {"is": "pending"}})",
           R"({"status": {}})",
           R"({"totalValue": {"gt": "much"}})",
           R"({"totalValue": {"contains": "1"}})",
           R"({"status": {"in": "pending"}})",
           R"({"all": {"status": "pending"}})",
           R"({"customer.shoeSize": 42})",
           R"({"createdAt": {"gt": "yesterday"}})",
           R"(["status"])",
           R"("status")",
       }) {
    const Response refused = tenant.http.post("/api/workflows/configure", definition(json::parse(bad)));
    EXPECT_EQ(refused.status, 400) << bad << "\n" << refused.text;
    EXPECT_EQ(refused.error_code(), "VALIDATION_ERROR") << bad;
    EXPECT_FALSE(refused.details().empty()) << bad;
  }
}

}  // namespace
}  // namespace waybill::tests
