// A customer's contacts, references, shipments and figures.
#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class CustomerListsTest : public ApiTest {
 protected:
  CustomerListsTest() : customer(text_at(http.post("/api/v1/Customers", {{"name", "Ada"}}).data(), "guid")) {}

  std::string path(std::string_view more = "") const {
    return "/api/v1/Customers/" + customer + std::string(more);
  }

  std::string add_contact(const json::object& body) {
    const auto response = http.post(path("/contacts"), body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }

  std::string customer;
};

using CustomerContacts = CustomerListsTest;
using CustomerReferences = CustomerListsTest;
using CustomerShipments = CustomerListsTest;
using CustomerAnalytics = CustomerListsTest;

TEST_F(CustomerListsTest, TheSigmasAreOneLetterWithoutRegardToCase) {
  const auto add = [&](std::string_view name, const json::array& tags) {
    const auto response = http.post("/api/v1/Customers", {{"name", name}, {"tags", tags}});
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  };
  const auto small = add("Γιώργος", {"Πελάτης", "ΠΕΛΆΤΗΣ"}), capitals = add("ΓΙΏΡΓΟΣ", {"ΠΕΛΆΤΗΣ"});
  EXPECT_EQ(at(http.get("/api/v1/Customers/" + small).data(), "tags"), json::value(json::array{"Πελάτης"}))
      << "once";
  const auto found = [&](const std::string& query) {
    return texts(http.get("/api/v1/Customers?$orderby=createdAt&" + query), "guid");
  };
  const auto filtered = [&](std::string_view filter) { return found("$filter=" + url_encode(filter)); };
  const std::vector<std::string> both{small, capitals};
  for (const std::string name : {"Γιώργος", "ΓΙΏΡΓΟΣ", "γιώργοσ"}) {
    EXPECT_EQ(found("$search=" + url_encode(name)), both) << name;
    EXPECT_EQ(filtered("tolower(name) eq tolower('" + name + "')"), both) << name;
    EXPECT_EQ(filtered("endswith(tolower(name),tolower('" + name + "'))"), both) << name;
    EXPECT_EQ(filtered("tolower(name) ne tolower('" + name + "')"), std::vector{customer}) << name;
  }
  EXPECT_EQ(filtered("tolower(name) in ('x','γιώργος')"), both);
  EXPECT_EQ(filtered("name eq 'Γιώργος'"), std::vector{small}) << "with regard to case";
  for (const std::string tag : {"Πελάτης", "ΠΕΛΆΤΗΣ", "πελάτησ"}) {
    EXPECT_EQ(filtered("tags eq '" + tag + "'"), both) << tag;
    EXPECT_EQ(filtered("tags ne '" + tag + "'"), std::vector{customer}) << tag;
    EXPECT_EQ(filtered("not (tags in ('x','" + tag + "'))"), std::vector{customer}) << tag;
  }
}

TEST_F(CustomerContacts, AContactThatSqlWroteCanBeChangedAndRemoved) {
  tenant.sql.exec(R"(update customers set contacts = '[{"name": "Bob"}]' where guid = ')" + customer + "'");
  const auto contact = path("/contacts/" + text_at(http.get(path()).data(), "contacts.0.guid"));
  EXPECT_EQ(http.patch(contact, {{"name", "Rob"}}).status, 200);
  EXPECT_EQ(text_at(http.get(path()).data(), "contacts.0.name"), "Rob");
  EXPECT_EQ(http.del(contact).status, 200);
}

