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

// A buyer without an e-mail address

TEST_F(ImportTest, AChangedBuyerWithoutAnEmailAddressIsAnotherCustomer) {
  const json::object anne{{"first_name", "Anne"}, {"last_name", "Typo"}, {"phone", "111"}, {"email", ""}};
  const json::object bob{
      {"first_name", "Bob"}, {"last_name", "Right"}, {"company", "ACME"}, {"phone", "222"}, {"email", ""}};
  const auto id = store.add_order({{"billing", anne}});
  const auto untouched = store.add_order({{"billing", anne}});
  auto connection = connect(store);
  connection.sync();
  const auto first = connection.order(id, "customer_id");
  const auto buyer = [&] {
    return connection.order(
        id,
        "(select concat_ws(', ', c.name, c.company, c.phone) from customers c where c.guid = "
        "orders.customer_id)");
  };
  EXPECT_EQ(buyer(), "Anne Typo, 111");

  store.change_order(id, {{"billing", bob}});
  EXPECT_EQ(connection.sync().counts(), "0 imported, 1 updated, 1 unchanged, 0 failed");
  EXPECT_EQ(buyer(), "Bob Right, ACME, 222");
  EXPECT_EQ(tenant.sql.value("select name from customers where guid = $1", {first}), "Anne Typo")
      << "no customer is renamed";
  EXPECT_NE(connection.order(untouched, "customer_id"), connection.order(id, "customer_id"));

  const auto second = connection.order(id, "customer_id");
  store.change_order(id, {{"customer_note", "ring twice"}});
  connection.sync();
  EXPECT_EQ(connection.order(id, "customer_id"), second) << "the buyer is the same";
  store.change_order(
      id, {{"billing", {{"first_name", "Anne"}, {"last_name", "Typo"}, {"company", ""}, {"phone", "111"}}}});
  connection.sync();
  EXPECT_EQ(connection.order(id, "customer_id"), first) << "the buyer is the first again";
}

TEST_F(ImportTest, ACustomerWithoutAnEmailAddressThatWasChangedHereStaysSo) {
  const auto id = store.add_order({{"billing", {{"email", ""}}}});
  auto connection = connect(store);
  connection.sync();
  const auto customer = connection.order(id, "customer_id");
  for (const char* const changes :
       {"name = 'Our Jana', email = 'jana@example.com'", "name = 'Erased', phone = null, email = null"}) {
    tenant.sql.rows("update customers set " + std::string(changes) + " where guid = $1", {customer});
    store.change_order(id, {{"customer_note", changes}});
    EXPECT_EQ(connection.sync().updated, 1);
    EXPECT_EQ(connection.order(id, "customer_id"), customer) << changes;
  }
  EXPECT_EQ(tenant.sql.value("select name from customers where guid = $1", {customer}), "Erased");
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 1);
}

TEST_F(ImportTest, AnOrderIsGivenToNoDeletedCustomer) {
  const auto id = store.add_order({{"billing", {{"first_name", "Anne"}, {"email", ""}}}});
  auto connection = connect(store);
  connection.sync();
  const auto anne = connection.order(id, "customer_id");
  store.change_order(id, {{"billing", {{"first_name", "Bob"}, {"email", ""}}}});
  connection.sync();
  tenant.sql.rows("update customers set deleted_at = now() where guid = $1", {anne});
  store.change_order(id, {{"billing", {{"first_name", "Anne"}, {"email", ""}}}});
  connection.sync();
  const auto again = connection.order(id, "customer_id");
  EXPECT_NE(again, anne);
  EXPECT_TRUE(tenant.sql.value("select name from customers where guid = $1", {again}).starts_with("Anne"));
}

// Earlier versions gave the customers of these orders any guid.
TEST_F(ImportTest, AnOrderOfAnEarlierVersionKeepsItsCustomerUntilTheStoreChangesIt) {
  const auto id = store.add_order({{"billing", {{"email", ""}}}});
  auto connection = connect(store);
  connection.sync();
  const auto earlier = tenant.sql.value(
      "with c as (insert into customers (business_id, name, company, phone) select business_id, name, "
      "company, phone "
      "from customers where business_id = $1 returning guid), "
      "o as (update orders set customer_id = c.guid from c where business_id = $1) select guid from c",
      {tenant.id});
  store.change_order(id, {{"customer_note", "ring twice"}});
  EXPECT_EQ(connection.sync().updated, 1);
  EXPECT_EQ(connection.order(id, "customer_id"), earlier);
  store.change_order(id, {{"billing", {{"first_name", "Bob"}, {"email", ""}}}});
  connection.sync();
  EXPECT_NE(connection.order(id, "customer_id"), earlier);
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

TEST_F(ImportTest, AnotherOrderWithTheIdOfAClosedOneIsReportedAndChangesNothing) {
  const auto id = store.add_order({{"number", "A-1"}});
  auto connection = connect(store);
  connection.sync();
  tenant.move_order(connection.order(id, "guid"), "shipped");
  tenant.sql.value(
      "update orders set created_at = '2026-03-01T10:00:00Z' where business_id = $1 returning guid",
      {tenant.id});
  store.change_order(id, {{"number", "B-1"}, {"total", "77.00"}, {"status", "cancelled"}});
  const auto run = connection.sync();
  EXPECT_EQ(run.counts(), "0 imported, 0 updated, 0 unchanged, 1 failed");
  EXPECT_TRUE(run.reason().starts_with(
      "It is not imported: it has the id of the order A-1 of 2026-03-01, which is closed here, and the store "
      "created it on "))
      << run.reason();
  EXPECT_EQ(run.errors.at(0).at("orderNumber").as_string(), "B-1");
  EXPECT_EQ(connection.order(id, "order_number"), "A-1");
  EXPECT_EQ(connection.order(id, "status"), "shipped");
  EXPECT_EQ(connection.sync().failed, 0) << "reported once";
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
