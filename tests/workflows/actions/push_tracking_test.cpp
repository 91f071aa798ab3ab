// Tracking numbers are pushed to the store of the order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/guid.hpp"
#include "tests/connectors/connected_store.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view configure_path = "/api/integrations/provider/configure";
const json::object pushing{{"autoImportOrders", false}, {"pushTracking", true}};
const json::object without_push{{"autoImportOrders", false}, {"pushTracking", false}};

std::string connect(Tenant& tenant, const WooCommerceSimulator& store,
                    const json::object& settings = pushing) {
  const Response response = tenant.http.post(configure_path, configuration(store, settings));
  EXPECT_TRUE(response.status == 200 || response.status == 201) << response.text;
  return text_at(response.body, "data.guid");
}

/// An imported order and its first shipment.
struct ImportedOrder {
  std::int64_t id = 0;  // id in the store
  std::string order;
  std::string shipment;
  std::string number;
};

ImportedOrder add_imported_order(Tenant& tenant, WooCommerceSimulator& store,
                                 const std::string& integration) {
  ImportedOrder imported{.id = store.add_order()};
  imported.order = tenant.insert_order({{"integration_id", "'" + integration + "'"},
                                        {"external_id", "'" + std::to_string(imported.id) + "'"}});
  imported.shipment = tenant.insert_shipment(imported.order);
  imported.number =
      tenant.sql.value("select tracking_number from shipments where guid = $1", {imported.shipment});
  return imported;
}

/// A line of an order in the store.
json::object store_line(std::int64_t id, const char* name, int quantity) {
  return {{"id", id},        {"name", name},         {"sku", name},
          {"product_id", 5}, {"quantity", quantity}, {"total", "10.00"}};
}

class PushTracking : public WorkflowTest {
 protected:
  bool is_active() { return at(tenant.workflow(push_tracking_workflow(tenant)), "isActive").as_bool(); }

  /// The tracking numbers that the store shows.
  static std::vector<std::string> shown_numbers(const WooCommerceSimulator& store,
                                                const ImportedOrder& imported) {
    std::vector<std::string> numbers;
    for (const auto& tracking : store.trackings(imported.id))
      numbers.push_back(text_at(tracking, "tracking_number"));
    return numbers;
  }

  void set_carrier(const ImportedOrder& imported, std::string_view code) {
    tenant.sql.rows(
        "update shipments set carrier_id = (select guid from carriers where code = $2) where guid = $1",
        {imported.shipment, std::string(code)});
  }
  void set_number(const ImportedOrder& imported, const std::string& number, const std::string& url) {
    tenant.sql.rows(
        "update shipments set carrier_tracking_number = $2, carrier_tracking_url = nullif($3, '') where guid "
        "= $1",
        {imported.shipment, number, url});
  }
  /// The address of the shipment's tracking page.
  std::string page_of(const ImportedOrder& imported) {
    return "http://127.0.0.1:" + std::to_string(world.waybill.port()) + "/track/" +
           tenant.sql.value(
               "select replace(token::text, '-', '') from tracking_tokens where shipment_id = $1",
               {imported.shipment});
  }

  std::vector<json::object> pushes() { return tenant.runs("workflowId=" + push_tracking_workflow(tenant)); }
  json::object push_with_status(std::string_view status) {
    return tenant.run_with_status(push_tracking_workflow(tenant), status);
  }
  bool reaches_status(std::string_view status, std::string_view code) {
    return eventually([&] {
      const auto runs = pushes();
      return runs.size() == 1 && text_at(runs[0], "status") == status && text_at(runs[0], "code") == code;
    });
  }

  WooCommerceSimulator store{{.shipment_tracking = true}};
};

