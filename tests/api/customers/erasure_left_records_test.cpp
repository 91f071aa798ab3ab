// Records that were an erased person's and belong to somebody else.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/customers/erasure_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class ErasedLeftRecords : public ErasureTest {
 protected:
  static json::object delivery_to_person() {
    return {{"name", name},   {"company", "Quux Lda"}, {"phone", phone},
            {"email", email}, {"street", street},      {"city", "Lisbon"}};
  }
  static json::object delivery_to(std::string_view recipient) {
    return {{"name", recipient},        {"company", nullptr},
            {"phone", "+43 1 1234567"}, {"email", "recipient@example.com"},
            {"street", "Gasse 9"},      {"city", "Vienna"}};
  }

  std::string create_other(const std::string& other = "Bob Miller",
                           const std::string& address = "bob@example.com") {
    const auto created = http.post("/api/v1/Customers", {{"name", other}, {"email", address}});
    EXPECT_EQ(created.status, 201) << created.text;
    return text_at(created.data(), "guid");
  }
  std::string create_order_to(const std::string& customer, const json::object& delivery) {
    return tenant.create_order(
        {{"customer", nullptr}, {"customerId", customer}, {"deliveryAddress", delivery}});
  }
  void give_to(const std::string& order, const std::string& customer) {
    tenant.put_order(order, {{"customerId", customer}});
  }
  void give_to(const std::string& order, const std::string& customer, const json::object& delivery) {
    tenant.put_order(order, {{"customerId", customer}, {"deliveryAddress", delivery}});
  }
  /// Sets the recipient and the customer of a shipment.
  void send_to(const std::string& shipment, const std::optional<std::string>& customer,
               const json::object& delivery) {
    json::object body{{"recipient",
                       {{"name", delivery.at("name")},
                        {"company", delivery.at("company")},
                        {"phone", delivery.at("phone")},
                        {"email", delivery.at("email")},
                        {"address", {{"street", delivery.at("street")}, {"city", delivery.at("city")}}}}}};
    if (customer) body["customerId"] = *customer;
    const auto changed = http.put("/api/v1/shipments/" + shipment, body);
    EXPECT_EQ(changed.status, 200) << changed.text;
  }

  /// Waits until no run is open.
  void wait_for_runs() {
    tenant.settle();
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number("select count(*) from run_queue where business_id = $1", {tenant.id}) == 0;
    }));
  }
  std::string bodies_of(const std::string& workflow) {
    return tenant.sql.value(
        "select string_agg(body, ' ') from runs where business_id = $1 and workflow_id = $2",
        {tenant.id, workflow});
  }
  /// The number of events of a record that show a delivery name with a customer.
  std::int64_t events_with(const std::string& order, const std::string& customer, const std::string& name) {
    return tenant.sql.number(
        "select count(*) from events where business_id = $1 and entity_id = $2"
        " and (((order_before).customer_id = $3 and (order_before).delivery_name = $4)"
        "      or ((order_after).customer_id = $3 and (order_after).delivery_name = $4))",
        {tenant.id, order, customer, name});
  }
};

TEST_F(ErasedLeftRecords, AnOrderThatMovedWithItsDeliveryHoldsNothingOfThePerson) {
  const auto on_creation = tenant.webhook(receiver.url(tenant.path()), "order_created");
  tenant.webhook(receiver.url(tenant.path("changed")), "order_updated");
  const auto on_status = tenant.webhook(receiver.url(tenant.path("status")), "order_status_changed");
  const auto customer = create_person();
  const auto other = create_other();
  const auto order = create_order_to(customer, delivery_to_person());
  give_to(order, other, delivery_to("Bob Miller"));
  tenant.move_order(order, "processing");
  wait_for_runs();
  const auto run = text_at(tenant.run_with_status(on_creation, "succeeded"), "guid");
  const auto replayed = http.post("/api/workflows/runs/" + run + "/replay", json::object());
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  wait_for_runs();

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "orders"), 0);
  EXPECT_EQ(at(counts, "events"), 3) << "the customer, the creation and the move of the order";
  EXPECT_EQ(at(counts, "runs"), 3) << "the creation, its replay and the move";
  EXPECT_EQ(traces(), std::vector<std::string>());

  const auto shown = http.get("/api/v1/Orders/" + order).data();
  EXPECT_EQ(text_at(shown, "customer.name"), "Bob Miller");
  EXPECT_EQ(text_at(shown, "deliveryAddress.name"), "Bob Miller");
  EXPECT_EQ(text_at(shown, "deliveryAddress.street"), "Gasse 9");
  EXPECT_NE(bodies_of(on_status).find("Bob Miller"), std::string::npos);
  EXPECT_EQ(events_with(order, other, "Bob Miller"), 2);
  const auto again = erase(customer);
  EXPECT_EQ(at(again, "events"), 0);
  EXPECT_EQ(at(again, "runs"), 0);
}

