#include <chrono>

#include "base/clock.hpp"
#include "domain/records/record_type.hpp"
#include "domain/values/tracking_number.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ShipmentsTest : public ShipmentsFixture {};

TEST_F(ShipmentsTest, CreatingReturnsALocationWithoutData) {
  const auto ada = customer("ada");
  const auto response = http.post(collection, shipment_body({{"customerId", ada},
                                                             {"carrierId", carrier("ups")},
                                                             {"serviceLevel", "express"},
                                                             {"instructions", "Ring twice"},
                                                             {"recipient",
                                                              {{"name", "Ada"},
                                                               {"street", "Main St 1"},
                                                               {"city", "New York"},
                                                               {"state", "NY"},
                                                               {"postalCode", "10001"},
                                                               {"country", "US"},
                                                               {"phone", "+1 2"}}}}));
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(response.body, json::value({{"success", true}}));
  const auto guid = response.header("Location").substr(collection.size() + 1);
  EXPECT_EQ(response.header("Location"), path_of(guid));

  const auto shipment = get(guid);
  EXPECT_EQ(names_of(shipment), (Names{"guid",
                                       "trackingNumber",
                                       "status",
                                       "orderId",
                                       "customer",
                                       "sender",
                                       "recipient",
                                       "packages",
                                       "customs",
                                       "isReturn",
                                       "carrier",
                                       "serviceLevel",
                                       "instructions",
                                       "collectionDate",
                                       "estimatedDelivery",
                                       "deliveredAt",
                                       "createdAt",
                                       "updatedAt",
                                       "carrierTrackingNumber",
                                       "carrierTrackingUrl",
                                       "trackingUrl",
                                       "externalReference",
                                       "tags",
                                       "metadata",
                                       "statusChangedAt",
                                       "lastTraceAt",
                                       "labelStatus",
                                       "shippingPrice",
                                       "currency",
                                       "purchase"}));
  EXPECT_EQ(names_of(at(shipment, "sender")), (Names{"name", "company", "address", "phone"}));
  EXPECT_EQ(names_of(at(shipment, "recipient")), (Names{"name", "company", "address", "phone", "email"}));
  EXPECT_EQ(names_of(at(shipment, "recipient.address")),
            (Names{"street", "city", "state", "postalCode", "country"}));
  EXPECT_EQ(at(shipment, "customer"),
            json::value({{"guid", ada}, {"name", "ada"}, {"email", "ada@example.com"}, {"phone", nullptr}}));
  EXPECT_EQ(at(shipment, "carrier"), json::value({{"guid", carrier("ups")}, {"name", "UPS"}}));
  EXPECT_EQ(text_at(shipment, "status"), "created");
  EXPECT_TRUE(domain::is_tracking_number(text_at(shipment, "trackingNumber")))
      << text_at(shipment, "trackingNumber");
  EXPECT_EQ(text_at(shipment, "recipient.address.postalCode"), "10001");
  EXPECT_EQ(text_at(shipment, "recipient.phone"), "+1 2");
  EXPECT_EQ(at(shipment, "packages"),
            json::value({{{"length", 30}, {"width", 20}, {"height", 10.5}, {"weight", 2.25}}}));
  EXPECT_EQ(text_at(shipment, "instructions"), "Ring twice");
  EXPECT_TRUE(at(shipment, "orderId").is_null());
  EXPECT_EQ(events_of(guid), 1);
}

const json::object gift_for_customs{{"contents", "gift"},
                                    {"incoterm", "DDP"},
                                    {"items",
                                     {{{"description", "Teapot"},
                                       {"quantity", 1},
                                       {"value", 30},
                                       {"currency", "GBP"},
                                       {"weight", 0.8},
                                       {"hsCode", "6912.00"},
                                       {"originCountry", "Portugal"}}}}};

