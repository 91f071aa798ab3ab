// POST /api/v1/Orders/bulk: many orders in one call.
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class OrdersBulkTest : public ApiTest {
 protected:
  static constexpr std::string_view path = "/api/v1/Orders/bulk";

  static json::array orders(std::size_t count, const json::object& fields = {}) {
    json::array list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(order_body(fields));
    return list;
  }
  Response make(const json::array& list, const json::object& more = {}, const Headers& headers = {}) {
    json::object body{{"orders", list}};
    for (const auto& [name, value] : more) body[name] = value;
    return http.post(path, body, headers);
  }
  std::int64_t order_count() {
    return tenant.sql.number("select count(*) from orders where business_id = $1", {tenant.id});
  }
  json::value order(const json::value& result) {
    return http.get("/api/v1/Orders/" + text_at(result, "guid")).data();
  }
  static std::vector<std::int64_t> statuses(const Response& response) {
    std::vector<std::int64_t> found;
    for (const auto& result : response.data().as_array())
      found.push_back(result.at("status").to_number<std::int64_t>());
    return found;
  }
};

TEST_F(OrdersBulkTest, EachOrderIsTheOneThatARequestForItAloneMakes) {
  const json::object fields{{"items",
                             {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}, {"sku", "L-1"}},
                              {{"description", "Bulb"},
                               {"quantity", 3},
                               {"price", 1.1},
                               {"dimensions", {{"length", 10}, {"weight", 1.25}}}}}},
                            {"deliveryAddress",
                             {{"street", "Rua \"Augusta\" 1"},
                              {"city", "Lisbon"},
                              {"state", "LX"},
                              {"postalCode", "1100"},
                              {"country", "PT"},
                              {"name", "Bea"},
                              {"company", "B & Co"},
                              {"phone", "+351 1"},
                              {"email", "bea@example.com"}}},
                            {"status", "draft"},
                            {"currency", "USD"},
                            {"collectionDate", "2026-11-22T09:00:00.123Z"},
                            {"timeWindow", {{"start", "09:00"}, {"end", "11:30"}}},
                            {"notes", "ring\ntwice"},
                            {"serviceLevel", "express"},
                            {"shippingMethod", "Drone"},
                            {"shippingCost", 4.95},
                            {"externalReference", "R-1"},
                            {"tags", {"vip", "VIP", "new"}},
                            {"metadata", {{"a.b", 1}, {"c", true}, {"d", "x"}}}};
  auto single = http.post("/api/v1/Orders", order_body(fields)).data().as_object();
  const auto response = make(orders(2, fields));
  ASSERT_EQ(response.status, 200) << response.text;
  const auto& results = response.data().as_array();
  ASSERT_EQ(results.size(), 2U);
  for (std::size_t index = 0; index < results.size(); ++index) {
    EXPECT_EQ(results[index].at("index").to_number<std::size_t>(), index);
    EXPECT_EQ(names_of(results[index]), (std::set<std::string>{"index", "status", "guid", "orderNumber"}));
    auto made = order(results[index]).as_object();
    EXPECT_EQ(text_at(made, "orderNumber"), text_at(results[index], "orderNumber"));
    for (auto* const object : {&made, &single}) {
      for (const auto* const name : {"guid", "orderNumber", "createdAt", "updatedAt", "statusChangedAt"})
        object->erase(name);
      for (auto& item : object->at("items").as_array()) item.as_object().erase("guid");
    }
    EXPECT_EQ(made, single);
  }
}

TEST_F(OrdersBulkTest, NumbersOfOwnDataKeepAllTheirDigits) {
  const std::string shares[] = {"0.12345678901234567891", "12345678901234567890123", "0.5"};
  std::string entries;
  for (const auto& share : shares) {
    auto entry = to_json(order_body());
    entry.pop_back();
    entries += (entries.empty() ? "" : ", ") + entry + R"(, "metadata": {"share": )" + share + "}}";
  }
  const auto response = http.request_text("POST", std::string(path), R"({"orders": [)" + entries + "]}");
  ASSERT_EQ(response.status, 200) << response.text;
  for (std::size_t i = 0; i < std::size(shares); ++i) {
    EXPECT_EQ(tenant.sql.value("select metadata ->> 'share' from orders where guid = $1",
                               {text_at(response.data().at(i), "guid")}),
              shares[i]);
  }
}

TEST_F(OrdersBulkTest, NumbersAreTheNextOnesAndSkipThoseThatEntriesGive) {
  auto list = orders(4);
  list[3].as_object()["orderNumber"] = "ORD-000002";
  EXPECT_EQ(texts(make(list), "orderNumber"),
            (std::vector<std::string>{"ORD-000001", "ORD-000003", "ORD-000004", "ORD-000002"}));
  EXPECT_EQ(text_at(http.post("/api/v1/Orders", order_body()).data(), "orderNumber"), "ORD-000005");
}

