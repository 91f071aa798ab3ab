#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/records/settable_fields.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// Actions that change records: update_record and create_shipment.
class RecordActions : public WorkflowTest {
 protected:
  std::string workflow(std::string_view entity_type, std::string_view trigger, const json::object& action,
                       const json::object& more = {}) {
    json::object body{{"name", action.at("type")},
                      {"entityType", entity_type},
                      {"triggerId", trigger_guid(trigger)},
                      {"action", action}};
    for (const auto& [key, value] : more) body[key] = value;
    return text_at(tenant.configure(body), "guid");
  }
  std::string sets(std::string_view entity_type, std::string_view trigger, std::string_view values,
                   const json::object& more = {}) {
    return workflow(entity_type, trigger, {{"type", "update_record"}, {"set", json::parse(values)}}, more);
  }
  json::value order(const std::string& guid) {
    return at(tenant.http.get("/api/v1/Orders/" + guid).body, "data");
  }
  std::int64_t shipments_of(const std::string& guid) {
    return tenant.sql.number("select count(*) from shipments where order_id = $1 and deleted_at is null",
                             {guid});
  }
};

TEST_F(RecordActions, SetFieldsOfAnOrderInOneEvent) {
  const std::string flow =
      sets("Order", "order_created",
           R"({"notes": "For {{customer.name}}", "externalReference": "X-{{orderNumber}}",
                                    "collectionDate": "2026-12-01T08:00:00Z",
                                    "tags": {"add": ["{{deliveryAddress.country}}", "new"], "remove": ["OLD"]},
                                    "metadata": {"seen": true, "number": "{{orderNumber}}", "gone": null}})");
  const std::string guid = tenant.create_order({{"orderNumber", "S-1"},
                                                {"customer", {{"name", "Ada"}}},
                                                {"tags", json::array{"old", "kept"}},
                                                {"metadata", {{"gone", 1}, {"kept", "k"}}}});
  tenant.run_with_status(flow, "succeeded");
  const json::value changed = order(guid);
  EXPECT_EQ(at(changed, "notes"), "For Ada");
  EXPECT_EQ(at(changed, "externalReference"), "X-S-1");
  EXPECT_EQ(at(changed, "collectionDate"), "2026-12-01T08:00:00.000Z");
  EXPECT_THAT(json::serialize(at(changed, "tags")), HasSubstr(R"(["kept",)"));
  EXPECT_EQ(at(changed, "metadata"), json::parse(R"({"seen": true, "number": "S-1", "kept": "k"})"));
  tenant.settle();
  EXPECT_EQ(tenant.sql.number("select count(*) from events where entity_id = $1", {guid}), 2);
  EXPECT_EQ(tenant.sql.value(
                "select cause ->> 'depth' from events where entity_id = $1 order by id desc limit 1", {guid}),
            "1");
}

TEST_F(RecordActions, ChangeNoNumberThatSqlWrote) {
  const std::string items =
      R"([{"guid": "00000000-0000-4000-8000-0000000000a1", "price": 12345678901234567890123, "quantity": 1,)"
      R"( "dimensions": {"length": 1e400, "weight": 0.12345678901234567891}}])";
  const std::string ships = workflow("Order", "order_created", {{"type", "create_shipment"}});
  const std::string sets_notes =
      sets("Order", "order_created", R"({"notes": "n", "metadata": {"seen": true}})");
  const std::string order = tenant.insert_order({{"items", "'" + items + "'"},
                                                 {"metadata", "'{\"id\": 12345678901234567890123}'"},
                                                 {"delivery_street", "'S'"},
                                                 {"delivery_city", "'C'"}});
  for (const auto& flow : {ships, sets_notes}) tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(tenant.sql.value("select packages -> 0 ->> 'weight' from shipments where order_id = $1", {order}),
            "0.123457");
  EXPECT_EQ(tenant.sql.value("select order_pieces from shipments where order_id = $1", {order}),
            R"({"00000000-0000-4000-8000-0000000000a1": 1})");
  EXPECT_EQ(tenant.sql.value("select items::jsonb @> $2::jsonb from orders where guid = $1", {order, items}),
            "t");
  EXPECT_EQ(tenant.sql.value("select metadata ->> 'id' from orders where guid = $1", {order}),
            "12345678901234567890123");
}