TEST_F(PushTracking, IsAManagedWorkflowThatIsInactiveWithoutAStore) {
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

TEST_F(PushTracking, IsActivatedWithTheFirstStoreThatEnablesItAndDeactivatedWithTheLast) {
  const WooCommerceSimulator second, quiet;
  connect(tenant, quiet, without_push);
  EXPECT_FALSE(is_active());
  const std::string first_integration = connect(tenant, store);
  EXPECT_TRUE(is_active());
  const std::string second_integration = connect(tenant, second);
  tenant.http.get("/api/integrations/provider/disable/" + first_integration);
  EXPECT_TRUE(is_active()) << "another store is still connected";
  tenant.http.del("/api/integrations/providers/ecommerce/remove/" + second_integration);
  EXPECT_FALSE(is_active());
  connect(tenant, store);
  EXPECT_TRUE(is_active()) << "configured again";
}

TEST_F(PushTracking, CanBeSwitchedByUsersInBetween) {
  const WooCommerceSimulator second;
  connect(tenant, store);
  tenant.http.get("/api/workflows/configured/" + push_tracking_workflow(tenant) + "/toggle");
  EXPECT_FALSE(is_active());
  connect(tenant, second);
  EXPECT_FALSE(is_active()) << "it was not the first store";
}

TEST_F(PushTracking, AShipmentUnderWayShowsItsNumberInTheStoreOnce) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.move_shipment(imported.shipment, "collected");
  const json::object run = push_with_status("succeeded");
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
  EXPECT_THAT(text_at(run, "tries.0.response"), HasSubstr(imported.number));
  EXPECT_EQ(text_at(run, "request.orderId"), imported.order);
  EXPECT_EQ(text_at(run, "request.trackingNumber"), imported.number);
  EXPECT_TRUE(at(run, "request").as_object().contains("carrier"));
  EXPECT_FALSE(at(run, "request").as_object().contains("destination"));
  for (const char* status : {"in_transit", "out_for_delivery", "delivered"}) {
    tenant.move_shipment(imported.shipment, status);
  }
  tenant.settle();
  EXPECT_EQ(pushes().size(), 1U);
}

TEST_F(PushTracking, OurNumberIsShownWithTheTrackingPageAndWithoutACarrier) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  set_carrier(imported, "ups");
  tenant.move_shipment(imported.shipment, "collected");
  push_with_status("succeeded");
  const json::object shown = store.trackings(imported.id).at(0);
  EXPECT_EQ(text_at(shown, "tracking_number"), imported.number);
  EXPECT_EQ(text_at(shown, "tracking_provider"), "Other");
  EXPECT_EQ(text_at(shown, "tracking_link"), page_of(imported));
}

TEST_F(PushTracking, TheCarriersNumberIsShownWithItsLink) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  set_carrier(imported, "ups");
  set_number(imported, "1Z9/9", "https://carrier.example/1Z99");
  tenant.move_shipment(imported.shipment, "collected");
  push_with_status("succeeded");
  const json::object shown = store.trackings(imported.id).at(0);
  EXPECT_EQ(text_at(shown, "tracking_number"), "1Z9/9");
  EXPECT_EQ(text_at(shown, "tracking_provider"), "UPS");
  EXPECT_EQ(text_at(shown, "tracking_link"), "https://carrier.example/1Z99");
}

TEST_F(PushTracking, TheLinkIsMadeByTheCarriersPatternOrElseIsThePage) {
  const std::string integration = connect(tenant, store);
  const std::string carrier = tenant.sql.value(
      "insert into carriers (business_id, name, code, type) values ($1, 'Bikes', 'bikes', 'courier') "
      "returning guid",
      {tenant.id});
  for (const bool has_pattern : {false, true}) {
    if (has_pattern) {
      tenant.sql.rows(
          "update carriers set tracking_url_pattern = 'https://bikes.example/p?n={number}' where guid = $1",
          {carrier});
    }
    const ImportedOrder imported = add_imported_order(tenant, store, integration);
    tenant.sql.rows("update shipments set carrier_id = $2, carrier_tracking_number = 'B/1' where guid = $1",
                    {imported.shipment, carrier});
    tenant.move_shipment(imported.shipment, "collected");
    ASSERT_TRUE(eventually([&] { return !store.trackings(imported.id).empty(); }));
    const json::object shown = store.trackings(imported.id).at(0);
    EXPECT_EQ(text_at(shown, "tracking_number"), "B/1");
    EXPECT_EQ(text_at(shown, "tracking_provider"), "Bikes");
    EXPECT_EQ(text_at(shown, "tracking_link"),
              has_pattern ? "https://bikes.example/p?n=B%2F1" : page_of(imported));
  }
}