TEST_F(OrdersBulkTest, AnEntryThatIsRefusedHasTheErrorOfASingleRequestAndOthersAreMade) {
  auto list = orders(8);
  list[1] = order_body({{"items", {{{"description", "Lamp"}, {"quantity", 0}, {"price", 1}}}}, {"nmae", 1}});
  list[2].as_object().erase("customer");
  list[2].as_object()["customerId"] = unknown_guid;
  list[3].as_object()["orderNumber"] = "taken";
  list[4].as_object()["orderNumber"] = "taken";
  list[5] = "text";
  list[6].as_object()["carrierId"] = unknown_guid;
  const auto response = make(list);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(statuses(response), (std::vector<std::int64_t>{201, 400, 404, 201, 409, 400, 404, 201}));
  EXPECT_EQ(order_count(), 3);
  const auto& results = response.data();
  EXPECT_EQ(text_at(results, "1.error.code"), "VALIDATION_ERROR");
  for (const std::size_t index : {1U, 2U, 6U}) {
    const auto alone = http.post("/api/v1/Orders", list[index].as_object());
    EXPECT_EQ(results.at(index).at("error"), alone.body.at("error"));
    EXPECT_EQ(results.at(index).at("status").to_number<int>(), alone.status);
  }
  const auto alone = http.post("/api/v1/Orders", list[4].as_object());
  EXPECT_EQ(results.at(4).at("error"), alone.body.at("error"));
}

TEST_F(OrdersBulkTest, AnEntryWithAValueThatCannotBeReadIsRefusedAloneAndTheOthersKeepTheirDigits) {
  const std::vector<std::pair<std::string, std::string>> bad{
      {R"("notes": "a\u0000")", "notes"},
      {R"("metadata": {"n": 1e400})", "metadata.n"},
      {R"("metadata": {"n": 1e-400})", "metadata.n"},
      {R"("metadata": {"n": "\u0000"})", "metadata.n"},
      {R"("shippingCost": 1e400)", "shippingCost"},
      {R"("items": [{"description": "d", "quantity": 1e400, "price": 1}])", "items[0].quantity"}};
  const auto entry_with = [](const std::string& member) {
    auto entry = to_json(order_body());
    if (member.starts_with("\"items\"")) {
      auto fields = order_body();
      fields.erase("items");
      entry = to_json(fields);
    }
    entry.pop_back();
    return entry + ", " + member + "}";
  };
  const std::string good = entry_with(R"("metadata": {"share": 12345678901234567890123, "part": 0.5})");
  std::string entries = good;
  for (const auto& [member, field] : bad) entries += ", " + entry_with(member);
  const auto text = R"({"orders": [)" + entries + R"(, "\u0000", 1e400, )" + good + "]";
  const auto response = http.request_text("POST", std::string(path), text + "}");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(statuses(response),
            (std::vector<std::int64_t>{201, 400, 400, 400, 400, 400, 400, 400, 400, 201}));
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const auto alone = http.request_text("POST", "/api/v1/Orders", entry_with(bad[i].first));
    const auto& error = response.data().at(i + 1).at("error");
    EXPECT_TRUE(at(error, "details").as_object().contains(bad[i].second)) << error;
    EXPECT_EQ(error, alone.body.at("error"));
  }
  for (const auto index : {0U, 9U}) {
    EXPECT_EQ(tenant.sql.value("select metadata ->> 'share' from orders where guid = $1",
                               {text_at(response.data().at(index), "guid")}),
              "12345678901234567890123");
  }
  const auto whole = http.request_text("POST", std::string(path), text + R"(, "atomic": true})");
  expect_refused(whole, 400, "VALIDATION_ERROR");
  EXPECT_TRUE(whole.details().contains("orders[1].notes")) << whole.text;
  EXPECT_EQ(order_count(), 2);
  expect_invalid(http.request_text("POST", std::string(path), R"({"orders": [{}], "atomic": "\u0000"})"),
                 {"atomic"});
}

TEST_F(OrdersBulkTest, TheLastMomentOfTheYear9999RefusesNoOtherEntry) {
  const auto response =
      make({order_body(), order_body({{"collectionDate", "9999-12-31T23:59:59.9999999Z"}})});
  ASSERT_EQ(response.status, 200) << response.text;
  ASSERT_EQ(statuses(response), (std::vector<std::int64_t>{201, 201}));
  EXPECT_EQ(text_at(order(response.data().at(1)), "collectionDate"), "9999-12-31T23:59:59.999Z");
}

