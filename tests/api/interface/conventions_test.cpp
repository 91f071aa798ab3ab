#include <algorithm>
#include <iterator>
#include <set>

#include <gmock/gmock.h>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"

namespace waybill::tests {
namespace {

/// Conventions of every list and every record, tested on orders.
class ConventionsTest : public ApiTest {
 protected:
  /// Creates `count` orders, of which every other one is ready and goes to Porto; N1 is the oldest.
  void fill(int count) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number, status, delivery_street, delivery_city, total_value, "
        "created_at)"
        " select $1, 'N' || n, (array['pending', 'ready'])[1 + n % 2], 'Rua ' || n, (array['Lisbon', "
        "'Porto'])[1 + n % 2],"
        " n * 10, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour' from generate_series(1, $2::int) n",
        {tenant.id, std::to_string(count)});
  }

  Response list(std::string_view query) { return http.get("/api/v1/Orders?" + std::string(query)); }

  std::vector<std::string> numbers(std::string_view query) {
    const auto response = list(query);
    EXPECT_EQ(response.status, 200) << response.text;
    return texts(response, "orderNumber");
  }

  std::vector<std::string> filtered(std::string_view filter) {
    return numbers("$orderby=createdAt&$filter=" + url_encode(filter));
  }
};

using Numbers = std::vector<std::string>;

TEST_F(ConventionsTest, AListHasAnEnvelopeAndShowsTheNewestFirst) {
  fill(3);
  const auto response = http.get("/api/v1/Orders");
  ASSERT_EQ(response.status, 200) << response.text;
  std::set<std::string> names;
  for (const auto& [name, value] : response.body.as_object()) names.insert(std::string(name));
  EXPECT_EQ(names,
            (std::set<std::string>{"data", "page", "pageSize", "totalCount", "totalPages", "success"}));
  EXPECT_EQ(at(response.body, "page"), 1);
  EXPECT_EQ(at(response.body, "pageSize"), 50);
  EXPECT_EQ(at(response.body, "totalCount"), 3);
  EXPECT_EQ(at(response.body, "totalPages"), 1);
  EXPECT_EQ(texts(response, "orderNumber"), (Numbers{"N3", "N2", "N1"}));
}

TEST_F(ConventionsTest, AnEmptyListHasNoPages) {
  for (const auto* const query : {"", "?$filter=status%20eq%20'ready'", "?Page=7"}) {
    const auto response = http.get("/api/v1/Orders" + std::string(query));
    ASSERT_EQ(response.status, 200) << response.text;
    EXPECT_TRUE(response.data().as_array().empty());
    EXPECT_EQ(at(response.body, "totalCount"), 0);
    EXPECT_EQ(at(response.body, "totalPages"), 0);
  }
}

TEST_F(ConventionsTest, PagesNeitherOverlapNorOmitRecords) {
  fill(120);
  // All orders have the same time, so that only the guid orders them.
  tenant.sql.exec("update orders set created_at = '2026-01-01' where business_id = '" + tenant.id + "'");
  for (const auto* const order :
       {"", "&$orderby=status", "&$orderby=createdAt%20desc", "&$orderby=deliveryAddress/city",
        "&$orderby=notes", "&$orderby=customer/name", "&$orderby=source/type%20desc"}) {
    for (const int size : {1, 50, 100}) {
      std::set<std::string> seen;
      const int pages = (120 + size - 1) / size;
      for (int page = 1; page <= pages; ++page) {
        const auto response =
            list("Page=" + std::to_string(page) + "&PageSize=" + std::to_string(size) + order);
        ASSERT_EQ(response.status, 200) << response.text;
        EXPECT_EQ(at(response.body, "totalCount"), 120);
        EXPECT_EQ(at(response.body, "totalPages"), pages);
        for (const auto& guid : texts(response, "guid")) EXPECT_TRUE(seen.insert(guid).second) << guid;
      }
      EXPECT_EQ(seen.size(), 120U) << order << " by " << size;
    }
  }
}

