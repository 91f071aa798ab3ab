// Erasing a person, and the export of what is stored about one.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "tests/api/api_test.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

// Words that occur nowhere else in the database.
constexpr std::string_view name = "Zenobia Quux";
constexpr std::string_view email = "zenobia.quux@example.com";
constexpr std::string_view street = "Rua das Quuxelas 17";
constexpr std::string_view phone = "+351 912 345 670";

/// All rows of all tables, in lower case: as SQL if pg_dump is installed with the server.
std::string dump_of(const std::string& url) {
  if (!std::filesystem::exists(server_programs() / "pg_dump")) {
    Session session(url);
    std::string text;
    for (const std::string& table :
         session.column("select oid::regclass from pg_class where relkind = 'r' and relnamespace = "
                        "current_schema()::regnamespace")) {
      for (const std::string& row : session.column("select t::text from only " + table + " t"))
        text += row + "\n";
    }
    return ascii_lower(text);
  }
  const auto dump = run({server_programs() / "pg_dump", url});
  EXPECT_EQ(dump.status, 0) << dump.standard_error;
  return ascii_lower(dump.standard_output);
}

std::set<std::string> names_of(const json::value& object) {
  std::set<std::string> names;
  for (const auto& member : object.as_object()) names.emplace(member.key());
  return names;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ErasureTest : public testing::Test {
 protected:
  /// The lines of the dump that hold something of the person.
  std::vector<std::string> traces() {
    const auto dump = dump_of(world.database.url());
    std::vector<std::string> found;
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
      for (const auto word : {std::string_view("zenobia"), std::string_view("quux"), phone}) {
        if (line.find(word) != std::string::npos) {
          found.push_back(line.substr(0, 300));
          break;
        }
      }
    }
    return found;
  }

  std::int64_t files_with_the_address() {
    std::int64_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(mails.path()))
      count += content_of(entry.path()).find(email) == std::string::npos ? 0 : 1;
    return count;
  }

  std::string create_person() {
    const auto created = http.post("/api/v1/Customers",
                                   {{"name", name},
                                    {"email", email},
                                    {"phone", phone},
                                    {"company", "Quux Lda"},
                                    {"address", {{"street", street}, {"city", "Lisbon"}}},
                                    {"externalReference", "quux-1"},
                                    {"tags", json::array{"quux"}},
                                    {"metadata", {{"note", name}}}},
                                   {{"Idempotency-Key", "make the person"}});
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

TEST_F(ErasureTest, ADumpOfTheDatabaseHoldsNothingOfThePerson) {
  const auto webhook = tenant.webhook(receiver.url(tenant.path()), "order_status_changed");
  const auto delayed =
      tenant.webhook(receiver.url(tenant.path("later")), "order_status_changed", {{"delay", "PT2H"}});
  mail_workflow("order_status_changed");
  const auto delayed_mail = mail_workflow("order_status_changed", {{"delay", "PT2H"}});
  make_version_with_address();

  const auto customer = create_person();
  ASSERT_EQ(http.post("/api/v1/Customers/" + customer + "/contacts",
                      {{"name", "Friend of Quux"}, {"email", "friend.of.quux@example.com"}})
                .status,
            201);
  ASSERT_EQ(http.put("/api/v1/Customers/" + customer, {{"company", "Quux & Co"}}).status, 200);
  const auto order = create_order_of(customer);
  const auto shipment = create_shipment_of(order);
  upload_person();
  fail_imports();
  tenant.settle();
  receiver.wait_for(tenant.path(), 1);
  ASSERT_TRUE(eventually([&] { return files_with_the_address() == 1; }));
  EXPECT_GT(traces().size(), 10U);
  const auto exported = http.get("/api/v1/Customers/" + customer + "/export");
  EXPECT_EQ(exported.status, 200);
  EXPECT_EQ(names_of(exported.data()),
            (std::set<std::string>{"exportedAt", "customer", "orders", "shipments", "statusHistory", "events",
                                   "runs", "scheduledRuns", "uploads"}));
  EXPECT_EQ(text_at(exported.data(), "customer.name"), name);
  EXPECT_EQ(text_at(exported.data(), "orders.0.guid"), order);
  EXPECT_EQ(text_at(exported.data(), "shipments.0.guid"), shipment);
  EXPECT_GE(at(exported.data(), "events").as_array().size(), 5U);
  EXPECT_GE(at(exported.data(), "runs").as_array().size(), 4U);

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "orders"), 1);
  EXPECT_EQ(at(counts, "shipments"), 1);
  EXPECT_GE(at(counts, "events").as_int64(), 5);
  EXPECT_GE(at(counts, "runs").as_int64(), 4);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(files_with_the_address(), 0);

  const auto whole = http.get("/api/v1/Customers/" + customer).data();
  EXPECT_EQ(text_at(whole, "name"), "Erased");
  for (const auto* const field :
       {"email", "phone", "company", "address", "externalReference", "tags", "metadata"})
    EXPECT_TRUE(at(whole, field).is_null()) << field;
  EXPECT_EQ(tenant.sql.value(
                "select tags::text || metadata::text || delivery_city from orders where guid = $1", {order}),
            R"(["keep"]{"size": 4}Lisbon)");
  EXPECT_EQ(tenant.run_with_status(delayed_mail, "skipped").at("code"), "ERASED");
  tenant.sql.rows("update run_queue set due_at = now() where workflow_id = $1", {delayed});
  const auto later = receiver.wait_for(tenant.path("later"), 1);
  EXPECT_EQ(ascii_lower(later.at(0).body).find("quux"), std::string::npos) << later.at(0).body;
  EXPECT_EQ(text_at(later.at(0).json_body(), "data.entity.guid"), order);

  const auto replayed =
      http.post("/api/v1/Customers", {{"name", "x"}}, {{"Idempotency-Key", "make the person"}});
  EXPECT_EQ(replayed.status, 409) << "another body";
  EXPECT_EQ(tenant.runs("workflowId=" + webhook).size(), 1U);
}

