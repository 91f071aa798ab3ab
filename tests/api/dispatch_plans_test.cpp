#include <atomic>
#include <thread>

#include "domain/state_machines.hpp"
#include "tests/api/api_test.hpp"
#include "tests/api/fleet.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view planned = "2026-11-20T08:00:00.000Z";

class DispatchPlansTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) { return "/api/dispatch/" + std::string(guid); }

  static json::array guids_of(const std::vector<std::string>& guids) {
    json::array array;
    for (const auto& guid : guids) array.emplace_back(guid);
    return array;
  }

  std::string dispatch_with(const std::vector<std::string>& shipments, json::object fields = {}) {
    fields["shipmentIds"] = guids_of(shipments);
    return make_dispatch(http, fields);
  }

  Response move(std::string_view dispatch, std::string_view status) {
    return http.patch(path_of(dispatch) + "/status", {{"status", status}});
  }

  void start(std::string_view dispatch) {
    ASSERT_EQ(move(dispatch, "ready").status, 200);
    const auto response = move(dispatch, "in_progress");
    ASSERT_EQ(response.status, 200) << response.text;
  }

  json::value get(std::string_view dispatch) { return http.get(path_of(dispatch)).data(); }
  std::string status_of(std::string_view dispatch) { return text_at(get(dispatch), "status"); }
  std::string vehicle_status(std::string_view guid) {
    return text_at(http.get("/api/vehicle/" + std::string(guid)).data(), "status");
  }
  std::string driver_status(std::string_view guid) {
    return text_at(http.get("/api/drivers/" + std::string(guid)).data(), "status");
  }
  std::string shipment_status(const std::string& guid) {
    return tenant.sql.value("select status from shipments where guid = $1", {guid});
  }
  void set_shipment(const std::string& guid, const std::string& status) {
    tenant.sql.rows(
        "update shipments set status = $2, delivered_at = case when $2 = 'delivered' then now() end where "
        "guid = $1",
        {guid, status});
  }
  /// Puts a dispatch into a state by plain SQL, for moves that start there.
  void force(const std::string& dispatch, std::string_view status) {
    tenant.sql.rows("update dispatches set status = $2 where guid = $1", {dispatch, std::string(status)});
  }
  Response add(std::string_view dispatch, std::string_view shipment) {
    return http.post("/api/dispatch/add-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}});
  }
  Response remove(std::string_view dispatch, std::string_view shipment) {
    return http.post("/api/dispatch/remove-shipment", {{"dispatchId", dispatch}, {"shipmentId", shipment}});
  }

  std::string driver = make_driver(http);
  std::string vehicle = make_vehicle(http);
};

TEST_F(DispatchPlansTest, CreatingAnswersADraftWithItsCount) {
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
  EXPECT_EQ(driver_status(driver), "available") << "a plan takes nobody";
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

TEST_F(DispatchPlansTest, WhatItNamesMustExistInTheBusiness) {
  auto& theirs = stranger();
  const auto refused = [&](std::string_view field, const json::value& value) {
    expect_refused(http.post("/api/dispatch", {{"name", "x"}, {"plannedDate", planned}, {field, value}}), 404,
                   "NOT_FOUND");
  };
  refused("driverId", json::value(unknown_guid));
  refused("driverId", json::value(make_driver(theirs.http)));
  refused("vehicleId", json::value(unknown_guid));
  refused("vehicleId", json::value(make_vehicle(theirs.http)));
  refused("shipmentIds", guids_of({std::string(unknown_guid)}));
  refused("shipmentIds", guids_of(insert_shipments(theirs, {"Porto"})));
  EXPECT_EQ(at(http.get("/api/dispatch").body, "totalCount"), 0) << "nothing half done";
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
  EXPECT_EQ(http.put("/api/dispatch", get(guid)).status, 200) << "also while it is under way";
  EXPECT_EQ(http.put("/api/dispatch", {{"guid", guid}, {"notes", "late"}}).status, 200);
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"driverId", driver}}), 409, "CONFLICT");
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"vehicleId", nullptr}}), 409, "CONFLICT");
  expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"plannedDate", planned}}), 409, "CONFLICT");
}

