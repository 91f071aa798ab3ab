#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ascii.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using Codes = std::vector<std::string>;

struct Change {
  const char* case_name;
  const char* set;  // assignments of an update, or a whole statement with GUID for the record's guid
  Codes fires;
};

struct Entity {
  const char* type;
  const char* insert;  // BUSINESS is replaced by the guid of the business
  const char* table;
  Codes created;
  std::vector<Change> changes;  // successive changes of one record
  Codes catalogue;
};

void PrintTo(const Entity& entity, std::ostream* out) { *out << entity.type; }

Entity order_entity() {
  return {
      "Order",
      "insert into orders (business_id, order_number) values ('BUSINESS', 'T-1') returning guid",
      "orders",
      {"order_created"},
      {
          {"nothing", "notes = notes", {}},
          {"bookkeeping alone", "updated_at = now() + interval '1 day', status_changed_at = now()", {}},
          {"a text", "notes = 'x'", {"order_updated"}},
          {"items", R"(items = '[{"description": "Lamp", "quantity": 1, "price": 5}]')", {"order_updated"}},
          {"the same items", R"(items = '[{"price": 5, "quantity": 1, "description": "Lamp"}]')", {}},
          {"an address part", "delivery_city = 'Faro'", {"order_updated"}},
          {"a recipient", "delivery_name = 'Bob'", {"order_updated"}},
          {"metadata", R"(metadata = '{"a": 1}')", {"order_updated"}},
          {"the same metadata", R"(metadata = '{"a": 1}')", {}},
          {"a collection date",
           "collection_date = '2026-12-01'",
           {"order_collection_scheduled", "order_updated"}},
          {"status", "status = 'processing'", {"order_status_changed"}},
          {"status and a text", "status = 'ready', notes = 'y'", {"order_status_changed", "order_updated"}},
          {"shipped", "status = 'shipped'", {"order_shipped", "order_status_changed"}},
          {"delivered", "status = 'delivered'", {"order_delivered", "order_status_changed"}},
          {"cancelled", "status = 'cancelled'", {"order_cancelled", "order_status_changed"}},
          {"merge",
           "merge into orders o using (select 'z' as n) s on o.guid = 'GUID' when matched then update set "
           "notes = n",
           {"order_updated"}},
          {"upsert",
           "insert into orders (business_id, guid, order_number) select business_id, guid, 'T-1' from "
           "orders "
           "where guid = 'GUID' on conflict (business_id, guid) do update set notes = 'upserted'",
           {"order_updated"}},
          {"soft deletion", "deleted_at = now()", {"order_deleted"}},
          {"a change while deleted", "notes = 'unseen'", {}},
          {"its reversal", "deleted_at = null", {"order_created"}},
          {"deletion", "delete from orders where guid = 'GUID'", {"order_deleted"}},
      },
      {"order_created", "order_updated", "order_status_changed", "order_cancelled", "order_shipped",
       "order_delivered", "order_collection_scheduled", "order_deleted"}};
}

Entity shipment_entity() {
  return {"Shipment",
          "insert into shipments (business_id, tracking_number) values ('BUSINESS', 'T-1') returning guid",
          "shipments",
          {"shipment_created"},
          {
              {"a text", "instructions = 'x'", {"shipment_updated"}},
              {"put into a dispatch", "dispatch_id = gen_random_uuid()", {"shipment_dispatched"}},
              {"collected",
               "status = 'collected'",
               {"shipment_collected", "shipment_status_changed", "shipment_trace_added"}},
              {"in transit",
               "status = 'in_transit'",
               {"shipment_in_transit", "shipment_status_changed", "shipment_trace_added"}},
              {"out",
               "status = 'out_for_delivery'",
               {"shipment_out_for_delivery", "shipment_status_changed", "shipment_trace_added"}},
              {"exception",
               "status = 'exception'",
               {"shipment_exception", "shipment_status_changed", "shipment_trace_added"}},
              {"delivered",
               "status = 'delivered', delivered_at = now()",
               {"shipment_delivered", "shipment_status_changed", "shipment_trace_added"}},
              {"returned",
               "status = 'returned'",
               {"shipment_returned", "shipment_status_changed", "shipment_trace_added"}},
              {"cancelled",
               "status = 'cancelled'",
               {"shipment_cancelled", "shipment_status_changed", "shipment_trace_added"}},
              {"a carrier's number", "carrier_tracking_number = '1Z'", {"shipment_updated"}},
              {"a request for a label", "label_status = 'buying'", {}},
              {"a label whose outcome is not known", "label_status = 'unknown'", {"shipment_label_failed"}},
              {"a label with what a purchase writes",
               "label_status = 'bought', carrier_tracking_number = '1Z9', shipping_price = 7.9, "
               "currency = 'EUR', carrier_tracking_url = 'https://carrier.example/1Z9', "
               R"(service_level = 'express', packages = '[{"carrierTrackingNumber": "1Z9"}]')",
               {"shipment_label_bought"}},
              {"another price of the label", "shipping_price = 8.1", {"shipment_updated"}},
              {"a request for a void", "label_status = 'voiding'", {}},
              {"a refused void", "label_status = 'bought'", {}},
              {"another request for a void", "label_status = 'voiding'", {}},
              {"a void and a text",
               "label_status = 'voided', shipping_price = null, instructions = 'y'",
               {"shipment_label_voided", "shipment_updated"}},
              {"a refused label", "label_status = 'refused'", {"shipment_label_failed"}},
              {"bookkeeping alone", "last_trace_at = now(), status_changed_at = now()", {}},
              {"a scan",
               "insert into shipment_traces (business_id, shipment_id, at, status, description, is_move) "
               "select business_id, guid, now(), status, 'Sorted', false from shipments where guid = 'GUID'; "
               "update shipments set last_trace_at = now(), "
               "last_trace_id = (select max(id) from shipment_traces where shipment_id = 'GUID') "
               "where guid = 'GUID'",
               {"shipment_trace_added"}},
              {"deletion", "delete from shipments where guid = 'GUID'", {"shipment_deleted"}},
          },
          {"shipment_created", "shipment_updated", "shipment_status_changed", "shipment_collected",
           "shipment_in_transit", "shipment_out_for_delivery", "shipment_delivered", "shipment_exception",
           "shipment_returned", "shipment_cancelled", "shipment_dispatched", "shipment_label_bought",
           "shipment_label_failed", "shipment_label_voided", "shipment_trace_added", "shipment_deleted"}};
}