TEST_F(ErasureTest, EarlierNamesAndAddressesAreErasedToo) {
  mail_workflow("order_status_changed");
  make_version_with_address();
  const auto customer = create_person();
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  tenant.sql.rows(
      "update orders set external_reference = $2, tags = jsonb_build_array('keep', $3::text),"
      " metadata = jsonb_build_object('for', $4::text, 'size', 4) where guid = $1",
      {order, "for " + std::string(name), std::string(email), std::string(phone)});
  EXPECT_EQ(http.patch("/api/v1/Orders/" + order + "/status", {{"status", "processing"}}).status, 200);
  upload_person();
  fail_imports();
  tenant.settle();
  ASSERT_TRUE(eventually([&] { return files_with_the_address() == 1; }));
  ASSERT_EQ(http.put("/api/v1/Customers/" + customer, {{"name", "Yolanda Brandt"},
                                                       {"email", "yolanda@example.com"},
                                                       {"phone", "+351 900 000 001"},
                                                       {"company", nullptr},
                                                       {"address", {{"street", "Rua 3"}}},
                                                       {"externalReference", nullptr},
                                                       {"tags", nullptr},
                                                       {"metadata", nullptr}})
                .status,
            200);
  tenant.settle();
  EXPECT_GT(traces().size(), 5U);

  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(files_with_the_address(), 0);
  EXPECT_EQ(tenant.sql.value("select tags::text || metadata::text from orders where guid = $1", {order}),
            R"(["keep"]{"size": 4})");
  EXPECT_EQ(ascii_lower(dump_of(world.database.url())).find("yolanda"), std::string::npos);
}