TEST_F(CustomerContacts, AddingReturnsGuidNameAndEmailAndTheCustomerShowsAllFields) {
  const auto response =
      http.post(path("/contacts"),
                {{"name", "Bob"}, {"email", "bob@example.com"}, {"phone", "1"}, {"role", "billing"}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Bob"}, {"email", "bob@example.com"}}));
  EXPECT_EQ(response.header("Location"), path("/contacts/" + guid));
  EXPECT_EQ(http.get(response.header("Location")).data(), at(http.get(path()).data(), "contacts.0"));
  add_contact({{"name", "Cy"}});
  const auto whole = http.get(path());
  EXPECT_EQ(at(whole.data(), "contacts.0"), json::value({{"guid", guid},
                                                         {"name", "Bob"},
                                                         {"email", "bob@example.com"},
                                                         {"phone", "1"},
                                                         {"role", "billing"}}));
  EXPECT_EQ(text_at(whole.data(), "contacts.1.name"), "Cy");
  EXPECT_TRUE(at(whole.data(), "contacts.1.email").is_null());
  EXPECT_EQ(http.put(path(), whole.data()).status, 200) << "a GET response can be PUT back";
}

TEST_F(CustomerContacts, ChangingMergesAndReturnsGuidAndName) {
  const auto guid = add_contact({{"name", "Bob"}, {"email", "bob@example.com"}, {"phone", "1"}});
  const auto events = events_of(customer);
  const auto response =
      http.patch(path("/contacts/" + guid), {{"name", "Bobby"}, {"phone", nullptr}, {"role", "boss"}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Bobby"}}));
  EXPECT_EQ(events_of(customer), events + 1) << "a change of a contact is an event of its customer";
  const auto contact = at(http.get(path()).data(), "contacts.0");
  EXPECT_EQ(text_at(contact, "email"), "bob@example.com");
  EXPECT_TRUE(at(contact, "phone").is_null());
  EXPECT_EQ(http.patch(path("/contacts/" + guid), contact).status, 200) << "a GET response can be sent back";
  EXPECT_EQ(http.patch(path("/contacts/" + guid), json::object{}).status, 200);
  EXPECT_EQ(events_of(customer), events + 1) << "nothing changed";
}

TEST_F(CustomerContacts, BadFieldsAreReportedTogether) {
  expect_invalid(http.post(path("/contacts"), json::object{}), {"name"});
  expect_invalid(
      http.post(path("/contacts"),
                {{"name", " "}, {"email", "bob"}, {"phone", 1}, {"role", std::string(201, 'r')}, {"age", 5}}),
      {"name", "email", "phone", "role", "age"});
  const auto guid = add_contact({{"name", "Bob"}});
  expect_invalid(http.patch(path("/contacts/" + guid), {{"name", nullptr}, {"email", "x"}}),
                 {"name", "email"});
  expect_invalid(http.patch(path("/contacts/" + guid), {{"name", " "}}), {"name"});
  expect_invalid(http.patch(path("/contacts/x"), {{"name", "n"}}), {"contactId"});
}

TEST_F(CustomerContacts, DeletingReturnsTheGuidOnce) {
  const auto guid = add_contact({{"name", "Bob"}});
  const auto other = add_contact({{"name", "Cy"}});
  const auto response = http.del(path("/contacts/" + guid));
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}}));
  expect_refused(http.del(path("/contacts/" + guid)), 404, "NOT_FOUND");
  expect_refused(http.patch(path("/contacts/" + guid), {{"name", "x"}}), 404, "NOT_FOUND");
  EXPECT_EQ(text_at(http.get(path()).data(), "contacts.0.guid"), other);
}

TEST_F(CustomerContacts, ACustomerHasAtMost1000) {
  tenant.sql.rows(
      "update customers set contacts = (select jsonb_agg(jsonb_build_object('guid', gen_random_uuid(),"
      " 'name', n::text)) from generate_series(1, 999) n) where guid = $1",
      {customer});
  add_contact({{"name", "the last"}});
  expect_refused(http.post(path("/contacts"), {{"name", "one more"}}), 409, "CONFLICT");
}

TEST_F(CustomerContacts, ContactsAddedConcurrentlyAreAllKept) {
  constexpr int threads = 4;
  constexpr int each = 5;
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([this] {
      auto client = http.with_token(http.token());
      for (int n = 0; n < each; ++n) client.post(path("/contacts"), {{"name", "Bob"}});
    });
  }
  workers.clear();
  EXPECT_EQ(http.get(path()).data().at("contacts").as_array().size(), threads * each);
}

TEST_F(CustomerReferences, AddingReturnsTheCustomerWithAllReferences) {
  const auto first = http.patch(path("/references"), {{"type", "vat"}, {"value", "PT1"}});
  ASSERT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(text_at(first.data(), "guid"), customer);
  EXPECT_EQ(names_of(first.data()), (std::set<std::string>{"guid", "references"}));
  EXPECT_EQ(names_of(at(first.data(), "references.0")), (std::set<std::string>{"guid", "type", "value"}));
  const auto second = http.patch(path("/references"), {{"type", "vat"}, {"value", "PT2"}});
  EXPECT_EQ(at(second.data(), "references.0"), at(first.data(), "references.0"));
  EXPECT_EQ(text_at(second.data(), "references.1.value"), "PT2");
  EXPECT_EQ(http.get(path()).data().at("references"), second.data().at("references"));
  const auto events = events_of(customer);
  EXPECT_EQ(http.patch(path("/references"), {{"type", "vat"}, {"value", "PT1"}}).data(), second.data())
      << "a duplicate is not added";
  EXPECT_EQ(events_of(customer), events);
}