TEST_F(RecordActions, SetFieldsOfOtherRecords) {
  const std::string of_customer =
      sets("Customer", "customer_created", R"({"company": "{{name}} Ltd", "phone": "1"})");
  const std::string of_product =
      sets("Product", "product_created", R"({"price": "12.50", "description": "{{sku}}"})");
  const std::string of_shipment = sets("Shipment", "shipment_created",
                                       R"({"instructions": "ring", "deliveryDate": "2026-12-24T00:00:00Z",
                                           "carrierTrackingNumber": "C-1"})");
  const std::string customer =
      text_at(tenant.http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}}).body,
              "data.guid");
  const std::string product =
      text_at(tenant.http.post("/api/v1/Products", {{"name", "Lamp"}, {"sku", "L-1"}}).body, "data.guid");
  const std::string shipment = tenant.insert_shipment("");
  for (const auto& flow : {of_customer, of_product, of_shipment}) tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(tenant.sql.value("select company from customers where guid = $1", {customer}), "Ada Ltd");
  EXPECT_EQ(tenant.sql.value("select price || description from products where guid = $1", {product}),
            "12.50L-1");
  EXPECT_EQ(
      tenant.sql.value(
          "select instructions || carrier_tracking_number || (estimated_delivery at time zone 'UTC')::date "
          "from shipments where guid = $1",
          {shipment}),
      "ringC-12026-12-24");
}

TEST_F(RecordActions, AGuidThatNamesNoRecordOfTheBusinessIs404) {
  constexpr std::string_view nothing = "018f0000-0000-7000-8000-000000000001";
  const std::string order_id = tenant.create_order();
  const std::string item = text_at(order(order_id), "items.0.guid");
  const std::string carrier = text_at(tenant.http.get("/api/carriers").data(), "0.guid");
  const auto status = [&](const json::object& action) {
    const json::object definition{{"name", "w"},
                                  {"entityType", "Order"},
                                  {"triggerId", trigger_guid("order_created")},
                                  {"action", action}};
    const int configured = tenant.http.post("/api/workflows/configure", definition).status;
    const int tested =
        tenant.http.post("/api/workflows/test", {{"definition", definition}, {"entityId", order_id}}).status;
    EXPECT_EQ(configured, tested == 200 ? 201 : tested) << json::serialize(action);
    return tested;
  };
  const auto set = [](std::string_view guid) {
    return json::object{{"type", "update_record"}, {"set", {{"carrierId", guid}}}};
  };
  const auto ship = [](const json::object& more) {
    json::object action{{"type", "create_shipment"}};
    for (const auto& [key, value] : more) action[key] = value;
    return action;
  };
  EXPECT_EQ(status(set(nothing)), 404);
  EXPECT_EQ(status(set(carrier)), 200);
  EXPECT_EQ(status(ship({{"carrierId", nothing}})), 404);
  EXPECT_EQ(status(ship({{"carrierId", carrier}})), 200);
  EXPECT_EQ(status(ship({{"itemIds", {item, nothing}}})), 404);
  EXPECT_EQ(status(ship({{"itemIds", {item, item}}})), 200);
  Tenant other(world.waybill, test_name() + "-other");
  EXPECT_EQ(other.http
                .post("/api/workflows/configure", {{"name", "w"},
                                                   {"entityType", "Order"},
                                                   {"triggerId", trigger_guid("order_created")},
                                                   {"action", ship({{"itemIds", {item}}})}})
                .status,
            404)
      << "an item of another business";
}

TEST_F(RecordActions, ARequestIsShownWithTheNamesOfTheApi) {
  for (const auto& type : domain::record_types()) {
    for (const auto* const field : actions::settable_fields(type.type)) {
      const json::object request{{"changes", {{field->column()->name, "x"}}}};
      const auto shown =
          json::parse(tenant.sql.value("select shown_request($1::uuid, 'update_record', $2::json, null)",
                                       {tenant.id, json::serialize(request)}));
      EXPECT_EQ(at(shown, "changes"), json::value({{field->column()->settable_as, "x"}}));
    }
  }
  const std::string flow = sets("Order", "order_created", R"({"externalReference": "X"})");
  const std::string guid = tenant.create_order();
  EXPECT_EQ(at(tenant.run_with_status(flow, "succeeded"), "request.changes"),
            json::value({{"externalReference", "X"}}));
  const auto tested = tenant.http.post("/api/workflows/test", {{"workflowId", flow}, {"entityId", guid}});
  EXPECT_EQ(at(tested.data(), "wouldSend.changes"), json::value({{"externalReference", "X"}}));
}

