// Erasing a person, and the export of what is stored about one.
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "tests/api/customers/erasure_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

std::set<std::string> names_of(const json::value& object) {
  std::set<std::string> names;
  for (const auto& member : object.as_object()) names.emplace(member.key());
  return names;
}

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
            (std::set<std::string>{"exportedAt", "customer", "deletedCustomers", "orders", "shipments",
                                   "purchases", "statusHistory", "events", "runs", "messages",
                                   "scheduledRuns", "uploads", "contactOf", "views"}));
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
  for (const auto* const field : {"email", "phone", "company", "address", "externalReference", "metadata"})
    EXPECT_TRUE(at(whole, field).is_null()) << field;
  EXPECT_EQ(at(whole, "tags"), json::array());
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

TEST_F(ErasureTest, ThePersonIsRemovedFromTheContactsOfOthers) {
  tenant.webhook(receiver.url(tenant.path()), "customer_updated", {{"entityType", "Customer"}});
  const auto customer = create_person();
  std::vector<std::string> others;
  for (const bool is_removed : {false, true}) {
    const auto other = text_at(http.post("/api/v1/Customers", {{"name", "Ada"}}).data(), "guid");
    const auto contacts = "/api/v1/Customers/" + other + "/contacts";
    EXPECT_EQ(http.post(contacts, {{"name", "Joe"}, {"email", "joe@example.com"}}).status, 201);
    const auto made =
        http.post(contacts, {{"name", "Z."}, {"email", "Zenobia.QUUX@example.com"}, {"phone", phone}});
    EXPECT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(http.post(contacts, {{"name", name}, {"phone", phone}}).status, 201);
    if (is_removed) tenant.sql.rows("update customers set contacts = '[]' where guid = $1", {other});
    others.push_back(other);
  }
  tenant.settle();
  EXPECT_GT(traces().size(), 6U);
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  const auto kept = http.get("/api/v1/Customers/" + others.front()).data();
  EXPECT_EQ(at(kept, "contacts").as_array().size(), 1U);
  EXPECT_EQ(text_at(kept, "contacts.0.name"), "Joe");
  EXPECT_EQ(text_at(kept, "name"), "Ada");
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
  EXPECT_EQ(dump().find("yolanda"), std::string::npos);
}

TEST_F(ErasureTest, EarlierNamesOfARecipientAreErasedFromOwnData) {
  const auto customer = create_person();
  const auto order = tenant.create_order({{"customer", nullptr},
                                          {"customerId", customer},
                                          {"deliveryAddress",
                                           {{"name", "Wilhelmina Voss"},
                                            {"phone", "+43 660 7654321"},
                                            {"street", "Gasse 9"},
                                            {"city", "Vienna"}}},
                                          {"tags", json::array{"gift for Wilhelmina Voss", "keep"}},
                                          {"metadata", {{"call", "+43 660 7654321"}, {"size", 4}}}});
  const auto shipped = http.post("/api/v1/Orders/" + order + "/shipment", json::object());
  ASSERT_EQ(shipped.status, 201) << shipped.text;
  const auto shipment = text_at(shipped.data(), "guid");
  ASSERT_EQ(http.put("/api/v1/shipments/" + shipment,
                     {{"externalReference", "wilhelmina voss 7"}, {"recipient", {{"name", "Theodora"}}}})
                .status,
            200);
  ASSERT_EQ(http.put("/api/v1/Orders/" + order,
                     {{"deliveryAddress", {{"name", "Theodora"}, {"phone", "+43 1 1234567"}}}})
                .status,
            200);
  tenant.settle();
  EXPECT_NE(dump().find("wilhelmina"), std::string::npos);

  erase(customer);
  EXPECT_EQ(tenant.sql.value("select tags::text || metadata::text from orders where guid = $1", {order}),
            R"(["keep"]{"size": 4})");
  for (const auto* const word : {"wilhelmina", "660 7654321", "theodora"})
    EXPECT_EQ(dump().find(word), std::string::npos) << word;
}

TEST_F(ErasureTest, AParcelThatWaitsInTheShopKeepsItsSender) {
  const auto customer = create_person();
  const auto order = tenant.create_order(
      {{"customer", nullptr},
       {"customerId", customer},
       {"deliveryAddress", {{"name", tenant.name}, {"street", "Rua 1"}, {"city", "Porto"}}}});
  const auto shipped = http.post("/api/v1/Orders/" + order + "/shipment", json::object());
  ASSERT_EQ(shipped.status, 201) << shipped.text;
  erase(customer);
  const auto parcel = http.get("/api/v1/shipments/" + text_at(shipped.data(), "guid")).data();
  EXPECT_EQ(text_at(parcel, "recipient.name"), "Erased");
  EXPECT_EQ(text_at(parcel, "sender.name"), tenant.name);
}