/// SQL by others can name a customer that does not exist. Its name is missing, like that of no customer.
TEST_F(ConventionsTest, OrdersSortByTheirCustomersNameOnEachPage) {
  tenant.sql.rows(
      "with added as (insert into customers (business_id, name, email) select $1, name, email from (values "
      "('Bo', null), ('Ada', 'ada@example.com'), ('Bo', 'bo@example.com')) v (name, email) returning guid) "
      "insert into orders (business_id, order_number, customer_id) select $1, 'N' || n, case n % 5 when 3 "
      "then null "
      "when 4 then gen_random_uuid() else (select array_agg(guid) from added) [1 + n % 5] end "
      "from generate_series(1, 40) n",
      {tenant.id});
  for (const bool descending : {false, true}) {
    for (const std::string field : {"name", "email"}) {
      const std::string direction = descending ? " desc" : "",
                        nulls = descending ? " nulls last" : " nulls first";
      const auto sorted = [&](const std::string& where) {
        return tenant.sql.column(
            "select order_number from orders o left join customers c on c.guid = o.customer_id "
            "where o.business_id = $1" +
                where + " order by c." + field + direction + nulls + ", o.guid" + direction,
            {tenant.id});
      };
      const std::string order = "$orderby=" + url_encode("customer/" + field + direction);
      EXPECT_EQ(numbers(order), sorted("")) << order;
      EXPECT_EQ(numbers(order + "&$filter=" + url_encode("orderNumber gt 'N2'")),
                sorted(" and order_number > 'N2'"));
      Numbers pages;
      for (int page = 1; page <= 6; ++page)
        std::ranges::copy(numbers(order + "&PageSize=7&Page=" + std::to_string(page)),
                          std::back_inserter(pages));
      EXPECT_EQ(pages, sorted("")) << order;
    }
  }
}

TEST_F(ConventionsTest, ATextInMostOrdersIsFoundInAllOfThem) {
  fill(300);
  tenant.sql.exec("update orders set notes = 'fragile ' || order_number where business_id = '" + tenant.id +
                  "'");
  const auto total = [&](const std::string& filter) {
    return at(list("$filter=" + url_encode(filter)).body, "totalCount");
  };
  EXPECT_EQ(total("contains(notes,'fragile')"), 300);
  EXPECT_EQ(total("contains(notes,'agile') and startswith(orderNumber,'N30')"), 2) << "N30 and N300";
  EXPECT_EQ(total("contains(notes,'fragile N299')"), 1);
  EXPECT_EQ(total("startswith(notes,'fragile') and status eq 'ready'"), 150);
  const auto both = list("$search=porto&$filter=" + url_encode("contains(notes,'fragile')"));
  EXPECT_EQ(at(both.body, "totalCount"), 150) << both.text;
}

/// The index of texts finds few orders. A scan that finds many tests only the field.
TEST_F(ConventionsTest, TheIndexOfTextsIsUsedForRareTextsOnly) {
  tenant.sql.exec("set session_replication_role = replica");
  fill(40000);
  tenant.sql.exec("update orders set notes = 'fragile ' || order_number");
  tenant.sql.exec("vacuum analyze orders");
  // The second list counts its orders by a short statement, which the session shows when it has ended.
  const auto counts = [&](const std::string& text) {
    for (int call = 0; call < 2; ++call)
      EXPECT_EQ(list("$filter=" + url_encode("contains(notes,'" + text + "')")).status, 200);
    return tenant.sql.value(
        "select query from pg_stat_activity where datname = current_database() and query like 'select "
        "count(*) from "
        "orders r%' and query like '%r.notes like%' and pid <> pg_backend_pid() order by query_start desc "
        "limit 1");
  };
  EXPECT_THAT(counts("fragile"), testing::HasSubstr("(r.notes like $2 and $3::text is not null)"));
  EXPECT_THAT(counts("N12"), testing::HasSubstr("r.search_text like"));
}

