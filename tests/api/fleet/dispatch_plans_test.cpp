#include <atomic>
#include <thread>

#include "domain/records/state_machines.hpp"
#include "tests/api/fleet/dispatch_fixture.hpp"

namespace waybill::tests {
namespace {

class DispatchPlansTest : public DispatchPlanningTest {};

TEST_F(DispatchPlansTest, CreatingReturnsADraftWithItsNumberOfShipments) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
  const auto response = http.post("/api/dispatch", {{"name", "Morning"},
                                                    {"driverId", driver},
                                                    {"vehicle", {{"guid", vehicle}}},
                                                    {"plannedDate", "2026-11-20T09:00:00+01:00"},
                                                    {"shipmentIds", guids_of(shipments)},
                                                    {"notes", "careful"}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid},
                                          {"name", "Morning"},
                                          {"status", "draft"},
                                          {"plannedDate", planned},
                                          {"shipmentCount", 2}}));
  const auto whole = get(guid);
  EXPECT_EQ(keys_of(whole),
            (std::set<std::string>{"guid", "name", "status", "driver", "vehicle", "plannedDate", "startedAt",
                                   "notes", "shipments", "progress"}));
  EXPECT_EQ(at(whole, "driver"), json::value({{"guid", driver}, {"name", "Dora"}}));
  EXPECT_EQ(at(whole, "vehicle"), json::value({{"guid", vehicle}, {"name", "Van 1"}}));
  EXPECT_TRUE(at(whole, "startedAt").is_null());
  EXPECT_EQ(at(whole, "progress"), json::value({{"completed", 0}, {"total", 2}, {"percentage", 0}}));
  EXPECT_EQ(keys_of(at(whole, "shipments.0")),
            (std::set<std::string>{"guid", "trackingNumber", "status", "estimatedArrival"}));
  EXPECT_EQ(tenant.sql.number("select count(*) from shipments where dispatch_id = $1", {guid}), 2);
  EXPECT_EQ(driver_status(driver), "available") << "a plan does not occupy its driver";
}