TEST_F(ErasureTest, TheLinkOfTheCarrierGoesAndItsNumberStays) {
  const auto customer = create_person();
  const auto shipment = create_shipment_of(create_order_of(customer));
  tenant.sql.rows(
      "update shipments set carrier_tracking_number = 'EZ1', carrier_tracking_url = "
      "'https://carrier.example/private-page' where guid = $1",
      {shipment});
  tenant.settle();
  EXPECT_NE(dump().find("private-page"), std::string::npos);
  erase(customer);
  EXPECT_EQ(dump().find("private-page"), std::string::npos) << "in the shipment and in its events";
  EXPECT_EQ(tenant.sql.value("select carrier_tracking_number from shipments where guid = $1", {shipment}),
            "EZ1");
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

// A buyer whose customer was deleted gets a new customer with the next order.
TEST_F(ErasureTest, DeletedCustomersOfTheSameAddressAreThePerson) {
  mail_workflow("order_status_changed");
  const auto deleted = create_person();
  const auto first = create_order_of(deleted);
  create_shipment_of(first);
  ASSERT_EQ(http.del("/api/v1/Customers/" + deleted).status, 200);
  const auto customer = text_at(
      http.post("/api/v1/Customers", {{"name", "Z. Quux"}, {"email", "ZENOBIA.Quux@example.com"}}).data(),
      "guid");
  const auto second = create_order_of(customer);
  tenant.settle();
  ASSERT_TRUE(eventually([&] { return files_with_the_address() >= 1; }));
  EXPECT_EQ(http.post("/api/v1/Customers/" + deleted + "/erase").status, 404);

  const auto exported = http.get("/api/v1/Customers/" + customer + "/export").data();
  EXPECT_EQ(text_at(exported, "customer.guid"), customer);
  ASSERT_EQ(at(exported, "deletedCustomers").as_array().size(), 1U);
  EXPECT_EQ(text_at(exported, "deletedCustomers.0.guid"), deleted);
  EXPECT_EQ(text_at(exported, "deletedCustomers.0.phone"), phone);
  EXPECT_TRUE(at(exported, "deletedCustomers.0.deletedAt").is_string());
  ASSERT_EQ(at(exported, "orders").as_array().size(), 2U);
  EXPECT_EQ(text_at(exported, "orders.0.guid"), first);
  EXPECT_EQ(at(exported, "shipments").as_array().size(), 1U);

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "orders"), 2);
  EXPECT_EQ(at(counts, "shipments"), 1);
  EXPECT_GE(at(counts, "runs").as_int64(), 2);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(files_with_the_address(), 0);
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + first).data(), "customer.name"), "Erased");
  EXPECT_EQ(tenant.sql.number("select count(*) from events where detail ? 'erased' and entity_id in ($1, $2)",
                              {deleted, customer}),
            2);
  EXPECT_EQ(tenant.sql.number("select count(*) from customer_erasures"), 0);
  EXPECT_EQ(tenant.sql.value("select deleted_at is not null from customers where guid = $1", {deleted}), "t");
}

TEST_F(ErasureTest, DeletedCustomersOfOtherAddressesStay) {
  const auto ada =
      text_at(http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}}).data(), "guid");
  const auto nameless = text_at(http.post("/api/v1/Customers", {{"name", "Bob"}}).data(), "guid");
  for (const auto& other : {ada, nameless}) {
    tenant.create_order(
        {{"customer", nullptr},
         {"customerId", other},
         {"deliveryAddress",
          {{"street", "Rua 5"}, {"city", "Porto"}, {"postalCode", "4000-1"}, {"country", "PT"}}}});
    ASSERT_EQ(http.del("/api/v1/Customers/" + other).status, 200);
  }
  erase(create_person());
  erase(text_at(http.post("/api/v1/Customers", {{"name", "Eve"}}).data(), "guid"));
  EXPECT_EQ(tenant.sql.number("select count(*) from orders where delivery_street = 'Rua 5'"), 2);
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where name in ('Ada', 'Bob')"), 2);
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
