#include <algorithm>
#include <mutex>
#include <thread>

#include "domain/values/tracking_number.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ShipmentsOfOrdersTest : public ShipmentsFixture {
 protected:
  Response ship(std::string_view order, const json::object& body = {}) {
    return http.post("/api/v1/Orders/" + std::string(order) + "/shipment", body);
  }
  std::string set_business() {
    return tenant.sql.value(
        "update businesses set street = 'Rua 1', city = 'Lisbon', postal_code = '1100', country = 'PT', "
        "phone = '+351' "
        "where guid = $1 returning name",
        {tenant.id});
  }
};

TEST_F(ShipmentsOfOrdersTest, AnOrderBecomesAShipmentWithAllItsItems) {
  const auto business = set_business();
  const auto order = tenant.create_order(
      {{"customer", {{"name", "Ada"}, {"email", "ada@example.com"}, {"phone", "+1 2"}}},
       {"items",
        {{{"description", "Lamp"},
          {"quantity", 2},
          {"price", 5},
          {"dimensions", {{"length", 10}, {"width", 20.5}, {"height", 5}, {"weight", 1.25}}}},
         {{"description", "Bulb"}, {"quantity", 1}, {"price", 1}}}},
       {"deliveryAddress",
        {{"street", "Main St 1"}, {"city", "New York"}, {"state", "NY"}, {"postalCode", "10001"}}},
       {"carrierId", carrier("ups")},
       {"serviceLevel", "express"},
       {"collectionDate", "2026-12-01T08:00:00Z"}});
  const auto response = ship(order);
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(names_of(response.data()), (Names{"guid", "trackingNumber", "orderId", "status"}));
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(text_at(response.data(), "orderId"), order);
  EXPECT_EQ(text_at(response.data(), "status"), "created");
  EXPECT_TRUE(domain::is_tracking_number(text_at(response.data(), "trackingNumber")));

  const auto shipment = get(guid);
  EXPECT_EQ(text_at(shipment, "orderId"), order);
  EXPECT_EQ(text_at(shipment, "trackingNumber"), text_at(response.data(), "trackingNumber"));
  const auto whole = http.get("/api/v1/Orders/" + order).data();
  EXPECT_EQ(at(shipment, "customer"), whole.at("customer"));
  EXPECT_EQ(at(shipment, "carrier"), whole.at("carrier"));
  EXPECT_EQ(text_at(shipment, "serviceLevel"), "express");
  EXPECT_EQ(text_at(shipment, "collectionDate"), "2026-12-01T08:00:00.000Z");
  EXPECT_EQ(text_at(shipment, "estimatedDelivery"), "2026-12-03T08:00:00.000Z");
  EXPECT_EQ(at(shipment, "recipient"), json::value({{"name", "Ada"},
                                                    {"company", nullptr},
                                                    {"address",
                                                     {{"street", "Main St 1"},
                                                      {"city", "New York"},
                                                      {"state", "NY"},
                                                      {"postalCode", "10001"},
                                                      {"country", nullptr}}},
                                                    {"phone", "+1 2"},
                                                    {"email", "ada@example.com"}}));
  EXPECT_EQ(text_at(shipment, "sender.name"), business);
  EXPECT_EQ(text_at(shipment, "sender.address.city"), "Lisbon");
  EXPECT_EQ(
      at(shipment, "packages"),
      json::value({{{"length", 10}, {"width", 20.5}, {"height", 5}, {"weight", 2.5}},
                   {{"length", nullptr}, {"width", nullptr}, {"height", nullptr}, {"weight", nullptr}}}));
  EXPECT_EQ(at(whole, "shipments"), json::value({{{"guid", guid},
                                                  {"trackingNumber", text_at(shipment, "trackingNumber")},
                                                  {"status", "created"}}}));
}