TEST_F(OrdersBulkTest, AnAtomicCallMakesAllOrdersOrNone) {
  auto list = orders(3);
  list[1].as_object()["notes"] = 7;
  list[2].as_object()["customer"] = {{"name", ""}};
  expect_invalid(make(list, {{"atomic", true}}), {"orders[1].notes", "orders[2].customer.name"});
  EXPECT_EQ(order_count(), 0);
  list = orders(2, {{"orderNumber", "twice"}});
  const auto refused = make(list, {{"atomic", true}});
  expect_refused(refused, 409, "CONFLICT");
  EXPECT_TRUE(refused.details().contains("orders[1]")) << refused.text;
  EXPECT_EQ(order_count(), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 0);
  list = orders(2);
  list[1].as_object()["carrierId"] = unknown_guid;
  expect_refused(make(list, {{"atomic", true}}), 404, "NOT_FOUND");
  EXPECT_EQ(statuses(make(orders(2), {{"atomic", true}})), (std::vector<std::int64_t>{201, 201}));
  EXPECT_EQ(order_count(), 2);
}

TEST_F(OrdersBulkTest, EntriesWithOneEmailAddressHaveOneCustomerAndThoseWithoutHaveTheirOwn) {
  auto list = orders(5);
  list[1].as_object()["customer"] = {{"name", "Another"}, {"email", "ADA@example.com"}};
  list[2].as_object()["customer"] = {{"name", "Guest"}};
  list[3].as_object()["customer"] = {{"name", "Guest"}};
  const auto response = make(list);
  std::vector<std::string> customers;
  for (const auto& result : response.data().as_array())
    customers.push_back(text_at(order(result), "customer.guid"));
  EXPECT_EQ(customers[0], customers[1]);
  EXPECT_EQ(customers[0], customers[4]);
  EXPECT_NE(customers[2], customers[3]);
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 3);
}

TEST_F(OrdersBulkTest, AnEntryWithATakenNumberLeavesNoCustomer) {
  make(orders(1, {{"orderNumber", "taken"}}));
  auto list =
      orders(3, {{"orderNumber", "taken"}, {"customer", {{"name", "New"}, {"email", "new@example.com"}}}});
  list[1].as_object()["orderNumber"] = "free";
  list[2].as_object()["orderNumber"] = "free";
  list[1].as_object()["customer"] = list[0].at("customer").as_object();
  list[2].as_object()["customer"] = {{"name", "Last"}};
  EXPECT_EQ(statuses(make(list)), (std::vector<std::int64_t>{409, 201, 409}));
  EXPECT_EQ(
      tenant.sql.value("select string_agg(name, ',' order by name) from customers where business_id = $1",
                       {tenant.id}),
      "Ada Lovelace,New");
}

TEST_F(OrdersBulkTest, EachOrderHasOneEventByTheCaller) {
  const auto response = make(orders(3));
  for (const auto& guid : texts(response, "guid")) EXPECT_EQ(events_of(guid), 1);
  EXPECT_EQ(tenant.sql.value("select string_agg(distinct cause #>> '{by,type}', ',') from events"
                             " where business_id = $1 and entity_type = 0",
                             {tenant.id}),
            "token");
  EXPECT_EQ(http.get("/api/v1/Orders").body.at("totalCount").to_number<int>(), 3);
}