TEST_F(ShipmentsTest, DataForCustomsAreReplacedAsAWhole) {
  const auto guid = create({{"customs", gift_for_customs}});
  EXPECT_EQ(at(get(guid), "customs"), json::value({{"contents", "gift"},
                                                   {"incoterm", "DDP"},
                                                   {"items",
                                                    {{{"description", "Teapot"},
                                                      {"quantity", 1},
                                                      {"value", 30},
                                                      {"currency", "GBP"},
                                                      {"weight", 0.8},
                                                      {"hsCode", "691200"},
                                                      {"originCountry", "PT"}}}}}));
  EXPECT_EQ(http.put(path_of(guid), {{"instructions", "x"}}).status, 200);
  EXPECT_EQ(text_at(get(guid), "customs.contents"), "gift") << "a change without them keeps them";
  const auto before = events_of(guid);
  EXPECT_EQ(http.put(path_of(guid), {{"customs", gift_for_customs}}).status, 200);
  EXPECT_EQ(events_of(guid), before) << "the same data are no change";
  EXPECT_EQ(http.put(path_of(guid), {{"customs", {{"contents", "sample"}}}}).status, 200);
  EXPECT_EQ(at(get(guid), "customs"),
            json::value({{"contents", "sample"}, {"incoterm", nullptr}, {"items", json::array()}}));
  for (const json::value& none : {json::value(), json::value({{"items", json::array()}})}) {
    EXPECT_EQ(http.put(path_of(guid), {{"customs", none}}).status, 200);
    EXPECT_TRUE(at(get(guid), "customs").is_null());
  }
}

TEST_F(ShipmentsTest, WrongDataForCustomsAreRefusedByName) {
  expect_invalid(http.post(collection, shipment_body({{"customs",
                                                       {{"contents", "weapons"},
                                                        {"incoterm", "DDU"},
                                                        {"items",
                                                         {{{"quantity", 0},
                                                           {"value", -1},
                                                           {"currency", "euro"},
                                                           {"weight", -1},
                                                           {"hsCode", "12345"},
                                                           {"originCountry", "Atlantis"},
                                                           {"sku", "x"}}}}}}})),
                 {"customs.contents", "customs.incoterm", "customs.items[0].quantity",
                  "customs.items[0].value", "customs.items[0].currency", "customs.items[0].weight",
                  "customs.items[0].hsCode", "customs.items[0].originCountry", "customs.items[0].sku"});
}

TEST_F(ShipmentsTest, AReturnIsFixedWhenItIsMade) {
  const auto guid = create({{"isReturn", true}});
  EXPECT_EQ(at(get(guid), "isReturn"), true);
  EXPECT_EQ(http.put(path_of(guid), {{"isReturn", true}}).status, 200)
      << "the answer of a GET can be sent back";
  const json::object change{{"isReturn", false}, {"instructions", "ring"}};
  expect_invalid(http.put(path_of(guid), change), {"isReturn"});
  EXPECT_EQ(at(get(guid), "isReturn"), true);
  EXPECT_TRUE(at(get(guid), "instructions").is_null()) << "nothing of a refused change is stored";
  for (const json::value& wrong : {json::value(5), json::value("true"), json::value()})
    expect_invalid(http.put(path_of(guid), {{"isReturn", wrong}}), {"isReturn"});
  EXPECT_EQ(at(get(create()), "isReturn"), false);
  const auto older = create();
  update(older, "is_return = null");
  EXPECT_EQ(at(get(older), "isReturn"), false);
  EXPECT_EQ(http.put(path_of(older), {{"isReturn", false}}).status, 200);
  expect_invalid(http.put(path_of(older), {{"isReturn", true}}), {"isReturn"});
  expect_invalid(http.post(collection, shipment_body({{"isReturn", "yes"}})), {"isReturn"});
  expect_invalid(http.post(collection, shipment_body({{"isReturn", nullptr}})), {"isReturn"});
}