TEST_F(ConventionsTest, APagePastTheEndIsEmptyAndStillCounts) {
  fill(3);
  for (const auto& [query, total] : {std::pair("Page=2", 3), std::pair("Page=1000", 3),
                                     std::pair("Page=3&$filter=status%20eq%20'ready'", 2)}) {
    const auto response = list(query);
    ASSERT_EQ(response.status, 200) << response.text;
    EXPECT_TRUE(response.data().as_array().empty());
    EXPECT_EQ(at(response.body, "totalCount"), total) << query;
  }
}

TEST_F(ConventionsTest, PageBoundsAreChecked) {
  for (const auto* const value : {"0", "-1", "x", "1.5", "99999999999999999999", ""}) {
    expect_invalid(list(std::string("Page=") + value), {"Page"});
    expect_invalid(list(std::string("PageSize=") + value), {"PageSize"});
  }
  EXPECT_EQ(list("PageSize=100").status, 200);
  expect_invalid(list("PageSize=101"), {"PageSize"});
  expect_invalid(list("PageSize=0&Page=0"), {"PageSize", "Page"});
}

TEST_F(ConventionsTest, TotalCountFollowsEveryChange) {
  const auto total = [&](std::string_view query = "") { return at(list(query).body, "totalCount"); };
  fill(10);
  EXPECT_EQ(total(), 10);
  EXPECT_EQ(total("$filter=status%20eq%20'ready'"), 5);
  const auto guid = tenant.create_order();
  EXPECT_EQ(total(), 11);
  http.post("/api/v1/Orders/delete", json::array{{{"guid", guid}}});
  EXPECT_EQ(total(), 10);
  tenant.sql.exec("delete from orders where order_number in ('N1', 'N2') and business_id = '" + tenant.id +
                  "'");
  EXPECT_EQ(total(), 8);
  EXPECT_EQ(at(other_business().http.get("/api/v1/Orders").body, "totalCount"), 0);
}

TEST_F(ConventionsTest, FiltersWorkAsInTheContract) {
  fill(4);
  EXPECT_EQ(filtered("status eq 'ready'"), (Numbers{"N1", "N3"}));
  EXPECT_EQ(filtered("status ne 'ready' and totalValue gt 20"), Numbers{"N4"});
  EXPECT_EQ(filtered("totalValue ge 20 and totalValue lt 40"), (Numbers{"N2", "N3"}));
  EXPECT_EQ(filtered("status in ('ready', 'draft') or totalValue le 20"), (Numbers{"N1", "N2", "N3"}));
  EXPECT_EQ(filtered("not (status eq 'ready')"), (Numbers{"N2", "N4"}));
  EXPECT_EQ(filtered("contains(deliveryAddress/street, 'a 3')"), Numbers{"N3"});
  EXPECT_EQ(filtered("startswith(tolower(deliveryAddress.city), 'por')"), (Numbers{"N1", "N3"}));
  EXPECT_EQ(filtered("createdAt gt 2026-01-01T02:30:00Z"), (Numbers{"N3", "N4"}));
  EXPECT_EQ(filtered("notes eq null"), (Numbers{"N1", "N2", "N3", "N4"}));
  EXPECT_EQ(filtered("orderNumber eq 'it''s'"), Numbers{});
}

TEST_F(ConventionsTest, FiltersCoverTheCustomerAndTheCarrier) {
  const auto ada = tenant.create_order();
  tenant.create_order({{"customer", {{"name", "Bob"}, {"email", "bob@example.com"}}}});
  const auto ups = tenant.sql.value("select guid from carriers where code = 'ups'");
  tenant.put_order(ada, {{"carrierId", ups}});
  const auto guids = [&](std::string_view filter) {
    const auto response = list("$filter=" + url_encode(filter));
    EXPECT_EQ(response.status, 200) << response.text;
    return texts(response, "guid");
  };
  EXPECT_EQ(guids("customer/name eq 'Ada Lovelace'"), Numbers{ada});
  EXPECT_EQ(guids("endswith(customer.email, '@example.com')").size(), 2U);
  EXPECT_EQ(guids("carrier/name eq 'UPS'"), Numbers{ada});
  EXPECT_EQ(guids("carrier.guid eq " + ups), Numbers{ada});
  EXPECT_EQ(guids("customer/name eq 'Bob' or carrier/name eq 'UPS'").size(), 2U);
}