// Each change adds a name, an address, a phone number and a street.
TEST_F(ErasureTest, TheThousandNewestTextsOfAPersonAreSearchedFor) {
  const auto customer = create_person();
  constexpr int changes = 250;
  for (int i = 0; i < changes; ++i) {
    const auto number = std::to_string(1'000 + i);
    tenant.sql.rows("update customers set name = $2, email = $3, phone = $4, street = $5 where guid = $1",
                    {customer, "Name " + number, "mail" + number + "@example.com", "+1 555 " + number,
                     "Street " + number});
  }
  const auto order = tenant.create_order(
      {{"customer", nullptr}, {"customerId", customer}, {"tags", {name, "Name 1001", "Name 1249"}}});
  erase(customer);
  EXPECT_EQ(tenant.sql.value("select tags from orders where guid = $1", {order}),
            json::serialize(json::array{name}))
      << "the texts before the newest 1 000 are unknown";
}

TEST_F(ErasureTest, ShipmentsWithoutCustomerAreFoundByTheAddress) {
  const auto customer = create_person();
  const auto unlinked_to = [&](const std::string& address) {
    const auto shipment = tenant.insert_shipment("");
    tenant.sql.rows("update shipments set recipient_name = 'Z. Quux', recipient_email = $2 where guid = $1",
                    {shipment, address});
    return shipment;
  };
  const auto found = unlinked_to("Zenobia.QUUX@example.com");
  const auto deleted = unlinked_to(std::string(email));
  tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {deleted});
  const auto other = unlinked_to("not." + std::string(email));
  const auto of_order = tenant.insert_shipment(tenant.create_order());
  tenant.sql.rows("update shipments set recipient_email = $2 where guid = $1",
                  {of_order, std::string(email)});
  tenant.settle();

  const auto exported = http.get("/api/v1/Customers/" + customer + "/export").data();
  EXPECT_EQ(at(exported, "shipments").as_array().size(), 2U);
  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "shipments"), 2);
  EXPECT_EQ(at(erase(customer), "shipments"), 2) << "they belong to the erased customer";
  const auto recipients = [&](const std::string& shipment) {
    return tenant.sql.value(
        "select recipient_name || coalesce(recipient_email, '') from shipments where guid = $1", {shipment});
  };
  EXPECT_EQ(recipients(found), "Erased");
  EXPECT_EQ(recipients(deleted), "Erased");
  EXPECT_EQ(recipients(other), "Z. Quuxnot." + std::string(email));
  EXPECT_EQ(tenant.sql.number("select count(*) from events where business_id = $1 and entity_id = any ($2)"
                              " and events::text ilike '%quux%'",
                              {tenant.id, "{" + found + "," + deleted + "}"}),
            0);
  EXPECT_EQ(tenant.sql.value("select recipient_email from shipments where guid = $1", {of_order}), email)
      << "a shipment of another customer's order";
}

TEST_F(ErasureTest, KeptPreviewsAreErasedToo) {
  const auto customer = create_person();
  const auto order = tenant.create_order({{"customer", nullptr}, {"customerId", customer}});
  const auto other = tenant.create_order();
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "For {{customer.name}}"}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& of) {
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", of}}, {{"Idempotency-Key", "preview " + of}});
  };
  const auto test = [&] {
    return http.post("/api/workflows/test",
                     {{"entityId", order},
                      {"definition",
                       {{"name", "w"},
                        {"entityType", "Order"},
                        {"triggerId", trigger_guid("order_created")},
                        {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}}}},
                     {{"Idempotency-Key", "test"}});
  };
  EXPECT_NE(preview(order).text.find(name), std::string::npos);
  EXPECT_NE(test().text.find(name), std::string::npos);
  const auto of_other = preview(other).text;

  erase(customer);
  for (const auto& again : {preview(order), test()}) {
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_TRUE(at(again.body, "data").is_null()) << again.text;
  }
  EXPECT_EQ(preview(other).text, of_other) << "answers about others are kept";
}

// The word occurs as the name of a member.
TEST_F(ErasureTest, KeptAnswersAboutOthersStay) {
  const auto created = http.post("/api/v1/Customers", {{"name", "metadata"}});
  ASSERT_EQ(created.status, 201) << created.text;
  const auto order = tenant.create_order();
  const auto test = [&] {
    return http.post("/api/workflows/test",
                     {{"entityId", order},
                      {"definition",
                       {{"name", "w"},
                        {"entityType", "Order"},
                        {"triggerId", trigger_guid("order_created")},
                        {"action", {{"type", "webhook"}, {"recipient", "http://127.0.0.1:9/x"}}}}}},
                     {{"Idempotency-Key", "test"}});
  };
  const auto answer = test().text;
  ASSERT_NE(answer.find("metadata"), std::string::npos) << answer;
  erase(text_at(created.data(), "guid"));
  EXPECT_EQ(test().text, answer);
}