TEST_F(DispatchPlansTest, EveryMoveIsAllowedOrRefusedByTheTable) {
  const auto& machine = domain::dispatch_states();
  for (const auto from : machine.states) {
    for (const auto to : machine.states) {
      const auto guid = dispatch_with(insert_shipments(tenant, {"Lisbon"}));
      force(guid, from);
      const auto response = move(guid, to);
      if (from == to || machine.allows(from, to)) {
        EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"status", to}})) << from << " to " << to;
        EXPECT_EQ(status_of(guid), to);
      } else {
        expect_invalid(response, {"status"});
        EXPECT_EQ(status_of(guid), from);
      }
    }
  }
  const auto guid = make_dispatch(http);
  expect_invalid(move(guid, "flying"), {"status"});
  expect_invalid(http.patch(path_of(guid) + "/status", json::object{}), {"status"});
  expect_refused(move(unknown_guid, "ready"), 404, "NOT_FOUND");
}

TEST_F(DispatchPlansTest, StartingSendsVehicleDriverAndShipmentsOut) {
  const std::vector<std::string> before{"created", "collected", "in_transit", "exception",
                                        "out_for_delivery"};
  const auto shipments = insert_shipments(tenant, std::vector<std::string>(before.size() + 1, "Lisbon"));
  const auto guid = dispatch_with(shipments, {{"driverId", driver}, {"vehicleId", vehicle}});
  for (std::size_t i = 0; i < before.size(); ++i) set_shipment(shipments[i], before[i]);
  set_shipment(shipments.back(), "cancelled");
  start(guid);
  EXPECT_EQ(vehicle_status(vehicle), "in_use");
  EXPECT_EQ(driver_status(driver), "on_duty");
  EXPECT_EQ(text_at(http.get("/api/vehicle/" + vehicle).data(), "currentDriver.guid"), driver);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(shipment_status(shipments[i]), "out_for_delivery") << before[i];
  EXPECT_EQ(shipment_status(shipments.back()), "cancelled") << "what is over stays so";
  EXPECT_TRUE(at(get(guid), "startedAt").is_string());
  EXPECT_EQ(at(get(guid), "progress"), json::value({{"completed", 1}, {"total", 6}, {"percentage", 16.7}}));
}

TEST_F(DispatchPlansTest, StartingNeedsAShipmentThatIsLeftToDeliver) {
  const auto empty = make_dispatch(http, {{"driverId", driver}, {"vehicleId", vehicle}});
  EXPECT_EQ(move(empty, "ready").status, 200);
  expect_invalid(move(empty, "in_progress"), {"status"});
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto over = dispatch_with(shipments);
  set_shipment(shipments[0], "cancelled");
  EXPECT_EQ(move(over, "ready").status, 200);
  expect_invalid(move(over, "in_progress"), {"status"});
  EXPECT_EQ(vehicle_status(vehicle), "available") << "nothing half done";
}

TEST_F(DispatchPlansTest, AVehicleOrDriverThatIsOutCannotStartAgain) {
  const auto first =
      dispatch_with(insert_shipments(tenant, {"Lisbon"}), {{"driverId", driver}, {"vehicleId", vehicle}});
  start(first);
  const auto refused = [&](const json::object& fields) {
    const auto shipments = insert_shipments(tenant, {"Porto"});
    const auto guid = dispatch_with(shipments, fields);
    EXPECT_EQ(move(guid, "ready").status, 200);
    expect_refused(move(guid, "in_progress"), 409, "CONFLICT");
    EXPECT_EQ(status_of(guid), "ready");
    EXPECT_EQ(shipment_status(shipments[0]), "created");
  };
  refused({{"driverId", driver}});
  refused({{"vehicleId", vehicle}});
  EXPECT_EQ(http.put("/api/vehicle", {{"guid", vehicle}, {"status", "available"}}).status, 200);
  EXPECT_EQ(http.put("/api/drivers/" + driver, {{"status", "available"}}).status, 200);
  refused({{"driverId", driver}});
  refused({{"vehicleId", vehicle}});
  refused({{"vehicleId", make_vehicle(http, {{"status", "in_use"}})}});
  refused({{"vehicleId", make_vehicle(http, {{"status", "maintenance"}})}});
  refused({{"vehicleId", make_vehicle(http, {{"status", "inactive"}})}});
  refused({{"driverId", make_driver(http, {{"status", "on_duty"}})}});
  refused({{"driverId", make_driver(http, {{"status", "inactive"}})}});
  expect_refused(http.del("/api/vehicle/" + vehicle), 409, "CONFLICT");
  expect_refused(http.del("/api/drivers/" + driver), 409, "CONFLICT");
}