TEST_F(ShipmentsTest, AllMissingFieldsAreReportedAtOnce) {
  expect_invalid(http.post(collection, json::object{}), {"sender", "recipient", "packages"});
  expect_invalid(http.post(collection, {{"sender", json::object{}},
                                        {"recipient", {{"name", " "}, {"address", {{"street", "x"}}}}},
                                        {"packages", json::array{}}}),
                 {"sender.name", "sender.street", "sender.city", "recipient.name", "recipient.address.city",
                  "packages"});
  expect_invalid(
      http.post(collection, shipment_body({{"packages", {{{"weight", -1}}, {{"length", "x"}, {"depth", 1}}}},
                                           {"customerId", "x"},
                                           {"carrierId", 1},
                                           {"serviceLevel", std::string(201, 's')},
                                           {"instructions", std::string(10'001, 'i')},
                                           {"collectionDate", "tomorrow"},
                                           {"nmae", "x"}})),
      {"packages[0].weight", "packages[1].length", "packages[1].depth", "customerId", "carrierId",
       "serviceLevel", "instructions", "collectionDate", "nmae"});
}

TEST_F(ShipmentsTest, EveryLimitOfAPackageIsChecked) {
  const auto with = [&](const json::value& packages) {
    return http.post(collection, shipment_body({{"packages", packages}}));
  };
  EXPECT_EQ(with({{{"length", 0}, {"weight", 1e9}}}).status, 201);
  expect_invalid(with({{{"weight", 1'000'000'001}}}), {"packages[0].weight"});
  EXPECT_EQ(with(json::array(5000, json::object{{"weight", 1}})).status, 201);
  expect_invalid(with(json::array(5001, json::object{{"weight", 1}})), {"packages"});
}

TEST_F(ShipmentsTest, AnAddressMayBeFlatOrNestedButNotContradictory) {
  const auto guid =
      create({{"recipient", {{"name", "Ada"}, {"address", {{"street", "A 1"}, {"city", "Faro"}}}}}});
  EXPECT_EQ(text_at(get(guid), "recipient.address.city"), "Faro");
  const json::object both{{"name", "Ada"},
                          {"street", "A 1"},
                          {"city", "Faro"},
                          {"address", {{"street", "A 1"}, {"city", "Porto"}}}};
  expect_invalid(http.post(collection, shipment_body({{"recipient", both}})), {"recipient.address.city"});
  const auto null_beside =
      create({{"recipient", {{"name", "Ada"}, {"street", "B 2"}, {"city", "Faro"}, {"address", nullptr}}}});
  EXPECT_EQ(text_at(get(null_beside), "recipient.address.street"), "B 2");
  expect_refused(http.post(collection, shipment_body({{"recipient", {{"name", 1}, {"address", "A 1"}}}})),
                 400, "VALIDATION_ERROR");
  const auto ada = customer("ada");
  expect_invalid(
      http.post(collection, shipment_body({{"customerId", ada}, {"customer", {{"guid", unknown_guid}}}})),
      {"customer.guid"});
  EXPECT_EQ(text_at(get(create({{"customer", {{"guid", ada}}}})), "customer.guid"), ada);
}

TEST_F(ShipmentsTest, ReferencedRecordsMustExistAndFit) {
  expect_refused(http.post(collection, shipment_body({{"customerId", unknown_guid}})), 404, "NOT_FOUND");
  expect_refused(http.post(collection, shipment_body({{"carrierId", unknown_guid}})), 404, "NOT_FOUND");
  const auto foreign_customer = other_business().sql.value(
      "insert into customers (business_id, name) values ($1, 'x') returning guid", {other_business().id});
  expect_refused(http.post(collection, shipment_body({{"customerId", foreign_customer}})), 404, "NOT_FOUND");
  expect_invalid(
      http.post(collection, shipment_body({{"carrierId", carrier("ups")}, {"serviceLevel", "sameday"}})),
      {"serviceLevel"});
  EXPECT_EQ(tenant.sql.number("select count(*) from shipments where business_id = $1", {tenant.id}), 0);
}

TEST_F(ShipmentsTest, AGetResponseCanBePutBackUnchanged) {
  const auto guid =
      create({{"customerId", customer("ada")}, {"carrierId", carrier("dpd")}, {"serviceLevel", "express"}});
  const auto before = get(guid);
  const auto response = http.put(path_of(guid), before);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}}));
  EXPECT_EQ(get(guid), before);
  EXPECT_EQ(events_of(guid), 1) << "nothing changed";
}

TEST_F(ShipmentsTest, AShipmentThatSqlWroteCanBePutBackAndChangesNothing) {
  for (const std::string written :
       {"packages = '[]'", "packages = '[{\"weight\": -1}]'",
        "recipient_email = 'nope', recipient_street = ''", "recipient_name = null, sender_city = ' '",
        "carrier_tracking_url = 'zz'", "metadata = '{\"two words\": 1}'",
        "tags = '[]', service_level = 'none', carrier_tracking_number = '1Z 9'"}) {
    const auto guid = create({{"carrierId", carrier("dpd")}});
    update(guid, written);
    const auto before = get(guid);
    const auto events = events_of(guid);
    const auto response = http.put(path_of(guid), before);
    EXPECT_EQ(response.status, 200) << written << response.text;
    EXPECT_EQ(get(guid), before) << written;
    EXPECT_EQ(events_of(guid), events) << written;
  }
}

TEST_F(ShipmentsTest, PutChangesOnlyTheNamedFields) {
  const auto guid = create({{"customerId", customer("ada")}, {"instructions", "Ring"}});
  auto expected = get(guid);
  EXPECT_EQ(http.put(path_of(guid), {{"recipient", {{"phone", "+351"}}}}).status, 200);
  expected.at("recipient").as_object()["phone"] = "+351";
  EXPECT_EQ(http.put(path_of(guid), {{"instructions", nullptr}, {"customer", nullptr}}).status, 200);
  expected.as_object()["instructions"] = nullptr;
  expected.as_object()["customer"] = nullptr;
  EXPECT_EQ(http.put(path_of(guid), {{"recipient", {{"address", {{"country", "PT"}}}}},
                                     {"packages", {{{"weight", 7}}}},
                                     {"carrierId", carrier("gls")}})
                .status,
            200);
  expected.at("recipient").at("address").as_object()["country"] = "PT";
  expected.as_object()["packages"] = {
      {{"length", nullptr}, {"width", nullptr}, {"height", nullptr}, {"weight", 7}}};
  expected.as_object()["carrier"] = {{"guid", carrier("gls")}, {"name", "GLS"}};
  auto actual = get(guid);
  actual.as_object()["updatedAt"] = expected.at("updatedAt");
  EXPECT_EQ(actual, expected);
}

TEST_F(ShipmentsTest, PutCannotClearRequiredFields) {
  const auto guid = create();
  expect_invalid(http.put(path_of(guid), {{"recipient", {{"name", nullptr}, {"city", nullptr}}},
                                          {"sender", {{"address", nullptr}}}}),
                 {"recipient.name", "recipient.city", "sender.street", "sender.city"});
  expect_invalid(http.put(path_of(guid), {{"recipient", nullptr}, {"packages", nullptr}}),
                 {"recipient", "packages"});
  expect_invalid(http.put(path_of(guid), {{"recipient", {{"street", "  "}}}}), {"recipient.street"});
  expect_invalid(http.put(path_of(guid), {{"status", "delivered"}}), {"status"});
  EXPECT_EQ(http.put(path_of(guid), {{"status", "created"}, {"trackingNumber", "other"}}).status, 200);
  EXPECT_NE(text_at(get(guid), "trackingNumber"), "other") << "read-only";
  expect_refused(http.put(path_of(unknown_guid), {{"instructions", "x"}}), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"carrierId", unknown_guid}}), 404, "NOT_FOUND");
}

