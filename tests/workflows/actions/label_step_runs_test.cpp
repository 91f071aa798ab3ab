// Steps that buy and void labels: runs that are replayed or cancelled, and several runs for one shipment.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/label_steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

class LabelStepRuns : public LabelStepsTest {};

TEST_F(LabelStepRuns, AReplayOfABoughtLabelGivesItsPriceAndBuysNothing) {
  const std::string flow = when_collected(
      {buy({{"name", "label"}}), hook("told", {{"template", R"({"price": {{steps.label.price}}})"}})});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(replay(run, {{"fromStep", 1}})),
              ElementsAre("1 buy_label succeeded", "2 webhook succeeded"));
  EXPECT_THAT(steps_of(replay(run, {{"fromStep", 2}})),
              ElementsAre("1 buy_label succeeded", "2 webhook succeeded"));
  for (const Received& told : wait_for(3, "told"))
    EXPECT_EQ(told.json_body(), json::parse(R"({"price": 7.9})"));
  EXPECT_EQ(purchases(), 1);
  EXPECT_EQ(purchase_of(parcel), "bought");
}

TEST_F(LabelStepRuns, AReplayAfterAVoidOrARefusalBuysAgain) {
  const std::string flow = when_collected({buy()});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  const json::object run = tenant.run_with_status(flow, "succeeded");
  move_label(parcel, "voided", ", voided_at = now()");
  const std::string second = begin_replay(run, {{"fromStep", 1}});
  wait_for_waiting();
  EXPECT_EQ(purchases(), 2);
  move_label(parcel, "refused", ", error_code = 'ADDRESS', error_text = 'Because.'");
  const json::object refused = ended_run(second);
  EXPECT_THAT(steps_of(refused), ElementsAre("1 buy_label dead LABEL_REFUSED"));
  const std::string third = begin_replay(refused);
  wait_for_waiting();
  buy_label(parcel);
  EXPECT_THAT(steps_of(ended_run(third)), ElementsAre("1 buy_label succeeded"));
  EXPECT_EQ(purchases(), 3);
}

TEST_F(LabelStepRuns, AReplayOfAVoidFindsTheLabelVoided) {
  const std::string flow = label_workflow("Shipment", "shipment_exception", {{{"type", "void_label"}}});
  const std::string parcel = shipment();
  const std::string buying = when_collected({buy()});
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(buying, "succeeded");
  tenant.move_shipment(parcel, "exception");
  wait_for_waiting();
  move_label(parcel, "voided", ", voided_at = now()");
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(replay(run, {{"fromStep", 1}})), ElementsAre("1 void_label succeeded"));
  EXPECT_EQ(purchase_of(parcel), "voided");
}

TEST_F(LabelStepRuns, ARunThatAnEventCancelsLeavesItsPurchaseToOthers) {
  const json::object cancel_on{{"cancelOn", {{"triggers", {"shipment_exception"}}}}};
  const std::string flow = when_collected({buy(), hook("told")}, cancel_on);
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.move_shipment(parcel, "exception");
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "skipped"), "code"), "CANCELLED_BY_EVENT");
  EXPECT_EQ(purchase_of(parcel), "requested");
  const std::string later = label_workflow("Shipment", "shipment_in_transit", {buy()});
  tenant.move_shipment(parcel, "in_transit");
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(later, "succeeded");
  EXPECT_EQ(purchases(), 1);
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  EXPECT_TRUE(is_balanced());
}

TEST_F(LabelStepRuns, AMoveOfTheLabelThatAlsoCancelsCancels) {
  const std::string flow =
      when_collected({buy(), hook("told")}, {{"cancelOn", {{"triggers", {"shipment_label_bought"}}}}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "skipped"), "code"), "CANCELLED_BY_EVENT");
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
  EXPECT_EQ(purchase_of(parcel), "bought");
}

TEST_F(LabelStepRuns, AnOrderThatIsCancelledEndsTheRunAndLeavesTheLabel) {
  const std::string flow = label_workflow("Order", "order_updated", {buy(), hook("told")},
                                          {{"cancelOn", {{"triggers", {"order_cancelled"}}}}});
  const std::string order = tenant.insert_order({{"status", "'processing'"}});
  const std::string parcel = shipment(order);
  tenant.sql.exec("update orders set notes = 'packed' where guid = '" + order + "'");
  wait_for_waiting();
  tenant.move_order(order, "cancelled");
  EXPECT_EQ(text_at(tenant.run_with_status(flow, "skipped"), "code"), "CANCELLED_BY_EVENT");
  buy_label(parcel);
  tenant.settle();
  EXPECT_EQ(tenant.sql.value("select label_status from shipments where guid = $1", {parcel}), "bought");
  EXPECT_EQ(purchases(), 1);
  EXPECT_EQ(receiver.count(tenant.path("told")), 0U);
}

TEST_F(LabelStepRuns, TwoRunsOfAWorkflowForOneShipmentShareItsPurchase) {
  const std::string flow = label_workflow(
      "Shipment", "shipment_status_changed",
      {buy({{"name", "label"}}), hook("told", {{"template", R"({"price": {{steps.label.price}}})"}})});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  tenant.move_shipment(parcel, "in_transit");
  wait_for_waiting(2);
  buy_label(parcel);
  for (const Received& told : wait_for(2, "told"))
    EXPECT_EQ(told.json_body(), json::parse(R"({"price": 7.9})"));
  EXPECT_TRUE(eventually([&] { return tenant.runs("status=succeeded&workflowId=" + flow).size() == 2; }));
  tenant.move_shipment(parcel, "delivered");
  EXPECT_TRUE(eventually([&] { return tenant.runs("status=succeeded&workflowId=" + flow).size() == 3; }))
      << "a delivered shipment gives the price of its label, too";
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelStepRuns, AnotherActionThatWouldChangeALockedShipmentIsSkippedWhileARunWaits) {
  const std::string flow = when_collected({buy()});
  const std::string changing = label_workflow(
      "Shipment", "shipment_exception",
      {sets(R"({"carrierTrackingNumber": "other"})"), {{"type", "update_status"}, {"status", "cancelled"}}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.move_shipment(parcel, "exception");
  EXPECT_THAT(steps_of(tenant.run_with_status(changing, "succeeded")),
              ElementsAre("1 update_record skipped LOCKED", "2 update_status skipped LOCKED"));
  buy_label(parcel);
  tenant.run_with_status(flow, "succeeded");
}

TEST_F(LabelStepRuns, AVoidWaitsForTheOpenPurchaseOfAnotherRunAndThenVoidsIt) {
  const std::string buying = when_collected({buy()});
  const std::string voiding = label_workflow("Shipment", "shipment_exception", {{{"type", "void_label"}}});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.move_shipment(parcel, "exception");
  wait_for_waiting(2);
  buy_label(parcel);
  EXPECT_TRUE(eventually([&] { return purchase_of(parcel) == "voiding"; }));
  move_label(parcel, "voided", ", voided_at = now()");
  EXPECT_THAT(steps_of(tenant.run_with_status(voiding, "succeeded")), ElementsAre("1 void_label succeeded"));
  EXPECT_TRUE(eventually([&] {
    return !tenant.runs("workflowId=" + buying).at(0).at("finishedAt").is_null();
  })) << "it saw the label bought, or voided";
  EXPECT_EQ(purchases(), 1);
}

}  // namespace
}  // namespace waybill::tests
