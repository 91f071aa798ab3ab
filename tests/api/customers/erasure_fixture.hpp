#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {

/// A person whose data is in records, runs, uploads, imports and mails of a business.
class ErasureTest : public testing::Test {
 protected:
  // Words that occur nowhere else in the database.
  static constexpr std::string_view name = "Zenobia Quux";
  static constexpr std::string_view email = "zenobia.quux@example.com";
  static constexpr std::string_view street = "Rua das Quuxelas 17";
  static constexpr std::string_view phone = "+351 912 345 670";

  /// All rows of all tables, in lower case.
  std::string dump();
  /// The lines of the dump that hold something of the person.
  std::vector<std::string> traces();
  std::int64_t files_with_the_address() const;

  Response post_person() {
    return http.post("/api/v1/Customers",
                     {{"name", name},
                      {"email", email},
                      {"phone", phone},
                      {"company", "Quux Lda"},
                      {"address", {{"street", street}, {"city", "Lisbon"}}},
                      {"externalReference", "quux-1"},
                      {"tags", json::array{"quux"}},
                      {"metadata", {{"note", name}}}},
                     {{"Idempotency-Key", "make the person"}});
  }
  std::string create_person() {
    const auto created = post_person();
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }

  /// An order with a shipment, both full of the person's data.
  std::string create_order_of(const std::string& customer) {
    const auto order = tenant.create_order(
        {{"customer", nullptr},
         {"customerId", customer},
         {"notes", "Call " + std::string(name)},
         {"deliveryAddress",
          {{"street", street}, {"city", "Lisbon"}, {"postalCode", "1100-1"}, {"country", "PT"}}}});
    tenant.sql.rows(
        "update orders set delivery_name = $2, delivery_company = 'Quux Lda', delivery_phone = $3, "
        "delivery_email = $4,"
        " tags = jsonb_build_array('keep', $4::text), metadata = jsonb_build_object('for', $2::text, 'size', "
        "4)"
        " where guid = $1",
        {order, std::string(name), std::string(phone), std::string(email)});
    EXPECT_EQ(http.patch("/api/v1/Orders/" + order + "/status",
                         {{"status", "processing"}, {"notes", "Asked " + std::string(name)}})
                  .status,
              200);
    return order;
  }

  std::string create_shipment_of(const std::string& order) {
    const auto shipment = tenant.insert_shipment(order);
    tenant.sql.rows(
        "update shipments set customer_id = (select customer_id from orders where guid = $2), recipient_name "
        "= $3,"
        " recipient_street = $4, recipient_city = 'Lisbon', recipient_phone = $5, recipient_email = $6,"
        " recipient_company = 'Quux Lda', instructions = 'Ring at Quux',"
        " sender_name = 'Shop', sender_street = 'Rua 1', sender_city = 'Porto' where guid = $1",
        {shipment, order, std::string(name), std::string(street), std::string(phone), std::string(email)});
    EXPECT_EQ(http.get("/api/v1/shipments/" + shipment + "/label").status, 200);
    EXPECT_EQ(
        http.post("/api/v1/shipments/" + shipment + "/traces", {{"status", "exception"},
                                                                {"description", "Left with Zenobia Quux"},
                                                                {"location", std::string(street)}})
            .status,
        200);
    return shipment;
  }

  void upload_person() {
    const std::string csv = "name,email,street\nBob,bob@example.com,Rua 2\n" + std::string(name) + "," +
                            std::string(email) + "," + std::string(street) + "\n" + std::string(name) +
                            ",,\n";
    const auto uploaded =
        http.request_text("POST", "/api/v1/Customers/upload",
                          "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.csv\"\r\n\r\n" +
                              csv + "\r\n--b--\r\n",
                          {{"Content-Type", "multipart/form-data; boundary=b"}});
    ASSERT_EQ(uploaded.status, 201) << uploaded.text;
  }

  /// Failures of an import that name the person.
  void fail_imports() {
    tenant.sql.rows(
        "with run as (insert into integration_runs (business_id, guid, integration_id, errors)"
        " values ($1, gen_random_uuid(), gen_random_uuid(),"
        "         jsonb_build_array(jsonb_build_object('externalId', '7', 'reason', $2::text))) returning "
        "guid)"
        " insert into import_failures (business_id, integration_id, external_id, reason, due_at, run_id)"
        " select $1, gen_random_uuid(), '7', $2, now() + interval '1 day', guid from run",
        {tenant.id, "the address of " + std::string(email) + " is not valid"});
  }

  std::string mail_workflow(std::string_view trigger, const json::object& more = {}) {
    json::object definition{{"name", "mail " + std::string(trigger)},
                            {"entityType", "Order"},
                            {"triggerId", trigger_guid(trigger)},
                            {"action",
                             {{"type", "send_email"},
                              {"recipient", "{{customer.email}}"},
                              {"subject", "S"},
                              {"body", "For {{customer.name}}"}}}};
    for (const auto& [key, value] : more) definition[key] = value;
    return text_at(tenant.configure(definition), "guid");
  }

  /// Gives a workflow an earlier version that mails to the person's address.
  void make_version_with_address() {
    const auto versioned = mail_workflow("order_created", {{"isActive", false}});
    tenant.configure(
        {{"guid", versioned},
         {"name", "to one"},
         {"entityType", "Order"},
         {"triggerId", trigger_guid("order_created")},
         {"isActive", false},
         {"action", {{"type", "send_email"}, {"recipient", email}, {"subject", "S"}, {"body", "B"}}}});
    mail_workflow("order_created", {{"guid", versioned}, {"isActive", false}});
  }

  json::value erase(const std::string& customer) {
    http.set_deadline(std::chrono::minutes(1));  // each event of the person is rewritten
    const auto response = http.post("/api/v1/Customers/" + customer + "/erase");
    EXPECT_EQ(response.status, 200) << response.text;
    return response.status == 200 ? response.data() : json::value();
  }

  TempDirectory mails;
  World world{{.arguments = {"--mail-dir", mails.path()}}};
  Receiver receiver;
  Tenant tenant{world.waybill, "Erasing"};
  Http& http = tenant.http;
};

}  // namespace waybill::tests