// One statement reads 100 answers.
TEST_F(ErasureTest, AllKeptAnswersAreSearched) {
  const auto customer = create_person();
  const auto other = tenant.create_order();
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "B"},
                                                           {"html", "For {{deliveryAddress.name}}"}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& of, int number) {
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", of}}, {{"Idempotency-Key", "preview " + std::to_string(1'000 + number)}});
  };
  for (int i = 0; i < 101; ++i) EXPECT_EQ(preview(other, i).status, 200);
  const auto order = tenant.create_order(
      {{"customer", nullptr},
       {"customerId", customer},
       {"deliveryAddress", {{"name", "Yolanda \"Yo\" O'Brandt"}, {"street", "Rua 1"}, {"city", "Lisbon"}}}});
  EXPECT_EQ(text_at(preview(order, 101).data(), "html"), "For Yolanda &quot;Yo&quot; O&#39;Brandt");
  erase(customer);
  EXPECT_TRUE(at(preview(order, 101).body, "data").is_null());
  for (const int i : {0, 99, 100}) EXPECT_FALSE(at(preview(other, i).body, "data").is_null());
}

TEST_F(ErasureTest, KeptAnswersAreSearchedForTheThousandNewestTextsOfRecords) {
  const auto customer = create_person();
  tenant.sql.rows(
      "insert into orders (business_id, order_number, customer_id, delivery_name, created_at)"
      " select $1, 'O' || n, $2, 'Recipient ' || n, now() - n * interval '1 minute'"
      " from generate_series(1, 1001) n",
      {tenant.id, customer});
  const auto made = http.post("/api/workflows/templates", {{"code", "t"},
                                                           {"name", "T"},
                                                           {"entityType", "Order"},
                                                           {"type", "send_email"},
                                                           {"subject", "S"},
                                                           {"body", "For {{deliveryAddress.name}}."}});
  ASSERT_EQ(made.status, 201) << made.text;
  const auto preview = [&](const std::string& number) {
    const auto order = tenant.sql.value(
        "select guid from orders where business_id = $1 and order_number = $2", {tenant.id, number});
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", order}}, {{"Idempotency-Key", "preview " + number}});
  };
  EXPECT_EQ(text_at(preview("O1000").data(), "body"), "For Recipient 1000.");
  // The text of the oldest order is not part of another one.
  tenant.sql.rows("update orders set delivery_name = 'Somebody' where order_number = 'O1001'");
  EXPECT_EQ(text_at(preview("O1001").data(), "body"), "For Somebody.");
  erase(customer);
  EXPECT_TRUE(at(preview("O1000").body, "data").is_null());
  EXPECT_FALSE(at(preview("O1001").body, "data").is_null());
}

TEST_F(ErasureTest, ARepeatedRequestGetsNoDataOfThePerson) {
  const auto customer = create_person();
  erase(customer);
  const auto again = http.post("/api/v1/Customers",
                               {{"name", name},
                                {"email", email},
                                {"phone", phone},
                                {"company", "Quux Lda"},
                                {"address", {{"street", street}, {"city", "Lisbon"}}},
                                {"externalReference", "quux-1"},
                                {"tags", json::array{"quux"}},
                                {"metadata", {{"note", name}}}},
                               {{"Idempotency-Key", "make the person"}});
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(again.text.find("Quux"), std::string::npos) << again.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 1);
}

TEST_F(ErasureTest, TheOnlyEventHoldsNoRecord) {
  const auto customer = create_person();
  const auto order = create_order_of(customer);
  create_shipment_of(order);
  tenant.settle();
  const auto events = [&] {
    return tenant.sql.column(
        "select entity_type || coalesce(' ' || detail::text, '') from events"
        " where business_id = $1 order by id desc",
        {tenant.id});
  };
  const auto before = events().size();
  erase(customer);
  ASSERT_EQ(events().size(), before + 1);
  EXPECT_EQ(events().front(), R"(2 {"erased": true})");
  EXPECT_EQ(tenant.sql.number("select count(*) from events where business_id = $1 and detail ? 'erased'"
                              " and entity_id = $2 and customer_before is null and customer_after is null",
                              {tenant.id, customer}),
            1);
  EXPECT_EQ(tenant.sql.value("select cause #>> '{by,type}' from events where detail ? 'erased'"), "token");
  tenant.settle();

  EXPECT_EQ(at(erase(customer), "orders"), 1) << "it can be repeated";
  EXPECT_EQ(events().size(), before + 1) << "without another event";
}

