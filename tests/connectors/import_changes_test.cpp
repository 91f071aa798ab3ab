// Changes of imported orders, in the store and in waybill.
#include "connectors/woocommerce/orders.hpp"
#include "tests/connectors/import_fixture.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

TEST_F(ImportTest, OwnDataAndCarrierStayWhenTheStoreChangesAnOrder) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  const auto carrier = tenant.sql.value("select guid from carriers where code = 'ups'");
  tenant.sql.rows(
      "update orders set carrier_id = $2, service_level = 'express', external_reference = 'R', tags = "
      "'[\"vip\"]', metadata = '{\"k\": 1}', collection_date = '2026-12-01' where guid = $1",
      {connection.order(id, "guid"), carrier});
  store.change_order(id, {{"total", "60.00"}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "total_value"), "60.00");
  EXPECT_EQ(connection.order(id, "carrier_id"), carrier);
  EXPECT_EQ(connection.order(id, "service_level"), "express");
  EXPECT_EQ(connection.order(id, "external_reference || tags || metadata"), "R[\"vip\"]{\"k\": 1}");
  EXPECT_EQ(connection.order(id, "collection_date"), "2026-12-01 00:00:00+00");
}

TEST_F(ImportTest, OrdersOfAnEarlierVersionKeepTheirLocalChangesWhenReadAgain) {
  const auto id = store.add_order({}, an_hour_ago());
  auto connection = connect(store);
  connection.sync();
  // Simulates an import by a version without recipients: the digest lacks them.
  auto order = connectors::StoreOrder();
  {
    connectors::StorePage<connectors::StoreOrder> page;
    connectors::woo::read_order(store.order(id), page);
    order = page.records.at(0);
  }
  tenant.sql.rows("update imported_orders set digest = $2 where integration_id = $1",
                  {connection.guid(), worker::first_digest_of(order)});
  tenant.put_order(connection.order(id, "guid"), {{"notes", "ring twice"}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 0 updated, 1 unchanged, 0 failed");
  EXPECT_EQ(connection.order(id, "notes"), "ring twice");
  store.change_order(id, {{"shipping", {{"first_name", "Grace"}}}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "delivery_name"), "Grace Lindström");
}

TEST_F(ImportTest, UnchangedOrdersWriteNothingAndMakeNoEvent) {
  store.add_orders(150, an_hour_ago(), 1s);
  auto connection = connect(store);
  EXPECT_EQ(connection.sync().counts(), "150 imported, 0 updated, 0 unchanged, 0 failed");
  const auto written = tenant.sql.column("select xmin || ctid::text from orders order by guid");
  const auto events = connection.events();
  EXPECT_EQ(events, 150);
  const auto again = connection.sync();
  EXPECT_EQ(again.imported + again.updated + again.failed, 0);
  EXPECT_GT(again.unchanged, 0) << "the overlap is read again";
  EXPECT_EQ(tenant.sql.column("select xmin || ctid::text from orders order by guid"), written);
  EXPECT_EQ(connection.events(), events);
}

TEST_F(ImportTest, ChangesOfTheStoreAreImportedAndLocalChangesStayUntilThen) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  const auto guid = connection.order(id, "guid");
  tenant.put_order(guid, {{"notes", "ring twice"}, {"serviceLevel", nullptr}});
  connection.sync();
  EXPECT_EQ(connection.order(id, "notes"), "ring twice");
  const auto item = connection.order(id, "items #>> '{0,guid}'");

  store.change_order(
      id, {{"shipping", {{"city", "Malmö"}}}, {"total", "60.00"}, {"customer_note", "at the back"}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 1 updated, 0 unchanged, 0 failed");
  EXPECT_EQ(connection.order(id, "delivery_city"), "Malmö");
  EXPECT_EQ(connection.order(id, "total_value"), "60.00");
  EXPECT_EQ(connection.order(id, "notes"), "at the back");
  EXPECT_EQ(connection.order(id, "items #>> '{0,guid}'"), item) << "shipments name items by their guid";
}

TEST_F(ImportTest, TheStatusFollowsTheStoreOnlyForwards) {
  const auto id = store.add_order({{"status", "pending"}});
  auto connection = connect(store);
  connection.sync();
  store.change_order(id, {{"status", "processing"}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "status"), "processing");
  tenant.move_order(connection.order(id, "guid"), "shipped");
  store.change_order(id, {{"status", "on-hold"}, {"customer_note", "late"}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 0 updated, 1 unchanged, 0 failed")
      << "an order that is shipped cannot be changed";
  EXPECT_EQ(connection.order(id, "status"), "shipped");
  EXPECT_EQ(connection.order(id, "notes"), "");
}

TEST_F(ImportTest, ACancellationInTheStoreIsImportedOrReportedIfTheOrderIsShipped) {
  const auto open = store.add_order();
  const auto shipped = store.add_order();
  auto connection = connect(store);
  connection.sync();
  tenant.move_order(connection.order(shipped, "guid"), "shipped");
  store.change_order(open, {{"status", "cancelled"}});
  store.change_order(shipped, {{"status", "cancelled"}});
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "0 imported, 1 updated, 0 unchanged, 1 failed");
  EXPECT_EQ(run.errors.at(0).at("externalId").as_string(), std::to_string(shipped));
  EXPECT_EQ(run.errors.at(0).at("orderNumber").as_string(), std::to_string(shipped));
  EXPECT_EQ(run.reason(), "It was cancelled in the store, and is shipped here.");
  EXPECT_EQ(connection.order(open, "status"), "cancelled");
  EXPECT_EQ(connection.order(shipped, "status"), "shipped");
  EXPECT_EQ(connection.sync().failed, 0) << "reported once";
  EXPECT_EQ(connection.failures(), 0) << "a retry would change nothing";
}

TEST_F(ImportTest, TheEchoOfOurTrackingNumberWritesNothing) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  tenant.move_order(connection.order(id, "guid"), "shipped");
  const auto written = connection.order(id, "xmin");
  const auto events = connection.events();
  store.change_order(id, {{"status", "completed"},
                          {"meta_data", {{{"id", 1}, {"key", "_tracking_number"}, {"value", "WB1"}}}}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 0 updated, 1 unchanged, 0 failed");
  EXPECT_EQ(connection.order(id, "xmin"), written);
  EXPECT_EQ(connection.events(), events);
}

TEST_F(ImportTest, ADeletedOrderIsNotImportedAgain) {
  const auto id = store.add_order();
  auto connection = connect(store);
  connection.sync();
  const json::array named{json::object{{"guid", connection.order(id, "guid")}}};
  ASSERT_EQ(tenant.http.post("/api/v1/Orders/delete", named).status, 200);
  ASSERT_EQ(connection.orders(), 0);
  store.change_order(id, {{"customer_note", "hello?"}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 0 updated, 1 unchanged, 0 failed");
  EXPECT_EQ(connection.orders(), 0);
}

}  // namespace
}  // namespace waybill::tests
