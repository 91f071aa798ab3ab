#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkflowStates : public WorkflowTest {
 protected:
  void change(std::string_view notes) {
    tenant.update_orders("notes = '" + std::string(notes) + "' where guid = '" + order + "'");
  }
  std::vector<std::string> notes_received() const {
    std::vector<std::string> notes;
    for (const Received& request : receiver.received(tenant.path())) {
      notes.push_back(text_at(request.json_body(), "data.entity.notes"));
    }
    return notes;
  }
  // The workflow is paused by a 410 response to a change.
  void pause(std::string_view workflow) {
    receiver.answer_next(tenant.path(), Reply::with_status(410));
    change("gone");
    ASSERT_TRUE(eventually([&] { return text_at(tenant.workflow(workflow), "status") == "paused"; }));
  }
  Response resume(const std::string& workflow) {
    return tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow);
  }

  std::string order = tenant.insert_order();
};

TEST_F(WorkflowStates, APausedWorkflowHoldsItsRunsUntilResumedInOrder) {
  const std::string workflow = tenant.webhook(url(), "order_updated", {{"ordered", true}});
  pause(workflow);
  for (const char* notes : {"one", "two", "three"}) change(notes);
  tenant.settle();
  EXPECT_EQ(tenant.runs("workflowId=" + workflow + "&status=held").size(), 3U);
  EXPECT_THAT(notes_received(), ElementsAre("gone"));
  EXPECT_EQ(resume(workflow).status, 200);
  wait_for(4);
  EXPECT_THAT(notes_received(), ElementsAre("gone", "one", "two", "three"));
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "active");
  EXPECT_EQ(at(tenant.workflow(workflow), "pausedReason"), nullptr);
  EXPECT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 3; }));
}

TEST_F(WorkflowStates, ARetryingRunIsHeldWhilePaused) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  receiver.answer_next(tenant.path(), Reply::with_status(503));
  change("retried");
  wait_for(1);
  pause(workflow);
  ASSERT_TRUE(eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=held").size() == 1; }));
  resume(workflow);
  wait_for(3);
  EXPECT_THAT(notes_received(), ElementsAre("retried", "gone", "retried"));
}

TEST_F(WorkflowStates, ResumingAWorkflowThatIsNotPausedChangesNothing) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  EXPECT_EQ(resume(workflow).status, 200);
  EXPECT_EQ(at(tenant.workflow(workflow), "version"), 1);
  EXPECT_EQ(resume("00000000-0000-4000-8000-000000000000").status, 404);
  EXPECT_EQ(resume("nonsense").status, 400);
}

TEST_F(WorkflowStates, AWorkflowToggledOffMatchesNothing) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  const std::string toggle = "/api/workflows/configured/" + workflow + "/toggle";
  const Response off = tenant.http.get(toggle);
  ASSERT_EQ(off.status, 200);
  EXPECT_EQ(at(off.body, "data.isActive"), false);
  EXPECT_EQ(off.header("cache-control"), "no-store");
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "disabled");
  change("unseen");
  tenant.settle();
  EXPECT_EQ(tenant.http.request("HEAD", toggle).status, 405);
  EXPECT_EQ(at(tenant.http.post(toggle).body, "data.isActive"), true);
  change("seen");
  wait_for(1);
  tenant.settle();
  EXPECT_THAT(notes_received(), ElementsAre("seen"));
}

TEST_F(WorkflowStates, AWorkflowConfiguredInactiveMatchesNothing) {
  tenant.webhook(url(), "order_updated", {{"isActive", false}});
  change("unseen");
  tenant.settle();
  EXPECT_THAT(notes_received(), IsEmpty());
}

TEST_F(WorkflowStates, ADeletedWorkflowMatchesNothingAndIsGone) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  const std::string path = "/api/workflows/configured/" + workflow;
  EXPECT_EQ(tenant.http.del(path).status, 200);
  EXPECT_EQ(tenant.http.get(path).status, 404);
  EXPECT_EQ(tenant.http.del(path).status, 404);
  change("unseen");
  tenant.settle();
  EXPECT_THAT(notes_received(), IsEmpty());
}

