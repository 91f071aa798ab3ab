#include <set>

#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class CustomersTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) { return "/api/v1/Customers/" + std::string(guid); }

  std::string create(const json::object& body) {
    const auto response = http.post("/api/v1/Customers", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
};

TEST_F(CustomersTest, CreatingReturnsGuidNameAndEmail) {
  const auto response =
      http.post("/api/v1/Customers", {{"name", "Ada"},
                                      {"email", "Ada@example.com"},
                                      {"phone", "+351 1"},
                                      {"company", "Engines"},
                                      {"address", {{"street", "Rua 1"}, {"country", "PT"}}}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Ada"}, {"email", "Ada@example.com"}}));

  const auto whole = http.get(path_of(guid));
  EXPECT_EQ(names_of(whole.data()),
            (std::set<std::string>{"guid", "name", "email", "phone", "company", "address",
                                   "externalReference", "tags", "metadata", "contacts", "references"}));
  EXPECT_EQ(text_at(whole.data(), "address.street"), "Rua 1");
  EXPECT_TRUE(at(whole.data(), "address.city").is_null());
  EXPECT_TRUE(at(whole.data(), "contacts").as_array().empty());

  const auto list = http.get("/api/v1/Customers");
  EXPECT_EQ(names_of(at(list.data(), "0")),
            (std::set<std::string>{"guid", "name", "email", "phone", "company", "address",
                                   "externalReference", "tags", "metadata"}));
  EXPECT_EQ(names_of(at(list.data(), "0.address")),
            (std::set<std::string>{"street", "city", "state", "postalCode", "country"}));
}

TEST_F(CustomersTest, OwnDataIsKeptMergedAndCleared) {
  const auto guid =
      create({{"name", "Ada"},
              {"externalReference", " CRM-1\u00a0"},
              {"tags", json::array{"Vip", "new\u00a0", " VIP"}},
              {"metadata", {{"color", "red"}, {"size", 4.5}, {"gift", true}, {"none", nullptr}}}});
  const auto whole = http.get(path_of(guid)).data();
  EXPECT_EQ(text_at(whole, "externalReference"), "CRM-1");
  EXPECT_EQ(at(whole, "tags"), json::value(json::array{"Vip", "new"}));
  EXPECT_EQ(at(whole, "metadata"), json::value({{"color", "red"}, {"size", 4.5}, {"gift", true}}));
  EXPECT_EQ(at(at(http.get("/api/v1/Customers").data(), "0"), "tags"),
            json::value(json::array{"Vip", "new"}));

  ASSERT_EQ(
      http.put(path_of(guid), {{"tags", json::array{"old"}}, {"metadata", {{"size", 5}, {"gift", nullptr}}}})
          .status,
      200);
  const auto changed = http.get(path_of(guid)).data();
  EXPECT_EQ(text_at(changed, "externalReference"), "CRM-1");
  EXPECT_EQ(at(changed, "tags"), json::value(json::array{"old"}));
  EXPECT_EQ(at(changed, "metadata"), json::value({{"color", "red"}, {"size", 5}}));
  EXPECT_EQ(events_of(guid), 2);
  ASSERT_EQ(http.put(path_of(guid), changed.as_object()).status, 200) << "an answer can be sent back";
  EXPECT_EQ(events_of(guid), 2) << "and changes nothing";

  ASSERT_EQ(http.put(path_of(guid),
                     {{"externalReference", nullptr}, {"tags", json::array()}, {"metadata", nullptr}})
                .status,
            200);
  const auto cleared = http.get(path_of(guid)).data();
  for (const auto* const field : {"externalReference", "metadata"})
    EXPECT_TRUE(at(cleared, field).is_null()) << field;
  EXPECT_EQ(at(cleared, "tags"), json::array());
}

TEST_F(CustomersTest, BadOwnDataIsNamed) {
  json::array tags;
  for (int i = 0; i < 4; ++i) tags.push_back(json::value(i < 3 ? "tag" : std::string(51, 't').c_str()));
  expect_invalid(http.post("/api/v1/Customers", {{"name", "Ada"},
                                                 {"externalReference", std::string(201, 'r')},
                                                 {"tags", tags},
                                                 {"metadata", {{"a b", 1}, {"list", json::array()}}}}),
                 {"externalReference", "tags[3]", "metadata.a b", "metadata.list"});

  json::object fifty;
  for (int i = 0; i < 50; ++i) fifty.emplace("key" + std::to_string(i), i);
  const auto guid = create({{"name", "Ada"}, {"metadata", fifty}});
  expect_invalid(http.put(path_of(guid), {{"metadata", {{"one-more", 1}}}}), {"metadata"});
  EXPECT_EQ(http.put(path_of(guid), {{"metadata", {{"one-more", 1}, {"key0", nullptr}}}}).status, 200);
}

TEST_F(CustomersTest, AnAddressWithoutPartsIsNull) {
  EXPECT_TRUE(http.get(path_of(create({{"name", "Ada"}}))).data().at("address").is_null());
}

TEST_F(CustomersTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/v1/Customers", json::object{}), {"name"});
  expect_invalid(http.post("/api/v1/Customers", {{"name", "  "},
                                                 {"email", "ada"},
                                                 {"phone", 1},
                                                 {"company", std::string(201, 'c')},
                                                 {"address", {{"planet", "Earth"}, {"city", true}}}}),
                 {"name", "email", "phone", "company", "address.planet", "address.city"});
}

TEST_F(CustomersTest, AnEmailHoldsNoInvisibleCharacter) {
  for (const auto* const email :
       {"ann@example.com\u00a0", "\u200bann@example.com", "ann@exam\u00adple.com", "ann@example.com\u202c",
        "ann@example.com\ufeff", "ann\u3000@example.com"}) {
    expect_invalid(http.post("/api/v1/Customers", {{"name", "Ann"}, {"email", email}}), {"email"});
    expect_invalid(
        http.post("/api/v1/Orders", {{"customer", {{"name", "Ann"}, {"email", email}}},
                                     {"status", "draft"},
                                     {"items", {{{"description", "Mug"}, {"quantity", 1}, {"price", 1}}}}}),
        {"customer.email"});
    expect_invalid(http.post("/api/user/register", {{"email", email},
                                                    {"firstName", "Ann"},
                                                    {"lastName", "Lee"},
                                                    {"password", "long enough"},
                                                    {"confirmPassword", "long enough"},
                                                    {"acceptedTerms", true}}),
                   {"email"});
  }
  expect_invalid(http.post("/api/v1/Customers", {{"name", "\u00a0\u200b"}}), {"name"});
}

TEST_F(CustomersTest, EmailIsUniqueInAnyCase) {
  const auto guid = create({{"name", "Ada"}, {"email", "ada@example.com"}});
  expect_refused(http.post("/api/v1/Customers", {{"name", "B"}, {"email", "ADA@Example.com"}}), 409,
                 "CONFLICT");
  const auto other = create({{"name", "B"}, {"email", "b@example.com"}});
  expect_refused(http.put(path_of(other), {{"email", "Ada@EXAMPLE.com"}}), 409, "CONFLICT");
  EXPECT_EQ(http.put(path_of(guid), {{"email", "ADA@example.com"}}).status, 200) << "its own address";
  EXPECT_EQ(
      other_business().http.post("/api/v1/Customers", {{"name", "A"}, {"email", "ada@example.com"}}).status,
      201);
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  create({{"name", "Ada again"}, {"email", "ada@example.com"}});
}

TEST_F(CustomersTest, PutKeepsAbsentFieldsAndClearsNullFields) {
  const auto guid = create({{"name", "Ada"},
                            {"email", "ada@example.com"},
                            {"phone", "1"},
                            {"address", {{"street", "Rua 1"}, {"city", "Lisbon"}}}});
  auto response =
      http.put(path_of(guid), {{"name", "Ada L."}, {"phone", nullptr}, {"address", {{"city", "Porto"}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Ada L."}, {"email", "ada@example.com"}}));
  auto whole = http.get(path_of(guid));
  EXPECT_TRUE(whole.data().at("phone").is_null());
  EXPECT_EQ(text_at(whole.data(), "address.street"), "Rua 1");
  EXPECT_EQ(text_at(whole.data(), "address.city"), "Porto");

  const auto events = events_of(guid);
  EXPECT_EQ(http.put(path_of(guid), whole.data()).status, 200) << "a GET response can be PUT back";
  EXPECT_EQ(events_of(guid), events) << "without any change";
  EXPECT_EQ(http.put(path_of(guid), {{"address", nullptr}}).status, 200);
  EXPECT_TRUE(http.get(path_of(guid)).data().at("address").is_null());
  expect_invalid(http.put(path_of(guid), {{"name", nullptr}}), {"name"});
  expect_invalid(http.put(path_of(guid), {{"name", ""}}), {"name"});
  expect_invalid(http.put(path_of(guid), {{"name", " "}}), {"name"});
}

TEST_F(CustomersTest, ACustomerThatSqlWroteCanBePutBackAndChangesNothing) {
  tenant.write_long_values();  // as in an earlier release, also with an empty address
  for (const std::string email : {"", "nope"}) {
    const auto guid = create({{"name", "Ada"}});
    tenant.sql.rows("update customers set email = $2, metadata = '{\"two words\": 1}' where guid = $1",
                    {guid, email});
    auto body = http.get(path_of(guid)).data().as_object();
    const auto events = events_of(guid);
    EXPECT_EQ(http.put(path_of(guid), body).status, 200) << email;
    EXPECT_EQ(events_of(guid), events) << email;
    body["name"] = "Ada L.";
    EXPECT_EQ(http.put(path_of(guid), body).status, 200) << email;
    EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "email"), email);
    body["email"] = "another";
    expect_invalid(http.put(path_of(guid), body), {"email"});
    expect_invalid(http.post("/api/v1/Customers", {{"name", "x"}, {"email", email}}), {"email"});
  }
}

TEST_F(CustomersTest, DeletingACustomerKeepsItOnItsOrders) {
  const auto order = tenant.create_order();
  const auto path = "/api/v1/Orders/" + order;
  const auto guid = text_at(http.get(path).data(), "customer.guid");
  const auto response = http.del(path_of(guid));
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  EXPECT_EQ(at(http.get("/api/v1/Customers").body, "totalCount"), 0);
  EXPECT_EQ(text_at(http.get(path).data(), "customer.name"), "Ada Lovelace");
  EXPECT_EQ(text_at(http.get("/api/v1/Orders").data(), "0.customer.name"), "Ada Lovelace");
  EXPECT_EQ(http.put(path, http.get(path).data()).status, 200) << "a GET response can be PUT back";
  auto again = order_body({{"customerId", guid}});
  again.erase("customer");
  expect_refused(http.post("/api/v1/Orders", again), 404, "NOT_FOUND");
}

TEST_F(CustomersTest, ACustomerOfAnotherBusinessIs404) {
  const auto foreign_customer =
      text_at(other_business().http.post("/api/v1/Customers", {{"name", "T"}}).data(), "guid");
  for (const auto& guid : {foreign_customer, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  }
  expect_invalid(http.get(path_of("x")), {"customerId"});
  EXPECT_EQ(other_business().http.get(path_of(foreign_customer)).status, 200);
}

TEST_F(CustomersTest, CustomersCanBeSortedAndFilteredByHiddenTimes) {
  create({{"name", "First"}});
  create({{"name", "Second"}});
  tenant.sql.exec(
      "update customers set created_at = created_at - interval '1 day' where name = 'First' and"
      " business_id = '" +
      tenant.id + "'");
  EXPECT_EQ(texts(http.get("/api/v1/Customers?$orderby=createdAt"), "name"),
            (std::vector<std::string>{"First", "Second"}));
  EXPECT_EQ(at(http.get("/api/v1/Customers?$filter=" + url_encode("createdAt lt 2000-01-01T00:00:00Z")).body,
               "totalCount"),
            0);
}

TEST_F(CustomersTest, PutIgnoresReadOnlyFields) {
  const auto guid = create({{"name", "Ada"}});
  EXPECT_EQ(http.put(path_of(guid), {{"guid", unknown_guid},
                                     {"createdAt", "x"},
                                     {"updatedAt", 1},
                                     {"contacts", {{{"name", "x"}}}},
                                     {"references", json::array{}}})
                .status,
            200);
  EXPECT_TRUE(http.get(path_of(guid)).data().at("contacts").as_array().empty());
}

TEST_F(CustomersTest, FiltersAndSearchesFindCustomers) {
  create({{"name", "Ada"},
          {"email", "ada@example.com"},
          {"company", "Engines Ltd"},
          {"address", {{"city", "Lisbon"}}}});
  create({{"name", "Bob"}, {"email", "bob@example.com"}, {"address", {{"city", "Porto"}}}});
  const auto names = [&](std::string_view query) {
    const auto response = http.get("/api/v1/Customers?" + std::string(query));
    EXPECT_EQ(response.status, 200) << response.text;
    return texts(response, "name");
  };
  EXPECT_EQ(names("$filter=" + url_encode("address/city eq 'Lisbon'")), std::vector<std::string>{"Ada"});
  EXPECT_EQ(names("$search=" + url_encode("ENGINES lisb")), std::vector<std::string>{"Ada"});
  EXPECT_EQ(names("$search=" + url_encode("engines porto")), std::vector<std::string>{});
  EXPECT_EQ(names("$orderby=name%20desc"), (std::vector<std::string>{"Bob", "Ada"}));
}

}  // namespace
}  // namespace waybill::tests
