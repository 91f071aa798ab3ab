// The cause and the effects of runs.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Causes : public WorkflowTest {
 protected:
  /// The only run of a workflow, once it has succeeded, as GET shows it.
  json::object ran(const std::string& workflow) {
    return tenant.run(text_at(tenant.run_with_status(workflow, "succeeded"), "guid"));
  }
  template <typename GuidOrNull, typename EventOrNull>
  static json::value cause(std::string_view type, const GuidOrNull& guid, const EventOrNull& event,
                           const json::value& name = nullptr) {
    return json::object{{"type", type}, {"guid", guid}, {"name", name}, {"eventId", event}};
  }
  std::int64_t event_of(const std::string& record, std::string_view order = "desc") {
    return tenant.sql.number(
        "select id from events where entity_id = $1 order by id " + std::string(order) + " limit 1",
        {record});
  }
  /// "TYPE GUID" of the effects of a run.
  static std::vector<std::string> effects(const json::object& run) {
    std::vector<std::string> shown;
    for (const json::value& effect : run.at("effects").as_array())
      shown.push_back(text_at(effect, "entityType") + ' ' + text_at(effect, "entityId"));
    return shown;
  }
};

TEST_F(Causes, AChangeByTheApiNamesItsToken) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const std::string order = tenant.create_order();
  const std::string token =
      tenant.sql.value("select guid from api_tokens where business_id = $1", {tenant.id});
  const json::object run = ran(workflow);
  const std::string name = tenant.sql.value("select name from api_tokens where guid = $1", {token});
  EXPECT_EQ(run.at("cause"), cause("token", token, event_of(order), json::string(name)));
  EXPECT_EQ(run.at("eventId"), event_of(order));
  EXPECT_TRUE(run.at("effects").as_array().empty());
}

TEST_F(Causes, AChangeBySqlNamesNoOne) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const std::string order = tenant.insert_order();
  EXPECT_EQ(ran(workflow).at("cause"), cause("sql", nullptr, event_of(order)));
}

TEST_F(Causes, AnImportNamesWhatWasImportedFrom) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.exec(R"(set waybill.cause = '{"by": {"type": "import", "guid": ")" + tenant.id +
                  R"(", "name": "a store"}, "depth": 0}')");
  const std::string order = tenant.insert_order();
  EXPECT_EQ(ran(workflow).at("cause"), cause("import", tenant.id, event_of(order), "a store"));
}

TEST_F(Causes, AnOperatorAndWaybillItselfHaveNoName) {
  for (const std::string type : {"operator", "system"}) {
    const std::string workflow = tenant.webhook(url(type), "order_created");
    tenant.sql.exec(R"(set waybill.cause = '{"by": {"type": ")" + type +
                    R"(", "guid": null, "name": "somebody"}, "depth": 0}')");
    const std::string order = tenant.insert_order();
    EXPECT_EQ(ran(workflow).at("cause"), cause(type, nullptr, event_of(order)));
  }
}

TEST_F(Causes, ACauseThatSqlHasMalformedCountsAsSql) {
  const std::vector<std::string> malformed = {"[]", R"({"by": {"type": {"a": 1}, "guid": "x"}, "run": 7})",
                                              R"({"by": {"type": "postman", "guid": "x"}, "depth": "deep"})"};
  for (std::size_t i = 0; i < malformed.size(); ++i) {
    const std::string workflow = tenant.webhook(url("hook" + std::to_string(i)), "order_created");
    tenant.sql.exec("set waybill.cause = '" + malformed[i] + "'");
    const std::string order = tenant.insert_order();
    EXPECT_EQ(ran(workflow).at("cause"), cause("sql", nullptr, event_of(order)));
    tenant.sql.exec("reset waybill.cause");
    tenant.sql.rows("update workflows set is_active = false where guid = $1", {workflow});
  }
}

TEST_F(Causes, ATooLongRunInACauseIsWrittenAndNamesNoRun) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.sql.exec(R"(set waybill.cause = '{"by": {"type": "workflow"}, "run": ")" +
                  std::string(100'000, 'x') + R"("}')");
  const std::string order = tenant.insert_order();
  EXPECT_EQ(ran(workflow).at("cause"), cause("run", nullptr, event_of(order)));
}

