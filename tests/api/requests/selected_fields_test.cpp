// `$select` on lists and single records.
#include <string>
#include <vector>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

class SelectedFields : public ApiTest {
 protected:
  /// Creates a record and returns its guid.
  std::string create(const std::string& list, const json::object& body) {
    const auto made = http.post(list, body);
    EXPECT_EQ(made.status, 201) << made.text;
    return made.header("Location").substr(list.size() + 1);
  }

  json::value read(const std::string& path) {
    const auto answer = http.get(path);
    EXPECT_EQ(answer.status, 200) << path << answer.text;
    return answer.data();
  }

  /// Expects each field of a record, alone, as the whole record has it; in the list, too.
  void expect_each_field(const std::string& list, const std::string& guid) {
    const json::value record = read(list + "/" + guid), entry = at(read(list), "0");
    for (const auto& [name, value] : record.as_object())
      EXPECT_EQ(read(list + "/" + guid + "?$select=" + std::string(name)), (json::object{{name, value}}));
    for (const auto& [name, value] : entry.as_object())
      EXPECT_EQ(read(list + "?$select=" + std::string(name)), (json::array{json::object{{name, value}}}));
  }
};

TEST_F(SelectedFields, EachFieldOfARecordCanBeReadAlone) {
  const auto order = create(
      "/api/v1/Orders",
      order_body({{"notes", "gift"}, {"tags", {"vip"}}, {"metadata", {{"k", "v"}}}, {"shippingCost", 4.5}}));
  expect_each_field("/api/v1/Orders", order);
  expect_each_field("/api/v1/shipments", create("/api/v1/shipments", shipment_body({{"orderId", order}})));
  expect_each_field("/api/v1/Customers", text_at(read("/api/v1/Orders/" + order), "customer.guid"));
  expect_each_field("/api/v1/Products",
                    create("/api/v1/Products", {{"name", "Lamp"}, {"sku", "L-1"}, {"price", 3}}));
  expect_each_field("/api/drivers", create("/api/drivers", {{"name", "Dora"}}));
}

TEST_F(SelectedFields, PartsOfAFieldAreSelectedBySlashes) {
  const auto order = create("/api/v1/Orders", order_body());
  const json::value expected{{"status", "pending"},
                             {"customer", {{"name", "Ada Lovelace"}}},
                             {"items", {{{"price", 19.99}}}},
                             {"deliveryAddress", {{"city", "Lisbon"}, {"company", nullptr}}}};
  const std::string fields =
      "?$select=customer/name,deliveryAddress/company,items/price,deliveryAddress/city,status";
  EXPECT_EQ(read("/api/v1/Orders/" + order + fields), expected);
  auto entry = expected;
  entry.at("deliveryAddress").as_object().erase("company");
  EXPECT_EQ(read("/api/v1/Orders?$select=customer/name,items/price,deliveryAddress/city,status"),
            (json::array{entry}));
}

TEST_F(SelectedFields, PartsOfEventsAndOfTheAuditLogAreSelectedBySlashes) {
  const auto order = create("/api/v1/Orders", order_body({{"notes", "old"}}));
  ASSERT_EQ(http.put("/api/v1/Orders/" + order, {{"notes", "new"}}).status, 200);
  const std::string events = "/api/events?type=order_updated&$select=";
  EXPECT_EQ(read(events + "entity/guid,entity/customer/name,previous/notes"),
            (json::array{json::object{{"entity", {{"guid", order}, {"customer", {{"name", "Ada Lovelace"}}}}},
                                      {"previous", {{"notes", "old"}}}}}));
  EXPECT_EQ(read(events + "previous/status"), (json::array{json::object{{"previous", json::object()}}}))
      << "it is missing where it did not change";
  expect_invalid(http.get(events + "entity/"), {"$select"});
  expect_invalid(http.get(events + "cause/colour"), {"$select"});

  ASSERT_EQ(http.post("/api/carriers", {{"name", "Bikes"}, {"code", "bikes"}, {"type", "courier"}}).status,
            201);
  EXPECT_EQ(read("/api/business/audit?PageSize=1&$select=changes/name/to"),
            (json::array{json::object{{"changes", {{"name", {{"to", "Bikes"}}}}}}}));
  EXPECT_EQ(at(read("/api/workflows/events?$select=sample/type"), "0").as_object().size(), 1U);
}

TEST_F(SelectedFields, AListIsSelectedSortedAndCountedAsWithoutASelection) {
  for (int i = 1; i <= 5; ++i)
    create("/api/v1/Orders",
           order_body({{"orderNumber", "N-" + std::to_string(i)}, {"notes", i < 4 ? "few" : "rest"}}));
  const std::vector<std::string> queries = {
      "",
      "&PageSize=2&Page=2",
      "&PageSize=2&Page=30",
      "&$orderby=orderNumber",
      "&$orderby=orderNumber&PageSize=2&Page=2",
      "&$orderby=customer/name",
      "&$orderby=notes%20desc",
      "&$filter=status%20eq%20'pending'",
      "&$filter=notes%20eq%20'few'%20and%20status%20ne%20'draft'",
      "&$filter=customer/name%20eq%20'Ada%20Lovelace'&$orderby=createdAt",
      "&$search=few",
      "&$search=lovelace&$filter=status%20eq%20'pending'&PageSize=2",
  };
  for (const auto& query : queries) {
    const auto whole = http.get("/api/v1/Orders?" + query);
    const auto answer = http.get("/api/v1/Orders?$select=orderNumber" + query);
    ASSERT_EQ(answer.status, 200) << query << answer.text;
    EXPECT_EQ(answer.body.at("totalCount"), whole.body.at("totalCount")) << query;
    EXPECT_EQ(texts(answer, "orderNumber"), texts(whole, "orderNumber")) << query;
    for (const auto& entry : answer.data().as_array()) EXPECT_EQ(entry.as_object().size(), 1) << query;
  }
}