TEST_F(RecordActions, AnInvalidValueSetsNothing) {
  tenant.http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}});
  const std::string rendered =
      sets("Order", "order_created", R"({"notes": "x", "collectionDate": "{{orderNumber}}"})");
  const std::string no_carrier =
      sets("Order", "order_created", R"({"notes": "x", "carrierId": "{{externalReference}}"})");
  const std::string duplicate =
      sets("Customer", "customer_created", R"({"email": "ada@example.com", "phone": "1"})",
           {{"conditions", {{"name", "Bob"}}}});
  const std::string guid =
      tenant.create_order({{"externalReference", "018f0000-0000-7000-8000-000000000001"}});
  const std::string bob = text_at(tenant.http.post("/api/v1/Customers", {{"name", "Bob"}}).body, "data.guid");
  json::object run = tenant.run_with_status(rendered, "dead");
  EXPECT_EQ(at(run, "code"), "INVALID_VALUE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("collectionDate"));
  run = tenant.run_with_status(no_carrier, "dead");
  EXPECT_EQ(at(run, "code"), "INVALID_VALUE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("carrierId"));
  run = tenant.run_with_status(duplicate, "dead");
  EXPECT_EQ(at(run, "code"), "INVALID_VALUE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("email"));
  EXPECT_TRUE(at(order(guid), "notes").is_null());
  EXPECT_EQ(tenant.sql.value("select phone from customers where guid = $1", {bob}), "");
}

TEST_F(RecordActions, AReplayOfARunThatCannotBeRenderedEndsLikeIt) {
  const std::string flow = sets("Order", "order_created", R"({"collectionDate": "{{orderNumber}}"})");
  tenant.create_order();
  const json::object run = tenant.run_with_status(flow, "dead");
  EXPECT_EQ(at(tenant.run(text_at(run, "guid")), "request"), json::value());
  const Response replayed = tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {});
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  json::object again;
  ASSERT_TRUE(eventually([&] {
    again = tenant.run(text_at(replayed.data(), "guid"));
    return !again.at("finishedAt").is_null();
  }));
  EXPECT_EQ(at(again, "status"), "dead");
  EXPECT_EQ(at(again, "code"), "INVALID_VALUE");
  EXPECT_EQ(at(again, "error"), at(run, "error"));
  EXPECT_EQ(at(again, "request"), json::value());
}

TEST_F(RecordActions, AFieldThatMayNoLongerChangeIsLocked) {
  const std::string of_order = sets("Order", "order_shipped", R"({"notes": "late"})");
  const std::string of_shipment =
      sets("Shipment", "shipment_delivered", R"({"carrierTrackingNumber": "late"})");
  const std::string guid = tenant.insert_order();
  tenant.move_order(guid, "shipped");
  const std::string shipment = tenant.insert_shipment("");
  tenant.move_shipment(shipment, "delivered");
  EXPECT_EQ(at(tenant.run_with_status(of_order, "skipped"), "code"), "LOCKED");
  EXPECT_EQ(at(tenant.run_with_status(of_shipment, "skipped"), "code"), "LOCKED");
  EXPECT_TRUE(at(order(guid), "notes").is_null());
}

TEST_F(RecordActions, WaitForATransactionThatHoldsTheRecord) {
  const std::string flow =
      sets("Order", "order_created", R"({"externalReference": "set"})", {{"delay", "PT1S"}});
  const std::string guid = tenant.insert_order();
  const std::string run = text_at(tenant.run_with_status(flow, "waiting"), "guid");
  Session other(world.database.url());
  other.exec("begin");
  other.rows("select from orders where guid = $1 for update", {guid});
  ASSERT_TRUE(eventually([&] { return at(tenant.run(run), "status") == "queued"; }))
      << "it is tried again later";
  other.exec("commit");
  EXPECT_EQ(at(tenant.run_with_status(flow, "succeeded"), "attempts"), 1);
  EXPECT_EQ(at(order(guid), "externalReference"), "set");
}

TEST_F(RecordActions, AWorkflowThatChangesItsOwnRecordEndsAsALoop) {
  const std::string flow = sets("Order", "order_updated", R"({"notes": "{{notes}}x"})");
  tenant.insert_order();
  tenant.settle();
  tenant.update_orders("notes = 'x' where true");
  ASSERT_TRUE(eventually([&] { return tenant.runs("workflowId=" + flow + "&status=dead").size() == 1; }));
  EXPECT_EQ(at(tenant.runs("workflowId=" + flow + "&status=dead")[0], "code"), "LOOP");
  EXPECT_EQ(tenant.runs("workflowId=" + flow + "&status=succeeded").size(), 8U);
}

TEST_F(RecordActions, CreateAShipmentForAnOrder) {
  const std::string flow =
      workflow("Order", "order_created", {{"type", "create_shipment"}, {"generateLabel", true}});
  const std::string guid = tenant.create_order();
  tenant.run_with_status(flow, "succeeded");
  EXPECT_EQ(shipments_of(guid), 1);
  const std::string shipment = tenant.sql.value("select guid from shipments where order_id = $1", {guid});
  EXPECT_EQ(tenant.http.get("/api/v1/shipments/" + shipment + "/label").status, 200);
  tenant.settle();
  EXPECT_EQ(tenant.sql.value("select cause -> 'by' ->> 'type' from events where entity_id = $1", {shipment}),
            "workflow");

  const json::object run = tenant.run_with_status(flow, "succeeded");
  const Response replayed = tenant.http.post("/api/workflows/runs/" + text_at(run, "guid") + "/replay", {});
  ASSERT_EQ(replayed.status, 201);
  const std::string replay = text_at(replayed.body, "data.guid");
  ASSERT_TRUE(eventually([&] { return at(tenant.run(replay), "status") == "skipped"; }));
  EXPECT_EQ(at(tenant.run(replay), "code"), "EXISTS");
  EXPECT_EQ(shipments_of(guid), 1);
}

TEST_F(RecordActions, AShipmentThatCannotBeMadeHasAReason) {
  const std::string carrier = text_at(
      tenant.http.post("/api/carriers", {{"name", "Bikes"}, {"code", "bikes"}, {"type", "lastmile"}}).data(),
      "guid");
  const std::string item = text_at(order(tenant.create_order()), "items.0.guid");
  const std::string unknown_carrier =
      workflow("Order", "order_created", {{"type", "create_shipment"}, {"carrierId", carrier}});
  const std::string unknown_item =
      workflow("Order", "order_created", {{"type", "create_shipment"}, {"itemIds", json::array{item}}});
  ASSERT_EQ(tenant.http.del("/api/carriers/" + carrier).status, 200);
  const std::string cancelled = workflow("Order", "order_cancelled", {{"type", "create_shipment"}});
  const std::string guid = tenant.create_order();
  json::object run = tenant.run_with_status(unknown_carrier, "dead");
  EXPECT_EQ(at(run, "code"), "INVALID_VALUE");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("carrierId"));
  run = tenant.run_with_status(unknown_item, "dead");
  EXPECT_THAT(text_at(run, "error"), HasSubstr("itemIds"));
  tenant.move_order(guid, "cancelled");
  EXPECT_EQ(at(tenant.run_with_status(cancelled, "skipped"), "code"), "LOCKED");
  EXPECT_EQ(shipments_of(guid), 0);
}

TEST_F(RecordActions, ChangesOfOneEventAreMadeInTheOrderOfTheirWorkflows) {
  for (const char* const note : {"first", "second", "third"})
    sets("Order", "order_created", std::string(R"({"notes": ")") + note + R"("})");
  const std::string guid = tenant.create_order();
  ASSERT_TRUE(eventually([&] { return tenant.runs("entityId=" + guid + "&status=succeeded").size() == 3; }));
  EXPECT_EQ(at(order(guid), "notes"), "third");
}

}  // namespace
}  // namespace waybill::tests