TEST_F(WorkflowStates, EachChangeMakesAVersionAndARunNamesItsVersion) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  change("first");
  wait_for(1);
  tenant.settle();
  const json::object changed = tenant.configure({{"guid", workflow},
                                                 {"name", "renamed"},
                                                 {"entityType", "Order"},
                                                 {"triggerId", trigger_guid("order_updated")},
                                                 {"action", {{"type", "webhook"}, {"recipient", url("new")}}},
                                                 {"conditions", {{"notes", "second"}}}});
  EXPECT_EQ(at(changed, "version"), 2);
  EXPECT_EQ(text_at(changed, "guid"), workflow);
  change("other");
  change("second");
  EXPECT_EQ(wait_for(1, "new").size(), 1U);
  tenant.settle();
  std::vector<std::int64_t> versions;
  for (const json::object& run : tenant.runs("workflowId=" + workflow)) {
    versions.push_back(at(run, "workflowVersion").to_number<std::int64_t>());
  }
  EXPECT_THAT(versions, ElementsAre(2, 1));  // the newest first
  EXPECT_THAT(notes_received(), ElementsAre("first"));
  const json::object read = tenant.workflow(workflow);
  EXPECT_EQ(text_at(read, "name"), "renamed");
  EXPECT_EQ(at(read, "version"), 2);
}

TEST_F(WorkflowStates, GetReturnsTheConfiguredDefinition) {
  const json::object made = tenant.configure({{"name", "whole"},
                                              {"entityType", "Order"},
                                              {"triggerId", trigger_guid("order_updated")},
                                              {"action", {{"type", "webhook"}, {"recipient", url()}}},
                                              {"conditions", {{"status", "pending"}}},
                                              {"ordered", true},
                                              {"delay", "PT2H"}});
  EXPECT_EQ(at(made, "isActive"), true);
  EXPECT_EQ(at(made, "version"), 1);
  const json::object read = tenant.workflow(text_at(made, "guid"));
  EXPECT_EQ(text_at(read, "trigger"), "order_updated");
  EXPECT_EQ(text_at(read, "triggerId"), trigger_guid("order_updated"));
  EXPECT_EQ(text_at(read, "entityType"), "Order");
  EXPECT_EQ(text_at(read, "action.type"), "webhook");
  EXPECT_EQ(text_at(read, "action.recipient"), url());
  EXPECT_EQ(at(read, "conditions"), (json::object{{"status", "pending"}}));
  EXPECT_EQ(text_at(read, "status"), "active");
  EXPECT_EQ(at(read, "isManaged"), false);
  EXPECT_EQ(at(read, "ordered"), true);
  EXPECT_EQ(text_at(read, "delay"), "PT2H");

  const Response listed = tenant.http.get("/api/workflows/Order/configured");
  ASSERT_EQ(listed.data().as_array().size(), 1U);
  EXPECT_EQ(text_at(listed.data(), "0.action"), "webhook");
  EXPECT_EQ(text_at(listed.data(), "0.trigger"), "order_updated");
  EXPECT_TRUE(tenant.http.get("/api/workflows/Product/configured").data().as_array().empty());
}

TEST_F(WorkflowStates, BadDefinitionsAre400WithEveryBadField) {
  const Response refused = tenant.http.post("/api/workflows/configure",
                                            {{"name", ""},
                                             {"entityType", "Order"},
                                             {"triggerId", trigger_guid("product_created")},
                                             {"action", {{"type", "carrier_pigeon"}, {"recipient", "x"}}},
                                             {"delay", "tomorrow"}});
  ASSERT_EQ(refused.status, 400);
  const json::object details = refused.details();
  for (const char* field : {"name", "triggerId", "action.type", "delay"}) {
    EXPECT_TRUE(details.contains(field)) << field << " in " << refused.text;
  }
  EXPECT_EQ(tenant.http
                .post("/api/workflows/configure", {{"guid", "00000000-0000-4000-8000-000000000000"},
                                                   {"name", "x"},
                                                   {"entityType", "Order"},
                                                   {"triggerId", trigger_guid("order_created")},
                                                   {"action", {{"type", "webhook"}, {"recipient", url()}}}})
                .status,
            404);
}

TEST_F(WorkflowStates, AWorkflowOfAnotherBusinessIs404) {
  const std::string workflow = tenant.webhook(url(), "order_updated");
  change("mine");
  wait_for(1);
  tenant.settle();
  const std::string run = text_at(tenant.runs("workflowId=" + workflow).at(0), "guid");
  Tenant other_business(world.waybill, tenant.name + ", another business");
  EXPECT_EQ(other_business.http.get("/api/workflows/configured/" + workflow).status, 404);
  EXPECT_EQ(other_business.http.get("/api/workflows/configured/" + workflow + "/toggle").status, 404);
  EXPECT_EQ(other_business.http.del("/api/workflows/configured/" + workflow).status, 404);
  EXPECT_EQ(other_business.http.get("/api/workflows/runs/" + run).status, 404);
  EXPECT_EQ(other_business.http.post("/api/workflows/runs/" + run + "/replay").status, 404);
  EXPECT_TRUE(other_business.runs("workflowId=" + workflow).empty());
}

}  // namespace
}  // namespace waybill::tests