TEST_F(ConventionsTest, SearchFindsEveryWordAnywhereInAnyCase) {
  const auto ada = tenant.create_order({{"notes", "Ring TWICE, 50% off"}});
  tenant.create_order({{"customer", {{"name", "Bob Builder"}, {"email", "bob@example.com"}}}});
  const auto found = [&](std::string_view words) {
    return texts(list("$search=" + url_encode(words)), "guid");
  };
  EXPECT_EQ(found("twice lovelace"), Numbers{ada});
  EXPECT_EQ(found("LISBON").size(), 2U);
  EXPECT_EQ(found("lisbon bob ring"), Numbers{});
  EXPECT_EQ(found("50%"), Numbers{ada});
  EXPECT_EQ(found("5_%"), Numbers{}) << "no wildcards";
  EXPECT_EQ(found("   ").size(), 2U);
}

TEST_F(ConventionsTest, SearchCoversStateAndCountry) {
  tenant.create_order(
      {{"deliveryAddress", {{"street", "S"}, {"city", "C"}, {"state", "Zealand"}, {"country", "Denmark"}}}});
  EXPECT_EQ(at(list("$search=zealand%20denmark").body, "totalCount"), 1);
  http.post("/api/v1/Customers",
            {{"name", "A"}, {"address", {{"state", "Zealand"}, {"country", "Denmark"}}}});
  EXPECT_EQ(at(http.get("/api/v1/Customers?$search=zealand%20denmark").body, "totalCount"), 1);
}

TEST(Search, OfTheBusinessWithMostRecordsFindsOnlyItsOwn) {
  TestDatabase database;
  Waybill waybill(database.url());
  Tenant large(waybill, "large");
  Tenant small(waybill, "small");
  for (int i = 0; i < 4; ++i) large.create_order();
  const auto deleted = large.create_order();
  large.http.post("/api/v1/Orders/delete", json::array{{{"guid", deleted}}});
  small.create_order();
  database.exec("analyze orders");
  const auto count = [](Tenant& tenant, std::string_view query) {
    return at(tenant.http.get("/api/v1/Orders?" + std::string(query)).body, "totalCount");
  };
  EXPECT_EQ(count(large, "$search=lisbon"), 4);
  EXPECT_EQ(count(large, "$search=lovelace"), 4) << "by the customer's name";
  EXPECT_EQ(count(large, "$search=lisbon%20lovelace&$filter=status%20eq%20'pending'"), 4);
  EXPECT_EQ(count(large, "$search=li"), 4);
  EXPECT_EQ(count(small, "$search=lisbon"), 1);
}

TEST_F(ConventionsTest, OrderByTakesSeveralFields) {
  fill(4);
  EXPECT_EQ(numbers("$orderby=" + url_encode("status desc, totalValue")), (Numbers{"N1", "N3", "N2", "N4"}));
  EXPECT_EQ(numbers("$orderby=" + url_encode("totalValue desc") + "&PageSize=2&Page=2"),
            (Numbers{"N2", "N1"}));
}

TEST_F(ConventionsTest, AllBadListParametersAreReported) {
  expect_invalid(list("$filter=nonsense%20eq%201&$orderby=colour"), {"$filter", "$orderby"});
  for (const auto* const filter :
       {"status eq", "status eq 1", "status in ()", "(status eq 'x'", "items eq 'x'"}) {
    expect_invalid(list("$filter=" + url_encode(filter)), {"$filter"});
  }
  EXPECT_NE(text_at(list("$filter=status%20eq%20").details(), "$filter").find("character"),
            std::string::npos);
  expect_invalid(list("$filter=" + url_encode("notes eq '" + std::string(4096, 'x') + "'")), {"$filter"});
  expect_invalid(list("$search=" + std::string(201, 'x')), {"$search"});
  expect_invalid(list("$filter=" + url_encode("status eq '") + "%00'"), {"$filter"});
}

