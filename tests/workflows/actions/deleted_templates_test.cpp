// Templates that are deleted, renamed or made anew while runs of an earlier version wait.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

class DeletedTemplates : public StepsTest {
 protected:
  std::string make(std::string_view code, std::string_view body) {
    return make_template({{"code", code}, {"type", "webhook"}, {"body", body}});
  }
  std::string make_template(json::object definition) {
    definition["name"] = "T";
    definition["entityType"] = "Order";
    const Response made = tenant.http.post(list_path, definition);
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.data(), "guid");
  }
  void remove(const std::string& guid) {
    const Response removed = tenant.http.del(path_of(guid));
    EXPECT_EQ(removed.status, 200) << removed.text;
  }
  static std::string path_of(const std::string& guid) { return std::string(list_path) + '/' + guid; }
  /// Gives a workflow a version without templates.
  void replace_steps(const std::string& flow) {
    tenant.configure({{"guid", flow}, {"steps", json::array{hook("other")}}});
  }
  /// Ends the waits of the business whose time would come later.
  void end_waits() {
    tenant.sql.rows(
        "update run_queue set due_at = now() where business_id = $1 and status in ('waiting', 'retrying')",
        {tenant.id});
  }
  std::string body_of(std::string_view name) { return wait_for(1, name).at(0).body; }

  static constexpr std::string_view list_path = "/api/workflows/templates";
};

TEST_F(DeletedTemplates, StayForRunsOfAnEarlierVersionAfterAWaitForTimeOrAnEventAndInAChoice) {
  const std::string inner = make("inner", R"("old")");
  const std::string part = make("part", R"({"is": {{> inner}}})");
  const std::string text = make("text", R"({"part": {{> part}}})");
  const std::string letter =
      make_template({{"code", "letter"}, {"type", "send_email"}, {"subject", "Old"}, {"body", "Old"}});
  const auto late = [&](std::string_view name) { return hook(name, {{"template", "text"}}); };
  const std::string delayed = workflow({wait("PT1H"), late("delayed")});
  const std::string chosen = workflow({wait("PT1H"),
                                       {{"type", "choose"},
                                        {"when", {{"status", "pending"}}},
                                        {"then", json::array{late("chosen")}},
                                        {"otherwise", json::array{hook("not-chosen")}}}});
  const std::string mailed = workflow(
      {wait("PT1H"), {{"type", "send_email"}, {"recipient", "ada@example.com"}, {"template", "letter"}}});
  const std::string awaiting = workflow(
      {{{"type", "wait"}, {"for", {{"triggers", {"order_shipped"}}}}, {"atMost", "P1D"}}, late("awaiting")});
  const std::string order = tenant.create_order();
  for (const std::string& each : {delayed, chosen, mailed, awaiting}) {
    tenant.run_with_status(each, "waiting");
    replace_steps(each);
  }
  for (const std::string& each : {text, inner, letter}) remove(each);
  end_waits();
  for (const std::string& each : {delayed, chosen, mailed}) tenant.run_with_status(each, "succeeded");
  tenant.move_order(order, "shipped");
  tenant.run_with_status(awaiting, "succeeded");
  for (const std::string_view each : {"delayed", "chosen", "awaiting"})
    EXPECT_EQ(body_of(each), R"({"part": {"is": "old"}})") << each;
  EXPECT_EQ(text_at(tenant.http.get("/api/messages?workflowId=" + mailed).data(), "0.subject"), "Old");
}