TEST_F(DispatchPlansTest, NameAndDateAreEnough) {
  const auto response = http.post("/api/dispatch", {{"name", "Empty"}, {"plannedDate", planned}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(at(response.data(), "shipmentCount"), 0);
  const auto whole = get(text_at(response.data(), "guid"));
  EXPECT_TRUE(at(whole, "driver").is_null());
  EXPECT_TRUE(at(whole, "shipments").as_array().empty());
  EXPECT_EQ(at(whole, "progress.percentage"), 0);
}

TEST_F(DispatchPlansTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/dispatch", json::object{}), {"name", "plannedDate"});
  expect_invalid(http.post("/api/dispatch", {{"name", ""},
                                             {"driverId", "x"},
                                             {"vehicleId", 1},
                                             {"plannedDate", "2026-11-20"},
                                             {"shipmentIds", {"y", nullptr}},
                                             {"notes", std::string(10'001, 'n')},
                                             {"colour", "red"}}),
                 {"name", "driverId", "vehicleId", "plannedDate", "shipmentIds[0]", "shipmentIds[1]", "notes",
                  "colour"});
  json::array many;
  for (int i = 0; i < 1001; ++i) many.emplace_back(unknown_guid);
  expect_invalid(http.post("/api/dispatch", {{"name", "x"}, {"plannedDate", planned}, {"shipmentIds", many}}),
                 {"shipmentIds"});
  expect_invalid(http.post("/api/dispatch", {{"name", "x"},
                                             {"plannedDate", planned},
                                             {"driverId", driver},
                                             {"driver", {{"guid", unknown_guid}}},
                                             {"vehicleId", vehicle},
                                             {"vehicle", {{"guid", unknown_guid}}}}),
                 {"driver.guid", "vehicle.guid"});
  expect_invalid(http.put("/api/dispatch", {{"name", " "}}), {"guid", "name"});
}

TEST_F(DispatchPlansTest, ReferencedRecordsMustExistInTheBusiness) {
  auto& foreign = other_business();
  const auto refused = [&](std::string_view field, const json::value& value) {
    expect_refused(http.post("/api/dispatch", {{"name", "x"}, {"plannedDate", planned}, {field, value}}), 404,
                   "NOT_FOUND");
  };
  refused("driverId", json::value(unknown_guid));
  refused("driverId", json::value(make_driver(foreign.http)));
  refused("vehicleId", json::value(unknown_guid));
  refused("vehicleId", json::value(make_vehicle(foreign.http)));
  refused("shipmentIds", guids_of({std::string(unknown_guid)}));
  refused("shipmentIds", guids_of(insert_shipments(foreign, {"Porto"})));
  EXPECT_EQ(at(http.get("/api/dispatch").body, "totalCount"), 0) << "nothing is created";
}

TEST_F(DispatchPlansTest, TheListIsPaginatedWithoutShipments) {
  for (int i = 1; i <= 3; ++i) make_dispatch(http, {{"name", "D" + std::to_string(i)}});
  const auto list = http.get("/api/dispatch?PageSize=2");
  EXPECT_EQ(texts(list, "name"), (std::vector<std::string>{"D3", "D2"}));
  EXPECT_EQ(keys_of(at(list.data(), "0")),
            (std::set<std::string>{"guid", "name", "status", "driver", "vehicle", "plannedDate", "startedAt",
                                   "notes", "progress"}));
  EXPECT_EQ(at(list.body, "totalCount"), 3);
  EXPECT_EQ(at(list.body, "totalPages"), 2);
  EXPECT_EQ(texts(http.get("/api/dispatch?PageSize=2&Page=2"), "name"), std::vector<std::string>{"D1"});
  const auto past = http.get("/api/dispatch?Page=9");
  EXPECT_TRUE(past.data().as_array().empty());
  EXPECT_EQ(at(past.body, "totalCount"), 3);
  expect_invalid(http.get("/api/dispatch?Page=0&PageSize=101"), {"Page", "PageSize"});
}

TEST_F(DispatchPlansTest, TheListTakesAStatus) {
  for (int i = 1; i <= 3; ++i) make_dispatch(http, {{"name", "D" + std::to_string(i)}});
  tenant.sql.rows("update dispatches set status = 'completed' where business_id = $1 and name <> 'D2'",
                  {tenant.id});
  const auto list = http.get("/api/dispatch?status=completed&PageSize=1");
  EXPECT_EQ(texts(list, "name"), std::vector<std::string>{"D3"});
  EXPECT_EQ(at(list.body, "totalCount"), 2);
  const auto past = http.get("/api/dispatch?status=cancelled");
  EXPECT_TRUE(past.data().as_array().empty());
  EXPECT_EQ(at(past.body, "totalCount"), 0);
  expect_invalid(http.get("/api/dispatch?status=lost"), {"status"});
}

TEST_F(DispatchPlansTest, PutRefusesShipmentsAsAnUnknownField) {
  const auto guid = dispatch_with({});
  const json::value guids = guids_of(insert_shipments(tenant, {"Lisbon"}));
  for (const auto& value : {guids, json::value("garbage")}) {
    const auto response = http.put("/api/dispatch", {{"guid", guid}, {"name", "x"}, {"shipmentIds", value}});
    expect_invalid(response, {"shipmentIds"});
    EXPECT_EQ(text_at(response.details(), "shipmentIds"), "unknown field");
  }
  EXPECT_NE(text_at(get(guid), "name"), "x");
}

TEST_F(DispatchPlansTest, PutMergesAndAGetCanBePutBack) {
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto guid = dispatch_with(shipments, {{"driverId", driver}, {"notes", "n"}});
  EXPECT_EQ(http.put("/api/dispatch",
                     {{"guid", guid}, {"name", "Noon"}, {"vehicleId", vehicle}, {"notes", nullptr}})
                .data(),
            json::value({{"guid", guid}, {"name", "Noon"}}));
  const auto whole = get(guid);
  EXPECT_EQ(text_at(whole, "driver.guid"), driver);
  EXPECT_EQ(text_at(whole, "vehicle.guid"), vehicle);
  EXPECT_TRUE(at(whole, "notes").is_null());
  EXPECT_EQ(http.put("/api/dispatch", whole).status, 200);
  EXPECT_EQ(get(guid), whole);
  EXPECT_EQ(http.put("/api/dispatch",
                     {{"guid", guid}, {"driver", nullptr}, {"plannedDate", "2026-11-21T08:00:00Z"}})
                .status,
            200);
  EXPECT_TRUE(at(get(guid), "driver").is_null());
  EXPECT_EQ(text_at(get(guid), "shipments.0.estimatedArrival").substr(0, 10), "2026-11-21")
      << "arrivals move with it";
  expect_invalid(http.put("/api/dispatch", {{"guid", guid}, {"status", "completed"}}), {"status"});
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"driverId", unknown_guid}}), 404, "NOT_FOUND");
  expect_refused(http.put("/api/dispatch", {{"guid", unknown_guid}, {"name", "x"}}), 404, "NOT_FOUND");

  start(guid);
  EXPECT_EQ(http.put("/api/dispatch", get(guid)).status, 200) << "even while it is under way";
  EXPECT_EQ(http.put("/api/dispatch", {{"guid", guid}, {"notes", "late"}}).status, 200);
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"driverId", driver}}), 409, "CONFLICT");
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"vehicleId", nullptr}}), 409, "CONFLICT");
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"plannedDate", planned}}), 409, "CONFLICT");
}