TEST_F(ConventionsTest, AnUnknownGuidInAFilterGivesAnEmptyList) {
  fill(1);
  EXPECT_EQ(filtered("guid eq " + std::string(unknown_guid)), Numbers{});
}

TEST_F(ConventionsTest, LiteralSegmentsMatchInAnyCase) {
  const auto guid = tenant.create_order();
  EXPECT_EQ(http.get("/API/V1/orders/" + guid).status, 200);
  EXPECT_EQ(http.get("/api/v1/ORDERS").status, 200);
}

TEST_F(ConventionsTest, TimestampsHaveMillisecondsAndZ) {
  const auto guid = tenant.insert_order(
      {{"created_at", "'2026-11-20 05:45:12.345+00'"}, {"collection_date", "'2026-11-20 07:00:00+02'"}});
  const auto order = http.get("/api/v1/Orders/" + guid);
  EXPECT_EQ(text_at(order.data(), "createdAt"), "2026-11-20T05:45:12.345Z");
  EXPECT_EQ(text_at(order.data(), "collectionDate"), "2026-11-20T05:00:00.000Z");
}

TEST_F(ConventionsTest, TextsAreReturnedUnchanged) {
  const std::string notes = "\"quotes\", \\ back, \n\t line, ümlaut 漢字 😀, \x01\x1f, </script>, $1 ' ''";
  const auto guid = tenant.create_order({{"notes", notes}});
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + guid).data(), "notes"), notes);
}

TEST_F(ConventionsTest, AnIdempotentPostIsDoneOnce) {
  const Headers key{{"Idempotency-Key", "once"}};
  const auto body = order_body();
  const auto first = http.post("/api/v1/Orders", body, key);
  ASSERT_EQ(first.status, 201) << first.text;
  const auto second = http.post("/api/v1/Orders", body, key);
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(second.header("Location"), first.header("Location"));
  EXPECT_EQ(second.header("Idempotency-Replayed"), "true");
  expect_refused(http.post("/api/v1/Orders", order_body({{"notes", "other"}}), key), 409, "CONFLICT");
  EXPECT_EQ(at(list("").body, "totalCount"), 1);
  EXPECT_EQ(other_business().http.post("/api/v1/Orders", body, key).status, 201);
}

TEST_F(ConventionsTest, NulCharactersAndNumbersOutOfRangeAreReportedByField) {
  const auto post = [&](std::string_view path, std::string_view body) {
    return http.request_text("POST", path, body);
  };
  expect_invalid(post("/api/v1/Customers", R"({"name":"a\u0000","email":5,"phone":"\u0000"})"),
                 {"name", "email", "phone"});
  expect_invalid(
      post("/api/v1/Orders", R"({"customer":{"name":"C"},"deliveryAddress":{"street":"S","city":"C\u0000"},)"
                             R"("items":[{"description":"d","quantity":1e999,"price":"x"}]})"),
      {"deliveryAddress.city", "items[0].quantity", "items[0].price"});
  expect_invalid(post("/api/v1/Orders/delete", R"([{"guid":"\u0000"}])"), {"[0].guid"});
}

