// Steps that buy and void labels, together with other features of workflows.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/label_steps_fixture.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/timing/pacing_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class LabelStepCrossings : public LabelStepsTest {};

TEST_F(LabelStepCrossings, AStepAfterAWaitRequestsItsPurchaseWhenTheWindowOpens) {
  const std::string flow =
      when_collected({wait("PT0.1S"), buy(), hook("told")}, {{"window", closed_window()}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  EXPECT_TRUE(eventually([&] {
    const auto runs = tenant.runs("workflowId=" + flow);
    return runs.size() == 1 && runs[0].at("code") == "WINDOW";
  }));
  EXPECT_EQ(purchases(), 0);
  change(flow, {{"window", open_window()}});
  wait_for_waiting();
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, AWindowThatClosesHoldsBackTheNextStepOnly) {
  const std::string flow = when_collected({buy(), hook("told")}, {{"window", open_window()}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  change(flow, {{"window", closed_window()}});
  buy_label(parcel);
  json::object run;
  EXPECT_TRUE(eventually([&] {
    run = tenant.run(text_at(tenant.runs("workflowId=" + flow).at(0), "guid"));
    return run.at("code") == "WINDOW";
  })) << to_json(run);
  EXPECT_EQ(steps_of(run).front(), "1 buy_label succeeded");
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  change(flow, {{"window", open_window()}});
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

/// At this rate, a second attempt would wait for more than a minute.
TEST_F(LabelStepCrossings, AStepTakesNoRequestOfTheRateOfADestination) {
  const std::string flow = when_collected({buy(), buy(), hook("told")}, {{"rate", {{"perSecond", 0.01}}}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  move_label(parcel, "unknown");
  tenant.settle();
  wait_for_waiting();
  buy_label(parcel);
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  tenant.run_with_status(flow, "succeeded");
}

TEST_F(LabelStepCrossings, ALimitCountsARunOnceHoweverOftenItLooks) {
  const std::string flow = when_collected(
      {buy(), hook("told")}, {{"limit", {{"by", "carrier.guid"}, {"count", 1}, {"per", "PT1H"}}}});
  const std::string first = shipment(), second = shipment();
  tenant.move_shipment(first, "collected");
  wait_for_waiting();
  tenant.move_shipment(second, "collected");
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=skipped&entityId=" + second).size() == 1; }));
  EXPECT_EQ(text_at(tenant.runs("entityId=" + second).at(0), "code"), "LIMITED");
  move_label(first, "unknown");
  tenant.settle();
  buy_label(first);
  EXPECT_TRUE(eventually([&] { return tenant.runs("status=succeeded&entityId=" + first).size() == 1; }));
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, InAnOrderedWorkflowTheNextRunOfTheRecordWaits) {
  const std::string flow = label_workflow(
      "Shipment", "shipment_status_changed",
      {buy(), hook("told", {{"template", R"({"event": "{{event.id}}"})"}})}, {{"ordered", true}});
  const std::string parcel = shipment(), other = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.move_shipment(parcel, "in_transit");
  tenant.move_shipment(other, "collected");
  wait_for_waiting(2);  // that of the other record is not held back
  const auto open = tenant.runs("status=queued&workflowId=" + flow);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(text_at(open[0], "entityId"), parcel);
  buy_label(parcel);
  const auto received = wait_for(2, "told");
  ASSERT_EQ(received.size(), 2U);
  EXPECT_LT(std::stoll(text_at(received[0].json_body(), "event")),
            std::stoll(text_at(received[1].json_body(), "event")));
  EXPECT_TRUE(eventually([&] { return tenant.runs("status=succeeded&entityId=" + parcel).size() == 2; }));
  EXPECT_EQ(purchases(), 2) << "one for each shipment";
}

TEST_F(LabelStepCrossings, OfAPausedWorkflowTheRunIsHeldOnceItsLabelHasMoved) {
  const std::string flow = when_collected({buy({{"name", "label"}}), hook("told")});
  const std::string parcel = shipment(), later = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  pause(flow);
  // The worker knows of the pause once it holds a new run.
  tenant.move_shipment(later, "collected");
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=held&entityId=" + later).size() == 1; }));
  buy_label(parcel);
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=held&entityId=" + parcel).size() == 1; }));
  EXPECT_EQ(text_at(tenant.runs("entityId=" + parcel).at(0), "code"), "LABEL");
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  resume(flow);
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  ASSERT_TRUE(eventually([&] { return tenant.runs("status=succeeded&entityId=" + parcel).size() == 1; }));
  EXPECT_THAT(steps_of(tenant.run(text_at(tenant.runs("entityId=" + parcel).at(0), "guid"))),
              ElementsAre("1 buy_label succeeded", "2 webhook succeeded"));
  wait_for_waiting();
  EXPECT_EQ(purchases(), 2) << "one for each shipment";
}

TEST_F(LabelStepCrossings, ARunThatIsResumedWaitsForTheSamePurchase) {
  const std::string flow = when_collected(
      {buy(), hook("told")}, {{"limit", {{"by", "carrier.guid"}, {"count", 1}, {"per", "PT1H"}}}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  pause(flow);
  move_label(parcel, "unknown");
  tenant.run_with_status(flow, "held");
  resume(flow);
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, AWorkflowPausedBeforeTheStepRequestsNothingUntilItIsResumed) {
  const std::string flow = when_collected({buy()});
  pause(flow);
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  tenant.run_with_status(flow, "held");
  EXPECT_EQ(purchases(), 0);
  resume(flow);
  wait_for_waiting();
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, AStepInAChoiceWaitsAndTheRunContinuesAfterTheChoice) {
  const json::object choice{{"type", "choose"},
                            {"when", {{"serviceLevel", "express"}}},
                            {"then", {buy({{"name", "label"}}), hook("inside")}},
                            {"otherwise", {hook("other")}}};
  const std::string flow =
      when_collected({choice, hook("after", {{"template", R"({"price": {{steps.label.price}}})"}})});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  // The choice has been made.
  tenant.sql.exec("update shipments set service_level = 'standard' where guid = '" + parcel + "'");
  buy_label(parcel);
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 choose succeeded", "2 buy_label succeeded", "3 webhook succeeded",
                                         "4 webhook skipped NOT_CHOSEN", "5 webhook succeeded"));
  EXPECT_EQ(wait_for(1, "after").at(0).json_body(), json::parse(R"({"price": 7.9})"));
  EXPECT_EQ(wait_for(1, "inside").size(), 1U);
  EXPECT_EQ(receiver.count(tenant.path("other")), 0U);
}

TEST_F(LabelStepCrossings, ADeletedWorkflowEndsItsRunAndLeavesThePurchase) {
  const std::string flow = when_collected({buy(), hook("told")});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  ASSERT_EQ(tenant.http.del("/api/workflows/configured/" + flow).status, 200);
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "skipped"), "code"), "WORKFLOW_DELETED");
  EXPECT_EQ(purchase_of(parcel), "requested");
  buy_label(parcel);
  tenant.settle();
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  EXPECT_EQ(purchase_of(parcel), "bought");
  EXPECT_TRUE(is_balanced());
}

TEST_F(LabelStepCrossings, ARunOfAWorkflowThatCannotBeReadForAWhileDoesNotMissTheMoveOfItsLabel) {
  const std::string flow = when_collected({buy(), hook("told")});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  const std::string trigger = tenant.sql.value("select trigger_code from workflows where guid = $1", {flow});
  tenant.sql.rows("update workflows set trigger_code = '5:of_a_later_release' where guid = $1", {flow});
  buy_label(parcel);
  tenant.settle();
  tenant.sql.rows("update workflows set trigger_code = $2 where guid = $1", {flow, trigger});
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  tenant.run_with_status(flow, "succeeded");
}

TEST_F(LabelStepCrossings, AWorkflowThatIsChangedOrSwitchedOffKeepsItsWaitingRun) {
  const std::string flow = when_collected({buy(), hook("told")});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  change(flow, {{"steps", {hook("changed")}}, {"isActive", false}});
  buy_label(parcel);
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 buy_label succeeded", "2 webhook succeeded"));
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  EXPECT_EQ(receiver.count(tenant.path("changed")), 0U);
}

TEST_F(LabelStepCrossings, ARunOfASuspendedBusinessContinuesOnceItIsResumed) {
  const std::string flow = when_collected({buy(), hook("told")});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  set_suspended(true);
  buy_label(parcel);
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  set_suspended(false);
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, TheLookOfADelayedActionDoesNotCheckItsConditionsAgain) {
  const std::string flow = text_at(tenant.configure({{"name", "delayed"},
                                                     {"entityType", "Shipment"},
                                                     {"triggerId", trigger_guid("shipment_collected")},
                                                     {"delay", "PT0.1S"},
                                                     {"conditions", {{"status", "collected"}}},
                                                     {"action", buy()}}),
                                   "guid");
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.move_shipment(parcel, "in_transit");
  buy_label(parcel);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, AScheduleBuysTheLabelsOfItsRecords) {
  const json::object schedule{{"triggerId", nullptr},
                              {"schedule", {{"cron", "0 8 1 1 *"}}},
                              {"each", true},
                              {"query", {{"filter", "status eq 'created'"}}}};
  const std::string flow = label_workflow("Shipment", "shipment_created", {buy(), hook("told")}, schedule);
  const std::string parcel = shipment();
  make_tick_due(tenant, flow);
  wait_for_waiting();
  buy_label(parcel);
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "succeeded"), "entityId"), parcel);
  EXPECT_EQ(wait_for(1, "told").size(), 1U);
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepCrossings, ATimerBuysTheLabelOfARecordThatIsOlderThanItsWorkflow) {
  const std::string parcel = shipment();
  tenant.sql.exec(
      "update shipments set estimated_delivery = now() + interval '1 day 4 seconds' where guid = '" + parcel +
      "'");
  tenant.settle();
  const std::string flow = label_workflow(
      "Shipment", "shipment_created", {buy()},
      {{"triggerId", nullptr}, {"timer", {{"field", "estimatedDelivery"}, {"offset", "-P1D"}}}});
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

}  // namespace
}  // namespace waybill::tests