TEST_F(ErasureTest, DeletedRecordsAreErasedToo) {
  const auto customer = create_person();
  const auto order = create_order_of(customer);
  create_shipment_of(order);
  tenant.sql.rows("update shipments set deleted_at = now() where order_id = $1", {order});
  tenant.sql.rows("update orders set deleted_at = now() where guid = $1", {order});
  tenant.settle();
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasureTest, MailsOfOtherBusinessesAreNotTouched) {
  Tenant other(world.waybill, "Other");
  const auto send = [&](Tenant& sender) {
    sender.configure(
        {{"name", "mail"},
         {"entityType", "Customer"},
         {"triggerId", trigger_guid("customer_created")},
         {"action", {{"type", "send_email"}, {"recipient", "{{email}}"}, {"subject", "S"}, {"body", "B"}}}});
    const auto created = sender.http.post("/api/v1/Customers", {{"name", name}, {"email", email}});
    EXPECT_EQ(created.status, 201) << created.text;
    sender.settle();
    return text_at(created.data(), "guid");
  };
  const auto customer = send(tenant);
  send(other);
  ASSERT_TRUE(eventually([&] { return files_with_the_address() == 2; }));
  erase(customer);
  EXPECT_EQ(files_with_the_address(), 1);
  EXPECT_EQ(other.sql.value("select name from customers where business_id = $1", {other.id}), name);
}

TEST_F(ErasureTest, ACustomerOfAnotherBusinessIsNotFound) {
  const auto customer = create_person();
  Tenant other(world.waybill, "Other");
  for (const auto& path :
       {"/api/v1/Customers/" + customer, "/api/v1/Customers/" + std::string(unknown_guid)}) {
    EXPECT_EQ(other.http.post(path + "/erase").status, 404);
    EXPECT_EQ(other.http.get(path + "/export").status, 404);
  }
  EXPECT_EQ(text_at(http.get("/api/v1/Customers/" + customer).data(), "name"), name);
}

// The worker holds the old data in memory while the destination does not answer.
TEST_F(ErasureTest, IsAnsweredOnlyWhenNoMessageWithTheDataIsInFlight) {
  const auto gate = std::make_shared<Gate>();
  receiver.answer_next(tenant.path(), Reply::after(gate));
  std::atomic<bool> opened = false;
  tenant.webhook(receiver.url(tenant.path()), "order_created");
  const auto customer = create_person();
  create_order_of(customer);
  receiver.wait_for(tenant.path(), 1);
  std::thread eraser([&, client = world.waybill.http(http.token())]() mutable {
    EXPECT_EQ(client.post("/api/v1/Customers/" + customer + "/erase").status, 200);
    EXPECT_TRUE(opened.load()) << "the attempt has ended before";
  });
  EXPECT_TRUE(throughout([&] { return receiver.count(tenant.path()) == 1; }, std::chrono::milliseconds(300)));
  opened = true;
  gate->open();
  eraser.join();
  tenant.settle();
  EXPECT_EQ(traces(), std::vector<std::string>());
}

// There are three threads for analysis, of which one business uses at most two.
TEST_F(ErasureTest, WaitingForDestinationsTakesNoThreadFromOthers) {
  const auto gate = std::make_shared<Gate>();
  std::vector<std::unique_ptr<Tenant>> others;
  std::vector<std::jthread> erasers;
  for (int i = 0; i < 4; ++i) {
    others.push_back(std::make_unique<Tenant>(world.waybill, "erasing-" + std::to_string(i)));
    Tenant& other = *others.back();
    receiver.answer_next(other.path(), Reply::after(gate));
    other.webhook(receiver.url(other.path()), "order_created");
    const auto created =
        other.http.post("/api/v1/Customers", {{"name", "Hanging"}, {"email", "hanging@example.com"}});
    const auto customer = text_at(created.data(), "guid");
    other.create_order({{"customer", nullptr}, {"customerId", customer}});
    EXPECT_EQ(receiver.wait_for(other.path(), 1).size(), 1U);
    erasers.emplace_back([client = world.waybill.http(other.http.token()), customer]() mutable {
      EXPECT_EQ(client.post("/api/v1/Customers/" + customer + "/erase").status, 200);
    });
  }
  EXPECT_TRUE(eventually(
      [&] { return world.database.number("select count(*) from customers where name = 'Hanging'") == 0; }));
  const auto order = tenant.insert_order();
  for (int i = 0; i < 3; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(http.get("/api/workflows/explain?entityId=" + order).status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  }
  gate->open();
  erasers.clear();
}

}  // namespace
}  // namespace waybill::tests