TEST_F(CustomerReferences, TypeAndValueAreRequired) {
  expect_invalid(http.patch(path("/references"), json::object{}), {"type", "value"});
  expect_invalid(http.patch(path("/references"), {{"type", ""}, {"value", std::string(201, 'v')}, {"x", 1}}),
                 {"type", "value", "x"});
}

TEST_F(CustomerReferences, DeletingReturnsTheGuidOnce) {
  const auto added = http.patch(path("/references"), {{"type", "vat"}, {"value", "PT1"}});
  const auto guid = text_at(added.data(), "references.0.guid");
  EXPECT_EQ(http.del(path("/references/" + guid)).data(), json::value({{"guid", guid}}));
  expect_refused(http.del(path("/references/" + guid)), 404, "NOT_FOUND");
  EXPECT_TRUE(http.get(path()).data().at("references").as_array().empty());
}

TEST_F(CustomerReferences, ACustomerHasAtMost1000) {
  tenant.sql.rows(
      "update customers set reference_list = (select jsonb_agg(jsonb_build_object('guid', gen_random_uuid(),"
      " 'type', 't', 'value', n::text)) from generate_series(1, 999) n) where guid = $1",
      {customer});
  EXPECT_EQ(http.patch(path("/references"), {{"type", "t"}, {"value", "the last"}}).status, 200);
  expect_refused(http.patch(path("/references"), {{"type", "t"}, {"value", "one more"}}), 409, "CONFLICT");
  EXPECT_EQ(http.patch(path("/references"), {{"type", "t"}, {"value", "7"}}).status, 200)
      << "a known reference";
}