TEST_F(PushTracking, ANumberThatIsEnteredLaterReplacesOurs) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.move_shipment(imported.shipment, "collected");
  push_with_status("succeeded");
  for (const char* number : {"1Z1", "1Z2"}) {
    set_number(imported, number, "");
    EXPECT_TRUE(eventually([&] {
      return shown_numbers(store, imported) == std::vector<std::string>{number};
    })) << number;
  }
  set_number(imported, "1Z2", "https://carrier.example/1Z2");
  EXPECT_TRUE(eventually([&] {
    const auto shown = store.trackings(imported.id);
    return shown.size() == 1 && text_at(shown[0], "tracking_link") == "https://carrier.example/1Z2";
  }));
  tenant.settle();
  EXPECT_EQ(tenant.runs("workflowId=" + push_changed_tracking_workflow(tenant)).size(), 3U);
  EXPECT_EQ(pushes().size(), 1U) << "the other workflow pushes changes";
}

TEST_F(PushTracking, ANumberThatIsEnteredBeforeOrWithTheMoveIsPushedOnce) {
  const std::string integration = connect(tenant, store);
  const ImportedOrder before = add_imported_order(tenant, store, integration);
  set_number(before, "1Z1", "");
  tenant.move_shipment(before.shipment, "collected");
  const ImportedOrder with = add_imported_order(tenant, store, integration);
  tenant.sql.rows(
      "update shipments set status = 'collected', carrier_tracking_number = '1Z2' where guid = $1",
      {with.shipment});
  ASSERT_TRUE(eventually([&] { return shown_numbers(store, with).size() == 1; }));
  tenant.settle();
  EXPECT_THAT(shown_numbers(store, before), ElementsAre("1Z1"));
  EXPECT_THAT(shown_numbers(store, with), ElementsAre("1Z2"));
  EXPECT_EQ(pushes().size(), 2U);
  EXPECT_THAT(tenant.runs("workflowId=" + push_changed_tracking_workflow(tenant)), IsEmpty());
}

TEST_F(PushTracking, AShipmentOfACarrierInTestModeIsSkipped) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  set_carrier(imported, "ups");
  tenant.sql.rows(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode) select $1, "
      "guid, "
      "'1', true from carriers where code = 'ups'",
      {tenant.id});
  tenant.move_shipment(imported.shipment, "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "TEST_MODE");
  EXPECT_THAT(shown_numbers(store, imported), IsEmpty());
}

/// The carrier's mode can have changed since the label was bought.
TEST_F(PushTracking, TheModeOfAPurchaseDecides) {
  const std::string integration = connect(tenant, store);
  for (const bool is_test : {true, false}) {
    const ImportedOrder imported = add_imported_order(tenant, store, integration);
    set_carrier(imported, "ups");
    tenant.sql.rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode)"
        " select $1, guid, '1', $2::boolean from carriers where code = 'ups'"
        " on conflict (business_id, carrier_id) do update set test_mode = excluded.test_mode",
        {tenant.id, is_test ? "false" : "true"});
    tenant.sql.rows(
        "insert into purchases (business_id, guid, reference, shipment_id, attempt, connector, status, "
        "bought_at, "
        "test_mode, shard)"
        " values ($1, gen_random_uuid(), gen_random_uuid(), $2, 1, 'karrio', 'bought', now(), $3::boolean, "
        "0)",
        {tenant.id, imported.shipment, is_test ? "true" : "false"});
    tenant.move_shipment(imported.shipment, "collected");
    if (is_test) {
      EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "TEST_MODE");
    } else {
      EXPECT_TRUE(eventually([&] { return !shown_numbers(store, imported).empty(); }));
    }
  }
}

TEST_F(PushTracking, BothWorkflowsAreSwitchedWithTheStores) {
  const auto changed_is_active = [&] {
    return at(tenant.workflow(push_changed_tracking_workflow(tenant)), "isActive").as_bool();
  };
  EXPECT_FALSE(changed_is_active());
  const std::string integration = connect(tenant, store);
  EXPECT_TRUE(is_active() && changed_is_active());
  tenant.http.get("/api/integrations/provider/disable/" + integration);
  EXPECT_FALSE(is_active() || changed_is_active());
}

