// The export of what is stored about a person.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"

namespace waybill::tests {
namespace {

class CustomerExportTest : public testing::Test {
 protected:
  std::string create_customer(const json::object& fields) {
    const auto created = http.post("/api/v1/Customers", fields);
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }

  json::value export_of(const std::string& customer) {
    const auto exported = http.get("/api/v1/Customers/" + customer + "/export");
    EXPECT_EQ(exported.status, 200) << exported.text;
    return exported.data();
  }

  World world;
  Receiver receiver;
  Tenant tenant{world.waybill, "Exporting"};
  Http& http = tenant.http;
};

TEST_F(CustomerExportTest, HasDeletedRecordsWithTheTimeOfTheirDeletion) {
  const auto customer = create_customer({{"name", "Ada"}});
  const auto kept = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto gone = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto shipment = tenant.insert_shipment(gone);
  tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {shipment});
  tenant.sql.rows("update orders set deleted_at = now() where guid = $1", {gone});

  const auto document = export_of(customer);
  ASSERT_EQ(at(document, "orders").as_array().size(), 2U);
  EXPECT_EQ(text_at(document, "orders.0.guid"), kept);
  EXPECT_TRUE(at(document, "orders.0.deletedAt").is_null());
  EXPECT_EQ(text_at(document, "orders.1.guid"), gone);
  EXPECT_TRUE(at(document, "orders.1.deletedAt").is_string());
  ASSERT_EQ(at(document, "shipments").as_array().size(), 1U);
  EXPECT_TRUE(at(document, "shipments.0.deletedAt").is_string());
}

TEST_F(CustomerExportTest, HasEveryRecordOfACustomerWithManyOrders) {
  const auto customer = create_customer({{"name", "Ada"}});
  tenant.sql.rows(
      "insert into orders (business_id, order_number, customer_id) select $1::uuid, 'many-' || n, $2::uuid"
      " from generate_series(1, 2500) n",
      {tenant.id, customer});
  const auto document = export_of(customer);
  EXPECT_EQ(at(document, "orders").as_array().size(), 2'500U);
  EXPECT_EQ(at(document, "events").as_array().size(), 2'501U);
}

TEST_F(CustomerExportTest, HasNoRecordThatBelongsToSomebodyElse) {
  const auto customer = create_customer({{"name", "Ada"}});
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  tenant.put_order(order, {{"customerId", create_customer({{"name", "Bob"}})}});
  const auto document = export_of(customer);
  EXPECT_TRUE(at(document, "orders").as_array().empty());
  EXPECT_EQ(json::serialize(document).find(order), std::string::npos);
}

TEST_F(CustomerExportTest, HasTheStatusHistoryWithNotes) {
  const auto customer = create_customer({{"name", "Ada"}});
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  ASSERT_EQ(http.patch("/api/v1/Orders/" + order + "/status",
                       {{"status", "processing"}, {"notes", "Ada has called."}})
                .status,
            200);
  // A status change whose event is not stored any more.
  tenant.sql.rows(
      "insert into status_history (business_id, entity_id, event_id, at, status_to, cause)"
      " values ($1, $2, -1, now() - interval '1 year', 'draft', '{\"note\": \"Ada has written.\"}')",
      {tenant.id, order});
  tenant.create_order();

  const auto document = export_of(customer);
  const auto& history = at(document, "statusHistory").as_array();
  ASSERT_EQ(history.size(), 3U);
  for (const auto& change : history) EXPECT_EQ(text_at(change, "entityId"), order);
  EXPECT_EQ(text_at(history[0], "notes"), "Ada has written.");
  EXPECT_EQ(text_at(history[1], "to"), "pending");
  EXPECT_EQ(text_at(history[2], "from"), "pending");
  EXPECT_EQ(text_at(history[2], "notes"), "Ada has called.");
  EXPECT_EQ(text_at(history[2], "by.type"), "token");
}

TEST_F(CustomerExportTest, HasTheRowsOfUploads) {
  const auto customer = create_customer({{"name", "Ada"}, {"email", "ada@example.com"}});
  const auto uploaded = http.request_text(
      "POST", "/api/v1/Customers/upload",
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.csv\"\r\n\r\n"
      "name,email,street\nBob,bob@example.com,Rua 2\nA. L.,ADA@example.com,Rua 3\nada,,Rua 4\n"
      "Ada,other.ada@example.com,Rua 5\n"
      "\r\n--b--\r\n",
      {{"Content-Type", "multipart/form-data; boundary=b"}});
  ASSERT_EQ(uploaded.status, 201) << uploaded.text;
  const auto document = export_of(customer);
  const auto& rows = at(document, "uploads").as_array();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(text_at(rows[0], "address.street"), "Rua 3");
  EXPECT_EQ(text_at(rows[1], "address.street"), "Rua 4");
}

TEST_F(CustomerExportTest, HasTheContactsOfOtherCustomersThatAreThePerson) {
  const auto customer = create_customer({{"name", "Ada"}, {"email", "ada@example.com"}});
  const auto other = create_customer({{"name", "Bob"}, {"email", "bob@example.com"}});
  for (const json::object& contact :
       {json::object{{"name", "A. L."}, {"email", "ADA@example.com"}},
        json::object{{"name", "Ada"}, {"email", "other.ada@example.com"}}, json::object{{"name", "ada"}}}) {
    const auto added = http.post("/api/v1/Customers/" + other + "/contacts", contact);
    ASSERT_EQ(added.status, 201) << added.text;
  }
  const auto document = export_of(customer);
  const auto& contacts = at(document, "contactOf").as_array();
  ASSERT_EQ(contacts.size(), 2U) << json::serialize(contacts);
  EXPECT_EQ(text_at(contacts[0], "customerId"), other);
  EXPECT_EQ(text_at(contacts[0], "contact.email"), "ADA@example.com");
  EXPECT_EQ(text_at(contacts[1], "contact.name"), "ada");
}

TEST_F(CustomerExportTest, HasScheduledRunsWithoutTheirMessages) {
  const auto customer = create_customer({{"name", "Ada"}, {"email", "ada@example.com"}});
  tenant.create_order({{"customer", nullptr}, {"customerId", customer}, {"orderNumber", "A-1"}});
  tenant.create_order(
      {{"customer", {{"name", "Bob"}, {"email", "bob@example.com"}}}, {"orderNumber", "B-1"}});
  const auto scheduled = [&](const std::string& name, const std::string& filter) {
    const auto workflow = text_at(
        tenant.configure({{"name", name},
                          {"entityType", "Order"},
                          {"schedule", {{"cron", "0 8 1 1 *"}}},
                          {"query", {{"filter", filter}}},
                          {"action", {{"type", "webhook"}, {"recipient", receiver.url(tenant.path())}}}}),
        "guid");
    make_tick_due(tenant, workflow);
    EXPECT_EQ(tenant.run_with_status(workflow, "succeeded").at("trigger"), "schedule");
    return workflow;
  };
  const auto of_both = scheduled("both", "status eq 'pending'");
  scheduled("other", "orderNumber eq 'B-1'");

  const auto document = export_of(customer);
  const auto& runs = at(document, "scheduledRuns").as_array();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(text_at(runs[0], "workflowId"), of_both);
  EXPECT_EQ(json::serialize(document).find("bob@example.com"), std::string::npos);
}

TEST_F(CustomerExportTest, HasThePurchasesOfLabelsWithTheirFiles) {
  const auto customer = create_customer({{"name", "Ada"}});
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto shipment = tenant.insert_shipment(order);
  const auto carrier =
      tenant.sql.value("select guid from carriers where code = 'ups' and business_id = catalogue_business()");
  const auto add = [&](const std::string& of, const std::string& status, const std::string& attempt) {
    return tenant.sql.value(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, "
        "bought_at, "
        "carrier_id, connector, service_code, price, currency, tracking_numbers, requested_at) values ($1, "
        "gen_random_uuid(), $2, $3, gen_random_uuid(), shard_of($1::uuid), $4, case when $4 = 'bought' then "
        "now() end, $5, 'easypost', 'Ground', 7.3334, 'EUR', '{1Z1}', now() + $3::int * interval '1 s') "
        "returning guid",
        {tenant.id, of, attempt, status, carrier});
  };
  const auto refused = add(shipment, "refused", "1");
  const auto bought = add(shipment, "bought", "2");
  const std::string file(200, 'x');  // longer than a line of base64
  tenant.sql.rows(
      "insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes) "
      "values ($1, $2, $3, 'pdf', convert_to($4, 'UTF8'))",
      {tenant.id, bought, shipment, file});
  add(tenant.insert_shipment(tenant.create_order()), "bought", "1");

  const auto document = export_of(customer);
  const auto& purchases = at(document, "purchases").as_array();
  ASSERT_EQ(purchases.size(), 2U) << "those of the person's shipments";
  EXPECT_EQ(text_at(purchases[0], "guid"), refused);
  EXPECT_EQ(text_at(purchases[0], "status"), "refused");
  EXPECT_TRUE(at(purchases[0], "label").is_null());
  EXPECT_EQ(text_at(purchases[1], "guid"), bought);
  EXPECT_EQ(text_at(purchases[1], "shipmentId"), shipment);
  EXPECT_EQ(text_at(purchases[1], "carrier.guid"), carrier);
  EXPECT_EQ(text_at(purchases[1], "serviceCode"), "Ground");
  EXPECT_EQ(at(purchases[1], "price"), 7.3334);
  EXPECT_EQ(at(purchases[1], "carrierTrackingNumbers"), json::array{"1Z1"});
  EXPECT_TRUE(at(purchases[1], "boughtAt").is_string());
  EXPECT_EQ(text_at(purchases[1], "label.format"), "pdf");
  EXPECT_TRUE(at(purchases[1], "label.storedAt").is_string());
  EXPECT_EQ(text_at(purchases[1], "label.file"),
            base64({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}));
}

}  // namespace
}  // namespace waybill::tests
