// Workflows that fire less than usual. The counts of earlier weeks are inserted.
#include <string>

#include <gtest/gtest.h>

#include "tests/workflows/alerts/silence_fixture.hpp"

namespace waybill::tests {
namespace {

class SilentWorkflows : public SilenceTest {};

TEST_F(SilentWorkflows, AreReportedOnceWithWhatIsUsual) {
  switch_alerts_on("workflow_silent");
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

TEST_F(SilentWorkflows, AreReportedOnceWhateverElseOfThemChanges) {
  switch_alerts_on("workflow_silent");
  const std::string workflow = old_workflow(24);
  look();
  ASSERT_EQ(wait_for(1, "alerts").size(), 1U);
  const std::string since = text_at(overview(workflow), "silentSince");
  const json::object changes[] = {
      {{"name", "Tell somebody"}},
      {{"action", {{"type", "webhook"}, {"recipient", url("other")}, {"method", "PUT"}}}},
      {{"rate", {{"perSecond", 5}}}},
      {{"cancelOn", {{"triggers", {"order_cancelled"}}}}}};
  for (json::object change : changes) {
    change["guid"] = workflow;
    tenant.configure(change);
    const json::value shown = overview(workflow);
    EXPECT_EQ(at(shown, "silentSince"), json::value(since)) << "before the next look: " << to_json(change);
    EXPECT_FALSE(shown.at("expected").is_null());
    look();
    EXPECT_EQ(at(overview(workflow), "silentSince"), json::value(since)) << to_json(change);
  }
  EXPECT_EQ(tenant.sql.number("select coalesce(sum(count), 0)::bigint from alerts where business_id = $1",
                              {tenant.id}),
            0);
}

TEST_F(SilentWorkflows, AreFoundWhileAnotherWorkflowIsLocked) {
  const std::string locked = old_workflow(24), other = old_workflow(24);
  Session holder(world.database.url());
  holder.exec("set idle_in_transaction_session_timeout = '20s'");  // ends a look that waits
  holder.exec("begin");
  holder.rows("select from workflows where guid = $1 for update", {locked});
  tenant.sql.rows("delete from workflow_watches where workflow_id = $1", {locked});
  look();
  EXPECT_TRUE(is_silent(other));
  EXPECT_FALSE(is_silent(locked));
  holder.exec("rollback");
  look();
  EXPECT_TRUE(is_silent(locked));
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
