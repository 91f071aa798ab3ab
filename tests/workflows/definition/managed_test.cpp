#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

class Managed : public WorkflowTest {
 protected:
  bool reaches_status(const std::string& record, std::string_view status) {
    return eventually([&] { return tenant.status_of(record) == status; });
  }
  std::vector<std::string> listed(std::string_view query) {
    std::vector<std::string> guids;
    const Response response = tenant.http.get("/api/workflows/Shipment/configured" + std::string(query));
    for (const json::value& entry : response.data().as_array()) guids.push_back(text_at(entry, "guid"));
    return guids;
  }

  std::string shipped = tenant.managed("shipped");
  std::string delivered = tenant.managed("delivered");
  std::string order = tenant.insert_order();
};

TEST_F(Managed, AreCreatedWithTheBusinessAndListedOnlyOnRequest) {
  EXPECT_THAT(listed(""), IsEmpty());
  EXPECT_THAT(listed("?managed=false"), IsEmpty());
  EXPECT_THAT(listed("?managed=true"), IsSupersetOf({shipped, delivered}));
  EXPECT_TRUE(tenant.http.get("/api/workflows/Order/configured?managed=true").data().as_array().empty());
  for (const std::string& guid : {shipped, delivered}) {
    const json::object workflow = tenant.workflow(guid);
    EXPECT_EQ(at(workflow, "isManaged"), true);
    EXPECT_EQ(at(workflow, "isActive"), true);
    EXPECT_EQ(text_at(workflow, "entityType"), "Shipment");
    EXPECT_EQ(text_at(workflow, "trigger"), "shipment_status_changed");
    EXPECT_EQ(text_at(workflow, "action.type"), "update_status");
  }
}

TEST_F(Managed, CanBeSwitchedOffButNotDeletedOrChanged) {
  const std::string path = "/api/workflows/configured/" + shipped;
  EXPECT_EQ(tenant.http.del(path).status, 403);
  EXPECT_EQ(tenant.http.post("/api/workflows/configure", {{"guid", shipped}, {"name", "mine"}}).status, 403);
  EXPECT_EQ(tenant.http.post("/api/workflows/configure", tenant.workflow(shipped)).status, 403);
  EXPECT_EQ(at(tenant.workflow(shipped), "version"), 1);
  Tenant other_business(world.waybill, test_name() + ", another business");
  EXPECT_EQ(other_business.http.post("/api/workflows/configure", {{"guid", shipped}, {"name", "x"}}).status,
            404);

  EXPECT_EQ(at(tenant.http.get(path + "/toggle").body, "data.isActive"), false);
  const std::string shipment = tenant.insert_shipment(order);
  tenant.move_shipment(shipment, "in_transit");
  tenant.settle();
  EXPECT_EQ(tenant.status_of(order), "pending");
  EXPECT_EQ(at(tenant.http.get(path + "/toggle").body, "data.isActive"), true);
  tenant.move_shipment(shipment, "out_for_delivery");
  EXPECT_TRUE(reaches_status(order, "shipped"));
}

TEST_F(Managed, AnOrderIsShippedWhenAShipmentOfItIsUnderWay) {
  for (const char* status : {"collected", "in_transit", "out_for_delivery"}) {
    for (const char* from : {"pending", "processing", "ready"}) {
      const std::string each = tenant.insert_order({{"status", "'" + std::string(from) + "'"}});
      const std::string shipment = tenant.insert_shipment(each);
      tenant.move_shipment(shipment, status);
      EXPECT_TRUE(reaches_status(each, "shipped")) << from << ", " << status;
    }
  }
  const std::string shipment = tenant.insert_shipment(order);
  tenant.move_shipment(shipment, "exception");
  tenant.settle();
  EXPECT_EQ(tenant.status_of(order), "pending");
}

