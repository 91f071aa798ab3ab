// Steps that buy and void labels.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/actions/label_steps_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LabelSteps : public LabelStepsTest {};

TEST_F(LabelSteps, ARunWaitsForItsPurchaseAndUsesIt) {
  const std::string flow = label_workflow(
      "Shipment", "shipment_collected",
      {buy({{"name", "label"}, {"maxPrice", 20}}),
       hook("told",
            {{"template", R"({"price": {{steps.label.price}}, "currency": "{{steps.label.currency}}",)"
                          R"( "number": "{{steps.label.carrierTrackingNumber}}", "code": )"
                          R"("{{steps.label.serviceCode}}", "level": "{{steps.label.serviceLevel}}",)"
                          R"( "label": "{{steps.label.labelStatus}}", "of": "{{purchase.price}}"})"}})});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  const json::object waiting = tenant.run_with_status(flow, "waiting");
  EXPECT_EQ(text_at(waiting, "code"), "LABEL");
  EXPECT_EQ(tenant.sql.value("select wanted || max_price::text || max_currency || service_level || connector "
                             "from purchases where shipment_id = $1",
                             {parcel}),
            "{}20EURexpressof a test");
  EXPECT_EQ(tenant.sql.value("select cause ->> 'depth' from purchases where shipment_id = $1", {parcel}),
            "1");
  move_label(parcel, "buying");
  move_label(parcel, "unknown");
  tenant.settle();
  wait_for_waiting();
  tenant.sql.exec("update shipments set shipping_price = 7.9, currency = 'EUR' where guid = '" + parcel +
                  "'");
  buy_label(parcel);
  const json::object run = tenant.run_with_status(flow, "succeeded");
  EXPECT_THAT(steps_of(run), ElementsAre("1 buy_label succeeded", "2 webhook succeeded"));
  EXPECT_EQ(wait_for(1, "told").at(0).json_body(),
            json::parse(R"({"price": 7.9, "currency": "EUR", "number": "1Z9", "code": "ups_ground",
                            "level": "express", "label": "bought", "of": "7.9"})"));
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelSteps, ARunOfAnOrderWaitsForItsShipment) {
  const std::string flow =
      label_workflow("Order", "order_updated", {buy(), {{"type", "update_status"}, {"status", "ready"}}});
  const std::string order = tenant.insert_order({{"status", "'processing'"}});
  const std::string parcel = shipment(order);
  tenant.sql.exec("update orders set notes = 'packed' where guid = '" + order + "'");
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(tenant.status_of(order), "ready");
}

TEST_F(LabelSteps, ANamedCarrierSellsUnlessThatOfTheShipmentIsNamedToo) {
  const std::string own = connect_carrier();
  const std::string other = text_at(tenant.http.get("/api/carriers").data(), "1.guid");
  tenant.sql.exec(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
      "values ('" +
      tenant.id + "', '" + other + "', 'b', false, 'of a test')");
  const auto purchase_with = [&](const json::array& carriers) {
    const std::string flow = when_collected(
        {buy({{"serviceLevel", "express"}, {"serviceCodes", {"air"}}, {"carrierIds", carriers}})});
    const std::string parcel = shipment();
    tenant.sql.exec("update shipments set status = 'collected' where guid = '" + parcel + "'");
    EXPECT_TRUE(eventually([&] { return !purchase_of(parcel).empty(); }));
    tenant.sql.rows("update workflows set is_active = false where guid = $1", {flow});
    return tenant.sql.value(
        "select concat_ws(' ', coalesce(carrier_id::text, 'compared'), service_level, wanted - "
        "'usualFormat') "
        "from purchases where shipment_id = $1",
        {parcel});
  };
  const auto wanted = [](const std::string& carriers) {
    return R"({"carrierIds": [")" + carriers + R"("], "serviceCodes": ["air"], "serviceLevel": "express"})";
  };
  EXPECT_EQ(purchase_with({other}), "compared express " + wanted(other));
  EXPECT_EQ(purchase_with({own}), own + " express " + wanted(own));
  EXPECT_EQ(purchase_with({other, own}), own + " express " + wanted(other + "\", \"" + own));
}

TEST_F(LabelSteps, SeveralRunsShareOnePurchase) {
  const std::string one = text_at(tenant.configure({{"name", "one"},
                                                    {"entityType", "Shipment"},
                                                    {"triggerId", trigger_guid("shipment_collected")},
                                                    {"action", buy()}}),
                                  "guid");
  const std::string other = label_workflow("Shipment", "shipment_collected", {buy({{"maxPrice", 1}})});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting(2);
  EXPECT_EQ(purchases(), 1);
  buy_label(parcel);
  tenant.run_with_status(one, "succeeded");
  tenant.run_with_status(other, "succeeded");
  const std::string late = label_workflow("Shipment", "shipment_in_transit", {buy()});
  tenant.move_shipment(parcel, "in_transit");
  tenant.run_with_status(late, "succeeded");
  EXPECT_EQ(purchases(), 1);
}

