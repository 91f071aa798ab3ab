#include <atomic>
#include <thread>

#include "domain/records/state_machines.hpp"
#include "tests/api/fleet/dispatch_fixture.hpp"

namespace waybill::tests {
namespace {

class DispatchMovesTest : public DispatchPlanningTest {};

TEST_F(DispatchMovesTest, EveryStatusChangeFollowsTheTransitionTable) {
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

TEST_F(DispatchMovesTest, StartingSetsVehicleDriverAndShipmentsUnderWay) {
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
  EXPECT_EQ(shipment_status(shipments.back()), "cancelled") << "final statuses stay";
  EXPECT_TRUE(at(get(guid), "startedAt").is_string());
  EXPECT_EQ(at(get(guid), "progress"), json::value({{"completed", 1}, {"total", 6}, {"percentage", 16.7}}));
}

TEST_F(DispatchMovesTest, StartingNeedsAnUndeliveredShipment) {
  const auto empty = make_dispatch(http, {{"driverId", driver}, {"vehicleId", vehicle}});
  EXPECT_EQ(move(empty, "ready").status, 200);
  expect_invalid(move(empty, "in_progress"), {"status"});
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto over = dispatch_with(shipments);
  set_shipment(shipments[0], "cancelled");
  EXPECT_EQ(move(over, "ready").status, 200);
  expect_invalid(move(over, "in_progress"), {"status"});
  EXPECT_EQ(vehicle_status(vehicle), "available") << "nothing is changed";
}

TEST_F(DispatchMovesTest, AVehicleOrDriverUnderWayCannotStartAgain) {
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

TEST_F(DispatchMovesTest, OneOfTwoConcurrentStartsWithOneVehicleSucceeds) {
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

TEST_F(DispatchMovesTest, EndingADispatchFreesVehicleDriverAndUndeliveredShipments) {
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
    EXPECT_EQ(at(get(guid), "progress.completed"), 1) << "later changes do not count for this dispatch";
    EXPECT_EQ(at(get(guid), "shipments").as_array().size(), 2U);
    EXPECT_EQ(at(get(again), "progress.completed"), 1);
  }
}

TEST_F(DispatchMovesTest, CancellingAPlanLeavesItsVehicleAlone) {
  const auto under_way =
      dispatch_with(insert_shipments(tenant, {"Lisbon"}), {{"driverId", driver}, {"vehicleId", vehicle}});
  start(under_way);
  const auto plan = make_dispatch(http, {{"driverId", driver}, {"vehicleId", vehicle}});
  EXPECT_EQ(move(plan, "cancelled").status, 200);
  EXPECT_EQ(vehicle_status(vehicle), "in_use");
  EXPECT_EQ(driver_status(driver), "on_duty");
}

TEST_F(DispatchMovesTest, ADispatchCompletesWhenAllShipmentsAreFinal) {
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
  const auto whole = get(guid);
  for (const auto& shipment : at(whole, "shipments").as_array()) {
    const bool delivered = text_at(shipment, "status") == "delivered";
    EXPECT_EQ(keys_of(shipment), (std::set<std::string>{"guid", "trackingNumber", "status",
                                                        delivered ? "deliveredAt" : "estimatedArrival"}));
  }
  set_shipment(shipments[0], "returned");
  EXPECT_EQ(at(get(guid), "progress.completed"), 3);
}

TEST_F(DispatchMovesTest, OneStatementForAllShipmentsCompletesTheDispatch) {
  const auto shipments = insert_shipments(tenant, std::vector<std::string>(20, "Lisbon"));
  const auto first = dispatch_with({shipments.begin(), shipments.begin() + 10});
  const auto second = dispatch_with({shipments.begin() + 10, shipments.end()});
  start(first);
  tenant.sql.exec("update shipments set status = 'delivered' where business_id = '" + tenant.id + "'");
  EXPECT_EQ(status_of(first), "completed");
  EXPECT_EQ(status_of(second), "draft") << "only a dispatch under way completes";
}

TEST_F(DispatchMovesTest, ShipmentsWithoutADispatchCallNoTriggerFunction) {
  insert_shipments(tenant, {"Lisbon", "Porto"});
  const auto guid = dispatch_with(insert_shipments(tenant, {"Faro"}));
  Session sql = world.database.connect();
  const auto calls = [&] {
    return sql.number("select calls from pg_stat_xact_user_functions where funcname = 'follow_shipment'");
  };
  sql.exec("begin; set local track_functions = 'pl'");
  sql.rows("update shipments set status = 'delivered' where business_id = $1 and dispatch_id is null",
           {tenant.id});
  EXPECT_EQ(calls(), 0);
  sql.rows("update shipments set instructions = 'x' where dispatch_id = $1", {guid});
  EXPECT_EQ(calls(), 0) << "a change that does not concern dispatches calls none either";
  sql.rows("update shipments set status = 'delivered' where dispatch_id = $1", {guid});
  EXPECT_EQ(calls(), 1);
  sql.exec("rollback");
}

TEST_F(DispatchMovesTest, ADispatchDoesNotWaitForADeletedShipment) {
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto", "Faro"});
  const auto guid = dispatch_with(shipments);
  start(guid);
  set_shipment(shipments[0], "delivered");
  tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {shipments[1]});
  EXPECT_EQ(status_of(guid), "in_progress");
  tenant.sql.rows("delete from shipments where guid = $1", {shipments[2]});
  EXPECT_EQ(status_of(guid), "completed");
}

TEST_F(DispatchMovesTest, TwoConcurrentLastDeliveriesCompleteTheDispatch) {
  for (int round = 0; round < 10; ++round) {
    const auto shipments = insert_shipments(tenant, {"Lisbon", "Porto"});
    const auto guid = dispatch_with(shipments, {{"vehicleId", vehicle}});
    start(guid);
    Session first_session = world.database.connect();
    first_session.exec("begin");
    first_session.rows("update shipments set status = 'delivered' where guid = $1", {shipments[0]});
    std::thread rival([&] {
      Session other = world.database.connect();
      other.rows("update shipments set status = 'delivered' where guid = $1", {shipments[1]});
    });
    first_session.exec("commit");
    rival.join();
    ASSERT_EQ(status_of(guid), "completed");
    ASSERT_EQ(vehicle_status(vehicle), "available");
  }
}

TEST_F(DispatchMovesTest, AVehicleInMaintenanceStaysInMaintenanceWhenTheDispatchEnds) {
  const auto shipments = insert_shipments(tenant, {"Lisbon"});
  const auto guid = dispatch_with(shipments, {{"vehicleId", vehicle}});
  start(guid);
  EXPECT_EQ(http.put("/api/vehicle", {{"guid", vehicle}, {"status", "maintenance"}}).status, 200);
  set_shipment(shipments[0], "delivered");
  EXPECT_EQ(status_of(guid), "completed");
  EXPECT_EQ(vehicle_status(vehicle), "maintenance");
}

}  // namespace
}  // namespace waybill::tests
