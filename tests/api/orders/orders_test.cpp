#include <set>
#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class OrdersTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid, std::string_view more = "") {
    return "/api/v1/Orders/" + std::string(guid) + std::string(more);
  }

  json::value created(const json::object& fields = {}) {
    const auto response = http.post("/api/v1/Orders", order_body(fields));
    EXPECT_EQ(response.status, 201) << response.text;
    return response.data();
  }

  std::string created_guid(const json::object& fields = {}) { return text_at(created(fields), "guid"); }

  std::string product(std::string_view name, std::string_view price = "4.50") {
    return tenant.sql.value(
        "insert into products (business_id, name, sku, price) values ($1, $2, 'SKU-' || $2, $3)"
        " returning guid",
        {tenant.id, std::string(name), std::string(price)});
  }
};

TEST_F(OrdersTest, CreatingReturnsTheWholeOrderAndItsLocation) {
  const auto response = http.post(
      "/api/v1/Orders",
      order_body({{"items",
                   {{{"description", "Lamp"},
                     {"quantity", 2},
                     {"price", 19.99},
                     {"sku", "L-1"},
                     {"dimensions", {{"length", 10}, {"width", 20.5}, {"height", 5}, {"weight", 1.25}}}},
                    {{"description", "Bulb"}, {"quantity", 3}, {"price", 1.1}}}},
                  {"deliveryAddress",
                   {{"street", "Rua Augusta 1"},
                    {"city", "Lisbon"},
                    {"state", "LX"},
                    {"postalCode", "1100"},
                    {"country", "PT"}}},
                  {"currency", "USD"},
                  {"notes", "ring twice"}}));
  ASSERT_EQ(response.status, 201) << response.text;
  const auto& order = response.data();
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(text_at(order, "orderNumber"), "ORD-000001");
  EXPECT_EQ(text_at(order, "status"), "pending");
  EXPECT_EQ(text_at(order, "customer.name"), "Ada Lovelace");
  EXPECT_EQ(text_at(order, "customer.email"), "ada@example.com");
  EXPECT_EQ(at(order, "totalValue").to_number<double>(), 43.28);
  EXPECT_EQ(text_at(order, "currency"), "USD");
  EXPECT_EQ(text_at(order, "items.0.sku"), "L-1");
  EXPECT_EQ(at(order, "items.0.dimensions.width").to_number<double>(), 20.5);
  EXPECT_TRUE(at(order, "items.1.dimensions").is_null());
  EXPECT_EQ(text_at(order, "items.1.guid").size(), 36U);
  EXPECT_EQ(text_at(order, "deliveryAddress.country"), "PT");
  EXPECT_TRUE(at(order, "shipments").as_array().empty());
  for (const auto* const name : {"carrier", "serviceLevel", "collectionDate", "timeWindow"}) {
    EXPECT_TRUE(order.as_object().contains(name) && order.at(name).is_null()) << name;
  }
  EXPECT_EQ(http.get(path_of(guid)).data(), order);
}

TEST_F(OrdersTest, TheResponseHasTheFieldNamesOfTheInterfaceDocument) {
  const auto order = created();
  std::set<std::string> names;
  for (const auto& [name, value] : order.as_object()) names.insert(std::string(name));
  EXPECT_EQ(names, (std::set<std::string>{"guid",
                                          "orderNumber",
                                          "status",
                                          "customer",
                                          "items",
                                          "deliveryAddress",
                                          "carrier",
                                          "serviceLevel",
                                          "shippingMethod",
                                          "shippingCost",
                                          "shipments",
                                          "totalValue",
                                          "currency",
                                          "collectionDate",
                                          "timeWindow",
                                          "notes",
                                          "externalReference",
                                          "tags",
                                          "metadata",
                                          "source",
                                          "statusChangedAt",
                                          "createdAt",
                                          "updatedAt"}));
}

TEST_F(OrdersTest, AListOmitsFieldsOfASingleOrder) {
  created();
  const auto list = http.get("/api/v1/Orders");
  ASSERT_EQ(list.status, 200) << list.text;
  std::set<std::string> names;
  for (const auto& [name, value] : at(list.data(), "0").as_object()) names.insert(std::string(name));
  EXPECT_EQ(names,
            (std::set<std::string>{"guid", "orderNumber", "status", "customer", "items", "deliveryAddress",
                                   "carrier", "shippingMethod", "collectionDate", "externalReference", "tags",
                                   "metadata", "source", "statusChangedAt", "createdAt"}));
  EXPECT_FALSE(at(list.data(), "0.customer").as_object().contains("email"));
  EXPECT_FALSE(at(list.data(), "0.items.0").as_object().contains("guid"));
  EXPECT_FALSE(at(list.data(), "0.items.0").as_object().contains("dimensions"));
  EXPECT_FALSE(at(list.data(), "0.deliveryAddress").as_object().contains("country"));
  EXPECT_EQ(at(list.data(), "0.items.0.quantity"), 2);
}

TEST_F(OrdersTest, AListShowsItemsUnchanged) {
  const std::string odd = R"(a "quoted" \ {b: [1, 2]}, "price": 3 é)";
  created({{"items",
            {{{"description", odd}, {"quantity", 1}, {"price", 2.50}, {"sku", "}, {"}},
             {{"description", "Bulb"}, {"quantity", 3}, {"price", 1.1}}}}});
  const json::value shown = {{{"description", odd}, {"quantity", 1}, {"price", 2.5}},
                             {{"description", "Bulb"}, {"quantity", 3}, {"price", 1.1}}};
  const auto items = at(http.get("/api/v1/Orders").data(), "0.items");
  ASSERT_EQ(items.as_array().size(), 2U);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(text_at(items, std::to_string(i) + ".description"),
              text_at(shown, std::to_string(i) + ".description"));
    EXPECT_EQ(at(items, std::to_string(i) + ".price").to_number<double>(),
              at(shown, std::to_string(i) + ".price").to_number<double>());
    EXPECT_EQ(items.at(i).as_object().size(), 3U);
  }
}