TEST_F(DispatchPlansTest, OfTwoThatStartAtOnceWithOneVehicleOneWins) {
  std::vector<std::string> dispatches;
  for (int i = 0; i < 6; ++i) {
    dispatches.push_back(
        dispatch_with(insert_shipments(tenant, {"Lisbon"}), {{"vehicleId", vehicle}, {"driverId", driver}}));
    ASSERT_EQ(move(dispatches.back(), "ready").status, 200);
  }
  std::atomic<int> won = 0;
  std::atomic<int> lost = 0;
  std::vector<std::thread> rivals;
  for (const auto& dispatch : dispatches) {
    rivals.emplace_back([&, dispatch] {
      Http own = http.with_token(http.token());
      const auto status = own.patch(path_of(dispatch) + "/status", {{"status", "in_progress"}}).status;
      if (status == 200) ++won;
      if (status == 409) ++lost;
    });
  }
  for (auto& rival : rivals) rival.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 5);
}

TEST_F(DispatchPlansTest, EndingByHandFreesVehicleDriverAndWhatWasNotDelivered) {
  for (const auto* const outcome : {"completed", "cancelled"}) {
    const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
    const auto guid = dispatch_with(shipments, {{"driverId", driver}, {"vehicleId", vehicle}});
    start(guid);
    set_shipment(shipments[0], "delivered");
    EXPECT_EQ(move(guid, outcome).status, 200);
    EXPECT_EQ(vehicle_status(vehicle), "available");
    EXPECT_TRUE(at(http.get("/api/vehicle/" + vehicle).data(), "currentDriver").is_null());
    EXPECT_EQ(driver_status(driver), "available");
    EXPECT_EQ(http.get("/api/dispatch/in-shipment/" + shipments[0]).status, 200);
    expect_refused(http.get("/api/dispatch/in-shipment/" + shipments[1]), 404, "NOT_FOUND");
    const auto again = dispatch_with({shipments[1]});
    set_shipment(shipments[1], "delivered");
    EXPECT_EQ(at(get(guid), "progress.completed"), 1) << "what became of it later is not this dispatch's";
    EXPECT_EQ(at(get(guid), "shipments").as_array().size(), 2U);
    EXPECT_EQ(at(get(again), "progress.completed"), 1);
  }
}

TEST_F(DispatchPlansTest, CancellingAPlanTakesNobodysVehicle) {
  const auto under_way =
      dispatch_with(insert_shipments(tenant, {"Lisbon"}), {{"driverId", driver}, {"vehicleId", vehicle}});
  start(under_way);
  const auto plan = make_dispatch(http, {{"driverId", driver}, {"vehicleId", vehicle}});
  EXPECT_EQ(move(plan, "cancelled").status, 200);
  EXPECT_EQ(vehicle_status(vehicle), "in_use");
  EXPECT_EQ(driver_status(driver), "on_duty");
}

TEST_F(DispatchPlansTest, WhenAllShipmentsAreFinalItCompletesByItself) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto", "Faro"});
  const auto guid = dispatch_with(shipments, {{"driverId", driver}, {"vehicleId", vehicle}});
  start(guid);
  set_shipment(shipments[0], "delivered");
  set_shipment(shipments[1], "returned");
  EXPECT_EQ(status_of(guid), "in_progress");
  EXPECT_EQ(vehicle_status(vehicle), "in_use");
  EXPECT_EQ(at(get(guid), "progress"), json::value({{"completed", 2}, {"total", 3}, {"percentage", 66.7}}));
  set_shipment(shipments[2], "cancelled");
  EXPECT_EQ(status_of(guid), "completed");
  EXPECT_EQ(vehicle_status(vehicle), "available");
  EXPECT_EQ(driver_status(driver), "available");
  for (const auto& shipment : at(get(guid), "shipments").as_array()) {
    const bool delivered = text_at(shipment, "status") == "delivered";
    EXPECT_EQ(keys_of(shipment), (std::set<std::string>{"guid", "trackingNumber", "status",
                                                        delivered ? "deliveredAt" : "estimatedArrival"}));
  }
  set_shipment(shipments[0], "returned");
  EXPECT_EQ(at(get(guid), "progress.completed"), 3);
}

TEST_F(DispatchPlansTest, OneStatementForAllShipmentsCompletesItToo) {
  const auto shipments = insert_shipments(tenant, std::vector<std::string>(20, "Lisbon"));
  const auto first = dispatch_with({shipments.begin(), shipments.begin() + 10});
  const auto second = dispatch_with({shipments.begin() + 10, shipments.end()});
  start(first);
  tenant.sql.exec("update shipments set status = 'delivered' where business_id = '" + tenant.id + "'");
  EXPECT_EQ(status_of(first), "completed");
  EXPECT_EQ(status_of(second), "draft") << "only what is under way completes";
}

