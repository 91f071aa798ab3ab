// Workflows that fire less than usual. The counts of earlier weeks are inserted.
#include <string>

#include <gtest/gtest.h>

#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

class SilentWorkflows : public WorkflowTest {
 protected:
  /// A workflow that has fired four times an hour for eight weeks, until some hours ago.
  std::string old_workflow(int quiet_hours) {
    std::string guid = tenant.webhook(url(), "order_created", {{"name", "Tell the ERP"}});
    tenant.sql.rows(
        "update workflow_versions set created_at = now() - interval '60 days' where workflow_id = $1",
        {guid});
    tenant.sql.rows("update workflows set active_since = now() - interval '60 days' where guid = $1", {guid});
    add_firings(guid, 56 * 24, quiet_hours);
    add_events(0);
    tenant.sql.rows("delete from workflow_watches where workflow_id = $1", {guid});
    return guid;
  }

  void add_firings(const std::string& workflow, int first_hours_ago, int last_hours_ago) {
    tenant.sql.rows(
        "insert into workflow_firings (business_id, workflow_id, hour, count, last_at) "
        "select $1, $2, h, 4, least(now(), h + interval '59 minutes') from generate_series("
        "date_trunc('hour', now()) - $3::int * interval '1 hour', "
        "date_trunc('hour', now()) - $4::int * interval '1 hour', interval '1 hour') h "
        "on conflict (business_id, workflow_id, hour) do nothing",
        {tenant.id, workflow, std::to_string(first_hours_ago), std::to_string(last_hours_ago)});
  }

  void add_events(int last_hours_ago) {
    tenant.sql.rows("delete from matched_events where business_id = $1", {tenant.id});
    tenant.sql.rows(
        "insert into matched_events select $1, h, 100, 30, 5, 1 from generate_series("
        "date_trunc('hour', now()) - interval '56 days', "
        "date_trunc('hour', now()) - $2::int * interval '1 hour', interval '1 hour') h",
        {tenant.id, std::to_string(last_hours_ago)});
  }

  void look() {
    tenant.sql.rows("update workflow_watches set due_at = now() where business_id = $1", {tenant.id});
    const SecretBox secrets{SecretBox::Key{}};
    storage::blocking::Connection session(world.database.url(), "test");
    while (worker::watch_firings(session, {.database_url = world.database.url(), .secrets = secrets}))
      continue;
  }

  void switch_alerts_on() {
    ASSERT_EQ(
        tenant.http
            .put("/api/business/alerts", {{"webhook", {{"url", url("alerts")}}}, {"on", {"workflow_silent"}}})
            .status,
        200);
  }

  json::value overview(const std::string& workflow) {
    const json::value data = tenant.http.get("/api/workflows/overview").data();
    for (const json::value& entry : data.at("workflows").as_array()) {
      if (text_at(entry, "guid") == workflow) return entry;
    }
    return nullptr;
  }

  bool is_silent(const std::string& workflow) { return !overview(workflow).at("silentSince").is_null(); }
};

TEST_F(SilentWorkflows, AreReportedOnceWithWhatIsUsual) {
  switch_alerts_on();
  const std::string workflow = old_workflow(24);
  look();
  const auto received = wait_for(1, "alerts");
  ASSERT_EQ(received.size(), 1U);
  const json::value data = at(received[0].json_body(), "data");
  EXPECT_EQ(text_at(data, "cause"), "workflow_silent");
  EXPECT_EQ(text_at(data, "workflow.guid"), workflow);
  EXPECT_EQ(text_at(data, "workflow.name"), "Tell the ERP");
  EXPECT_EQ(at(data, "silence.count"), 0);
  EXPECT_GT(at(data, "silence.expected.from").to_number<int>(), 60);
  EXPECT_LT(at(data, "silence.expected.to").to_number<int>(), 130);
  EXPECT_EQ(text_at(data, "silence.since"), text_at(overview(workflow), "silentSince"));
  EXPECT_TRUE(at(data, "replay").is_null());

  look();
  look();
  EXPECT_EQ(tenant.sql.number("select coalesce(sum(count), 0)::bigint from alerts where business_id = $1",
                              {tenant.id}),
            0)
      << "a silence that continues causes no further alert";
}

TEST_F(SilentWorkflows, AreNotThoseThatFireAsUsual) {
  const std::string workflow = old_workflow(0);
  look();
  EXPECT_FALSE(is_silent(workflow));
  EXPECT_GT(at(overview(workflow), "expected.from").to_number<int>(), 70);
  EXPECT_LT(at(overview(workflow), "expected.to").to_number<int>(), 130);
}

TEST_F(SilentWorkflows, AreNotWhenTheyFireAgain) {
  const std::string workflow = old_workflow(24);
  look();
  EXPECT_TRUE(is_silent(workflow));
  add_firings(workflow, 12, 0);
  look();
  EXPECT_FALSE(is_silent(workflow));
}

TEST_F(SilentWorkflows, AreNotPaused) {
  const std::string workflow = old_workflow(24);
  tenant.sql.rows("update workflows set paused_reason = 'test', paused_at = now() where guid = $1",
                  {workflow});
  look();
  tenant.sql.rows("update workflows set paused_reason = null, paused_at = null where guid = $1", {workflow});
  EXPECT_FALSE(is_silent(workflow));
}

TEST_F(SilentWorkflows, AreNotThoseThatWereSwitchedOff) {
  const std::string workflow = old_workflow(24);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(tenant.http.post("/api/workflows/configured/" + workflow + "/toggle").status, 200);
  look();
  EXPECT_FALSE(is_silent(workflow)) << "it has just been switched on";
  EXPECT_FALSE(overview(workflow).at("expected").is_null()) << "the conditions are the same";
}

TEST_F(SilentWorkflows, NeedABusinessWithEvents) {
  const std::string workflow = old_workflow(24);
  add_events(25);
  look();
  EXPECT_FALSE(is_silent(workflow));
}

TEST_F(SilentWorkflows, LearnAnewAfterChangedConditionsAlone) {
  const std::string workflow = old_workflow(24);
  look();
  ASSERT_TRUE(is_silent(workflow));
  tenant.configure({{"guid", workflow}, {"name", "Tell somebody"}});
  look();
  EXPECT_TRUE(is_silent(workflow)) << "a new name changes no firings";
  tenant.configure({{"guid", workflow}, {"conditions", {{"totalValue", {{"gt", 1}}}}}});
  look();
  EXPECT_FALSE(is_silent(workflow));
  EXPECT_TRUE(overview(workflow).at("expected").is_null());
}

TEST_F(SilentWorkflows, AreJudgedAfterFourteenDays) {
  const std::string workflow = old_workflow(24);
  const auto made = [&](int days) {
    tenant.sql.rows(
        "update workflow_versions set created_at = now() - $2::int * interval '1 day' "
        "where workflow_id = $1",
        {workflow, std::to_string(days)});
    tenant.sql.rows("delete from workflow_watches where workflow_id = $1", {workflow});
    look();
  };
  made(13);
  EXPECT_FALSE(is_silent(workflow));
  made(16);
  EXPECT_TRUE(is_silent(workflow));
}

TEST_F(SilentWorkflows, AreThoseOfASuspendedBusinessOnlyAfterIt) {
  const std::string workflow = old_workflow(24);
  tenant.sql.rows("update businesses set suspended_at = now() where guid = $1", {tenant.id});
  look();
  tenant.sql.rows("update businesses set suspended_at = null where guid = $1", {tenant.id});
  EXPECT_FALSE(is_silent(workflow));
}

}  // namespace
}  // namespace waybill::tests
