#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class OwnData : public WorkflowTest {
 protected:
  Response configure(std::string_view conditions, std::string_view name = "own data") {
    return tenant.http.post("/api/workflows/configure",
                            {{"name", name},
                             {"entityType", "Order"},
                             {"triggerId", trigger_guid("order_updated")},
                             {"action", {{"type", "webhook"}, {"recipient", url()}}},
                             {"conditions", json::parse(conditions)}});
  }

  std::string order_with(std::string_view metadata, std::string_view tags) {
    return tenant.insert_order({{"metadata", quoted(metadata)}, {"tags", quoted(tags)}});
  }

  void change(const std::string& order, std::string_view metadata, std::string_view tags) {
    tenant.update_orders("metadata = " + quoted(metadata) + ", tags = " + quoted(tags) + " where guid = '" +
                         order + "'");
  }

 private:
  static std::string quoted(std::string_view text) {
    return text.empty() ? "null" : "'" + std::string(text) + "'";
  }
};

// Tests each condition with one change of an order.
TEST_F(OwnData, DecidesWhichEventsFire) {
  struct Row {
    const char* conditions;
    bool holds;
  };
  const std::vector<Row> rows = {
      {R"({"metadata.erp.id": "A-7"})", true},
      {R"({"metadata.erp.id": 7})", false},
      {R"({"metadata.weight-kg": {"gt": 12, "lte": 12.5}})", true},
      {R"({"metadata.gift": true})", true},
      {R"({"metadata.gift": "true"})", false},
      {R"({"metadata.absent": null})", true},
      {R"({"metadata.absent": {"exists": true}})", false},
      {R"({"metadata.step": {"from": 1, "to": 2}})", true},
      {R"({"metadata.gift": {"changed": true}})", false},
      {R"({"metadata.erp.id": {"changed": true, "from": null}})", true},
      {R"({"metadata.gone": {"changed": true, "to": null}})", true},
      {R"({"previous.metadata.gone": {"startsWith": "by"}})", true},
      {R"({"metadata": {"changed": true}})", true},
      {R"({"tags": "vip"})", true},
      {R"({"tags": "VIP"})", false},
      {R"({"tags": {"contains": "agile"}})", true},
      {R"({"tags": {"in": ["vip", "x"]}})", true},
      {R"({"not": {"tags": "new"}})", true},
      {R"({"previous.tags": "new"})", true},
      {R"({"tags": {"from": "new", "to": "vip"}})", true},
      {R"({"tags": null})", false},
      {R"({"tags": {"exists": true, "changed": true}})", true},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Response made = configure(rows[i].conditions, "row " + std::to_string(i));
    ASSERT_EQ(made.status, 201) << rows[i].conditions << "\n" << made.text;
  }
  const std::string order =
      order_with(R"({"step": 1, "gift": true, "gone": "by", "weight-kg": 12.5})", R"(["new"])");
  change(order, R"({"step": 2, "gift": true, "erp.id": "A-7", "weight-kg": 12.5})", R"(["vip", "Fragile"])");
  tenant.settle();
  const auto names = tenant.sql.column(
      "select w.name from all_runs r join workflows w on w.guid = r.workflow_id where r.business_id = $1",
      {tenant.id});
  const std::set<std::string> fired(names.begin(), names.end());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(fired.contains("row " + std::to_string(i)), rows[i].holds) << rows[i].conditions;
}

TEST_F(OwnData, APayloadHasTheChangedKeysInPrevious) {
  ASSERT_EQ(configure("{}").status, 201);
  const std::string order = order_with(R"({"a": 1, "b": "x"})", "");
  change(order, R"({"a": 2, "b": "x", "c": true})", R"(["vip"])");
  change(order, "", "");
  const auto received = wait_for(2);
  ASSERT_THAT(received, SizeIs(2));
  std::set<std::string> previous;
  std::set<std::string> metadata;
  for (const Received& request : received) {
    const json::value body = request.json_body();
    previous.insert(json::serialize(at(body, "data.previous")));
    metadata.insert(json::serialize(at(body, "data.entity.metadata")));
  }
  EXPECT_EQ(previous, (std::set<std::string>{R"({"tags":[],"metadata":{"a":1,"c":null}})",
                                             R"({"tags":["vip"],"metadata":{"a":2,"b":"x","c":true}})"}));
  EXPECT_EQ(metadata, (std::set<std::string>{R"({"a":2,"b":"x","c":true})", "null"}));
}

TEST_F(OwnData, InvalidConditionsAre400AtTheirPlace) {
  for (const auto& [conditions, place] : std::vector<std::pair<const char*, const char*>>{
           {R"({"metadata.a b": 1})", "conditions.metadata.a b"},
           {R"({"metadata.a": {"gt": true}})", "conditions.metadata.a.gt"},
           {R"({"metadata": "x"})", "conditions.metadata"},
           {R"({"tags": 5})", "conditions.tags"},
           {R"({"tags": {"in": [null]}})", "conditions.tags.in[0]"},
           {R"({"tags.vip": true})", "conditions.tags.vip"},
       }) {
    const Response refused = configure(conditions);
    EXPECT_EQ(refused.status, 400) << conditions << "\n" << refused.text;
    EXPECT_TRUE(refused.details().contains(place)) << refused.text;
  }
}

TEST_F(OwnData, TestAndExplainShowTheValues) {
  const Response made = configure(R"({"metadata.erp.id": "B", "tags": "vip"})");
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string workflow = text_at(made.data(), "guid");
  const std::string order = order_with(R"({"erp.id": "A"})", R"(["vip", "new"])");
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"workflowId", workflow}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  EXPECT_EQ(tested.data().at("conditions"), json::parse(R"([
      {"path": "tags", "operator": "eq", "expected": "vip", "actual": ["vip", "new"], "holds": true},
      {"path": "metadata.erp.id", "operator": "eq", "expected": "B", "actual": "A", "holds": false}])"));
  tenant.update_orders("notes = 'x' where guid = '" + order + "'");
  tenant.settle();
  const Response explained = tenant.http.get("/api/workflows/explain?entityId=" + order);
  const json::value entry = explained.data().as_array().at(0).at("workflows").as_array().back();
  EXPECT_EQ(text_at(entry, "reason"), "condition");
  EXPECT_EQ(entry.at("conditions"), tested.data().at("conditions"));
}

}  // namespace
}  // namespace waybill::tests