TEST_F(OrdersBulkTest, AnIdempotencyKeyWorksForTheWholeCall) {
  const Headers headers{{"Idempotency-Key", "bulk"}};
  auto list = orders(3);
  list[1] = 1;
  const auto first = make(list, {}, headers);
  const auto second = make(list, {}, headers);
  EXPECT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(second.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(order_count(), 2);
  expect_refused(make(orders(1), {}, headers), 409, "CONFLICT");
}

TEST_F(OrdersBulkTest, ACallHasOneToAThousandOrders) {
  expect_invalid(make({}), {"orders"});
  expect_invalid(make(json::array(1001)), {"orders"});
  expect_invalid(http.post(path, json::object{{"orders", json::object{{"a", 1}}}}), {"orders"});
  expect_invalid(http.post(path, json::object{}), {"orders"});
  expect_invalid(make(orders(1), {{"atomic", "yes"}}), {"atomic"});
  const auto response = make(orders(1000));
  ASSERT_EQ(response.status, 200) << response.text.substr(0, 500);
  const auto numbers = texts(response, "orderNumber");
  EXPECT_EQ(std::set<std::string>(numbers.begin(), numbers.end()).size(), 1000U);
  EXPECT_EQ(order_count(), 1000);
}

TEST_F(OrdersBulkTest, ALargeCallIsCheckedAsASmallOne) {
  auto list = orders(300);
  list[100].as_object()["carrierId"] = unknown_guid;
  list[200].as_object()["notes"] = 7;
  expect_refused(make(list, {{"atomic", true}}), 404, "NOT_FOUND");
  EXPECT_EQ(order_count(), 0);
  std::vector<std::int64_t> expected(300, 201);
  expected[100] = 404;
  expected[200] = 400;
  EXPECT_EQ(statuses(make(list)), expected);
  EXPECT_EQ(order_count(), 298);
}

TEST_F(OrdersBulkTest, AllEntriesTogetherHaveAThousandDetailsAndThenOneEach) {
  const json::array items(300, json::value(json::object{}));
  json::array list;
  for (int i = 0; i < 300; ++i) list.push_back(json::object{{"items", items}});
  const auto response = make(list);
  ASSERT_EQ(response.status, 200) << response.text.substr(0, 500);
  EXPECT_EQ(statuses(response), std::vector<std::int64_t>(300, 400));
  std::size_t details = 0;
  for (const auto& result : response.data().as_array())
    details += at(result, "error.details").as_object().size();
  EXPECT_LE(details, 1'300U);
  expect_refused(make(list, {{"atomic", true}}), 400, "VALIDATION_ERROR");
  EXPECT_LE(make(list, {{"atomic", true}}).details().size(), 1'000U);
}

TEST_F(OrdersBulkTest, DefaultsOfTheBusinessApplyToEachOrder) {
  const json::object change{{"defaultDimensions", {{"length", 3}, {"unit", "cm"}}}};
  ASSERT_EQ(http.put("/api/business/default-configuration", change).status, 200);
  const auto response = make(orders(2));
  for (const auto& result : response.data().as_array())
    EXPECT_EQ(at(order(result), "items.0.dimensions.length").to_number<double>(), 3);
}

TEST_F(OrdersBulkTest, ConcurrentCallsDoNotDeadlock) {
  // In opposite order, the calls would wait for each other's customers and numbers.
  auto forth = orders(50);
  for (std::size_t i = 0; i < forth.size(); ++i) {
    const auto number = std::to_string(i);
    forth[i] = order_body({{"customer", {{"name", "C"}, {"email", "c" + number + "@example.com"}}}});
    if (i % 2 == 0) forth[i].as_object()["orderNumber"] = "N-" + number;
  }
  const json::array back(forth.rbegin(), forth.rend());
  std::vector<Response> responses(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < responses.size(); ++i) {
      threads.emplace_back([&, i, client = http.with_token(http.token())]() mutable {
        responses[i] = client.post(path, json::object{{"orders", i % 2 == 0 ? forth : back}});
      });
    }
  }
  std::multiset<std::int64_t> all;
  for (const auto& response : responses) {
    ASSERT_EQ(response.status, 200) << response.text;
    for (const auto status : statuses(response)) all.insert(status);
  }
  EXPECT_EQ(all.count(201), 25U + 4U * 25U);
  EXPECT_EQ(all.count(409), 3U * 25U);
  EXPECT_EQ(order_count(), 125);
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 50);
}

TEST_F(OrdersBulkTest, AnotherBusinessesRecordsAreUnknown) {
  const auto foreign = other_business().sql.value(
      "insert into customers (business_id, name) values ($1, 'C') returning guid", {other_business().id});
  auto list = orders(1);
  list[0].as_object().erase("customer");
  list[0].as_object()["customerId"] = foreign;
  EXPECT_EQ(statuses(make(list)), std::vector<std::int64_t>{404});
}

/// An API with one io thread, so that all requests share its six write connections.
TEST(BulkWrites, OfTwoBusinessesDoNotDelayTheWritesOfAThird) {
  TestDatabase database;
  Waybill waybill(database.url(), {.command = "api", .arguments = {"--io-threads", "1"}});
  Tenant quiet(waybill, "quiet");
  std::vector<std::pair<std::string, json::array>> deletions;  // by token
  for (const char* const name : {"first", "second"}) {
    Tenant loud(waybill, name);
    loud.sql.exec("insert into orders (business_id, order_number) select '" + loud.id +
                  "', n::text from generate_series(1, 400) n");
    json::array orders;
    for (const std::string& guid :
         loud.sql.column("select guid from orders where business_id = $1", {loud.id})) {
      orders.push_back(json::object{{"guid", guid}});
    }
    deletions.emplace_back(waybill.token(name), std::move(orders));
  }
  Session holder = database.connect();
  holder.exec("begin; select from orders for update");
  std::vector<std::jthread> clients;
  for (const auto& [token, orders] : deletions) {
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back(
          [&waybill, &token, &orders] { waybill.http(token).post("/api/v1/Orders/delete", orders); });
    }
  }
  ASSERT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from pg_stat_activity where datname = current_database()"
               " and wait_event_type = 'Lock'") == 3;
  })) << "half of the connections";
  for (int i = 0; i < 5; ++i) {
    const auto since = std::chrono::steady_clock::now();
    EXPECT_EQ(quiet.http.post("/api/v1/Orders", order_body()).status, 201) << i;
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(1)) << i;
  }
  holder.exec("rollback");
}

}  // namespace
}  // namespace waybill::tests
