// The message of a silent workflow names the condition that fails, with values of its events.
#include <string>

#include <gtest/gtest.h>

#include "tests/workflows/alerts/silence_fixture.hpp"

namespace waybill::tests {
namespace {

/// The member `before` or `now` of events that all have one value.
json::value values_of(int events, std::string_view value) {
  return json::object{{"events", events},
                      {"values", json::array{json::object{{"value", value}, {"count", events}}}}};
}

class SilenceCauses : public SilenceTest {
 protected:
  std::string workflow_with(const json::object& conditions) {
    return tenant.webhook(url(), "order_created", {{"name", "Tell the ERP"}, {"conditions", conditions}});
  }

  void insert_orders(int count, const std::string& notes) {
    for (int i = 0; i < count; ++i) tenant.insert_order({{"notes", notes}});
    tenant.settle();
  }

  /// The workflow is silent from now on, and reported later.
  void begin_silence(const std::string& workflow) {
    tenant.sql.rows(
        "insert into workflow_watches as f (business_id, workflow_id, version, learned_since, due_at, "
        "silent_since, silence) "
        "values ($1, $2, 1, now(), now() + interval '1 hour', clock_timestamp(), $3) "
        "on conflict (business_id, workflow_id) do update set due_at = excluded.due_at, "
        "silent_since = excluded.silent_since, silence = excluded.silence",
        {tenant.id, workflow,
         R"({"count": 0, "expected": {"from": 30, "to": 52},
             "events": {"entityType": "Order", "count": 4, "expected": {"from": 5, "to": 9}}})"});
  }

  json::value silence_of(const std::string& workflow) {
    tenant.sql.rows("select count_failures($1, 'workflow_silent', $2, null, null, null, 1)",
                    {tenant.id, workflow});
    const auto received = wait_for(1, "alerts");
    return received.empty() ? json::value() : at(received[0].json_body(), "data.silence");
  }
};

TEST_F(SilenceCauses, TheConditionThatFailsIsNamedWithItsValuesBeforeAndNow) {
  switch_alerts_on("workflow_silent");
  const std::string workflow =
      workflow_with({{"notes", {{"eq", "DHL"}}}, {"orderNumber", {{"exists", true}}}});
  insert_orders(5, "'DHL'");
  insert_orders(1, "'UPS'");
  begin_silence(workflow);
  insert_orders(4, "'dhl'");
  const json::value silence = silence_of(workflow);
  EXPECT_EQ(text_at(silence, "condition.path"), "notes");
  EXPECT_EQ(text_at(silence, "condition.operator"), "eq");
  EXPECT_EQ(text_at(silence, "condition.expected"), R"("DHL")");
  EXPECT_EQ(at(silence, "condition.failed"), 4);
  EXPECT_EQ(at(silence, "condition.evaluated"), 4);
  EXPECT_EQ(at(silence, "condition.before"), values_of(5, R"("DHL")"));
  EXPECT_EQ(at(silence, "condition.now"), values_of(4, R"("dhl")"));
  EXPECT_EQ(at(silence, "events.count"), 4);
}

TEST_F(SilenceCauses, AValueThatIsMissingIsNull) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = workflow_with({{"notes", {{"eq", "DHL"}}}});
  insert_orders(2, "'DHL'");
  begin_silence(workflow);
  insert_orders(2, "null");
  const json::value silence = silence_of(workflow);
  EXPECT_EQ(text_at(silence, "condition.now.values.0.value"), "null");
}

TEST_F(SilenceCauses, LongValuesAreShortened) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = workflow_with({{"notes", {{"eq", "DHL"}}}});
  insert_orders(2, "'DHL'");
  begin_silence(workflow);
  insert_orders(1, "repeat('ö', 5000)");
  EXPECT_LT(text_at(silence_of(workflow), "condition.now.values.0.value").size(), 100U);
}

TEST_F(SilenceCauses, NoConditionIsNamedIfNoEventCame) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = workflow_with({{"notes", {{"eq", "DHL"}}}});
  insert_orders(2, "'DHL'");
  begin_silence(workflow);
  EXPECT_TRUE(at(silence_of(workflow), "condition").is_null());
}

TEST_F(SilenceCauses, AConditionThatAlwaysFailsAsOftenIsNotNamed) {
  switch_alerts_on("workflow_silent");
  const std::string workflow =
      workflow_with({{"any", json::array{json::object{{"notes", {{"eq", "never"}}}},
                                         json::object{{"notes", {{"eq", "DHL"}}}}}}});
  insert_orders(3, "'DHL'");
  begin_silence(workflow);
  insert_orders(3, "'dhl'");
  EXPECT_EQ(text_at(silence_of(workflow), "condition.expected"), R"("DHL")");
}

TEST_F(SilenceCauses, AWorkflowThatCannotBeReadIsReportedAllTheSame) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = workflow_with({{"notes", {{"eq", "DHL"}}}});
  begin_silence(workflow);
  tenant.sql.rows("update workflows set trigger_code = 'order_teleported' where guid = $1", {workflow});
  const json::value silence = silence_of(workflow);
  EXPECT_EQ(at(silence, "expected.from"), 30);
  EXPECT_TRUE(at(silence, "condition").is_null());
}

TEST_F(SilenceCauses, SilentStoresAreNamed) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = workflow_with({{"notes", {{"eq", "DHL"}}}});
  begin_silence(workflow);
  const std::string store = tenant.sql.value(
      "insert into integrations (business_id, provider, store_url, api_key, due_at) values ($1, "
      "'woocommerce', "
      "'https://shop.example', 'x', now() + interval '1 day') returning guid",
      {tenant.id});
  tenant.sql.rows(
      "insert into source_watches (business_id, kind, source_id, learned_since, due_at, silent_since) "
      "values ($1, 'import', $2, now(), now() + interval '1 hour', now())",
      {tenant.id, store});
  const json::value silence = silence_of(workflow);
  EXPECT_EQ(text_at(silence, "sources.0.cause"), "import_silent");
  EXPECT_EQ(text_at(silence, "sources.0.guid"), store);
  EXPECT_EQ(text_at(silence, "sources.0.name"), "shop.example");
}

}  // namespace
}  // namespace waybill::tests
