// Tracking numbers go back to the store that an order came from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/connectors/connected_store.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view configure_path = "/api/integrations/provider/configure";
const json::object pushing{{"autoImportOrders", false}, {"pushTracking", true}};
const json::object not_pushing{{"autoImportOrders", false}, {"pushTracking", false}};

std::string connect(Tenant& tenant, const WooCommerceSimulator& store,
                    const json::object& settings = pushing) {
  const Response response = tenant.http.post(configure_path, configuration(store, settings));
  EXPECT_TRUE(response.status == 200 || response.status == 201) << response.text;
  return text_at(response.body, "data.guid");
}

/// An order of a store, and its first shipment.
struct Sale {
  std::int64_t id = 0;  // the store's
  std::string order;
  std::string shipment;
  std::string number;
};

Sale sell(Tenant& tenant, WooCommerceSimulator& store, const std::string& integration) {
  Sale sale{.id = store.add_order()};
  sale.order = tenant.insert_order(
      {{"integration_id", "'" + integration + "'"}, {"external_id", "'" + std::to_string(sale.id) + "'"}});
  sale.shipment = tenant.insert_shipment(sale.order);
  sale.number = tenant.sql.value("select tracking_number from shipments where guid = $1", {sale.shipment});
  return sale;
}

class PushTracking : public WorkflowTest {
 protected:
  bool is_active() { return at(tenant.workflow(push_tracking_workflow(tenant)), "isActive").as_bool(); }

  /// The tracking numbers that the store shows.
  static std::vector<std::string> shown(const WooCommerceSimulator& store, const Sale& sale) {
    std::vector<std::string> numbers;
    for (const auto& tracking : store.trackings(sale.id))
      numbers.push_back(text_at(tracking, "tracking_number"));
    return numbers;
  }

  std::vector<json::object> pushes() { return tenant.runs("workflowId=" + push_tracking_workflow(tenant)); }
  json::object push_with_status(std::string_view status) {
    return tenant.run_with_status(push_tracking_workflow(tenant), status);
  }
  bool push_was(std::string_view status, std::string_view code) {
    return eventually([&] {
      const auto runs = pushes();
      return runs.size() == 1 && text_at(runs[0], "status") == status && text_at(runs[0], "code") == code;
    });
  }

  WooCommerceSimulator store{{.shipment_tracking = true}};
};

TEST_F(PushTracking, IsAManagedWorkflowThatIsOffWithoutAStore) {
  const json::object workflow = tenant.workflow(push_tracking_workflow(tenant));
  EXPECT_EQ(at(workflow, "isManaged"), true);
  EXPECT_EQ(at(workflow, "isActive"), false);
  EXPECT_EQ(text_at(workflow, "status"), "disabled");
  EXPECT_EQ(text_at(workflow, "entityType"), "Shipment");
  EXPECT_EQ(text_at(workflow, "action.type"), "push_tracking");
  EXPECT_EQ(tenant.http.del("/api/workflows/configured/" + push_tracking_workflow(tenant)).status, 403);
  EXPECT_EQ(
      tenant.http.post("/api/workflows/configure", {{"guid", push_tracking_workflow(tenant)}, {"name", "x"}})
          .status,
      403);
}

TEST_F(PushTracking, IsSwitchedOnByTheFirstStoreThatWantsItAndOffWithTheLast) {
  const WooCommerceSimulator second, quiet;
  connect(tenant, quiet, not_pushing);
  EXPECT_FALSE(is_active());
  const std::string one = connect(tenant, store);
  EXPECT_TRUE(is_active());
  const std::string two = connect(tenant, second);
  tenant.http.get("/api/integrations/provider/disable/" + one);
  EXPECT_TRUE(is_active()) << "there is another";
  tenant.http.del("/api/integrations/providers/ecommerce/remove/" + two);
  EXPECT_FALSE(is_active());
  connect(tenant, store);
  EXPECT_TRUE(is_active()) << "configured again";
}

TEST_F(PushTracking, IsSwitchedByPeopleInBetween) {
  const WooCommerceSimulator second;
  connect(tenant, store);
  tenant.http.get("/api/workflows/configured/" + push_tracking_workflow(tenant) + "/toggle");
  EXPECT_FALSE(is_active());
  connect(tenant, second);
  EXPECT_FALSE(is_active()) << "it was not the first store";
}