TEST_F(LabelSteps, ARefusalHasItsReason) {
  const std::string flow =
      label_workflow("Shipment", "shipment_collected", {buy({{"maxPrice", 5}}), hook("told")});
  const auto ended = [&](std::string_view code) {
    const std::string parcel = shipment();
    tenant.move_shipment(parcel, "collected");
    wait_for_waiting();
    move_label(parcel, "refused", ", error_text = 'Because.', error_code = '" + std::string(code) + "'");
    json::object run;
    EXPECT_TRUE(eventually([&] {
      run = tenant.runs("entityId=" + parcel).front();
      return !run.at("finishedAt").is_null();
    }));
    tenant.sql.exec("delete from carrier_configurations where business_id = '" + tenant.id + "'");
    return tenant.run(text_at(run, "guid"));
  };
  const json::object dead = ended("ADDRESS");
  EXPECT_THAT(steps_of(dead), ElementsAre("1 buy_label dead LABEL_REFUSED"));
  EXPECT_EQ(text_at(dead, "error"), "ADDRESS: Because.");
  EXPECT_THAT(steps_of(ended("TOO_EXPENSIVE")),
              ElementsAre("1 buy_label skipped TOO_EXPENSIVE", "2 webhook succeeded"));
  EXPECT_THAT(steps_of(ended("OTHER_CURRENCY")),
              ElementsAre("1 buy_label skipped OTHER_CURRENCY", "2 webhook succeeded"));
}

TEST_F(LabelSteps, WithoutShipmentOrConnectorAStepIsSkipped) {
  const std::string of_order = label_workflow("Order", "order_created", {buy(), {{"type", "void_label"}}});
  const std::string of_shipment = label_workflow(
      "Shipment", "shipment_created", {buy(), buy({{"choose", "cheapest"}}), {{"type", "void_label"}}});
  tenant.insert_order();
  tenant.insert_shipment({});
  EXPECT_THAT(steps_of(tenant.run_with_status(of_order, "succeeded")),
              ElementsAre("1 buy_label skipped NO_RECORD", "2 void_label skipped NO_RECORD"));
  EXPECT_THAT(steps_of(tenant.run_with_status(of_shipment, "succeeded")),
              ElementsAre("1 buy_label skipped NO_CONNECTOR", "2 buy_label skipped NO_CONNECTOR",
                          "3 void_label skipped NO_LABEL"));
  EXPECT_EQ(purchases(), 0);
}

TEST_F(LabelSteps, AVoidIsAwaited) {
  const std::string flow = label_workflow("Shipment", "shipment_exception", {{{"type", "void_label"}}});
  const std::string buying = label_workflow("Shipment", "shipment_collected", {buy()});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(buying, "succeeded");
  tenant.move_shipment(parcel, "exception");
  wait_for_waiting();
  EXPECT_EQ(tenant.sql.value("select label_status from shipments where guid = $1", {parcel}), "voiding");
  move_label(parcel, "voided");
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")), ElementsAre("1 void_label succeeded"));
}

TEST_F(LabelSteps, ALabelOfAnotherModeIsNotVoided) {
  const std::string flow = label_workflow("Shipment", "shipment_exception", {{{"type", "void_label"}}});
  const std::string buying = label_workflow("Shipment", "shipment_collected", {buy()});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  buy_label(parcel);
  tenant.run_with_status(buying, "succeeded");
  tenant.sql.rows("update carrier_configurations set test_mode = not test_mode where business_id = $1",
                  {tenant.id});
  tenant.move_shipment(parcel, "exception");
  EXPECT_THAT(steps_of(tenant.run_with_status(flow, "succeeded")),
              ElementsAre("1 void_label skipped NO_CONNECTOR"));
  EXPECT_EQ(tenant.sql.value("select label_status from shipments where guid = $1", {parcel}), "bought");
}