TEST_F(PushTracking, IsShownByTheTestOfTheWorkflow) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  const Response response =
      tenant.http.post("/api/workflows/test",
                       {{"workflowId", push_tracking_workflow(tenant)}, {"entityId", imported.shipment}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(at(response.body, "data.matches"), false) << "the shipment is not under way";
  EXPECT_EQ(text_at(response.body, "data.wouldSend.orderId"), imported.order);
  EXPECT_EQ(text_at(response.body, "data.wouldSend.trackingNumber"), imported.number);
  EXPECT_TRUE(store.trackings(imported.id).empty());
}

TEST_F(PushTracking, ASecondShipmentOfAnOrderIsShownAsWell) {
  ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.move_shipment(imported.shipment, "collected");
  ASSERT_TRUE(eventually([&] { return shown_numbers(store, imported).size() == 1; }));
  tenant.move_shipment(tenant.insert_shipment(imported.order), "delivered");
  EXPECT_TRUE(eventually([&] { return shown_numbers(store, imported).size() == 2; }));
}

TEST_F(PushTracking, AShipmentOfSomeItemsTellsTheStoreOnlyOfThese) {
  WooCommerceSimulator fulfilling{{.fulfillments = true}};
  for (auto* const shop : {&fulfilling, &store}) {
    const std::string integration = connect(tenant, *shop);
    const auto id =
        shop->add_order({{"line_items", json::array{store_line(71, "Mug", 3), store_line(72, "Plate", 1)}}});
    const std::string mugs = Guid::random().to_string(), plate = Guid::random().to_string();
    const auto item = [](const std::string& guid, const char* name, int quantity) {
      return json::object{
          {"guid", guid}, {"description", name}, {"sku", name}, {"quantity", quantity}, {"price", 1}};
    };
    const json::array items{item(mugs, "Mug", 3), item(plate, "Plate", 1)};
    const std::string order = tenant.insert_order({{"integration_id", "'" + integration + "'"},
                                                   {"external_id", "'" + std::to_string(id) + "'"},
                                                   {"items", "'" + to_json(items) + "'"}});
    const auto ship = [&](const std::string& guid) {
      const std::string shipment = tenant.insert_shipment(order);
      tenant.sql.rows("update shipments set order_items = array[$2::uuid] where guid = $1", {shipment, guid});
      tenant.move_shipment(shipment, "in_transit");
    };
    const auto parcels = [&] { return shop->fulfillments(id).size() + shop->trackings(id).size(); };
    const auto status = [&] { return text_at(shop->order(id), "status"); };
    ship(mugs);
    ASSERT_TRUE(eventually([&] { return parcels() == 1; }));
    tenant.settle();
    EXPECT_EQ(status(), "processing") << "the plate is still to be sent";
    ship(plate);
    ASSERT_TRUE(eventually([&] { return parcels() == 2 && status() == "completed"; }));
    if (shop != &fulfilling) continue;
    EXPECT_THAT(to_json(shop->fulfillments(id).at(0)), HasSubstr(R"([{"item_id":71,"qty":3}])"));
    EXPECT_THAT(to_json(shop->fulfillments(id).at(1)), HasSubstr(R"([{"item_id":72,"qty":1}])"));
  }
}

/// Orders that are imported, shipped through the API, and changed in between.
class PushOfImportedOrders : public PushTracking {
 protected:
  /// Imports the store's changes.
  void import_changes() {
    const std::string run =
        text_at(tenant.http.post("/api/integrations/" + integration + "/sync").body, "data.runId");
    ASSERT_TRUE(eventually(
        [&] {
          return tenant.sql.value("select finished_at is not null from integration_runs where guid = $1",
                                  {run}) == "t";
        },
        std::chrono::seconds(60)));
  }
  std::string import_order(const json::array& lines) {
    id = fulfilling.add_order({{"line_items", lines}});
    import_changes();
    return tenant.sql.value("select guid from orders where business_id = $1 and external_id = $2",
                            {tenant.id, std::to_string(id)});
  }
  std::string items_of(const std::string& order) {
    return tenant.sql.value(
        "select string_agg(i ->> 'quantity' || ' ' || (i ->> 'description'), ', ') from orders o, "
        "json_array_elements(o.items) i where o.guid = $1",
        {order});
  }
  std::string ship(const std::string& order, const json::object& body = {}) {
    const Response made = tenant.http.post("/api/v1/Orders/" + order + "/shipment", body);
    EXPECT_EQ(made.status, 201) << made.text;
    return text_at(made.body, "data.guid");
  }
  /// The items of the fulfillment that the store gets when the shipment is collected.
  std::string pushed(const std::string& shipment) {
    const auto before = fulfilling.fulfillments(id).size();
    tenant.move_shipment(shipment, "collected");
    if (!eventually([&] { return fulfilling.fulfillments(id).size() > before; })) return "none";
    tenant.settle();
    const json::value meta_data = at(fulfilling.fulfillments(id).at(before), "meta_data");
    for (const auto& entry : meta_data.as_array()) {
      if (entry.at("key") == "_items") return to_json(entry.at("value"));
    }
    return "none";
  }
  std::string status() { return text_at(fulfilling.order(id), "status"); }

  WooCommerceSimulator fulfilling{{.fulfillments = true}};
  std::string integration = connect(tenant, fulfilling);
  std::int64_t id = 0;  // in the store
};

TEST_F(PushOfImportedOrders, WhatTheStoreAddsAfterTheShipmentWasMadeIsNotPushed) {
  for (const bool is_imported : {true, false}) {
    const std::string order = import_order({store_line(71, "Mug", 2)});
    const std::string shipment = ship(order);
    fulfilling.change_order(
        id, {{"line_items", json::array{store_line(71, "Mug", 5), store_line(72, "Book", 1)}}});
    if (is_imported) {
      import_changes();
      ASSERT_EQ(items_of(order), "5 Mug, 1 Book");
    }
    EXPECT_EQ(pushed(shipment), R"([{"item_id":71,"qty":2}])");
    EXPECT_EQ(status(), "processing") << "the others are still to be sent";
  }
}

TEST_F(PushOfImportedOrders, ChosenItemsArePushedWithThePiecesOfTheShipment) {
  const std::string order = import_order({store_line(71, "Mug", 2), store_line(72, "Plate", 1)});
  const std::string mug =
      tenant.sql.value("select items #>> '{0,guid}' from orders where guid = $1", {order});
  const std::string shipment = ship(order, {{"itemIds", {mug}}});
  fulfilling.change_order(
      id, {{"line_items", json::array{store_line(71, "Mug", 5), store_line(72, "Plate", 1)}}});
  import_changes();
  EXPECT_EQ(pushed(shipment), R"([{"item_id":71,"qty":2}])");
}

TEST_F(PushOfImportedOrders, AnOrderThatWasChangedHereIsPushedAsItWasPacked) {
  const std::string order = import_order({store_line(71, "Mug", 5), store_line(72, "Plate", 1)});
  tenant.put_order(order,
                   {{"items", {{{"description", "Mug"}, {"sku", "Mug"}, {"quantity", 3}, {"price", 1}}}}});
  EXPECT_EQ(pushed(ship(order)), R"([{"item_id":71,"qty":3}])");
  EXPECT_EQ(status(), "processing") << "the store still wants two mugs and the plate";
}

TEST_F(PushOfImportedOrders, WhatWasPaidBackBeforeShippingIsNotPushed) {
  id =
      fulfilling.add_order({{"line_items", json::array{store_line(71, "Shirt", 1), store_line(72, "Shirt", 1),
                                                       store_line(73, "Mug", 3)}}});
  fulfilling.refund_lines(id, {{71, 1}, {73, 1}});
  import_changes();
  const std::string order = tenant.sql.value(
      "select guid from orders where business_id = $1 and external_id = $2", {tenant.id, std::to_string(id)});
  ASSERT_EQ(items_of(order), "1 Shirt, 2 Mug");
  EXPECT_EQ(pushed(ship(order)), R"([{"item_id":72,"qty":1},{"item_id":73,"qty":2}])");
  EXPECT_EQ(status(), "completed");
}

TEST_F(PushOfImportedOrders, AShipmentOfSqlIsPushedWithAllThatTheStoreHas) {
  const std::string order = import_order({store_line(71, "Mug", 2)});
  fulfilling.change_order(id,
                          {{"line_items", json::array{store_line(71, "Mug", 2), store_line(72, "Book", 1)}}});
  EXPECT_EQ(pushed(tenant.insert_shipment(order)), R"([{"item_id":71,"qty":2},{"item_id":72,"qty":1}])");
  EXPECT_EQ(status(), "completed");
}

TEST_F(PushTracking, AReturnIsNotPushed) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.sql.rows("update shipments set is_return = true where guid = $1", {imported.shipment});
  tenant.move_shipment(imported.shipment, "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "NO_RECORD");
  EXPECT_THAT(shown_numbers(store, imported), IsEmpty());
}

TEST_F(PushTracking, APushWaitsForAnotherPushOfTheSameOrder) {
  const std::string integration = connect(tenant, store);
  const ImportedOrder imported = add_imported_order(tenant, store, integration);
  const auto hold = [&](std::string_view until) {
    tenant.sql.rows(
        "insert into tracking_pushes values ($1, $2, $3, gen_random_uuid(), now() + $4::interval) "
        "on conflict (business_id, integration_id, external_id) do update set held_until = "
        "excluded.held_until",
        {tenant.id, integration, std::to_string(imported.id), std::string(until)});
  };
  hold("1 hour");
  const auto before = store.calls().size();
  tenant.move_shipment(imported.shipment, "collected");
  ASSERT_TRUE(reaches_status("queued", "")) << "waiting is no attempt";
  EXPECT_EQ(at(pushes()[0], "attempts"), 0);
  EXPECT_EQ(store.calls().size(), before);
  hold("-1 second");
  push_with_status("succeeded");
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
  EXPECT_TRUE(eventually([&] { return tenant.sql.value("select count(*) from tracking_pushes") == "0"; }));
}

TEST_F(PushTracking, AReplayPushesNothingTwice) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.move_shipment(imported.shipment, "collected");
  const json::object run = push_with_status("succeeded");
  const Response replayed =
      tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  const std::string again = text_at(replayed.body, "data.guid");
  ASSERT_TRUE(eventually([&] { return text_at(tenant.run(again), "status") == "succeeded"; }));
  EXPECT_THAT(text_at(tenant.run(again), "tries.0.response"), HasSubstr("already"));
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
}