TEST_F(ShipmentsTest, TheEstimateIsFiveTwoOrNoDaysAfterCollectionOrCreation) {
  struct Case {
    json::value level;
    int days;
  };
  for (const auto& [level, days] :
       {Case{nullptr, 5}, Case{"standard", 5}, Case{"express", 2}, Case{"sameday", 0}, Case{"other", 5}}) {
    const auto guid = create({{"serviceLevel", level}});
    const auto shipment = get(guid);
    const auto created = parse_timestamp(text_at(shipment, "createdAt")).value();
    EXPECT_EQ(text_at(shipment, "estimatedDelivery"), format_timestamp(created + std::chrono::days(days)));
    EXPECT_EQ(
        http.patch(collection, {{"shipmentId", guid}, {"collectionDate", "2026-12-01T08:00:00Z"}}).status,
        200);
    EXPECT_EQ(text_at(get(guid), "estimatedDelivery"),
              format_timestamp(parse_timestamp("2026-12-01T08:00:00Z").value() + std::chrono::days(days)));
  }
}

TEST_F(ShipmentsTest, PatchSetsTheDatesAndADeliveryDateStays) {
  const auto guid = create();
  const auto patch = [&](json::object body) {
    body["shipmentId"] = guid;
    return http.patch(collection, body);
  };
  const auto response = patch({{"deliveryDate", "2026-12-24T12:00:00Z"}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}}));
  EXPECT_EQ(text_at(get(guid), "estimatedDelivery"), "2026-12-24T12:00:00.000Z");
  EXPECT_EQ(patch({{"collectionDate", "2026-12-20T10:00:00+02:00"}}).status, 200);
  EXPECT_EQ(text_at(get(guid), "collectionDate"), "2026-12-20T08:00:00.000Z");
  EXPECT_EQ(text_at(get(guid), "estimatedDelivery"), "2026-12-24T12:00:00.000Z") << "set explicitly";
  EXPECT_EQ(patch({{"deliveryDate", nullptr}}).status, 200);
  EXPECT_EQ(text_at(get(guid), "estimatedDelivery"), "2026-12-25T08:00:00.000Z") << "computed again";

  expect_invalid(http.patch(collection, json::object{}), {"shipmentId"});
  expect_invalid(patch({{"collectionDate", "x"}, {"deliveryDate", "2026-02-30T00:00:00Z"}}),
                 {"collectionDate", "deliveryDate"});
  expect_invalid(
      patch({{"collectionDate", "2026-12-02T00:00:00Z"}, {"deliveryDate", "2026-12-01T00:00:00Z"}}),
      {"deliveryDate"});
  expect_refused(http.patch(collection, {{"shipmentId", unknown_guid}}), 404, "NOT_FOUND");
  expect_refused(other_business().http.patch(collection, {{"shipmentId", guid}, {"deliveryDate", nullptr}}),
                 404, "NOT_FOUND");
  EXPECT_EQ(patch({{"collectionDate", "9999-12-31T00:00:00Z"}, {"deliveryDate", nullptr}}).status, 400)
      << "no response could show the estimate";
}