TEST_F(DispatchPlansTest, AShipmentThatIsDeletedIsNoLongerWaitedFor) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto", "Faro"});
  const auto guid = dispatch_with(shipments);
  start(guid);
  set_shipment(shipments[0], "delivered");
  tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {shipments[1]});
  EXPECT_EQ(status_of(guid), "in_progress");
  tenant.sql.rows("delete from shipments where guid = $1", {shipments[2]});
  EXPECT_EQ(status_of(guid), "completed");
}

TEST_F(DispatchPlansTest, TheLastTwoDeliveriesAtOnceCompleteIt) {
  for (int round = 0; round < 10; ++round) {
    const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
    const auto guid = dispatch_with(shipments, {{"vehicleId", vehicle}});
    start(guid);
    Session one = world.database.connect();
    one.exec("begin");
    one.rows("update shipments set status = 'delivered' where guid = $1", {shipments[0]});
    std::thread rival([&] {
      Session other = world.database.connect();
      other.rows("update shipments set status = 'delivered' where guid = $1", {shipments[1]});
    });
    one.exec("commit");
    rival.join();
    ASSERT_EQ(status_of(guid), "completed");
    ASSERT_EQ(vehicle_status(vehicle), "available");
  }
}

TEST_F(DispatchPlansTest, AVehicleInMaintenanceStaysThereWhenTheDispatchEnds) {
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto guid = dispatch_with(shipments, {{"vehicleId", vehicle}});
  start(guid);
  EXPECT_EQ(http.put("/api/vehicle", {{"guid", vehicle}, {"status", "maintenance"}}).status, 200);
  set_shipment(shipments[0], "delivered");
  EXPECT_EQ(status_of(guid), "completed");
  EXPECT_EQ(vehicle_status(vehicle), "maintenance");
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

TEST_F(DispatchPlansTest, OfManyThatTakeAShipmentAtOnceOneWins) {
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

TEST_F(DispatchPlansTest, FinalShipmentsAreNotTaken) {
  for (const auto* const status : {"delivered", "returned", "cancelled"}) {
    const auto shipments =
        insert_shipments(tenant, {"Lisbon"}, {{"status", "'" + std::string(status) + "'"}});
    expect_refused(add(make_dispatch(http), shipments[0]), 409, "CONFLICT");
  }
}

TEST_F(DispatchPlansTest, ShipmentsAreAddedToAndRemovedFromPlansAlone) {
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
  EXPECT_EQ(at(get(guid), "progress.total"), 1000) << "SQL puts shipments in as well";
  const auto one_more = insert_shipments(tenant, {"Lisbon"})[0];
  expect_invalid(add(guid, one_more), {"shipmentId"});
  tenant.sql.rows("update shipments set dispatch_id = null where tracking_number = 'M1' and business_id = $1",
                  {tenant.id});
  EXPECT_EQ(at(get(guid), "progress.total"), 999) << "and takes them out";
  EXPECT_EQ(add(guid, one_more).status, 200);
}

TEST_F(DispatchPlansTest, OnlyWhatHasNotBegunOrWasCancelledCanBeDeleted) {
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

TEST_F(DispatchPlansTest, TellsTheDispatchOfAShipment) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
  const auto guid = dispatch_with({shipments[0]});
  EXPECT_EQ(http.get("/api/dispatch/in-shipment/" + shipments[0]).data(),
            json::value({{"guid", guid}, {"name", "Morning"}, {"status", "draft"}}));
  expect_refused(http.get("/api/dispatch/in-shipment/" + shipments[1]), 404, "NOT_FOUND");
  expect_refused(stranger().http.get("/api/dispatch/in-shipment/" + shipments[0]), 404, "NOT_FOUND");
}

TEST_F(DispatchPlansTest, TheOverviewCounts) {
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

TEST_F(DispatchPlansTest, PuttingAShipmentIntoADispatchIsNoUpdateOfIt) {
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

TEST_F(DispatchPlansTest, AnotherBusinesssDispatchIs404) {
  const auto theirs = make_dispatch(stranger().http);
  const auto shipment = insert_shipments(tenant, {"Lisbon"})[0];
  for (const auto& guid : {theirs, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put("/api/dispatch", {{"guid", guid}, {"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(move(guid, "ready"), 404, "NOT_FOUND");
    expect_refused(add(guid, shipment), 404, "NOT_FOUND");
    expect_refused(remove(guid, shipment), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  }
  EXPECT_EQ(text_at(stranger().http.get(path_of(theirs)).data(), "status"), "draft");
}

}  // namespace
}  // namespace waybill::tests