TEST_F(Managed, AShipmentDeliveredAtOnceMovesItsOrderThroughShippedToDelivered) {
  const std::string shipment = tenant.insert_shipment(order);
  tenant.move_shipment(shipment, "delivered");
  ASSERT_TRUE(reaches_status(order, "delivered"));
  EXPECT_THAT(
      tenant.history_of_order(order),
      ElementsAre(" > pending by sql", "pending > shipped by workflow", "shipped > delivered by workflow"));
}

TEST_F(Managed, AnOrderIsDeliveredWhenAllItsShipmentsAre) {
  const std::string first_shipment = tenant.insert_shipment(order);
  const std::string second_shipment = tenant.insert_shipment(order);
  tenant.move_shipment(first_shipment, "delivered");
  ASSERT_TRUE(reaches_status(order, "shipped"));
  tenant.settle();
  EXPECT_EQ(tenant.status_of(order), "shipped");
  EXPECT_EQ(text_at(tenant.run_with_status(delivered, "skipped"), "code"), "CONDITION");
  tenant.move_shipment(second_shipment, "delivered");
  EXPECT_TRUE(reaches_status(order, "delivered"));
}

TEST_F(Managed, CancelledShipmentsAreIgnored) {
  const std::string cancelled = tenant.insert_shipment(order);
  tenant.move_shipment(cancelled, "cancelled");
  tenant.settle();
  EXPECT_EQ(tenant.status_of(order), "pending");
  tenant.move_shipment(tenant.insert_shipment(order), "delivered");
  EXPECT_TRUE(reaches_status(order, "delivered"));

  const std::string last = tenant.insert_order();
  const std::string first = tenant.insert_shipment(last);
  const std::string lost = tenant.insert_shipment(last);
  tenant.move_shipment(first, "delivered");
  ASSERT_TRUE(reaches_status(last, "shipped"));
  tenant.move_shipment(lost, "cancelled");
  EXPECT_TRUE(reaches_status(last, "delivered")) << "the last open shipment";
}

TEST_F(Managed, ConcurrentlyDeliveredShipmentsDeliverTheOrder) {
  const std::vector<std::string> both = {tenant.insert_shipment(order), tenant.insert_shipment(order)};
  Session first_session = world.database.connect();
  Session second_session = world.database.connect();
  first_session.exec("begin; update shipments set status = 'delivered' where guid = '" + both[0] + "'");
  second_session.exec("begin; update shipments set status = 'delivered' where guid = '" + both[1] + "'");
  first_session.exec("commit");
  ASSERT_TRUE(reaches_status(order, "shipped"));
  second_session.exec("commit");
  EXPECT_TRUE(reaches_status(order, "delivered"));
}

TEST_F(Managed, ACancelledOrderStaysCancelledAndTheRunShowsWhy) {
  tenant.update_orders("status = 'cancelled' where guid = '" + order + "'");
  tenant.move_shipment(tenant.insert_shipment(order), "in_transit");
  const json::object run = tenant.run_with_status(shipped, "skipped");
  EXPECT_EQ(text_at(run, "code"), "FORBIDDEN_MOVE");
  EXPECT_EQ(tenant.status_of(order), "cancelled");
}

TEST_F(Managed, ShipmentsWithoutAnOrderCauseNoRuns) {
  const std::string shipment = tenant.insert_shipment("");
  tenant.move_shipment(shipment, "delivered");
  tenant.settle();
  EXPECT_THAT(tenant.runs("entityId=" + shipment), IsEmpty());
}

TEST_F(Managed, ATraceOfACarrierMovesTheOrderAsWell) {
  const std::string shipment = tenant.insert_shipment(order);
  ASSERT_EQ(tenant.http
                .post("/api/v1/shipments/" + shipment + "/traces",
                      {{"status", "delivered"}, {"description", "Left with a neighbour"}})
                .status,
            200);
  EXPECT_TRUE(reaches_status(order, "delivered"));
}

}  // namespace
}  // namespace waybill::tests