TEST_F(PushTracking, AShipmentUnderwayShowsItsNumberInTheStoreOnce) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  tenant.move_shipment(sale.shipment, "collected");
  const json::object run = push_with_status("succeeded");
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
  EXPECT_THAT(text_at(run, "tries.0.response"), HasSubstr(sale.number));
  EXPECT_EQ(text_at(run, "request.orderId"), sale.order);
  EXPECT_EQ(text_at(run, "request.trackingNumber"), sale.number);
  EXPECT_TRUE(at(run, "request").as_object().contains("carrier"));
  EXPECT_FALSE(at(run, "request").as_object().contains("destination"));
  for (const char* status : {"in_transit", "out_for_delivery", "delivered"}) {
    tenant.move_shipment(sale.shipment, status);
  }
  tenant.settle();
  EXPECT_EQ(pushes().size(), 1U);
}

TEST_F(PushTracking, IsForetold) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  const Response response = tenant.http.post(
      "/api/workflows/test", {{"workflowId", push_tracking_workflow(tenant)}, {"entityId", sale.shipment}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(at(response.body, "data.matches"), false) << "it is not underway";
  EXPECT_EQ(text_at(response.body, "data.wouldSend.orderId"), sale.order);
  EXPECT_EQ(text_at(response.body, "data.wouldSend.trackingNumber"), sale.number);
  EXPECT_TRUE(store.trackings(sale.id).empty());
}

TEST_F(PushTracking, ASecondShipmentOfAnOrderIsShownToo) {
  Sale sale = sell(tenant, store, connect(tenant, store));
  tenant.move_shipment(sale.shipment, "collected");
  ASSERT_TRUE(eventually([&] { return shown(store, sale).size() == 1; }));
  tenant.move_shipment(tenant.insert_shipment(sale.order), "delivered");
  EXPECT_TRUE(eventually([&] { return shown(store, sale).size() == 2; }));
}

TEST_F(PushTracking, AnOrderThatAnotherWorkerTellsOfIsWaitedFor) {
  const std::string integration = connect(tenant, store);
  const Sale sale = sell(tenant, store, integration);
  const auto hold = [&](std::string_view until) {
    tenant.sql.rows(
        "insert into tracking_pushes values ($1, $2, $3, gen_random_uuid(), now() + $4::interval) "
        "on conflict (business_id, integration_id, external_id) do update set held_until = "
        "excluded.held_until",
        {tenant.id, integration, std::to_string(sale.id), std::string(until)});
  };
  hold("1 hour");
  const auto before = store.calls().size();
  tenant.move_shipment(sale.shipment, "collected");
  ASSERT_TRUE(push_was("queued", "")) << "it is no try";
  EXPECT_EQ(at(pushes()[0], "attempts"), 0);
  EXPECT_EQ(store.calls().size(), before);
  hold("-1 second");
  push_with_status("succeeded");
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
  EXPECT_TRUE(eventually([&] { return tenant.sql.value("select count(*) from tracking_pushes") == "0"; }));
}

TEST_F(PushTracking, AReplayPushesNothingTwice) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  tenant.move_shipment(sale.shipment, "collected");
  const json::object run = push_with_status("succeeded");
  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  const std::string again = text_at(replayed.body, "data.guid");
  ASSERT_TRUE(eventually([&] { return text_at(tenant.run(again), "status") == "succeeded"; }));
  EXPECT_THAT(text_at(tenant.run(again), "tries.0.response"), HasSubstr("already"));
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
}

TEST_F(PushTracking, AStoreThatIsDownGetsItLater) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  store.fail(failing_with(503), 1000);
  tenant.move_shipment(sale.shipment, "collected");
  ASSERT_TRUE(push_was("retrying", "STORE_BUSY"));
  store.stop_failing();
  const json::object run = push_with_status("succeeded");
  EXPECT_GE(at(run, "attempts").to_number<int>(), 2);
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
}

TEST_F(PushTracking, AnAnswerThatIsLostIsNoSecondNumber) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  Fault lost = lost_answer();
  lost.method = "POST";
  store.fail(lost);
  tenant.move_shipment(sale.shipment, "collected");
  push_with_status("succeeded");
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
}

TEST_F(PushTracking, WhatTheStoreRefusesForGoodIsDeadWithItsWords) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  store.delete_order(sale.id);
  tenant.move_shipment(sale.shipment, "collected");
  const json::object run = push_with_status("dead");
  EXPECT_EQ(text_at(run, "code"), "STORE_REFUSED");
  EXPECT_EQ(at(run, "attempts"), 1);
  EXPECT_FALSE(text_at(run, "error").empty());
}