TEST_F(PushTracking, AStoreThatIsDownGetsTheNumberLater) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  store.fail(failing_with(503), 1000);
  tenant.move_shipment(imported.shipment, "collected");
  ASSERT_TRUE(reaches_status("retrying", "STORE_BUSY"));
  store.stop_failing();
  const json::object run = push_with_status("succeeded");
  EXPECT_GE(at(run, "attempts").to_number<int>(), 2);
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
}

TEST_F(PushTracking, ALostResponseDoesNotDuplicateTheNumber) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  Fault lost = lost_answer();
  lost.method = "POST";
  store.fail(lost);
  tenant.move_shipment(imported.shipment, "collected");
  push_with_status("succeeded");
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
}

TEST_F(PushTracking, APermanentRefusalEndsTheRunWithTheMessageOfTheStore) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  store.delete_order(imported.id);
  tenant.move_shipment(imported.shipment, "collected");
  const json::object run = push_with_status("dead");
  EXPECT_EQ(text_at(run, "code"), "STORE_REFUSED");
  EXPECT_EQ(at(run, "attempts"), 1);
  EXPECT_FALSE(text_at(run, "error").empty());
}

TEST_F(PushTracking, CorrectedCredentialsAreUsedByTheNextAttempt) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  store.set_secret("cs_another");
  tenant.move_shipment(imported.shipment, "collected");
  ASSERT_TRUE(reaches_status("retrying", "STORE_CREDENTIALS"));
  const json::object run = tenant.run(text_at(pushes()[0], "guid"));
  EXPECT_EQ(json::serialize(run).find(store.secret()), std::string::npos);
  store.set_secret(store.secret());
  push_with_status("succeeded");
  EXPECT_THAT(shown_numbers(store, imported), ElementsAre(imported.number));
}