TEST_F(DispatchPlansTest, AShipmentIsInOneOpenDispatchAtMost) {
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto guid = dispatch_with(shipments);
  const auto other = make_dispatch(http);
  expect_refused(http.post("/api/dispatch",
                           {{"name", "x"}, {"plannedDate", planned}, {"shipmentIds", guids_of(shipments)}}),
                 409, "CONFLICT");
  expect_refused(add(other, shipments[0]), 409, "CONFLICT");
  expect_refused(add(guid, shipments[0]), 409, "CONFLICT");
  EXPECT_EQ(at(http.get("/api/dispatch").body, "totalCount"), 2);
  EXPECT_EQ(move(guid, "cancelled").status, 200);
  EXPECT_EQ(add(other, shipments[0]).status, 200);
}

TEST_F(DispatchPlansTest, OneOfManyConcurrentDispatchesGetsAShipment) {
  const auto shipment = insert_shipments(tenant, {"Lisbon"})[0];
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> rivals;
  for (int i = 0; i < 6; ++i) {
    const auto dispatch = i % 2 == 0 ? make_dispatch(http) : "";
    rivals.emplace_back([&, dispatch] {
      Http own = http.with_token(http.token());
      const auto status =
          dispatch.empty()
              ? own.post("/api/dispatch",
                         {{"name", "x"}, {"plannedDate", planned}, {"shipmentIds", {shipment}}})
                    .status
              : own.post("/api/dispatch/add-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}})
                    .status;
      if (status == 200 || status == 201) ++won;
      if (status == 409) ++lost;
    });
  }
  for (auto& rival : rivals) rival.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 5);
}

TEST_F(DispatchPlansTest, FinalShipmentsAreRefused) {
  for (const auto* const status : {"delivered", "returned", "cancelled"}) {
    const auto shipments =
        insert_shipments(tenant, {"Lisbon"}, {{"status", "'" + std::string(status) + "'"}});
    expect_refused(add(make_dispatch(http), shipments[0]), 409, "CONFLICT");
  }
}

TEST_F(DispatchPlansTest, ShipmentsAreAddedToAndRemovedFromPlansOnly) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto", "Faro"});
  const auto guid = dispatch_with({shipments[0]});
  auto response = add(guid, shipments[1]);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  EXPECT_EQ(at(get(guid), "progress.total"), 2);
  response = remove(guid, shipments[1]);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  EXPECT_EQ(at(get(guid), "progress.total"), 1);
  expect_refused(remove(guid, shipments[1]), 404, "NOT_FOUND");
  expect_refused(remove(guid, unknown_guid), 404, "NOT_FOUND");
  expect_refused(remove(unknown_guid, shipments[0]), 404, "NOT_FOUND");
  expect_refused(add(guid, unknown_guid), 404, "NOT_FOUND");
  expect_refused(add(unknown_guid, shipments[1]), 404, "NOT_FOUND");
  expect_invalid(http.post("/api/dispatch/add-shipment", json::object{}), {"dispatchId", "shipmentId"});
  const auto busy = insert_shipments(tenant, {"Porto"}).front();
  make_dispatch(http, {{"shipmentIds", {busy}}});
  expect_refused(
      http.post("/api/dispatch/add-shipment", {{"dispatchId", unknown_guid}, {"shipmentId", busy}}), 404,
      "NOT_FOUND");
  expect_invalid(remove("x", "y"), {"dispatchId", "shipmentId"});

  start(guid);
  expect_refused(remove(guid, shipments[0]), 400, "VALIDATION_ERROR");
  expect_refused(add(guid, shipments[1]), 400, "VALIDATION_ERROR");
  EXPECT_EQ(move(guid, "completed").status, 200);
  expect_refused(remove(guid, shipments[0]), 400, "VALIDATION_ERROR");
  expect_refused(add(guid, shipments[1]), 400, "VALIDATION_ERROR");
}

TEST_F(DispatchPlansTest, ADispatchHas1000ShipmentsAtMost) {
  const auto guid = make_dispatch(http);
  tenant.sql.rows(
      "insert into shipments (business_id, tracking_number, dispatch_id) select $1, 'M' || n, $2 from "
      "generate_series(1, 1000) n",
      {tenant.id, guid});
  EXPECT_EQ(at(get(guid), "progress.total"), 1000) << "SQL adds shipments as well";
  const auto one_more = insert_shipments(tenant, {"Lisbon"})[0];
  expect_invalid(add(guid, one_more), {"shipmentId"});
  tenant.sql.rows("update shipments set dispatch_id = null where tracking_number = 'M1' and business_id = $1",
                  {tenant.id});
  EXPECT_EQ(at(get(guid), "progress.total"), 999) << "SQL removes shipments as well";
  EXPECT_EQ(add(guid, one_more).status, 200);
}