TEST_F(Causes, AChangeByARunIsItsEffectAndTheCauseOfTheNextRun) {
  const std::string mover = tenant.update_status("order_created", "", "processing");
  const std::string teller = tenant.webhook(url(), "order_status_changed");
  const std::string order = tenant.create_order();
  const json::object moved = ran(mover);
  const json::object told = ran(teller);
  EXPECT_EQ(told.at("cause"), cause("run", moved.at("guid"), event_of(order)));
  EXPECT_EQ(
      moved.at("effects"),
      json::value(json::array{{{"eventId", event_of(order)}, {"entityType", "Order"}, {"entityId", order}}}));
  EXPECT_THAT(effects(told), IsEmpty());
}

TEST_F(Causes, EffectsAreThoseOfAllRecordsThatARunChanged) {
  const std::string order = tenant.create_order();
  std::vector<std::string> wanted;
  for (int i = 0; i < 3; ++i) wanted.push_back("Shipment " + tenant.insert_shipment(order));
  const std::string mover = tenant.update_status("order_updated", "shipments", "cancelled");
  tenant.put_order(order, {{"notes", "stop"}});
  auto shown = effects(ran(mover));
  std::ranges::sort(shown);
  std::ranges::sort(wanted);
  EXPECT_EQ(shown, wanted);
}

TEST_F(Causes, AtMostAHundredEffectsAreShownInTheirOrder) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.create_order();
  const std::string run = text_at(ran(workflow), "guid");
  tenant.sql.exec(R"(set waybill.cause = '{"by": {"type": "workflow"}, "run": ")" + run + R"("}')");
  tenant.sql.rows("update workflows set is_active = false where guid = $1", {workflow});
  tenant.sql.rows(
      "insert into orders (business_id, order_number) select $1, 'E' || n from generate_series(1, "
      "101) n",
      {tenant.id});
  const json::object shown = tenant.run(run);
  const json::array& listed = shown.at("effects").as_array();
  ASSERT_EQ(listed.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(
      listed, {}, [](const json::value& effect) { return at(effect, "eventId").as_int64(); }));
  EXPECT_EQ(at(listed.front(), "eventId"),
            tenant.sql.number("select min(id) from events where cause ->> 'run' = $1", {run}));
  Tenant other(world.waybill, test_name() + ", another business");
  EXPECT_EQ(other.http.get("/api/workflows/runs/" + run).status, 404);
}

TEST_F(Causes, AReplayNamesTheRunThatItRepeats) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const std::string order = tenant.create_order();
  const std::string run = text_at(ran(workflow), "guid");
  const Response replayed = tenant.http.post("/api/workflows/runs/" + run + "/replay");
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  EXPECT_EQ(tenant.run(text_at(replayed.data(), "guid")).at("cause"), cause("replay", run, event_of(order)));
}

TEST_F(Causes, RunsOfTimersSchedulesAndDigestsHaveNoEvent) {
  const auto configured = [&](std::string_view name, const json::object& more) {
    json::object body{
        {"name", name}, {"entityType", "Order"}, {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [member, value] : more) body[member] = value;
    return text_at(tenant.configure(body), "guid");
  };
  const std::string timed = configured("timed", {{"timer", {{"field", "createdAt"}, {"offset", "PT1S"}}}});
  const std::string digest =
      configured("digest", {{"triggers", {"order_created"}}, {"digest", {{"every", "P1D"}, {"max", 1}}}});
  const std::string scheduled = configured("scheduled", {{"schedule", {{"cron", "0 8 1 1 *"}}}});
  tenant.create_order();
  make_tick_due(tenant, scheduled);
  EXPECT_EQ(ran(timed).at("cause"), cause("timer", nullptr, nullptr));
  EXPECT_EQ(ran(digest).at("cause"), cause("digest", nullptr, nullptr));
  EXPECT_EQ(ran(scheduled).at("cause"), cause("schedule", nullptr, nullptr));
}

TEST_F(Causes, TheCauseIsNullOnceTheEventIsGone) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  const std::string order = tenant.create_order();
  const std::string run = text_at(ran(workflow), "guid");
  tenant.sql.rows("delete from events where entity_id = $1", {order});
  EXPECT_TRUE(tenant.run(run).at("cause").is_null());
}

}  // namespace
}  // namespace waybill::tests