TEST_F(ErasedLeftRecords, AnOrderThatLeftADeletedCustomerOfThePersonHoldsNothingOfThePerson) {
  const auto deleted = create_person();
  const auto other = create_other();
  const auto order = create_order_to(deleted, delivery_to_person());
  give_to(order, other, delivery_to("Bob Miller"));
  ASSERT_EQ(http.del("/api/v1/Customers/" + deleted).status, 200);
  const auto customer =
      text_at(http.post("/api/v1/Customers", {{"name", name}, {"email", email}}).data(), "guid");
  tenant.settle();
  EXPECT_EQ(at(erase(customer), "orders"), 0);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + order).data(), "deliveryAddress.name"), "Bob Miller");
}

TEST_F(ErasedLeftRecords, ADeliveryThatStaysBelongsToThePresentCustomer) {
  const auto customer = create_person();
  const auto other = create_other();
  const auto order = create_order_to(customer, delivery_to("Wilhelmina Voss"));
  give_to(order, other);
  tenant.move_order(order, "processing");
  tenant.settle();
  EXPECT_EQ(events_with(order, customer, "Wilhelmina Voss"), 2);

  erase(customer);
  EXPECT_EQ(events_with(order, customer, "Wilhelmina Voss"), 0);
  EXPECT_EQ(events_with(order, other, "Wilhelmina Voss"), 2);
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + order).data(), "deliveryAddress.name"), "Wilhelmina Voss");
  EXPECT_EQ(at(erase(customer), "events"), 0);
}

TEST_F(ErasedLeftRecords, ADeliveryIsThePersonsUntilItIsReplaced) {
  const auto on_change = tenant.webhook(receiver.url(tenant.path()), "order_updated");
  const auto customer = create_person();
  const auto other = create_other();
  const auto order = create_order_to(customer, delivery_to_person());
  give_to(order, other);
  tenant.put_order(order, {{"notes", "Ring twice"}});
  tenant.put_order(order, {{"deliveryAddress", delivery_to("Bob Miller")}});
  tenant.put_order(order, {{"notes", "Ring once"}});
  wait_for_runs();

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "events"), 5) << "the customer, and the order until its delivery was replaced";
  EXPECT_EQ(at(counts, "runs"), 3);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_NE(bodies_of(on_change).find("Ring once"), std::string::npos);
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + order).data(), "notes"), "Ring once");
}

TEST_F(ErasedLeftRecords, OnlyTheTimeOfThePersonIsErased) {
  const auto on_creation = tenant.webhook(receiver.url(tenant.path()), "order_created");
  const auto customer = create_person();
  const auto earlier = create_other("Carol Jones", "carol@example.com");
  const auto later = create_other();
  const auto order = create_order_to(earlier, delivery_to("Carol Jones"));
  give_to(order, customer, delivery_to_person());
  give_to(order, later, delivery_to("Bob Miller"));
  wait_for_runs();

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "events"), 3);
  EXPECT_EQ(at(counts, "runs"), 0);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(events_with(order, earlier, "Carol Jones"), 2);
  EXPECT_EQ(events_with(order, later, "Bob Miller"), 1);
  EXPECT_NE(bodies_of(on_creation).find("Carol Jones"), std::string::npos);
}