TEST_F(PushTracking, CredentialsThatAreMendedServeTheNextTry) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  store.set_secret("cs_another");
  tenant.move_shipment(sale.shipment, "collected");
  ASSERT_TRUE(push_was("retrying", "STORE_CREDENTIALS"));
  const json::object run = tenant.run(text_at(pushes()[0], "guid"));
  EXPECT_EQ(json::serialize(run).find(store.secret()), std::string::npos);
  store.set_secret(store.secret());
  push_with_status("succeeded");
  EXPECT_THAT(shown(store, sale), ElementsAre(sale.number));
}

TEST_F(PushTracking, AnOrderMadeHereIsSkipped) {
  connect(tenant, store);
  tenant.move_shipment(tenant.insert_shipment(tenant.insert_order()), "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "NOT_IMPORTED");
}

TEST_F(PushTracking, AStoreThatDoesNotWantItIsLeftAlone) {
  WooCommerceSimulator quiet{{.shipment_tracking = true}};
  connect(tenant, store);
  const Sale sale = sell(tenant, quiet, connect(tenant, quiet, not_pushing));
  tenant.move_shipment(sale.shipment, "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "PUSH_OFF");
  EXPECT_THAT(shown(quiet, sale), IsEmpty());
}

TEST_F(PushTracking, SwitchedOffNothingIsPushed) {
  const Sale sale = sell(tenant, store, connect(tenant, store));
  tenant.http.get("/api/workflows/configured/" + push_tracking_workflow(tenant) + "/toggle");
  tenant.move_shipment(sale.shipment, "collected");
  tenant.settle();
  EXPECT_THAT(pushes(), IsEmpty());
  EXPECT_THAT(shown(store, sale), IsEmpty());
}

TEST_F(PushTracking, AStoreThatHangsHoldsUpNoOther) {
  const auto gate = std::make_shared<Gate>();
  const std::string hanging = connect(tenant, store);
  for (int i = 0; i < 30; ++i) {
    const Sale sale = sell(tenant, store, hanging);
    if (i == 0) store.fail(slow_answer(gate), 1000);
    tenant.move_shipment(sale.shipment, "collected");
  }
  WooCommerceSimulator well{{.shipment_tracking = true}};
  const Sale sale = sell(tenant, well, connect(tenant, well));
  tenant.move_shipment(sale.shipment, "collected");
  EXPECT_TRUE(eventually([&] { return !shown(well, sale).empty(); }, std::chrono::seconds(5)));
  const auto calls = store.calls().size();
  EXPECT_LT(calls, 30U) << "two at a time";
  gate->open();
  store.stop_failing();
}

TEST(PushTrackingAcrossACrash, ANumberThatTheStoreHasIsNotPushedAgain) {
  const TestDatabase database;
  WooCommerceSimulator store{{.shipment_tracking = true}};
  const auto gate = std::make_shared<Gate>();
  auto waybill = std::make_unique<Waybill>(database.url());
  Sale sale;
  {
    Tenant tenant(*waybill, "crash");
    sale = sell(tenant, store, connect(tenant, store));
    Fault held = slow_answer(gate);
    held.method = "POST";
    store.fail(held);
    tenant.move_shipment(sale.shipment, "collected");
    ASSERT_TRUE(eventually([&] { return store.trackings(sale.id).size() == 1; }));
  }
  waybill->process().kill_tree();
  gate->open();
  waybill.reset();
  const Waybill next(database.url());
  Tenant tenant(next, "crash");
  tenant.run_with_status(push_tracking_workflow(tenant), "succeeded", std::chrono::seconds(60));
  EXPECT_EQ(store.trackings(sale.id).size(), 1U);
}

TEST(PushTrackingAcrossAStop, APushUnderWayIsNoTryAndGoesOnElsewhere) {
  const TestDatabase database;
  WooCommerceSimulator store{{.shipment_tracking = true}};
  const auto gate = std::make_shared<Gate>();
  Sale sale;
  {
    Waybill waybill(database.url());
    Tenant tenant(waybill, "stop");
    sale = sell(tenant, store, connect(tenant, store));
    store.fail(slow_answer(gate), 1000);
    const auto before = store.calls().size();
    tenant.move_shipment(sale.shipment, "collected");
    ASSERT_TRUE(eventually([&] { return store.calls().size() > before; }));
    EXPECT_EQ(waybill.stop(std::chrono::seconds(20)), 0);
    EXPECT_EQ(tenant.sql.value("select status || ' ' || attempts from run_queue"), "queued 0");
  }
  store.stop_failing();
  gate->open();
  const Waybill next(database.url());
  Tenant tenant(next, "stop");
  const json::object run = tenant.run_with_status(push_tracking_workflow(tenant), "succeeded");
  EXPECT_EQ(at(run, "attempts"), 1);
  EXPECT_EQ(store.trackings(sale.id).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