Entity customer_entity() {
  return {"Customer",
          "insert into customers (business_id, name) values ('BUSINESS', 'Ada') returning guid",
          "customers",
          {"customer_created"},
          {
              {"a name", "name = 'Ada L.'", {"customer_updated"}},
              {"contacts", R"(contacts = '[{"name": "Bob"}]')", {"customer_updated"}},
              {"references", R"(reference_list = '[{"type": "vat", "value": "1"}]')", {"customer_updated"}},
              {"own data", R"(tags = '["vip"]', external_reference = 'ERP-1')", {"customer_updated"}},
              {"an erasure",
               "with e as (insert into events (business_id, entity_type, entity_id, detail) "
               "select business_id, 2, guid, '{\"erased\": true}' from customers where guid = 'GUID' "
               "returning business_id, id, at) insert into pending_events (shard, id, business_id, at) "
               "select shard_of(business_id), id, business_id, at from e",
               {"customer_erased"}},
              {"deletion", "delete from customers where guid = 'GUID'", {"customer_deleted"}},
          },
          {"customer_created", "customer_updated", "customer_deleted", "customer_erased"}};
}

Entity product_entity() {
  return {"Product",
          "insert into products (business_id, name, price) values ('BUSINESS', 'Lamp', 5) returning guid",
          "products",
          {"product_created"},
          {
              {"the same price", "price = 5.00", {}},
              {"a price", "price = 6", {"product_price_changed", "product_updated"}},
              {"variants", R"(variants = '[{"name": "Red", "sku": "R"}]')", {"product_updated"}},
              {"deletion", "delete from products where guid = 'GUID'", {"product_deleted"}},
          },
          {"product_created", "product_updated", "product_price_changed", "product_deleted"}};
}

class Triggers : public WorkflowTest, public testing::WithParamInterface<Entity> {
 protected:
  // The codes of the runs made since the last call, sorted.
  Codes fired() {
    tenant.settle();
    Codes codes = tenant.sql.column(
        "select trigger_code from all_runs where business_id = $1 and event_id > $2 order by trigger_code",
        {tenant.id, std::to_string(seen_)});
    seen_ = tenant.sql.number("select coalesce(max(event_id), 0) from all_runs where business_id = $1",
                              {tenant.id});
    return codes;
  }

 private:
  std::int64_t seen_ = 0;
};

TEST_P(Triggers, FireOnlyForTheirChanges) {
  const Entity& entity = GetParam();
  for (const std::string& code : entity.catalogue) {
    tenant.webhook(receiver.url("/" + code), code);
  }
  const std::string guid = tenant.sql.value(replaced(entity.insert, "BUSINESS", tenant.id));
  EXPECT_EQ(fired(), entity.created);
  std::set<std::string> all(entity.created.begin(), entity.created.end());
  for (const Change& change : entity.changes) {
    SCOPED_TRACE(change.case_name);
    std::string statement = replaced(change.set, "GUID", guid);
    const bool whole = statement.starts_with("delete ") || statement.starts_with("merge ") ||
                       statement.starts_with("insert ") || statement.starts_with("with ");
    if (!whole) {
      statement = std::string("update ").append(entity.table).append(" set ").append(statement);
      statement.append(" where guid = '").append(guid).append("'");
    }
    tenant.sql.exec(statement);
    EXPECT_EQ(fired(), change.fires);
    all.insert(change.fires.begin(), change.fires.end());
  }
  EXPECT_EQ(all, std::set<std::string>(entity.catalogue.begin(), entity.catalogue.end()));
}

TEST_P(Triggers, TheCatalogueIsThatOfTheContract) {
  const Entity& entity = GetParam();
  const Response response = tenant.http.get(std::string("/api/workflows/triggers/") + entity.type);
  ASSERT_EQ(response.status, 200);
  std::set<std::string> codes;
  for (const json::value& trigger : response.data().as_array()) {
    const std::string code = text_at(trigger, "code");
    codes.insert(code);
    EXPECT_EQ(text_at(trigger, "guid"), trigger_guid(code));
    EXPECT_NE(text_at(trigger, "name"), "");
    EXPECT_NE(text_at(trigger, "description"), "");
  }
  EXPECT_EQ(codes, std::set<std::string>(entity.catalogue.begin(), entity.catalogue.end()));
}

INSTANTIATE_TEST_SUITE_P(Each, Triggers,
                         testing::Values(order_entity(), shipment_entity(), customer_entity(),
                                         product_entity()),
                         [](const auto& entity) { return std::string(entity.param.type); });

TEST_F(WorkflowTest, TriggersOfUnknownEntityTypeAre400) {
  EXPECT_EQ(tenant.http.get("/api/workflows/triggers/Warehouse").status, 400);
  EXPECT_EQ(tenant.http.get("/api/workflows/triggers/order").status, 200);
}

}  // namespace
}  // namespace waybill::tests