TEST_F(DispatchPlansTest, OnlyPlansAndCancelledDispatchesCanBeDeleted) {
  for (const std::string_view status : domain::dispatch_states().states) {
    const auto shipments = insert_shipments(tenant, {"Lisbon"});
    const auto guid = dispatch_with(shipments);
    force(guid, status);
    const auto response = http.del(path_of(guid));
    if (status == "in_progress" || status == "completed") {
      expect_refused(response, 400, "VALIDATION_ERROR");
      EXPECT_EQ(http.get(path_of(guid)).status, 200);
    } else {
      EXPECT_EQ(response.status, 200) << status;
      expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
      expect_refused(http.get("/api/route/" + guid), 404, "NOT_FOUND");
      expect_refused(http.get("/api/dispatch/in-shipment/" + shipments[0]), 404, "NOT_FOUND");
      EXPECT_EQ(dispatch_with(shipments).size(), 36U) << "its shipment is free";
    }
  }
  expect_refused(http.del(path_of(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(DispatchPlansTest, AShipmentShowsItsDispatch) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
  const auto guid = dispatch_with({shipments[0]});
  EXPECT_EQ(http.get("/api/dispatch/in-shipment/" + shipments[0]).data(),
            json::value({{"guid", guid}, {"name", "Morning"}, {"status", "draft"}}));
  expect_refused(http.get("/api/dispatch/in-shipment/" + shipments[1]), 404, "NOT_FOUND");
  expect_refused(other_business().http.get("/api/dispatch/in-shipment/" + shipments[0]), 404, "NOT_FOUND");
}

TEST_F(DispatchPlansTest, TheOverviewCountsDispatchesByStatus) {
  const std::set<std::string> keys{"totalDispatches",   "activeDispatches", "completedToday",
                                   "pendingDeliveries", "driversActive",    "onTimeRate"};
  const auto empty = http.get("/api/dispatch/overview");
  ASSERT_EQ(empty.status, 200) << empty.text;
  EXPECT_EQ(keys_of(empty.data()), keys);
  for (const auto& key : keys) EXPECT_EQ(at(empty.data(), key), 0) << key;

  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto", "Faro", "Braga"},
                                          {{"estimated_delivery", "now() + interval '1 day'"}});
  const auto done = dispatch_with({shipments[0], shipments[1]}, {{"driverId", driver}});
  start(done);
  set_shipment(shipments[0], "delivered");
  tenant.sql.rows(
      "update shipments set status = 'delivered', delivered_at = now() + interval '2 days' where guid = $1",
      {shipments[1]});
  start(dispatch_with({shipments[2]}, {{"driverId", driver}}));
  make_dispatch(http, {{"shipmentIds", {shipments[3]}}});
  EXPECT_EQ(http.get("/api/dispatch/overview").data(), json::value({{"totalDispatches", 3},
                                                                    {"activeDispatches", 1},
                                                                    {"completedToday", 1},
                                                                    {"pendingDeliveries", 2},
                                                                    {"driversActive", 1},
                                                                    {"onTimeRate", 0.5}}));
}

TEST_F(DispatchPlansTest, AddingAShipmentToADispatchIsNoUpdateOfTheShipment) {
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto events = events_of(shipments[0]);
  const auto guid = dispatch_with(shipments);
  EXPECT_EQ(events_of(shipments[0]), events + 1);
  start(guid);
  const auto cause = tenant.sql.value(
      "select cause #>> '{by,type}' from events where business_id = $1 and entity_id = $2 and "
      "(shipment_after).status = "
      "'out_for_delivery'",
      {tenant.id, shipments[0]});
  EXPECT_EQ(cause, "token");
}

TEST_F(DispatchPlansTest, ADispatchOfAnotherBusinessIs404) {
  const auto foreign = make_dispatch(other_business().http);
  const auto shipment = insert_shipments(tenant, {"Lisbon"})[0];
  for (const auto& guid : {foreign, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(move(guid, "ready"), 404, "NOT_FOUND");
    expect_refused(add(guid, shipment), 404, "NOT_FOUND");
    expect_refused(remove(guid, shipment), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  }
  EXPECT_EQ(text_at(other_business().http.get(path_of(foreign)).data(), "status"), "draft");
}

}  // namespace
}  // namespace waybill::tests
