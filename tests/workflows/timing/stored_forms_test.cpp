// Timers and schedules of workflows whose stored form has the number of a later format: workflows with
// `cancelOn`, a wait for an event, a step that buys a label, or a delay of working days.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/duties.sql.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "tests/workflows/timing/explained.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class StoredForms : public WorkflowTest {
 protected:
  std::string cancellable(const json::object& more) {
    json::object body{{"name", "cancellable"},
                      {"entityType", "Order"},
                      {"cancelOn", {{"triggers", {"order_cancelled"}}}},
                      {"action", {{"type", "webhook"}, {"recipient", url()}}}};
    for (const auto& [name, value] : more) body[name] = value;
    return text_at(tenant.configure(body), "guid");
  }
  std::string form_of(const std::string& workflow) {
    return tenant.sql.value("select trigger_code from workflows where guid = $1", {workflow});
  }
  bool come_due(const std::string& time) {
    return eventually([&] {
      return tenant.sql.number("select count(*) from timer_scans where business_id = $1", {tenant.id}) == 0 &&
             tenant.sql.value(
                 "select coalesce(max(to_char(due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')), '') "
                 "from timers where business_id = $1",
                 {tenant.id}) == time;
    });
  }
  void set_calendar(const json::object& calendar) {
    ASSERT_EQ(tenant.http.put("/api/business", {{"calendar", calendar}}).status, 200);
  }
};

TEST_F(StoredForms, ATimerOfWorkingDaysIsSetForOlderRecordsAndMovesWithTheCalendar) {
  const std::string order = tenant.insert_order({{"collection_date", "'2095-01-06 23:30Z'"}});  // a Thursday
  tenant.settle();
  const std::string workflow =
      cancellable({{"timer", {{"field", "collectionDate"}, {"offset", "P2D"}, {"workdays", true}}}});
  ASSERT_EQ(form_of(workflow), "5:timer:order.collectionDate:P2D:workdays");
  EXPECT_TRUE(come_due("2095-01-10 23:30"));
  set_calendar({{"holidays", {"2095-01-07", "2095-01-11"}}});
  EXPECT_TRUE(come_due("2095-01-12 23:30"));
  EXPECT_THAT(explained(tenant, "timer", order), ElementsAre("timer_waiting"));
}

TEST_F(StoredForms, AChangedOffsetMovesTheTimersThatWait) {
  tenant.insert_order({{"collection_date", "'2095-01-06 23:30Z'"}});
  const std::string workflow = cancellable(
      {{"timer", {{"field", "collectionDate"}, {"offset", "P1D"}}}, {"delay", "P1D"}, {"workdays", true}});
  ASSERT_EQ(form_of(workflow), "5:4:timer:order.collectionDate:P1D");
  EXPECT_TRUE(come_due("2095-01-07 23:30"));
  ASSERT_EQ(tenant.http
                .post("/api/workflows/configure",
                      {{"guid", workflow}, {"timer", {{"field", "collectionDate"}, {"offset", "P3D"}}}})
                .status,
            200);
  EXPECT_TRUE(come_due("2095-01-09 23:30"));
}

TEST_F(StoredForms, AScheduleHasItsTicks) {
  const std::string workflow = cancellable({{"schedule", {{"cron", "0 8 1 1 *"}}}, {"each", true}});
  EXPECT_EQ(form_of(workflow).substr(0, 17), "5:schedule:order:");
  const std::string order = tenant.insert_order();
  tenant.settle();
  make_tick_due(tenant, workflow);
  EXPECT_EQ(text_at(tenant.run_with_status(workflow, "succeeded"), "entityId"), order);
  EXPECT_EQ(wait_for(1).size(), 1U);
}

TEST_F(StoredForms, AScheduleIsWatchedAsOne) {
  const std::string workflow = cancellable({{"schedule", {{"cron", "0 8 1 1 *"}}}, {"each", true}});
  tenant.sql.rows(
      "insert into workflow_watches (business_id, workflow_id, version, learned_since, due_at) "
      "values ($1, $2, 1, now() - interval '60 days', '-infinity') "
      "on conflict (business_id, workflow_id) do update set due_at = excluded.due_at",
      {tenant.id, workflow});
  storage::blocking::Connection session(world.database.url(), "test");
  bool is_scheduled = false;
  for (const auto& row : session.run(storage::sql::duties::DueWatches{.limit = 50})) {
    if (row.workflow_id == Guid::parse(workflow)) is_scheduled = row.is_scheduled;
  }
  EXPECT_TRUE(is_scheduled);
}

TEST_F(StoredForms, TheTimersOfADeletedWorkflowExpire) {
  tenant.insert_order({{"collection_date", "'2095-01-06 23:30Z'"}});
  const std::string workflow = cancellable({{"timer", {{"field", "collectionDate"}, {"offset", "P1D"}}}});
  ASSERT_TRUE(come_due("2095-01-07 23:30"));
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + workflow).status, 200);
  const SecretBox secrets{SecretBox::Key{}};
  storage::blocking::Connection session(world.database.url(), "test");
  const worker::DutyOptions options{.database_url = world.database.url(), .secrets = secrets};
  while (worker::expire_timers(session, options)) continue;
  EXPECT_EQ(tenant.sql.number("select count(*) from timers where business_id = $1", {tenant.id}), 0);
}

/// `meets_trigger` counts the workflows of a trigger for their limit.
TEST_F(StoredForms, MeetTheirTriggersWhateverNumbersTheyHave) {
  const auto meets = [&](const std::string& stored, const std::string& code) {
    return tenant.sql.value("select meets_trigger($1, $2)", {stored, code}) == "t";
  };
  for (const std::string numbers : {"", "2:", "3:", "4:3:", "5:4:3:", "6:5:4:3:", "17:5:"}) {
    EXPECT_TRUE(meets(numbers + "order_shipped", "order_shipped")) << numbers;
    EXPECT_FALSE(meets(numbers + "order_shipped", "order_ship")) << numbers;
    EXPECT_TRUE(meets(numbers + "any:order_created,order_shipped", "order_shipped")) << numbers;
    EXPECT_FALSE(meets(numbers + "any:order_created", "order_shipped")) << numbers;
    EXPECT_TRUE(meets(numbers + "any:order_*", "order_shipped")) << numbers;
    EXPECT_FALSE(meets(numbers + "any:order_*", "shipment_created")) << numbers;
    EXPECT_TRUE(meets(numbers + "timer:order.createdAt:P2D:workdays", "timer")) << numbers;
    EXPECT_TRUE(meets(numbers + R"(schedule:order:{"schedule":{"cron":"0 8 * * *"}})", "schedule"))
        << numbers;
  }
  EXPECT_TRUE(meets(R"(6:order_shipped:{"every":"PT1H"})", "order_shipped"));
  EXPECT_TRUE(meets(R"(6:3:any:order_*:{"by":"customer.guid","every":"PT1H"})", "order_shipped"));
  EXPECT_FALSE(meets(R"(6:order_shipped:{"every":"PT1H"})", "order_created"));
}

}  // namespace
}  // namespace waybill::tests
