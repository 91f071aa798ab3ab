#include <set>

#include <gtest/gtest.h>

#include "tests/workflows/workflow_test.hpp"

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