TEST_F(ShipmentsTest, AShipmentUnderWayCannotBeDeleted) {
  for (const auto* const status : {"created", "exception", "delivered", "returned", "cancelled"}) {
    const auto guid = create();
    update(guid, "status = '" + std::string(status) + "'");
    const auto response = http.del(path_of(guid));
    EXPECT_EQ(response.status, 200) << status << response.text;
    EXPECT_EQ(response.body, json::value({{"success", true}}));
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
    for (const auto* const more : {"/traces", "/history", "/label"}) {
      expect_refused(http.get(path_of(guid, more)), 404, "NOT_FOUND");
    }
  }
  for (const auto* const status : {"collected", "in_transit", "out_for_delivery"}) {
    const auto guid = create();
    update(guid, "status = '" + std::string(status) + "'");
    expect_invalid(http.del(path_of(guid)), {"status"});
    EXPECT_EQ(http.get(path_of(guid)).status, 200);
  }
}

TEST_F(ShipmentsTest, BulkDeletionIsAllOrNothing) {
  const auto first = create();
  const auto second = create();
  const auto remove = [&](const std::vector<std::string_view>& guids) {
    json::array body;
    for (const auto guid : guids) body.push_back({{"guid", guid}});
    return http.post("/api/v1/shipments/delete", body);
  };
  expect_refused(remove({first, unknown_guid}), 404, "NOT_FOUND");
  update(second, "status = 'in_transit'");
  expect_invalid(remove({first, second}), {"[1].guid"});
  EXPECT_EQ(http.get(path_of(first)).status, 200);
  update(second, "status = 'delivered'");
  const auto response = remove({first, second, first});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value(json::array{}));
  EXPECT_EQ(http.get(path_of(first)).status, 404);
  EXPECT_EQ(http.get(path_of(second)).status, 404);
  expect_invalid(http.post("/api/v1/shipments/delete", {{{"guid", "x"}}}), {"[0].guid"});
  EXPECT_EQ(
      http.post("/api/v1/shipments/delete", json::array(1001, json::object{{"guid", unknown_guid}})).status,
      400);
}