TEST_F(OrdersTest, BlanksAroundAnOrderNumberDoNotMakeItAnother) {
  EXPECT_EQ(text_at(created({{"orderNumber", "\u00a0 A  7\r\n"}}), "orderNumber"), "A 7");
  for (const auto* const number : {"A 7", " A 7", "A\u00a07", "A\t7\u200b"}) {
    EXPECT_EQ(http.post("/api/v1/Orders", order_body({{"orderNumber", number}})).status, 409) << number;
  }
}

TEST_F(OrdersTest, ATimeWithoutSecondsIsATime) {
  const auto guid = created_guid();
  const auto collection = [&](std::string_view time) {
    const auto response = http.post(path_of(guid, "/assign-collection-date"), {{"collectionDate", time}});
    EXPECT_EQ(response.status, 200) << response.text;
    return text_at(response.data(), "collectionDate");
  };
  EXPECT_EQ(collection("2030-05-05T10:00Z"), "2030-05-05T10:00:00.000Z");
  EXPECT_EQ(collection("2030-05-05T10:00+05:30"), "2030-05-05T04:30:00.000Z");
  for (const auto* const filter :
       {"collectionDate%20gt%202030-05-05T04:29Z", "collectionDate%20lt%20'2030-05-05T04:31Z'",
        "collectionDate%20eq%202030-05-05T10:00%2B05:30"}) {
    EXPECT_EQ(http.get("/api/v1/Orders?$filter=" + std::string(filter)).data().as_array().size(), 1U)
        << filter;
  }
}

TEST_F(OrdersTest, MoneyIsExact) {
  const auto order = created({{"items",
                               {{{"description", "a"}, {"quantity", 3}, {"price", 0.1}},
                                {{"description", "b"}, {"quantity", 1}, {"price", 9999999999.99}}}}});
  EXPECT_EQ(tenant.sql.value("select total_value from orders where guid = $1", {text_at(order, "guid")}),
            "10000000000.29");
  const auto text = http.get(path_of(text_at(order, "guid"))).text;
  EXPECT_NE(text.find("\"totalValue\":10000000000.29,"), std::string::npos) << text;
}

TEST_F(OrdersTest, APageHasAtMostEightMebibytes) {
  tenant.sql.exec("insert into orders (business_id, order_number, items) select '" + tenant.id +
                  "', 'L-' || n, (select json_agg(json_build_object('guid', gen_random_uuid(), 'description',"
                  " repeat('d', 900), 'quantity', 1, 'price', 1)) from generate_series(1, 1000))"
                  " from generate_series(1, 12) n");
  for (const std::string query :
       {"", "?PageSize=12", "?$search=L&PageSize=12", "?$filter=totalValue%20ge%200"})
    expect_refused(http.get("/api/v1/Orders" + query), 413, "PAYLOAD_TOO_LARGE");
  for (const std::string query :
       {"?PageSize=5", "?PageSize=5&Page=2", "?PageSize=5&$search=L",
        "?PageSize=5&$filter=totalValue%20ge%200", "?PageSize=5&$orderby=totalValue"}) {
    const auto page = http.get("/api/v1/Orders" + query);
    ASSERT_EQ(page.status, 200) << query << " " << page.text.substr(0, 500);
    EXPECT_EQ(page.body.at("totalCount").to_number<int>(), 12) << query;
    ASSERT_EQ(page.data().as_array().size(), 5U) << query;
    for (const auto& order : page.data().as_array()) EXPECT_EQ(order.at("items").as_array().size(), 1000U);
  }
}