TEST_F(ErasedLeftRecords, AShipmentThatWasMadeForThePresentCustomerStays) {
  const auto on_creation = tenant.webhook(receiver.url(tenant.path()), "shipment_created");
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to_person());
  give_to(order, create_other(), delivery_to("Bob Miller"));
  const auto shipped = http.post("/api/v1/Orders/" + order + "/shipment", json::object());
  ASSERT_EQ(shipped.status, 201) << shipped.text;
  send_to(text_at(shipped.data(), "guid"), std::nullopt, delivery_to("Theodora"));
  wait_for_runs();
  EXPECT_EQ(at(erase(customer), "runs"), 0);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_NE(bodies_of(on_creation).find("Bob Miller"), std::string::npos);
  EXPECT_EQ(tenant.sql.number("select count(*) from events where business_id = $1"
                              " and (shipment_after).recipient_name in ('Bob Miller', 'Theodora')",
                              {tenant.id}),
            2);
}

TEST_F(ErasedLeftRecords, QueuedMailsToThePresentCustomerStay) {
  const auto mails = mail_workflow("order_updated", {{"delay", "PT2H"}});
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to_person());
  tenant.put_order(order, {{"notes", "one"}});
  give_to(order, create_other(), delivery_to("Bob Miller"));
  tenant.put_order(order, {{"notes", "two"}});
  tenant.settle();
  ASSERT_EQ(tenant.runs("workflowId=" + mails).size(), 3U);

  EXPECT_EQ(at(erase(customer), "runs"), 2);
  const auto runs = tenant.runs("workflowId=" + mails);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(text_at(runs[0], "status"), "waiting");
  EXPECT_EQ(text_at(runs[1], "status"), "waiting") << "it goes to the present customer, rendered again";
  EXPECT_EQ(text_at(runs[2], "code"), "ERASED");
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasedLeftRecords, StepsOfRunsAreErasedToo) {
  const auto step = [&](std::string_view hook) {
    return json::object{{"type", "webhook"}, {"recipient", receiver.url(tenant.path(hook))}};
  };
  const auto steps = text_at(tenant.configure({{"name", "steps"},
                                               {"entityType", "Order"},
                                               {"triggerId", trigger_guid("order_created")},
                                               {"steps", json::array{step("first"), step("second")}}}),
                             "guid");
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to_person());
  wait_for_runs();
  tenant.run_with_status(steps, "succeeded");
  give_to(order, create_other(), delivery_to("Bob Miller"));
  tenant.settle();
  EXPECT_EQ(at(erase(customer), "runs"), 1);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasedLeftRecords, AnOrderThatIsGoneHoldsNothingOfThePerson) {
  tenant.webhook(receiver.url(tenant.path()), "order_created");
  const auto customer = create_person();
  const auto order = create_order_of(customer);
  create_shipment_of(order);
  wait_for_runs();
  tenant.sql.rows("delete from shipments where order_id = $1", {order});
  tenant.sql.rows("delete from orders where guid = $1", {order});
  wait_for_runs();
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
}

TEST_F(ErasedLeftRecords, AShipmentThatMovedHoldsNothingOfThePerson) {
  const auto on_change = tenant.webhook(receiver.url(tenant.path()), "shipment_updated");
  const auto customer = create_person();
  const auto other = create_other();
  const auto shipment = tenant.insert_shipment("");
  send_to(shipment, customer, delivery_to_person());
  const auto add_trace = [&](std::string_view text) {
    const auto added = http.post("/api/v1/shipments/" + shipment + "/traces",
                                 {{"status", "exception"}, {"description", text}, {"location", "Depot"}});
    EXPECT_EQ(added.status, 200) << added.text;
  };
  add_trace("Zenobia Quux was not at home");
  send_to(shipment, other, delivery_to("Bob Miller"));
  add_trace("Bob Miller was not at home");
  EXPECT_EQ(http.put("/api/v1/shipments/" + shipment, {{"instructions", "Ring once"}}).status, 200);
  wait_for_runs();

  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "shipments"), 0);
  EXPECT_GE(at(counts, "events").as_int64(), 4);
  EXPECT_GE(at(counts, "runs").as_int64(), 2);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_NE(bodies_of(on_change).find("Ring once"), std::string::npos);
  const auto shown = http.get("/api/v1/shipments/" + shipment).data();
  EXPECT_EQ(text_at(shown, "recipient.name"), "Bob Miller");
  EXPECT_EQ(text_at(shown, "customer.name"), "Bob Miller");
  EXPECT_EQ(tenant.sql.number("select count(*) from shipment_traces where shipment_id = $1"
                              " and description = 'Bob Miller was not at home' and location = 'Depot'",
                              {shipment}),
            1);
}