TEST_F(PushTracking, AnOrderThatWasNotImportedIsSkipped) {
  connect(tenant, store);
  tenant.move_shipment(tenant.insert_shipment(tenant.insert_order()), "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "NOT_IMPORTED");
}

TEST_F(PushTracking, AStoreWithoutPushTrackingGetsNoNumber) {
  WooCommerceSimulator quiet{{.shipment_tracking = true}};
  connect(tenant, store);
  const ImportedOrder imported = add_imported_order(tenant, quiet, connect(tenant, quiet, without_push));
  tenant.move_shipment(imported.shipment, "collected");
  EXPECT_EQ(text_at(push_with_status("skipped"), "code"), "PUSH_OFF");
  EXPECT_THAT(shown_numbers(quiet, imported), IsEmpty());
}

TEST_F(PushTracking, NothingIsPushedWhileTheWorkflowIsInactive) {
  const ImportedOrder imported = add_imported_order(tenant, store, connect(tenant, store));
  tenant.http.get("/api/workflows/configured/" + push_tracking_workflow(tenant) + "/toggle");
  tenant.move_shipment(imported.shipment, "collected");
  tenant.settle();
  EXPECT_THAT(pushes(), IsEmpty());
  EXPECT_THAT(shown_numbers(store, imported), IsEmpty());
}

TEST_F(PushTracking, AHangingStoreDelaysNoOther) {
  const auto gate = std::make_shared<Gate>();
  const std::string hanging = connect(tenant, store);
  for (int i = 0; i < 30; ++i) {
    const ImportedOrder imported = add_imported_order(tenant, store, hanging);
    if (i == 0) store.fail(slow_answer(gate), 1000);
    tenant.move_shipment(imported.shipment, "collected");
  }
  WooCommerceSimulator well{{.shipment_tracking = true}};
  const ImportedOrder imported = add_imported_order(tenant, well, connect(tenant, well));
  tenant.move_shipment(imported.shipment, "collected");
  EXPECT_TRUE(eventually([&] { return !shown_numbers(well, imported).empty(); }, std::chrono::seconds(5)));
  const auto calls = store.calls().size();
  EXPECT_LT(calls, 30U) << "two at a time";
  gate->open();
  store.stop_failing();
}

TEST(PushTrackingAcrossACrash, ANumberThatTheStoreAlreadyHasIsNotPushedAgain) {
  const TestDatabase database;
  WooCommerceSimulator store{{.shipment_tracking = true}};
  const auto gate = std::make_shared<Gate>();
  auto waybill = std::make_unique<Waybill>(database.url());
  ImportedOrder imported;
  {
    Tenant tenant(*waybill, "crash");
    imported = add_imported_order(tenant, store, connect(tenant, store));
    Fault held = slow_answer(gate);
    held.method = "POST";
    store.fail(held);
    tenant.move_shipment(imported.shipment, "collected");
    ASSERT_TRUE(eventually([&] { return store.trackings(imported.id).size() == 1; }));
  }
  waybill->process().kill_tree();
  gate->open();
  waybill.reset();
  const Waybill next(database.url());
  Tenant tenant(next, "crash");
  tenant.run_with_status(push_tracking_workflow(tenant), "succeeded", std::chrono::seconds(60));
  EXPECT_EQ(store.trackings(imported.id).size(), 1U);
}

TEST(PushTrackingAcrossAStop, AnInterruptedPushIsNoAttemptAndContinuesOnAnotherWorker) {
  const TestDatabase database;
  WooCommerceSimulator store{{.shipment_tracking = true}};
  const auto gate = std::make_shared<Gate>();
  ImportedOrder imported;
  {
    Waybill waybill(database.url());
    Tenant tenant(waybill, "stop");
    imported = add_imported_order(tenant, store, connect(tenant, store));
    store.fail(slow_answer(gate), 1000);
    const auto before = store.calls().size();
    tenant.move_shipment(imported.shipment, "collected");
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
  EXPECT_EQ(store.trackings(imported.id).size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