TEST_F(ShipmentsTest, TheOverviewCountsByStatus) {
  const auto overview = [&] { return http.get("/api/v1/shipments/overview").data(); };
  EXPECT_EQ(overview(), json::value({{"totalShipments", 0},
                                     {"inTransit", 0},
                                     {"delivered", 0},
                                     {"exceptions", 0},
                                     {"pending", 0},
                                     {"onTimeRate", 0},
                                     {"labelCosts", json::array()}}));
  for (const auto* const status :
       {"created", "created", "collected", "in_transit", "out_for_delivery", "delivered", "delivered",
        "delivered", "delivered", "exception", "returned", "cancelled"}) {
    update(create(), "status = '" + std::string(status) + "'");
  }
  tenant.sql.exec(
      "update shipments set estimated_delivery = delivered_at - interval '1 second' where guid = "
      "(select guid from shipments where status = 'delivered' and business_id = '" +
      tenant.id + "' limit 1)");
  EXPECT_EQ(http.del(path_of(create())).status, 200);
  EXPECT_EQ(overview(), json::value({{"totalShipments", 12},
                                     {"inTransit", 3},
                                     {"delivered", 4},
                                     {"exceptions", 1},
                                     {"pending", 2},
                                     {"onTimeRate", 0.75},
                                     {"labelCosts", json::array()}}));
}

TEST_F(ShipmentsTest, TheOverviewSumsThePricesOfBoughtLabelsByCurrency) {
  const auto buy = [&](std::string_view status, std::string_view price, std::string_view currency,
                       std::string_view test_mode) {
    tenant.sql.rows(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, connector, "
        "status, "
        "gateway_id, buy_begun_at, bought_at, price, currency, test_mode) "
        "values ($1, gen_random_uuid(), $2, 1, gen_random_uuid(), shard_of($1::uuid), 'karrio', $3, 'shp', "
        "now(), now(), $4::text::numeric, $5, $6::text::boolean)",
        {tenant.id, create(), std::string(status), std::string(price), std::string(currency),
         std::string(test_mode)});
  };
  buy("bought", "12.30", "EUR", "false");
  buy("voiding", "0.75", "EUR", "false");
  buy("bought", "7", "USD", "false");
  buy("voided", "100", "EUR", "false");
  buy("bought", "100", "EUR", "true");
  buy("refused", "100", "EUR", "false");
  EXPECT_EQ(http.get("/api/v1/shipments/overview").data().at("labelCosts"),
            json::value({{{"currency", "EUR"}, {"labels", 2}, {"paid", 13.05}},
                         {{"currency", "USD"}, {"labels", 1}, {"paid", 7}}}));
}

TEST_F(ShipmentsTest, ASamedayShipmentIsOnTimeUntilItsDayEnds) {
  const auto guid = create({{"serviceLevel", "sameday"}});
  const auto rate = [&](std::string_view created, std::string_view delivered) {
    update(guid, "status = 'created'");
    update(guid, "created_at = '" + std::string(created) + "'");
    update(guid, "status = 'delivered', delivered_at = '" + std::string(delivered) + "'");
    return http.get("/api/v1/shipments/overview").data().at("onTimeRate");
  };
  EXPECT_EQ(rate("2026-11-20 08:00Z", "2026-11-20 23:59:59Z"), 1);
  EXPECT_EQ(rate("2026-11-20 08:00Z", "2026-11-21 00:00Z"), 0);
}

TEST_F(ShipmentsTest, UnassignedShipmentsAreOpenAndHaveNoDispatch) {
  const auto open = create({{"recipient", {{"name", "Ada"}, {"street", "x"}, {"city", "Faro"}}}});
  const auto exception = create();
  update(exception, "status = 'exception'");
  update(create(), "dispatch_id = gen_random_uuid()");
  for (const auto* const status : {"delivered", "returned", "cancelled"}) {
    update(create(), "status = '" + std::string(status) + "'");
  }
  EXPECT_EQ(http.del(path_of(create())).status, 200);
  const auto list = http.get("/api/v1/shipments/unassigned");
  EXPECT_EQ(texts(list, "guid"), (std::vector<std::string>{open, exception}));
  EXPECT_EQ(at(list.data(), "0"), json::value({{"guid", open},
                                               {"trackingNumber", text_at(get(open), "trackingNumber")},
                                               {"status", "created"},
                                               {"recipient", {{"name", "Ada"}, {"city", "Faro"}}}}));
}