TEST_F(LabelSteps, ARunEndsWithItsEventAndLeavesItsPurchase) {
  const std::string expiring = label_workflow("Shipment", "shipment_collected", {buy()});
  const std::string parcel = shipment();
  tenant.move_shipment(parcel, "collected");
  wait_for_waiting();
  tenant.sql.exec(
      "update run_queue set created_at = now() - interval '30 days', due_at = now() where workflow_id = '" +
      expiring + "'; notify waybill_queue");
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.value(
               "select coalesce(max(status || ' ' || code), '') from runs where workflow_id = $1",
               {expiring}) == "dead LABEL_UNKNOWN";
  }));
  const std::string cancelled = label_workflow("Shipment", "shipment_in_transit", {buy()});
  tenant.move_shipment(parcel, "in_transit");
  wait_for_waiting();
  const json::object run = tenant.run_with_status(cancelled, "waiting");
  EXPECT_EQ(tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/cancel").status, 200);
  EXPECT_EQ(tenant.sql.value("select status from purchases where shipment_id = $1", {parcel}), "requested");
}

TEST_F(LabelSteps, ATestBuysNothing) {
  const std::string parcel = shipment();
  const json::object tried =
      definition({buy({{"choose", "cheapest"}, {"maxPrice", 20}}), {{"type", "void_label"}}},
                 {{"entityType", "Shipment"}, {"triggerId", trigger_guid("shipment_created")}});
  const auto answer =
      tenant.http.post("/api/workflows/test", {{"definition", tried}, {"entityId", parcel}}).data();
  EXPECT_EQ(at(answer, "steps.0.wouldSend.choose"), "cheapest");
  EXPECT_EQ(text_at(answer, "steps.0.wouldSend.entityId"), parcel);
  EXPECT_EQ(at(answer, "steps.1.wouldSend.void"), true);
  const std::string flow = text_at(tenant.configure(tried), "guid");
  EXPECT_EQ(tenant.http
                .post("/api/workflows/configured/" + flow + "/send-test", {{"entityId", parcel}, {"step", 1}})
                .status,
            400);
  EXPECT_EQ(purchases(), 0);
}

TEST_F(LabelSteps, AnErrorNamesItsField) {
  const auto details = refused({buy({{"choose", "best"}, {"maxPrice", -1}})},
                               {{"entityType", "Shipment"}, {"triggerId", trigger_guid("shipment_created")}});
  EXPECT_THAT(json::serialize(details), HasSubstr("steps[0].choose"));
  EXPECT_THAT(json::serialize(details), HasSubstr("steps[0].maxPrice"));
}

TEST_F(LabelSteps, ALabelLocksItsShipment) {
  const std::string parcel = shipment();
  const auto ended = [&](std::string_view trigger, const json::object& step, std::string_view status) {
    const std::string flow = label_workflow("Shipment", trigger, {step});
    tenant.move_shipment(parcel, status);
    return steps_of(tenant.run_with_status(flow, "succeeded"));
  };
  tenant.sql.exec(
      "update shipments set label_status = 'bought', carrier_tracking_number = '1Z' where guid = '" + parcel +
      "'");
  EXPECT_THAT(ended("shipment_collected", sets(R"({"carrierTrackingNumber": "other"})"), "collected"),
              ElementsAre("1 update_record skipped LOCKED"));
  EXPECT_THAT(ended("shipment_in_transit", sets(R"({"instructions": "ring"})"), "in_transit"),
              ElementsAre("1 update_record succeeded"));
  EXPECT_THAT(ended("shipment_exception", {{"type", "update_status"}, {"status", "cancelled"}}, "exception"),
              ElementsAre("1 update_status skipped LOCKED"));
}

TEST_F(LabelSteps, AScanThatCancelsALockedShipmentIsAnException) {
  const std::string parcel = shipment();
  const auto scan = [&] {
    EXPECT_EQ(tenant.http
                  .post("/api/v1/shipments/" + parcel + "/traces",
                        {{"status", "cancelled"}, {"description", "Cancelled by the carrier"}})
                  .status,
              200);
    return tenant.status_of(parcel);
  };
  tenant.sql.exec("update shipments set label_status = 'bought' where guid = '" + parcel + "'");
  EXPECT_EQ(scan(), "exception");
  tenant.sql.exec("update shipments set label_status = 'voided' where guid = '" + parcel + "'");
  EXPECT_EQ(scan(), "cancelled");
}

TEST_F(LabelSteps, ANewShipmentGetsItsLabel) {
  const std::string carrier = connect_carrier();
  const auto wanted = [&](const std::string& order) {
    return tenant.sql.number(
        "select count(*) from purchases p join shipments s on s.guid = p.shipment_id where s.order_id = $1 "
        "and s.label_status = 'buying' and p.carrier_id = $2",
        {order, carrier});
  };
  const json::object of_carrier{{"carrierId", carrier}, {"serviceLevel", "standard"}};
  const std::string flow =
      label_workflow("Order", "order_created", {{{"type", "create_shipment"}, {"generateLabel", true}}});
  const std::string order = tenant.create_order(of_carrier);
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(wanted(order), 1);
}

}  // namespace
}  // namespace waybill::tests