// The shipment has no customer of its own.
TEST_F(ErasedLeftRecords, AShipmentOfAnOrderThatMovedHoldsNothingOfThePerson) {
  tenant.webhook(receiver.url(tenant.path()), "shipment_updated");
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to_person());
  const auto shipment = tenant.insert_shipment(order);
  send_to(shipment, std::nullopt, delivery_to_person());
  give_to(order, create_other(), delivery_to("Bob Miller"));
  send_to(shipment, std::nullopt, delivery_to("Bob Miller"));
  wait_for_runs();
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(text_at(http.get("/api/v1/shipments/" + shipment).data(), "recipient.name"), "Bob Miller");
}

TEST_F(ErasedLeftRecords, AShipmentThatLeftThePersonsOrderHoldsNothingOfThePerson) {
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to_person());
  const auto of_other = create_order_to(create_other(), delivery_to("Bob Miller"));
  const auto shipment = tenant.insert_shipment(order);
  send_to(shipment, std::nullopt, delivery_to_person());
  tenant.sql.rows(
      "update shipments set order_id = $2, recipient_name = 'Bob Miller', recipient_company = null,"
      " recipient_phone = null, recipient_email = null, recipient_street = null where guid = $1",
      {shipment, of_other});
  tenant.settle();
  const auto counts = erase(customer);
  EXPECT_EQ(at(counts, "shipments"), 0);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(text_at(http.get("/api/v1/shipments/" + shipment).data(), "recipient.name"), "Bob Miller");
}

// Own data that holds a recipient's name from the time of the person is erased.
TEST_F(ErasedLeftRecords, OwnDataOfThePersonsTimeIsErased) {
  const auto customer = create_person();
  const auto order = create_order_to(customer, delivery_to("Wilhelmina Voss"));
  tenant.put_order(order, {{"tags", json::array{"gift for Wilhelmina Voss", "keep"}},
                           {"deliveryAddress", delivery_to("Theodora")}});
  tenant.put_order(order, {{"customerId", create_other()},
                           {"tags", json::array{"for Bob Miller"}},
                           {"deliveryAddress", delivery_to("Bob Miller")}});
  tenant.settle();
  erase(customer);
  for (const auto* const word : {"wilhelmina", "theodora"})
    EXPECT_EQ(dump().find(word), std::string::npos) << word;
  EXPECT_EQ(tenant.sql.value("select tags from orders where guid = $1", {order}), R"(["for Bob Miller"])");
}

TEST_F(ErasedLeftRecords, AVoidedLabelOfThePersonIsErasedAndTheLabelOfTheNextOneStays) {
  const auto customer = create_person();
  const auto shipment = tenant.insert_shipment({});
  send_to(shipment, customer, delivery_to_person());
  const auto buy = [&](const std::string& attempt, const std::string& status) {
    return tenant.sql.value(
        "with bought as (insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, "
        "status, bought_at, connector, tracking_url, has_label) values ($1, gen_random_uuid(), $2, $3, "
        "gen_random_uuid(), shard_of($1::uuid), $4, now(), 'easypost', 'https://carrier.example/1', true) "
        "returning business_id, guid, shipment_id) "
        "insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes) "
        "select b.*, 'pdf', convert_to($5, 'UTF8') from bought b returning purchase_id",
        {tenant.id, shipment, attempt, status, std::string(name)});
  };
  const auto first = buy("1", "voided");
  const auto other = create_other();
  send_to(shipment, other, delivery_to("Bob Miller"));
  const auto second = buy("2", "bought");
  erase(customer);
  const auto kept = [&](const std::string& purchase) {
    return tenant.sql.number(
        "select count(*) from purchases p join purchase_labels l on l.purchase_id = p.guid "
        "where p.guid = $1 and p.has_label and p.tracking_url is not null",
        {purchase});
  };
  EXPECT_EQ(kept(first), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from purchase_labels where purchase_id = $1", {first}), 0);
  EXPECT_EQ(kept(second), 1);
}

}  // namespace
}  // namespace waybill::tests