TEST_F(ShipmentsTest, TheHistoryShowsEachStatusChangeAndItsAuthor) {
  const auto guid = create();
  EXPECT_EQ(report(guid, {{"status", "collected"}, {"description", "At the depot"}}).status, 200);
  update(guid, "status = 'delivered'");
  const auto history = http.get(path_of(guid, "/history"));
  ASSERT_EQ(history.status, 200) << history.text;
  ASSERT_EQ(history.data().as_array().size(), 3U);
  EXPECT_EQ(names_of(at(history.data(), "0")), (Names{"from", "to", "at", "by", "notes"}));
  EXPECT_TRUE(at(history.data(), "0.from").is_null());
  EXPECT_EQ(texts(history, "to"), (std::vector<std::string>{"created", "collected", "delivered"}));
  EXPECT_EQ(texts(history, "by.type"), (std::vector<std::string>{"token", "token", "sql"}));
  EXPECT_EQ(text_at(history.data(), "1.notes"), "At the depot");
  expect_refused(http.get(path_of(unknown_guid, "/history")), 404, "NOT_FOUND");
}

TEST_F(ShipmentsTest, AnotherBusinessNeitherSeesNorChangesShipments) {
  const auto guid = create();
  auto& other = other_business().http;
  for (const auto* const more : {"", "/traces", "/history", "/label"}) {
    expect_refused(other.get(path_of(guid, more)), 404, "NOT_FOUND");
  }
  expect_refused(other.put(path_of(guid), {{"instructions", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(other.post(path_of(guid, "/traces"), {{"status", "delivered"}, {"description", "x"}}), 404,
                 "NOT_FOUND");
  expect_refused(other.post("/api/v1/shipments/delete", {{{"guid", guid}}}), 404, "NOT_FOUND");
  EXPECT_EQ(other.get(collection).body.at("totalCount"), 0);
  EXPECT_EQ(events_of(guid), 1);
}

TEST_F(ShipmentsTest, AViewerReadsAndChangesNothing) {
  const auto guid = create();
  auto token = world.waybill.token(tenant.name);
  tenant.sql.rows(
      "update api_tokens set role = 'viewer' where guid = (select guid from api_tokens where business_id "
      "= $1 order by created_at desc limit 1)",
      {tenant.id});
  auto viewer = http.with_token(std::move(token));
  for (const auto* const more : {"", "/traces", "/history", "/label"}) {
    EXPECT_EQ(viewer.get(path_of(guid, more)).status, 200) << more;
  }
  expect_refused(viewer.post(collection, shipment_body()), 403, "FORBIDDEN");
  expect_refused(viewer.put(path_of(guid), {{"instructions", "x"}}), 403, "FORBIDDEN");
  expect_refused(viewer.patch(collection, {{"shipmentId", guid}}), 403, "FORBIDDEN");
  expect_refused(viewer.post(path_of(guid, "/traces"), {{"status", "collected"}, {"description", "x"}}), 403,
                 "FORBIDDEN");
  expect_refused(viewer.post("/api/v1/Orders/" + tenant.create_order() + "/shipment"), 403, "FORBIDDEN");
  expect_refused(viewer.del(path_of(guid)), 403, "FORBIDDEN");
  expect_refused(viewer.post("/api/v1/shipments/delete", {{{"guid", guid}}}), 403, "FORBIDDEN");
}

TEST_F(ShipmentsTest, AWorkflowSeesTheShipmentOfAGetResponse) {
  const auto guid = create({{"carrierId", carrier("ups")}, {"customerId", customer("ada")}});
  const auto response = http.get(path_of(guid));
  const auto fields = domain::record_type(domain::EntityType::shipment).fields;
  for (const auto& field : fields) {
    if (field.has_role(domain::ColumnRole::dispatch) || field.is_event_fact()) continue;
    EXPECT_NE(find_path(response.data().as_object(), field.path), nullptr) << field.path;
  }
}

}  // namespace
}  // namespace waybill::tests