TEST_F(OrdersTest, ARefusalHasAtMostAThousandDetails) {
  const json::array items(300'000, json::value(json::object{}));
  const auto response = http.post("/api/v1/Orders", json::object{{"items", items}});
  expect_refused(response, 400, "VALIDATION_ERROR");
  EXPECT_EQ(response.details().size(), 1'000U);
  EXPECT_TRUE(response.details().contains("items"));
  EXPECT_LT(response.text.size(), 100'000U);
}

TEST_F(OrdersTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/v1/Orders", json::object{}),
                 {"items", "customerId", "deliveryAddress.street", "deliveryAddress.city"});
  expect_invalid(
      http.post("/api/v1/Orders",
                {{"nmae", 1},
                 {"status", "shipped"},
                 {"customer", {{"email", "nobody"}}},
                 {"carrierId", "x"},
                 {"currency", "XYZ"},
                 {"collectionDate", "tomorrow"},
                 {"timeWindow", {{"start", "12:00"}, {"end", "08:00"}}},
                 {"notes", std::string(10'001, 'n')},
                 {"deliveryAddress", {{"street", std::string(201, 's')}, {"city", 7}}},
                 {"items",
                  {{{"quantity", 0}, {"price", -1}},
                   {{"description", "x"}, {"quantity", 1.5}, {"price", 1.005}, {"color", "red"}}}}}),
      {"nmae", "status", "customer.email", "customer.name", "carrierId", "currency", "collectionDate",
       "timeWindow.end", "notes", "deliveryAddress.street", "deliveryAddress.city", "items[0].description",
       "items[0].quantity", "items[0].price", "items[1].quantity", "items[1].price", "items[1].color"});
}

TEST_F(OrdersTest, EveryLimitOfAnItemIsChecked) {
  const auto with_item = [&](const json::object& change) {
    json::object item{{"description", "Lamp"}, {"quantity", 1}, {"price", 1}};
    for (const auto& [key, value] : change) item[key] = value;
    return http.post("/api/v1/Orders", order_body({{"items", json::array{item}}}));
  };
  EXPECT_EQ(with_item({{"quantity", 1'000'000'000}}).status, 201);
  expect_invalid(with_item({{"quantity", 1'000'000'001}}), {"items[0].quantity"});
  EXPECT_EQ(with_item({{"price", 0}}).status, 201);
  EXPECT_EQ(with_item({{"price", 999'999'999'999.99}}).status, 201);
  expect_invalid(with_item({{"price", 1e12}}), {"items[0].price"});
  expect_invalid(with_item({{"quantity", 2}, {"price", 500'000'000'000.00}}), {"items"});
  expect_invalid(with_item({{"dimensions", {{"length", -1}}}}), {"items[0].dimensions.length"});
  expect_invalid(http.post("/api/v1/Orders", order_body({{"items", json::array{}}})), {"items"});
  json::array many(5001, json::object{{"description", "x"}, {"quantity", 1}, {"price", 1}});
  expect_invalid(http.post("/api/v1/Orders", order_body({{"items", many}})), {"items"});
}

TEST_F(OrdersTest, AnItemKeepsItsValuesForCustoms) {
  const auto order = created({{"items",
                               {{{"description", "Lamp"},
                                 {"quantity", 1},
                                 {"price", 2},
                                 {"hsCode", "9405.21"},
                                 {"originCountry", "portugal"},
                                 {"customsValue", 1.5}},
                                {{"description", "Bulb"}, {"quantity", 1}, {"price", 1}}}}});
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(text_at(order, "items.0.hsCode"), "940521");
  EXPECT_EQ(text_at(order, "items.0.originCountry"), "PT");
  EXPECT_EQ(at(order, "items.0.customsValue"), 1.5);
  EXPECT_FALSE(at(order, "items.1").as_object().contains("hsCode"));
  const auto lamp = text_at(order, "items.0.guid");
  const auto changed =
      http.put(path_of(guid), {{"items", {{{"guid", lamp}, {"quantity", 3}, {"originCountry", nullptr}}}}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(text_at(changed.data(), "items.0.hsCode"), "940521") << "what a change leaves out stays";
  EXPECT_FALSE(at(changed.data(), "items.0").as_object().contains("originCountry"));
  expect_invalid(
      http.put(
          path_of(guid),
          {{"items",
            {{{"guid", lamp}, {"hsCode", "1"}, {"originCountry", "Atlantis"}, {"customsValue", 1.999}}}}}),
      {"items[0].hsCode", "items[0].originCountry", "items[0].customsValue"});
}

TEST_F(OrdersTest, ADraftNeedsNoAddress) {
  auto body = order_body({{"status", "draft"}});
  body.erase("deliveryAddress");
  const auto response = http.post("/api/v1/Orders", body);
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(text_at(response.data(), "status"), "draft");
  EXPECT_TRUE(response.data().at("deliveryAddress").is_null());
}

TEST_F(OrdersTest, TheCustomerIsGivenFoundOrCreated) {
  const auto first = created();
  const auto guid = text_at(first, "customer.guid");
  EXPECT_EQ(
      text_at(created({{"customer", {{"name", "Other"}, {"email", "ADA@example.com"}}}}), "customer.guid"),
      guid);
  auto named = order_body({{"customerId", guid}});
  named.erase("customer");
  EXPECT_EQ(text_at(http.post("/api/v1/Orders", named).data(), "customer.guid"), guid);
  EXPECT_EQ(text_at(created({{"customer", {{"guid", guid}, {"name", "as GET shows it"}}}}), "customer.guid"),
            guid);
  EXPECT_NE(text_at(created({{"customer", {{"name", "Without address"}}}}), "customer.guid"), guid);
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 2);

  named["customerId"] = unknown_guid;
  expect_refused(http.post("/api/v1/Orders", named), 404, "NOT_FOUND");
  expect_invalid(http.post("/api/v1/Orders", order_body({{"customerId", guid}})), {"customer"});
  expect_invalid(
      http.post("/api/v1/Orders", order_body({{"customerId", guid}, {"customer", {{"guid", unknown_guid}}}})),
      {"customer.guid"});
}

TEST_F(OrdersTest, AnItemTakesMissingFieldsFromItsProduct) {
  const auto guid = product("Teapot");
  const auto order =
      created({{"items",
                {{{"productId", guid}, {"quantity", 2}},
                 {{"productId", guid}, {"quantity", 1}, {"price", 3}, {"description", "Gift"}}}}});
  EXPECT_EQ(text_at(order, "items.0.description"), "Teapot");
  EXPECT_EQ(text_at(order, "items.0.sku"), "SKU-Teapot");
  EXPECT_EQ(at(order, "items.0.price").to_number<double>(), 4.5);
  EXPECT_EQ(text_at(order, "items.1.description"), "Gift");
  EXPECT_EQ(at(order, "totalValue").to_number<double>(), 12);
  expect_refused(
      http.post("/api/v1/Orders", order_body({{"items", {{{"productId", unknown_guid}, {"quantity", 1}}}}})),
      404, "NOT_FOUND");
  const auto without_price = tenant.sql.value(
      "insert into products (business_id, name) values ($1, 'x') returning guid", {tenant.id});
  expect_invalid(
      http.post("/api/v1/Orders", order_body({{"items", {{{"productId", without_price}, {"quantity", 1}}}}})),
      {"items[0].price"});
}

TEST_F(OrdersTest, AnItemThatKeepsItsProductTakesNothingFromItLater) {
  const auto guid = product("Teapot");
  const auto order = created({{"items", {{{"productId", guid}, {"quantity", 1}, {"sku", "own"}}}}});
  const auto path = path_of(text_at(order, "guid"));
  const auto line = text_at(order, "items.0.guid");
  ASSERT_EQ(http.put(path, {{"items", {{{"guid", line}, {"sku", nullptr}}}}}).status, 200);
  const json::object sizes{{"length", 9}, {"width", 9}, {"height", 9}};
  ASSERT_EQ(
      http.put("/api/v1/Products/" + guid, {{"sku", "changed"}, {"weight", 9}, {"dimensions", sizes}}).status,
      200);
  const json::object added{{"productId", guid}, {"quantity", 1}};
  const json::object left_alone{{"guid", line}};
  for (const auto& kept : {left_alone, json::object{{"guid", line}, {"productId", guid}},
                           json::object{{"guid", line}, {"sku", nullptr}}}) {
    const auto changed = http.put(path, {{"items", {kept, added}}});
    ASSERT_EQ(changed.status, 200) << changed.text;
    EXPECT_TRUE(at(changed.data(), "items.0.sku").is_null()) << changed.text;
    EXPECT_TRUE(at(changed.data(), "items.0.dimensions").is_null()) << changed.text;
    EXPECT_EQ(text_at(changed.data(), "items.1.sku"), "changed");
    EXPECT_EQ(at(changed.data(), "items.1.dimensions.weight"), 9);
  }
  const json::object cleared{{"guid", text_at(http.get(path).data(), "items.1.guid")},
                             {"dimensions", nullptr}};
  const auto changed = http.put(path, {{"items", {left_alone, cleared, added}}});
  EXPECT_TRUE(at(changed.data(), "items.1.dimensions").is_null()) << "cleared by the request";
}

TEST_F(OrdersTest, AnOrderHasTheGivenNumberOrTheNextFreeOne) {
  EXPECT_EQ(text_at(created({{"orderNumber", "A-7"}}), "orderNumber"), "A-7");
  EXPECT_EQ(text_at(created({{"orderNumber", "ORD-000002"}}), "orderNumber"), "ORD-000002");
  EXPECT_EQ(text_at(created(), "orderNumber"), "ORD-000001");
  EXPECT_EQ(text_at(created({{"orderNumber", nullptr}}), "orderNumber"), "ORD-000003");
  expect_refused(http.post("/api/v1/Orders", order_body({{"orderNumber", "A-7"}})), 409, "CONFLICT");
  tenant.insert_order({{"order_number", "'ORD-000004'"}});
  EXPECT_EQ(text_at(created(), "orderNumber"), "ORD-000005");
  EXPECT_EQ(other_business().http.post("/api/v1/Orders", order_body({{"orderNumber", "A-7"}})).status, 201);
}

TEST_F(OrdersTest, ConcurrentOrdersNameOnlyTheirOwnCustomers) {
  std::vector<std::string> customers;
  for (const auto* const name : {"Ada", "Grace", "Joan", "Mary"})
    customers.push_back(text_at(http.post("/api/v1/Customers", {{"name", name}}).data(), "guid"));
  const std::string foreign =
      text_at(other_business().http.post("/api/v1/Customers", {{"name", "Eve"}}).data(), "guid");
  std::vector<std::jthread> clients;
  for (std::size_t i = 0; i < 8; ++i) {
    clients.emplace_back([&, i, client = http.with_token(http.token())]() mutable {
      for (std::size_t n = 0; n < 25; ++n) {
        auto body = order_body();
        body.erase("customer");
        body["customerId"] = customers.at((i + n) % customers.size());
        const Response created = client.post("/api/v1/Orders", body);
        EXPECT_EQ(created.status, 201) << created.text;
        EXPECT_EQ(text_at(created.data(), "customer.guid"), text_at(body, "customerId"));
        body["customerId"] = foreign;
        EXPECT_EQ(client.post("/api/v1/Orders", body).status, 404);
      }
    });
  }
}

TEST_F(OrdersTest, ConcurrentOrdersHaveUniqueNumbersWithoutWaitingForOtherBusinesses) {
  other_business().create_order();  // draws a number first, so that its counter row exists
  Session blocker(world.waybill.database_url());
  blocker.exec("begin; select * from order_numbers where business_id = '" + other_business().id +
               "' for update");
  constexpr int threads = 4;
  constexpr int each = 10;
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([client = http.with_token(http.token())]() mutable {
      for (int n = 0; n < each; ++n) EXPECT_EQ(client.post("/api/v1/Orders", order_body()).status, 201);
    });
  }
  workers.clear();
  blocker.exec("rollback");
  const auto row =
      tenant.sql
          .rows(
              "select count(distinct order_number), min(order_number), count(distinct customer_id)"
              " from orders where business_id = $1",
              {tenant.id})
          .front();
  EXPECT_EQ(row.at(0), "40");
  EXPECT_EQ(row.at(1), "ORD-000001");
  EXPECT_EQ(row.at(2), "1") << "concurrent orders with one email address share a customer";
}

TEST_F(OrdersTest, TheDefaultCurrencyIsThatOfTheBusiness) {
  tenant.sql.exec("update businesses set currency = 'CHF' where guid = '" + tenant.id + "'");
  EXPECT_EQ(text_at(created(), "currency"), "CHF");
  EXPECT_EQ(text_at(created({{"currency", "JPY"}}), "currency"), "JPY");
}

TEST_F(OrdersTest, AGetResponseCanBePutBackAndChangesNothing) {
  const auto order = created({{"notes", "n"}});
  const auto guid = text_at(order, "guid");
  const auto events = events_of(guid);
  const auto response = http.put(path_of(guid), http.get(path_of(guid)).data());
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), order);
  EXPECT_EQ(events_of(guid), events);
}

TEST_F(OrdersTest, AnOrderThatSqlWroteCanBePutBackAndChangesNothing) {
  const std::map<std::string, std::string> address{{"delivery_street", "'s'"}, {"delivery_city", "'c'"}};
  const std::string items = R"('[{"description": "x", "quantity": 2, "price": 1}]')";
  const std::vector<std::map<std::string, std::string>> written{
      {{"items", items}, {"total_value", "50"}},
      {{"items",
        R"('[{"description": "x", "quantity": 1.5, "price": 1.234, "customsValue": 0.001, "sku": null},
                      {"guid": "00000000-0000-4000-8000-0000000000a1", "quantity": 0, "description": "y"}]')"}},
      {{"items", "'[]'"}},
      {{"delivery_street", "''"}, {"delivery_city", "' '"}, {"delivery_email", "'nope'"}, {"items", items}},
      {{"collection_start", "'08:00'"}},
      {{"collection_start", "'18:00'"}, {"collection_end", "'8 am'"}},
      {{"currency", "'ABC'"}, {"service_level", "'none'"}, {"tags", "'[]'"}},
      {{"metadata", R"('{"two words": 1, "ok": 12345678901234567890123}')"}, {"tags", R"('[" ", "a"]')"}}};
  for (auto columns : written) {
    columns.insert(address.begin(), address.end());
    const auto guid = tenant.insert_order(columns);
    const auto read = http.get(path_of(guid));
    const auto events = events_of(guid);
    const auto response = http.put(path_of(guid), read.data());
    EXPECT_EQ(response.status, 200) << response.text << read.text;
    EXPECT_EQ(response.data(), read.data());
    EXPECT_EQ(events_of(guid), events) << read.text;
  }
}

TEST_F(OrdersTest, AnOlderOrderWhoseItemsHaveNoGuidsCanBePutBack) {
  tenant.write_long_values();
  const auto guid = tenant.insert_order(
      {{"items", R"('[{"description": "x", "quantity": 2, "price": 1}, {"quantity": 1.5}]')"},
       {"total_value", "50"}});
  const auto events = events_of(guid);
  const auto read = http.get(path_of(guid));
  EXPECT_EQ(http.put(path_of(guid), read.data()).data(), read.data());
  EXPECT_EQ(events_of(guid), events);
  const json::array items{{{"description", "x"}, {"quantity", 3}, {"price", 1}}};
  const auto changed = http.put(path_of(guid), {{"items", items}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_NE(text_at(changed.data(), "items.0.guid"), "");
  EXPECT_EQ(at(changed.data(), "totalValue"), 3);
}

TEST_F(OrdersTest, ARefusedValueIsAcceptedOnlyWhereTheOrderHasIt) {
  const auto guid = tenant.insert_order(
      {{"items",
        R"('[{"description": "x", "quantity": 1.5, "price": 1}, {"description": "y", "quantity": 2, "price": 1}]')"},
       {"delivery_street", "'s'"},
       {"delivery_city", "'c'"},
       {"delivery_email", "'nope'"}});
  auto body = http.get(path_of(guid)).data().as_object();
  body["notes"] = "new";
  body["items"].as_array()[1].as_object()["quantity"] = 3;
  const auto changed = http.put(path_of(guid), body);
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(text_at(changed.data(), "notes"), "new");
  EXPECT_EQ(at(changed.data(), "items.0.quantity"), 1.5);
  EXPECT_EQ(at(changed.data(), "items.1.quantity"), 3);
  EXPECT_EQ(text_at(changed.data(), "deliveryAddress.email"), "nope");
  body["deliveryAddress"].as_object()["email"] = "nope too";
  body["items"].as_array()[0].as_object()["quantity"] = 2.5;
  body["nmae"] = nullptr;
  expect_invalid(http.put(path_of(guid), body), {"deliveryAddress.email", "items[0].quantity", "nmae"});
  expect_invalid(http.request_text("PUT", path_of(guid), "{\"deliveryAddress\": {\"phone\": \"\\u0000\"}}"),
                 {"deliveryAddress.phone"});
  expect_invalid(http.put(path_of(unknown_guid), {{"deliveryAddress", {{"email", "nope"}}}}),
                 {"deliveryAddress.email"});
}

TEST_F(OrdersTest, ItemsThatSqlWroteAreAddressedByTheirGuids) {
  const auto guid = tenant.insert_order(
      {{"items",
        R"('[{"description": "x", "quantity": 1, "price": 1}, {"description": "y", "quantity": 1, "price": 1}]')"},
       {"delivery_street", "'s'"},
       {"delivery_city", "'c'"},
       {"delivery_name", "'n'"}});
  const auto item = text_at(http.get(path_of(guid)).data(), "items.1.guid");
  const auto preset =
      http.post("/api/v1/dimension-presets", {{"name", "p"}, {"length", 1}, {"width", 2}, {"height", 3}});
  const auto applied = http.post(path_of(guid, "/add-dimension-preset"),
                                 {{"presetId", text_at(preset.data(), "guid")}, {"itemId", item}});
  EXPECT_EQ(applied.status, 200) << applied.text;
  EXPECT_EQ(at(http.get(path_of(guid)).data(), "items.1.dimensions.length"), 1);
  const auto shipped = http.post(path_of(guid, "/shipment"), {{"itemIds", {item}}});
  EXPECT_EQ(shipped.status, 201) << shipped.text;
}

TEST_F(OrdersTest, NumbersThatSqlWroteAndNobodyChangesKeepAllTheirDigits) {
  const std::string item = "00000000-0000-4000-8000-0000000000a1";
  const std::string stored =
      R"([{"guid": ")" + item +
      R"(", "sku": "S", "price": 3.3333333333333333333, "quantity": 1, "description": "Lamp",
                                 "dimensions": {"weight": 0.12345678901234567891, "length": 30}}])";
  const std::string metadata = R"({"id": 12345678901234567890123, "share": 0.12345678901234567891})";
  const std::string order =
      tenant.insert_order({{"items", "'" + stored + "'"}, {"metadata", "'" + metadata + "'"}});
  const auto items = [&] {
    return tenant.sql.value(
        "select string_agg(e ->> 'price', ' ') || ' ' || string_agg(e -> 'dimensions' ->> 'weight', ' ') "
        "from orders, json_array_elements(items) e where guid = $1",
        {order});
  };
  const auto own = [&] {
    return tenant.sql.value("select metadata::text from orders where guid = $1", {order});
  };
  const auto put = [&](const json::object& body) {
    const auto response = http.put(path_of(order), body);
    EXPECT_EQ(response.status, 200) << response.text;
  };
  put({{"notes", "x"}});
  put({{"customerId", text_at(http.post("/api/v1/Customers", {{"name", "Ada"}}).data(), "guid")}});
  put({{"items", {{{"guid", item}, {"description", "Lamp, red"}}}}});
  put({{"items", {{{"guid", item}, {"dimensions", {{"length", 31}}}}}}});
  put({{"items", {{{"guid", item}, {"price", 3.3333333333333333}, {"quantity", 2}}}}});
  EXPECT_EQ(items(), "3.3333333333333333333 0.12345678901234567891");
  const auto read = http.get(path_of(order));
  const auto begin = read.text.find("\"data\":") + 7;
  const auto data = read.text.substr(begin, read.text.rfind(",\"success\"") - begin);
  const auto response = http.request_text("PUT", path_of(order), data);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(items(), "3.3333333333333333333 0.12345678901234567891") << "as GET shows it";
  EXPECT_EQ(own(), metadata);
  expect_invalid(http.put(path_of(order), {{"items", {{{"guid", item}, {"price", 3.334}}}}}),
                 {"items[0].price"});
  expect_invalid(http.put(path_of(order), {{"items", {{{"guid", item}, {"customsValue", 0.001}}}}}),
                 {"items[0].customsValue"});
  expect_invalid(
      http.put(path_of(order), {{"items", {{{"description", "Bulb"}, {"quantity", 1}, {"price", 0.125}}}}}),
      {"items[0].price"});
  put({{"items", {{{"guid", item}, {"price", 3.33}}}}});
  EXPECT_EQ(items(), "3.33 0.12345678901234567891");
}

TEST_F(OrdersTest, ANumberOfMetadataOutOfRangeIsAcceptedOnlyWhereTheOrderHasIt) {
  const std::string order = tenant.insert_order({{"metadata", R"('{"big": 1e400, "tiny": -1e-400}')"},
                                                 {"delivery_street", "'S'"},
                                                 {"delivery_city", "'C'"}});
  const auto own = [&] {
    return tenant.sql.value(
        "select (metadata = '{\"big\": 1e400, \"tiny\": -1e-400}')::text from orders where guid = $1",
        {order});
  };
  const auto read = http.get(path_of(order));
  const auto begin = read.text.find("\"data\":") + 7;
  const auto data = read.text.substr(begin, read.text.rfind(",\"success\"") - begin);
  const auto events = events_of(order);
  const auto response = http.request_text("PUT", path_of(order), data);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(own(), "true");
  EXPECT_EQ(events_of(order), events);
  const auto bad = [&](std::string_view body, const std::vector<std::string>& fields) {
    expect_invalid(http.request_text("PUT", path_of(order), body), fields);
  };
  bad(R"({"metadata": {"big": 1e401}})", {"metadata.big"});
  bad(R"({"metadata": {"other": 1e400, "small": 1e-400, "text": "\u0000"}})",
      {"metadata.other", "metadata.small", "metadata.text"});
  bad(R"({"notes": 1e400})", {"notes"});
  EXPECT_EQ(http.put(path_of(order), {{"metadata", {{"more", 1}}}}).status, 200);
  EXPECT_EQ(http.put(path_of(order), {{"metadata", {{"more", nullptr}}}}).status, 200);
  EXPECT_EQ(own(), "true");
}

TEST_F(OrdersTest, AShipmentIsMadeOfItemsWithNumbersOfAnyLength) {
  const std::string order = tenant.insert_order(
      {{"items",
        R"('[{"guid": "00000000-0000-4000-8000-0000000000a1", "price": 12345678901234567890123, "quantity": 2,
                      "dimensions": {"weight": 0.12345678901234567891, "length": 1e400}}]')"},
       {"delivery_street", "'S'"},
       {"delivery_city", "'C'"},
       {"delivery_name", "'N'"}});
  const auto response = http.post(path_of(order) + "/shipment", json::object());
  ASSERT_EQ(response.status, 201) << response.text;
  const std::string shipment = text_at(response.data(), "guid");
  EXPECT_EQ(tenant.sql.value("select packages -> 0 ->> 'weight' from shipments where guid = $1", {shipment}),
            "0.246914");
  tenant.sql.exec(R"(update shipments set packages = '[{"weight": 0.12345678901234567891}]' where guid = ')" +
                  shipment + "'");
  const auto put =
      http.put("/api/v1/shipments/" + shipment, {{"packages", {{{"weight", 0.12345678901234568}}}}});
  EXPECT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(tenant.sql.value("select packages -> 0 ->> 'weight' from shipments where guid = $1", {shipment}),
            "0.12345678901234567891");
}

TEST_F(OrdersTest, PutKeepsAbsentFieldsAndClearsNullFields) {
  const auto order = created({{"notes", "n"},
                              {"collectionDate", "2026-12-01T10:00:00+02:00"},
                              {"timeWindow", {{"start", "08:00"}, {"end", "12:00"}}}});
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(text_at(order, "collectionDate"), "2026-12-01T08:00:00.000Z");
  auto response = http.put(path_of(guid), {{"notes", nullptr}, {"deliveryAddress", {{"state", "LX"}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_TRUE(response.data().at("notes").is_null());
  EXPECT_EQ(text_at(response.data(), "deliveryAddress.street"), "Rua Augusta 1");
  EXPECT_EQ(text_at(response.data(), "deliveryAddress.state"), "LX");
  EXPECT_EQ(text_at(response.data(), "timeWindow.end"), "12:00");
  response = http.put(path_of(guid), {{"timeWindow", nullptr}, {"collectionDate", nullptr}});
  EXPECT_TRUE(response.data().at("timeWindow").is_null());
  EXPECT_TRUE(response.data().at("collectionDate").is_null());
  expect_invalid(
      http.put(path_of(guid), {{"orderNumber", nullptr}, {"items", nullptr}, {"currency", nullptr}}),
      {"orderNumber", "items", "currency"});
  expect_invalid(http.put(path_of(guid), {{"customer", nullptr}, {"deliveryAddress", {{"city", nullptr}}}}),
                 {"customer", "deliveryAddress.city"});
  expect_invalid(http.put(path_of(guid), {{"status", "ready"}}), {"status"});
}

TEST_F(OrdersTest, PutReturnsTheOrderAsItIsThen) {
  const auto guid = created_guid();
  const auto other = text_at(http.post("/api/v1/Customers", {{"name", "Grace"}}).data(), "guid");
  const auto expect_returned = [&](const json::object& body, const Headers& headers = {}) {
    const auto response = http.put(path_of(guid), body, headers);
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.data(), http.get(path_of(guid)).data()) << response.text;
  };
  expect_returned({{"notes", "n"}, {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 1.5}}}}});
  expect_returned({{"notes", "n"}});
  expect_returned({{"notes", "m"}}, {{"Idempotency-Key", test_name()}});
  expect_returned({{"customerId", other}});
  expect_returned({{"customer", {{"name", "A new one"}}}});
  EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "customer.name"), "A new one");
}

TEST_F(OrdersTest, ConcurrentPutsReturnTheirOwnOrders) {
  std::vector<std::jthread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, guid = created_guid(), client = http.with_token(http.token())]() mutable {
      for (int n = 0; n < 25; ++n) {
        const std::string notes = std::to_string(n / 2);  // every other change changes nothing
        const Response changed = client.put(path_of(guid), {{"notes", notes}});
        EXPECT_EQ(changed.status, 200) << changed.text;
        EXPECT_EQ(text_at(changed.data(), "guid"), guid);
        EXPECT_EQ(text_at(changed.data(), "notes"), notes);
      }
    });
  }
}

TEST_F(OrdersTest, PutReturnsAlsoTheChangeThatItWaitedFor) {
  const auto guid = created_guid();
  Session holder(world.waybill.database_url());
  holder.exec("begin; update orders set service_level = 'held' where guid = '" + guid + "'");
  Response response;
  std::jthread client([&] { response = http.put(path_of(guid), {{"notes", "n"}}); });
  ASSERT_TRUE(eventually([&] { return holder.blocks_others(tenant.sql); })) << "the request waits";
  holder.exec("commit");
  client.join();
  EXPECT_EQ(text_at(response.data(), "serviceLevel"), "held") << response.text;
  EXPECT_EQ(text_at(response.data(), "notes"), "n");
}

TEST_F(OrdersTest, AnItemKeepsItsGuidAndOmittedFields) {
  const auto order = created({{"items",
                               {{{"description", "Lamp"}, {"quantity", 2}, {"price", 19.99}, {"sku", "L"}},
                                {{"description", "Bulb"}, {"quantity", 1}, {"price", 1}}}}});
  const auto guid = text_at(order, "guid");
  const auto lamp = text_at(order, "items.0.guid");
  const auto response = http.put(
      path_of(guid),
      {{"items",
        {{{"guid", lamp}, {"quantity", 5}}, {{"description", "Plug"}, {"quantity", 1}, {"price", 0.05}}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(text_at(response.data(), "items.0.guid"), lamp);
  EXPECT_EQ(text_at(response.data(), "items.0.sku"), "L");
  EXPECT_EQ(text_at(response.data(), "items.1.description"), "Plug");
  EXPECT_EQ(at(response.data(), "items").as_array().size(), 2U);
  EXPECT_EQ(at(response.data(), "totalValue").to_number<double>(), 100);
  expect_refused(http.put(path_of(guid), {{"items", {{{"guid", unknown_guid}, {"quantity", 5}}}}}), 404,
                 "NOT_FOUND");
  expect_invalid(
      http.put(path_of(guid), {{"items", {{{"guid", lamp}, {"price", nullptr}}, {{"quantity", 1}}}}}),
      {"items[1].description", "items[1].price"});
  expect_invalid(http.put(path_of(guid), {{"items", {{{"guid", lamp}, {"price", nullptr}}}}}),
                 {"items[0].price"});
}

TEST_F(OrdersTest, PutAcceptsNestedOrFlatFieldsButNotDifferentValues) {
  const auto guid = created_guid();
  const auto other = text_at(http.post("/api/v1/Customers", {{"name", "Other"}}).data(), "guid");
  EXPECT_EQ(text_at(http.put(path_of(guid), {{"customerId", other}}).data(), "customer.name"), "Other");
  const auto ups = text_at(http.get("/api/carriers").data(), "0.guid");
  EXPECT_EQ(text_at(http.put(path_of(guid), {{"carrier", {{"guid", ups}}}}).data(), "carrier.guid"), ups);
  EXPECT_TRUE(http.put(path_of(guid), {{"carrierId", nullptr}}).data().at("carrier").is_null());
  expect_invalid(http.put(path_of(guid), {{"carrierId", ups}, {"carrier", {{"guid", unknown_guid}}}}),
                 {"carrier.guid"});
  expect_refused(http.put(path_of(guid), {{"carrierId", unknown_guid}}), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"customerId", unknown_guid}}), 404, "NOT_FOUND");
  expect_invalid(http.put(path_of(guid), {{"carrierId", ups}, {"serviceLevel", "by balloon"}}),
                 {"serviceLevel"});
  EXPECT_EQ(http.put(path_of(guid), {{"customer", {{"name", "New"}, {"email", "new@example.com"}}}}).status,
            200);
  EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "customer.email"), "new@example.com");
}

TEST_F(OrdersTest, AShippedOrderCannotBePut) {
  const auto guid = created_guid();
  tenant.move_order(guid, "shipped");
  expect_refused(http.put(path_of(guid), {{"notes", "late"}}), 409, "CONFLICT");
  const auto cancelled = created_guid();
  tenant.move_order(cancelled, "cancelled");
  EXPECT_EQ(http.put(path_of(cancelled), {{"notes", "why"}}).status, 200);
  const auto number = text_at(created(), "orderNumber");
  expect_refused(http.put(path_of(cancelled), {{"orderNumber", number}}), 409, "CONFLICT");
}

TEST_F(OrdersTest, ATotalStaysUntilTheItemsChange) {
  const auto guid = tenant.insert_order(
      {{"total_value", "77"},
       {"items",
        R"('[{"guid": "00000000-0000-4000-8000-000000000001", "description": "x", "quantity": 1, "price": 5}]')"}});
  EXPECT_EQ(at(http.put(path_of(guid), {{"notes", "n"}}).data(), "totalValue"), 77);
  EXPECT_EQ(
      at(http.put(path_of(guid), {{"items", {{{"description", "y"}, {"quantity", 2}, {"price", 4}}}}}).data(),
         "totalValue"),
      8);
}

TEST_F(OrdersTest, AnOrderOfAnotherBusinessIs404Everywhere) {
  const auto foreign_order = other_business().create_order();
  const auto own_order = created_guid();
  const json::object move{{"status", "ready"}};
  expect_refused(http.get(path_of(foreign_order)), 404, "NOT_FOUND");
  expect_refused(http.get(path_of(foreign_order, "/history")), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(foreign_order), {{"notes", "n"}}), 404, "NOT_FOUND");
  expect_refused(http.patch(path_of(foreign_order, "/status"), move), 404, "NOT_FOUND");
  expect_refused(http.post(path_of(foreign_order, "/assign-collection-date"),
                           {{"collectionDate", "2026-12-01T10:00:00Z"}}),
                 404, "NOT_FOUND");
  expect_refused(
      http.post("/api/v1/Orders/delete", json::array{{{"guid", foreign_order}}, {{"guid", own_order}}}), 404,
      "NOT_FOUND");
  const auto carrier = text_at(http.get("/api/carriers").data(), "0.guid");
  expect_refused(http.post("/api/v1/Orders/assign-carrier",
                           {{"orderIds", {own_order, foreign_order}}, {"carrierId", carrier}}),
                 404, "NOT_FOUND");
  EXPECT_TRUE(http.get(path_of(own_order)).data().at("carrier").is_null());
  auto body = order_body();
  body.erase("customer");
  body["customerId"] = text_at(other_business().http.get(path_of(foreign_order)).data(), "customer.guid");
  expect_refused(http.post("/api/v1/Orders", body), 404, "NOT_FOUND");
}

TEST_F(OrdersTest, PutMergesTheTimeWindowFieldByField) {
  const auto guid = created_guid({{"timeWindow", {{"start", "08:00"}, {"end", "09:00"}}}});
  const auto response = http.put(path_of(guid), {{"timeWindow", {{"start", "08:30"}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(at(response.data(), "timeWindow"), json::value({{"start", "08:30"}, {"end", "09:00"}}));
  expect_invalid(http.put(path_of(guid), {{"timeWindow", {{"start", "09:30"}}}}), {"timeWindow.end"});
  EXPECT_EQ(http.put(path_of(guid), {{"timeWindow", nullptr}}).status, 200);
  expect_invalid(http.put(path_of(guid), {{"timeWindow", {{"start", "09:30"}}}}), {"timeWindow.end"});
}

TEST_F(OrdersTest, AFlatNullContradictsANestedValue) {
  const auto ups = text_at(http.get("/api/carriers").data(), "0.guid");
  const auto guid = created_guid({{"carrierId", ups}});
  auto whole = http.get(path_of(guid)).data();
  whole.as_object()["carrierId"] = nullptr;
  expect_invalid(http.put(path_of(guid), whole), {"carrierId"});
}

}  // namespace
}  // namespace waybill::tests