TEST_F(CustomerListsTest, ACustomerOfAnotherBusinessIs404Everywhere) {
  auto& other = other_business().http;
  const auto contact = add_contact({{"name", "Bob"}});
  const auto reference =
      text_at(http.patch(path("/references"), {{"type", "t"}, {"value", "v"}}).data(), "references.0.guid");
  const auto before = http.get(path()).data();
  expect_refused(other.post(path("/contacts"), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.patch(path("/contacts/" + contact), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.del(path("/contacts/" + contact)), 404, "NOT_FOUND");
  expect_refused(other.patch(path("/references"), {{"type", "x"}, {"value", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.del(path("/references/" + reference)), 404, "NOT_FOUND");
  expect_refused(other.get(path("/recent-shipments")), 404, "NOT_FOUND");
  expect_refused(other.get(path("/sales-analytics")), 404, "NOT_FOUND");
  EXPECT_EQ(http.get(path()).data(), before);
}

TEST_F(CustomerListsTest, ListsWrittenBySqlInAnyShapeAreAccepted) {
  tenant.sql.rows(
      "update customers set contacts = '[1, null, {\"guid\": 5}, {\"name\": \"x\"}]',"
      " reference_list = '[[], \"x\"]' where guid = $1",
      {customer});
  const auto guid = add_contact({{"name", "Bob"}});
  EXPECT_EQ(http.patch(path("/contacts/" + guid), {{"name", "B"}}).status, 200);
  EXPECT_EQ(http.del(path("/contacts/" + guid)).status, 200);
  EXPECT_EQ(http.get(path()).data().at("contacts").as_array().size(), 4U);
  EXPECT_EQ(http.patch(path("/references"), {{"type", "t"}, {"value", "v"}}).status, 200);
}

TEST_F(CustomerShipments, TheTwentyNewestAreListed) {
  EXPECT_TRUE(http.get(path("/recent-shipments")).data().as_array().empty());
  tenant.sql.rows(
      "insert into shipments (business_id, tracking_number, customer_id, status, created_at, delivered_at,"
      " estimated_delivery) select $1, 'WB-' || n, $2, case when n = 21 then 'delivered' else 'created' end,"
      " timestamptz '2026-01-01 00:00:00Z' + n * interval '1 day',"
      " case when n = 21 then timestamptz '2026-03-01 10:00:00Z' end,"
      " case when n <> 19 then timestamptz '2026-04-01 10:00:00Z' end from generate_series(1, 21) n",
      {tenant.id, customer});
  tenant.sql.rows(
      "insert into shipments (business_id, tracking_number, customer_id, deleted_at, created_at)"
      " values ($1, 'gone', $2, now(), now())",
      {tenant.id, customer});
  const auto list = http.get(path("/recent-shipments"));
  ASSERT_EQ(list.data().as_array().size(), 20U) << list.text;
  EXPECT_EQ(names_of(at(list.data(), "0")),
            (std::set<std::string>{"guid", "trackingNumber", "status", "deliveryDate"}));
  EXPECT_EQ(text_at(list.data(), "0.trackingNumber"), "WB-21");
  EXPECT_EQ(text_at(list.data(), "0.status"), "delivered");
  EXPECT_EQ(text_at(list.data(), "0.deliveryDate"), "2026-03-01T10:00:00.000Z") << "time of delivery";
  EXPECT_EQ(text_at(list.data(), "1.deliveryDate"), "2026-04-01T10:00:00.000Z") << "otherwise the due date";
  EXPECT_EQ(text_at(list.data(), "2.deliveryDate"), "2026-01-25T00:00:00.000Z")
      << "otherwise the usual estimate";
  EXPECT_EQ(text_at(list.data(), "19.trackingNumber"), "WB-2");
  expect_refused(http.get("/api/v1/Customers/" + std::string(unknown_guid) + "/recent-shipments"), 404,
                 "NOT_FOUND");
}

TEST_F(CustomerAnalytics, AreZeroWithoutOrders) {
  EXPECT_EQ(http.get(path("/sales-analytics")).data(), json::value({{"totalOrders", 0},
                                                                    {"totalShipments", 0},
                                                                    {"totalValue", 0},
                                                                    {"averageOrderValue", 0},
                                                                    {"currency", "EUR"},
                                                                    {"byCurrency", json::array()},
                                                                    {"onTimeDeliveryRate", 0}}));
  expect_refused(http.get("/api/v1/Customers/" + std::string(unknown_guid) + "/sales-analytics"), 404,
                 "NOT_FOUND");
}

TEST_F(CustomerAnalytics, LeaveOutDraftAndCancelledOrders) {
  for (const auto* status : {"pending", "shipped", "delivered", "draft", "cancelled"}) {
    tenant.insert_order({{"customer_id", "'" + customer + "'"},
                         {"status", "'" + std::string(status) + "'"},
                         {"total_value", "33.34"}});
  }
  tenant.insert_order({{"customer_id", "'" + customer + "'"}, {"total_value", "5"}, {"deleted_at", "now()"}});
  for (const auto* const values :
       {"'delivered', '2026-01-02Z', '2026-01-02Z'", "'delivered', '2026-01-03Z', '2026-01-02Z'",
        "'delivered', '2026-01-03Z', '2026-01-04Z'", "'created', null, '2026-01-02Z'"}) {
    tenant.sql.exec(
        "insert into shipments (business_id, customer_id, tracking_number, status, delivered_at,"
        " estimated_delivery) values ('" +
        tenant.id + "', '" + customer + "', gen_random_uuid(), " + values + ")");
  }
  const json::object eur{{"currency", "EUR"}, {"orders", 3}, {"value", 100.02}};
  EXPECT_EQ(http.get(path("/sales-analytics")).data(), json::value({{"totalOrders", 3},
                                                                    {"totalShipments", 4},
                                                                    {"totalValue", 100.02},
                                                                    {"averageOrderValue", 33.34},
                                                                    {"currency", "EUR"},
                                                                    {"byCurrency", json::array({eur})},
                                                                    {"onTimeDeliveryRate", 0.6667}}));
}

TEST_F(CustomerAnalytics, NeverAddAmountsOfDifferentCurrencies) {
  const auto order = [&](const char* currency, const char* value) {
    tenant.insert_order({{"customer_id", "'" + customer + "'"},
                         {"status", "'pending'"},
                         {"currency", "'" + std::string(currency) + "'"},
                         {"total_value", value}});
  };
  order("JPY", "15000");
  order("EUR", "100");
  json::value sales = http.get(path("/sales-analytics")).data();
  EXPECT_EQ(text_at(sales, "currency"), "EUR") << "the business's, of equally many";
  EXPECT_EQ(at(sales, "totalValue"), 100);
  order("JPY", "5000");
  sales = http.get(path("/sales-analytics")).data();
  EXPECT_EQ(at(sales, "totalOrders"), 3);
  EXPECT_EQ(at(sales, "totalValue"), 20000);
  EXPECT_EQ(at(sales, "averageOrderValue"), 10000);
  EXPECT_EQ(text_at(sales, "byCurrency.0.currency"), "JPY");
  EXPECT_EQ(at(sales, "byCurrency.0.value"), 20000);
  EXPECT_EQ(text_at(sales, "byCurrency.1.currency"), "EUR");
  EXPECT_EQ(at(sales, "byCurrency.1.orders"), 1);
}

}  // namespace
}  // namespace waybill::tests