TEST_F(ShipmentsOfOrdersTest, ItemsCanBeChosen) {
  const auto order = tenant.create_order(
      {{"items",
        {{{"description", "a"}, {"quantity", 1}, {"price", 1}, {"dimensions", {{"weight", 1}}}},
         {{"description", "b"}, {"quantity", 1}, {"price", 1}, {"dimensions", {{"weight", 2}}}}}}});
  const auto item = text_at(http.get("/api/v1/Orders/" + order).data(), "items.1.guid");
  expect_invalid(ship(order, {{"itemIds", {"x"}}, {"generateLabel", "yes"}}),
                 {"itemIds[0]", "generateLabel"});
  expect_invalid(ship(order, {{"itemIds", json::array{}}}), {"itemIds"});
  expect_refused(ship(order, {{"itemIds", {item, unknown_guid}}}), 404, "NOT_FOUND");
  const auto response = ship(order, {{"itemIds", {item, item}}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto packages = get(text_at(response.data(), "guid")).at("packages");
  ASSERT_EQ(packages.as_array().size(), 1U);
  EXPECT_EQ(at(packages, "0.weight"), 2);
  const auto chosen = tenant.sql.value("select order_items from shipments where guid = $1",
                                       {text_at(response.data(), "guid")});
  EXPECT_EQ(chosen, "{" + item + "}") << "the others are not declared to customs";
}

TEST_F(ShipmentsOfOrdersTest, ThePiecesInTheShipmentAreKept) {
  const auto order = tenant.create_order({{"items",
                                           {{{"description", "a"}, {"quantity", 3}, {"price", 1}},
                                            {{"description", "b"}, {"quantity", 1}, {"price", 1}}}}});
  const auto item = text_at(http.get("/api/v1/Orders/" + order).data(), "items.0.guid");
  const auto kept = [&](const json::object& body) {
    const auto response = ship(order, body);
    const auto guid = text_at(response.data(), "guid");
    const auto pieces = tenant.sql.value(
        "select (select count(*) from jsonb_object_keys(order_pieces)) || ' items, ' || (order_pieces ->> "
        "$2) || "
        "' of the first' from shipments where guid = $1",
        {guid, item});
    EXPECT_FALSE(get(guid).as_object().contains("orderPieces")) << "they are not shown";
    update(guid, "status = 'cancelled'");
    return pieces;
  };
  EXPECT_EQ(kept({}), "2 items, 3 of the first");
  EXPECT_EQ(kept({{"itemIds", {item}}}), "1 items, 3 of the first");
}

TEST_F(ShipmentsOfOrdersTest, AnOrderWithALiveShipmentGetsNoOther) {
  const auto order = tenant.create_order();
  for (const auto* const status : {"created", "exception", "delivered"}) {
    const auto shipment = tenant.sql.value(
        "insert into shipments (business_id, tracking_number, order_id, status) values ($1, 'T-' || $3, $2, "
        "$3) "
        "returning guid",
        {tenant.id, order, std::string(status)});
    expect_refused(ship(order), 409, "CONFLICT");
    update(shipment, "deleted_at = now()");
  }
  for (const auto* const status : {"cancelled", "returned"}) {
    const auto response = ship(order);
    EXPECT_EQ(response.status, 201) << response.text;
    update(text_at(response.data(), "guid"), "status = '" + std::string(status) + "'");
  }
  EXPECT_EQ(ship(order).status, 201);
}

TEST_F(ShipmentsOfOrdersTest, OneOfManyConcurrentRequestsCreatesTheShipment) {
  const auto order = tenant.create_order();
  std::vector<int> answers;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, client = http.with_token(http.token())]() mutable {
        const auto status = client.post("/api/v1/Orders/" + order + "/shipment", json::object{}).status;
        const std::scoped_lock lock(mutex);
        answers.push_back(status);
      });
    }
  }
  EXPECT_EQ(std::ranges::count(answers, 201), 1);
  EXPECT_EQ(std::ranges::count(answers, 409), 7);
  EXPECT_EQ(tenant.sql.number("select count(*) from shipments where order_id = $1", {order}), 1);
}

TEST_F(ShipmentsOfOrdersTest, AnOrderThatCannotBeShippedIsRefused) {
  const auto cancelled = tenant.create_order();
  tenant.move_order(cancelled, "cancelled");
  expect_invalid(ship(cancelled), {"status"});
  const auto without_address = tenant.insert_order();
  expect_invalid(ship(without_address), {"deliveryAddress.street", "deliveryAddress.city"});
  expect_refused(ship(unknown_guid), 404, "NOT_FOUND");
  expect_refused(other_business().http.post("/api/v1/Orders/" + tenant.create_order() + "/shipment"), 404,
                 "NOT_FOUND");
}

TEST_F(ShipmentsOfOrdersTest, ItemsWrittenBySqlInAnyShapeBecomePackages) {
  const auto order =
      tenant.insert_order({{"items", R"('[1, {"dimensions": "x"}, {"dimensions": {"weight": "y"}}]')"},
                           {"delivery_street", "'a'"},
                           {"delivery_city", "'b'"}});
  const auto response = ship(order);
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(get(text_at(response.data(), "guid")).at("packages").as_array().size(), 3U);
}

}  // namespace
}  // namespace waybill::tests