TEST_F(ConventionsTest, AWrongTypeOrAnUnknownFieldIsRefusedAlsoWhereTheRecordHasNoValue) {
  const auto refused = [&](const std::string& path, const std::string& body, const std::string& field) {
    const auto response = http.request_text("PUT", path, body);
    EXPECT_EQ(response.status, 400) << body;
    if (response.status == 400) expect_invalid(response, {field});
  };
  const std::string customer =
      "/api/v1/Customers/" + text_at(http.post("/api/v1/Customers", {{"name", "Ada"},
                                                                     {"address", {{"street", "s"}}},
                                                                     {"metadata", {{"k", "v"}, {"n", 1}}}})
                                         .data(),
                                     "guid");
  refused(customer, R"({"email": {}})", "email");
  refused(customer, R"({"email": []})", "email");
  refused(customer, R"({"phone": {"a": {}}})", "phone");
  refused(customer, R"({"address": []})", "address");
  refused(customer, R"({"tags": {}})", "tags");
  refused(customer, R"({"address": {"strete": null}})", "address.strete");
  refused(customer, R"({"address": {"street": "s", "x": {}}})", "address.x");
  refused(customer, R"({"metadata": {"k": "v", "n": 1, "a b": {}}})", "metadata.a b");
  const auto order = tenant.create_order();
  refused("/api/v1/Orders/" + order, R"({"collectionDate": {}})", "collectionDate");
  refused("/api/v1/Orders/" + order, R"({"shippingCost": []})", "shippingCost");
  refused("/api/v1/Orders/" + order, R"({"timeWindow": {"foo": null}})", "timeWindow.foo");
  const auto product = http.post("/api/v1/Products", {{"name", "P"}, {"sku", "P"}}).data();
  refused("/api/v1/Products/" + text_at(product, "guid"), R"({"price": {}})", "price");
  const auto shipment = "/api/v1/shipments/" + tenant.insert_shipment(order);
  refused(shipment, R"({"instructions": {}})", "instructions");
  refused(shipment, R"({"customs": []})", "customs");
  refused(shipment, R"({"customer": []})", "customer");
  refused(shipment, R"({"sender": {"company": {}}})", "sender.company");
}

TEST_F(ConventionsTest, AnActionWithoutFieldsRefusesUnknownOnes) {
  expect_invalid(http.post("/api/business/generate-api-token", {{"role", "viewer"}}), {"role"});
  EXPECT_EQ(http.post("/api/business/generate-api-token", json::object()).status, 201);
}

TEST_F(ConventionsTest, RateLimitHeadersAreSentEvenWithoutARoute) {
  for (const auto& [method, path, status] :
       {std::tuple("GET", "/api/v1/nothing", 404), std::tuple("DELETE", "/api/v1/Orders", 405)}) {
    const auto response = http.request(method, path);
    EXPECT_EQ(response.status, status);
    EXPECT_NE(response.header("X-RateLimit-Remaining"), "") << path;
    EXPECT_EQ(world.waybill.http("wb_nobody").request(method, path).status, status);
  }
}

TEST_F(ConventionsTest, UnpaginatedListsHaveAtMost1000Entries) {
  const auto vehicle = make_vehicle(http);
  const auto carrier = text_at(http.get("/api/carriers").data(), "0.guid");
  const auto fill_up = [&](std::string_view table, std::string_view columns, std::string_view values) {
    tenant.sql.rows("insert into " + std::string(table) + " (business_id, " + std::string(columns) +
                        ") select $1, " + std::string(values) +
                        " from generate_series(1, 1000 - (select count(*)::int from " + std::string(table) +
                        " where business_id = $1)) n",
                    {tenant.id});
  };
  fill_up("drivers", "name", "n::text");
  fill_up("vehicles", "name, license_plate, type", "n::text, n::text, 'van'");
  fill_up("tracking_devices", "device_id, type", "'device' || n, 'gps'");
  fill_up("carrier_contacts", "carrier_id, name", "'" + carrier + "', n::text");
  const auto full = [&](std::string_view path, const json::object& body) {
    expect_refused(http.post(path, body), 409, "CONFLICT");
  };
  full("/api/drivers", {{"name", "x"}});
  full("/api/vehicle", {{"name", "x"}, {"licensePlate", "x"}, {"type", "van"}});
  full("/api/tracking/add-device", {{"deviceId", "one-more"}, {"type", "gps"}});
  full("/api/carriers/contacts", {{"carrierId", carrier}, {"name", "x"}});
  EXPECT_EQ(http.del("/api/vehicle/" + vehicle).status, 200);
  EXPECT_EQ(http.post("/api/vehicle", {{"name", "x"}, {"licensePlate", "x"}, {"type", "van"}}).status, 201);
  make_driver(other_business().http);
}

}  // namespace
}  // namespace waybill::tests