TEST_F(DeletedTemplates, AreThoseOfTheEventIfTheirCodeIsAnothersNow) {
  const std::string anew = make("anew", R"("old anew")");
  const std::string renamed = make("renamed", R"("old renamed")");
  const std::string part = make("part", R"("old part")");
  make("whole", R"({"part": {{> part}}})");
  receiver.answer_next(tenant.path("first"), Reply::with_status(500));
  const std::string flow =
      workflow({hook("first"), hook("anew", {{"template", "anew"}}),
                hook("renamed", {{"template", "renamed"}}), hook("whole", {{"template", "whole"}})});
  tenant.create_order();
  tenant.run_with_status(flow, "retrying");
  replace_steps(flow);
  remove(anew);
  make("anew", R"("new anew")");
  EXPECT_EQ(tenant.http.put(path_of(renamed), {{"code", "name"}, {"body", R"("new")"}}).status, 200);
  remove(part);
  end_waits();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(body_of("anew"), R"("old anew")");
  EXPECT_EQ(body_of("renamed"), R"("old renamed")");
  EXPECT_EQ(body_of("whole"), R"({"part": "old part"})");
}

TEST_F(DeletedTemplates, StayForADigestOfAnEarlierVersionBeforeAndAfterItsFirstStep) {
  const std::string text = make("text", R"({"count": {{count}}})");
  const json::array steps{hook("first", {{"template", "text"}}), wait("PT1H"),
                          hook("last", {{"template", "text"}})};
  const std::string flow = text_at(tenant.configure({{"name", "digest"},
                                                     {"entityType", "Order"},
                                                     {"triggers", {"order_created"}},
                                                     {"digest", {{"every", "PT1H"}}},
                                                     {"steps", steps}}),
                                   "guid");
  tenant.sql.exec("update workflows set paused_reason = 'a test', paused_at = now() where guid = '" + flow +
                  "'");
  tenant.create_order();
  tenant.settle();
  replace_steps(flow);
  tenant.run_with_status(flow, "held");
  remove(text);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + flow).status, 200);
  EXPECT_EQ(body_of("first"), R"({"count": 1})");
  tenant.run_with_status(flow, "waiting");
  end_waits();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(body_of("last"), R"({"count": 1})");
}

TEST_F(DeletedTemplates, StayForReplaysUntilTheirCodeIsUsedAgain) {
  const std::string text = make("text", R"("old")");
  const json::object late = hook("late", {{"template", "text"}});
  receiver.answer_next(tenant.path("first"),
                       Reply::with_status(500, {{"webhook-delivery", "abort-message"}}));
  const std::string failing = workflow({hook("first"), late});
  const std::string cancelled = workflow({wait("PT1H"), late});
  tenant.create_order();
  const json::object dead = tenant.run_with_status(failing, "dead");
  const json::object waiting = tenant.run_with_status(cancelled, "waiting");
  EXPECT_EQ(tenant.http.post("/api/workflows/runs/" + text_at(waiting, "guid") + "/cancel").status, 200);
  for (const std::string& each : {failing, cancelled}) replace_steps(each);
  remove(text);
  EXPECT_EQ(at(replay(dead), "status"), "succeeded");
  EXPECT_EQ(at(replay(waiting, {{"fromStep", 2}}), "status"), "succeeded");
  for (const Received& request : wait_for(2, "late")) EXPECT_EQ(request.body, R"("old")");
  make("text", R"("new")");
  EXPECT_EQ(at(replay(dead), "status"), "succeeded");
  EXPECT_EQ(wait_for(3, "late").at(2).body, R"("new")");
}

TEST_F(DeletedTemplates, AreNotMissedByARunThatWasMatchedAfterTheyWereMade) {
  const std::string text = make("text", R"("made later")");
  const std::string flow = workflow({wait("PT1H"), hook("late", {{"template", "text"}})});
  tenant.create_order();
  tenant.run_with_status(flow, "waiting");
  // As if the worker had been down when the template and the version were made, after the event.
  tenant.sql.rows("update template_versions set created_at = now() where template_id = $1", {text});
  tenant.sql.rows("update templates set created_at = now(), updated_at = now() where guid = $1", {text});
  tenant.sql.rows("update workflow_versions set created_at = now() + interval '1 ms' where workflow_id = $1",
                  {flow});
  end_waits();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(body_of("late"), R"("made later")");
}

}  // namespace
}  // namespace waybill::tests