TEST_F(SelectedFields, PartsOfWhatTheSchemaLeavesOpenAreSelected) {
  const auto customer = create("/api/v1/Customers", {{"name", "Ada"}, {"metadata", {{"a", 1}}}});
  auto order = order_body({{"customerId", customer}});
  order.erase("customer");
  create("/api/v1/Orders", order);
  const auto path = "/api/v1/Customers/" + customer + "/export?$select=";
  EXPECT_EQ(read(path + "orders/status,customer/name"),
            json::value({{"customer", {{"name", "Ada"}}}, {"orders", {{{"status", "pending"}}}}}));
  EXPECT_EQ(read(path + "orders/colour"), json::value({{"orders", {json::object()}}}));
  expect_invalid(http.get(path + "colour/status"), {"$select"});
  expect_invalid(http.get("/api/v1/Customers/" + customer + "?$select=metadata/a"), {"$select"});
  expect_invalid(http.get("/api/v1/Customers/" + customer + "?$select=tags/a"), {"$select"});
}

TEST_F(SelectedFields, AnUnknownFieldIsRefusedByName) {
  const auto order = create("/api/v1/Orders", order_body());
  for (const std::string& path : {std::string("/api/v1/Orders"), "/api/v1/Orders/" + order,
                                  std::string("/api/drivers"), std::string("/api/business/my-business")}) {
    const auto refused = http.get(path + "?$select=guid,colour");
    expect_invalid(refused, {"$select"});
    EXPECT_NE(text_at(refused.details(), "$select").find("colour"), std::string::npos) << refused.text;
  }
  // A field that only the single record has is unknown to the list.
  EXPECT_EQ(http.get("/api/v1/Orders/" + order + "?$select=shipments").status, 200);
  expect_invalid(http.get("/api/v1/Orders?$select=shipments"), {"$select"});
  expect_invalid(http.get("/api/v1/Orders?$select=guid,"), {"$select"});
  expect_invalid(http.get("/api/v1/Orders?$select=" + std::string(2'001, 'x')), {"$select"});
  expect_invalid(http.get("/api/v1/Orders?$select=guid&$select=status"), {"$select"});
  EXPECT_EQ(http.get("/api/v1/Orders/" + std::string(unknown_guid) + "?$select=guid").status, 404);
}

TEST_F(SelectedFields, AnEmptySelectionIsNone) {
  create("/api/v1/Orders", order_body());
  EXPECT_EQ(read("/api/v1/Orders?$select="), read("/api/v1/Orders"));
}

TEST_F(SelectedFields, ALargeColumnThatIsNotSelectedDoesNotCountForTheSizeOfAPage) {
  // The text of the page is above the 8 MiB of PAYLOAD_TOO_LARGE.
  tenant.sql.rows(
      "insert into orders (business_id, order_number, items, delivery_street, delivery_city) "
      "select $1, 'N-' || n, (select jsonb_agg(jsonb_build_object('description', repeat('x', 9000))) from "
      "generate_series(1, 60)), 'S', "
      "'C' from generate_series(1, 20) n",
      {tenant.id});
  EXPECT_EQ(http.get("/api/v1/Orders").status, 413);
  EXPECT_EQ(http.get("/api/v1/Orders?$select=items").status, 413);
  EXPECT_EQ(read("/api/v1/Orders?$select=orderNumber,status").as_array().size(), 20);
}

// A table that a statement names is locked, so the statement would wait.
TEST(SelectedTables, FieldsThatAreNotSelectedAreNotRead) {
  TestDatabase database;
  Waybill::Options options;
  options.command = "api";
  Waybill waybill{database.url(), options};
  Tenant tenant{waybill, "shop"};
  const auto order = text_at(tenant.http.post("/api/v1/Orders", order_body()).data(), "guid");
  Session holder = database.connect();
  holder.exec("begin; lock table shipments, carriers, integrations in access exclusive mode");
  EXPECT_EQ(tenant.http.get("/api/v1/Orders/" + order).status, 503);
  EXPECT_EQ(tenant.http.get("/api/v1/Orders/" + order + "?$select=carrier").status, 503);
  EXPECT_EQ(tenant.http.get("/api/v1/Orders/" + order + "?$select=guid,status,customer,items").status, 200);
  EXPECT_EQ(tenant.http.get("/api/v1/Orders?$select=source").status, 503);
  EXPECT_EQ(tenant.http.get("/api/v1/Orders?$select=guid,items&$filter=status%20eq%20'pending'").status, 200);
}

}  // namespace
}  // namespace waybill::tests
