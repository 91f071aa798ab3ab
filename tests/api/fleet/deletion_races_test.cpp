// Vehicles, drivers and carriers that are deleted while another request names them.
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "tests/api/fleet/dispatch_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using Request = std::function<Response(Http&)>;

class DeletionRaces : public DispatchPlanningTest {
 protected:
  /// A request in a thread of its own.
  std::future<Response> sent(const Request& request) {
    return std::async(std::launch::async, [request, client = http.with_token(http.token())]() mutable {
      return request(client);
    });
  }
  bool waiting_for_locks(std::int64_t requests) {
    return eventually([&] {
      return tenant.sql.number(
                 "select count(*) from pg_stat_activity where datname = current_database() and "
                 "wait_event_type = 'Lock'") == requests;
    });
  }
  /// Sends both requests while the row is locked, so that they take turns in this order.
  std::pair<Response, Response> in_order(const std::string& row, const Request& first,
                                         const Request& second) {
    Session holder = world.database.connect();
    holder.exec("begin; select from " + row + " for update");
    auto one = sent(first);
    EXPECT_TRUE(waiting_for_locks(1));
    auto other = sent(second);
    EXPECT_TRUE(waiting_for_locks(2));
    holder.exec("commit");
    Response before = one.get();
    return {std::move(before), other.get()};
  }
  /// Sends the request while another session deletes the record, and commits the deletion once the request
  /// waits.
  Response while_deleting(const std::string& table, const std::string& guid, const Request& request) {
    Session deleter = world.database.connect();
    deleter.exec("begin; select from " + table + " where guid = '" + guid + "' for update");
    deleter.rows("update " + table + " set deleted_at = now() where guid = $1", {guid});
    auto answer = sent(request);
    EXPECT_TRUE(waiting_for_locks(1)) << "the request waits for the deletion";
    deleter.exec("commit");
    return answer.get();
  }
  /// Sends the request while another session, which keeps the record, names it in a way that nobody sees yet.
  Response while_naming(const std::string& table, const std::string& guid, const std::string& naming,
                        const Request& request) {
    Session namer = world.database.connect();
    namer.exec("begin; select from " + table + " where guid = '" + guid + "' for key share");
    namer.exec(naming);
    auto answer = sent(request);
    EXPECT_TRUE(waiting_for_locks(1)) << "the deletion waits for the other request";
    namer.exec("commit");
    return answer.get();
  }
  std::string ready_dispatch(const json::object& fields) {
    std::string dispatch = dispatch_with(insert_shipments(tenant, {"Porto"}), fields);
    EXPECT_EQ(move(dispatch, "ready").status, 200);
    return dispatch;
  }
  static Request to_start(const std::string& dispatch) {
    return [dispatch](Http& client) {
      return client.patch(path_of(dispatch) + "/status", {{"status", "in_progress"}});
    };
  }
  static Request to_delete(const std::string& path) {
    return [path](Http& client) { return client.del(path); };
  }
  std::string own_carrier(const std::string& code) {
    return text_at(http.post("/api/carriers", {{"name", "Own"}, {"code", code}, {"type", "courier"}}).data(),
                   "guid");
  }

  std::string vehicle_path = "/api/vehicle/" + vehicle;
  std::string driver_path = "/api/drivers/" + driver;
};

TEST_F(DeletionRaces, ADispatchThatStartsFirstKeepsItsCrew) {
  const std::string with_vehicle = ready_dispatch({{"vehicleId", vehicle}});
  auto answers =
      in_order("vehicles where guid = '" + vehicle + "'", to_start(with_vehicle), to_delete(vehicle_path));
  EXPECT_EQ(answers.first.status, 200) << answers.first.text;
  expect_refused(answers.second, 409, "CONFLICT");
  EXPECT_EQ(vehicle_status(vehicle), "in_use");

  const std::string with_driver = ready_dispatch({{"driverId", driver}});
  answers = in_order("drivers where guid = '" + driver + "'", to_start(with_driver), to_delete(driver_path));
  EXPECT_EQ(answers.first.status, 200) << answers.first.text;
  expect_refused(answers.second, 409, "CONFLICT");
  EXPECT_EQ(driver_status(driver), "on_duty");
}

TEST_F(DeletionRaces, ADispatchThatStartsAfterTheDeletionHasNoCrew) {
  const std::string with_vehicle = ready_dispatch({{"vehicleId", vehicle}});
  auto answers =
      in_order("vehicles where guid = '" + vehicle + "'", to_delete(vehicle_path), to_start(with_vehicle));
  EXPECT_EQ(answers.first.status, 200) << answers.first.text;
  EXPECT_EQ(answers.second.status, 200) << answers.second.text;
  EXPECT_TRUE(at(get(with_vehicle), "vehicle").is_null());

  const std::string with_driver = ready_dispatch({{"driverId", driver}});
  answers = in_order("drivers where guid = '" + driver + "'", to_delete(driver_path), to_start(with_driver));
  EXPECT_EQ(answers.first.status, 200) << answers.first.text;
  EXPECT_EQ(answers.second.status, 200) << answers.second.text;
  EXPECT_TRUE(at(get(with_driver), "driver").is_null());
}

TEST_F(DeletionRaces, ARecordThatIsBeingDeletedCannotBeNamed) {
  const std::string dispatch = make_dispatch(http), van = make_vehicle(http);
  const json::object plan{{"name", "Late"}, {"plannedDate", planned}};
  const auto with = [](json::object body, std::string_view name, const std::string& guid) {
    body[name] = guid;
    return body;
  };
  const auto refuses = [&](const std::string& what, const std::string& table, const std::string& guid,
                           const Request& request) {
    SCOPED_TRACE(what);
    expect_refused(while_deleting(table, guid, request), 404, "NOT_FOUND");
  };
  const auto another_vehicle = [&] { return make_vehicle(http); };
  const auto another_driver = [&] { return make_driver(http); };
  std::string guid = another_vehicle();
  refuses("POST of a dispatch with a vehicle", "vehicles", guid,
          [&](Http& client) { return client.post("/api/dispatch", with(plan, "vehicleId", guid)); });
  guid = another_vehicle();
  refuses("PUT of a dispatch with a vehicle", "vehicles", guid, [&](Http& client) {
    return client.put("/api/dispatch", {{"guid", dispatch}, {"vehicleId", guid}});
  });
  guid = another_vehicle();
  refuses("a device of a vehicle", "vehicles", guid, [&](Http& client) {
    return client.post("/api/tracking/add-device",
                       {{"deviceId", "late-1"}, {"type", "gps_tracker"}, {"vehicleId", guid}});
  });
  guid = another_driver();
  refuses("POST of a dispatch with a driver", "drivers", guid,
          [&](Http& client) { return client.post("/api/dispatch", with(plan, "driverId", guid)); });
  guid = another_driver();
  refuses("PUT of a dispatch with a driver", "drivers", guid, [&](Http& client) {
    return client.put("/api/dispatch", {{"guid", dispatch}, {"driverId", guid}});
  });
  guid = another_driver();
  refuses("POST of a vehicle with a driver", "drivers", guid, [&](Http& client) {
    return client.post(
        "/api/vehicle",
        {{"name", "Van 2"}, {"licensePlate", "AA-02-BB"}, {"type", "van"}, {"currentDriverId", guid}});
  });
  guid = another_driver();
  refuses("PUT of a vehicle with a driver", "drivers", guid, [&](Http& client) {
    return client.put("/api/vehicle", {{"guid", van}, {"currentDriverId", guid}});
  });
  guid = own_carrier("first");
  refuses("a default carrier", "carriers", guid, [&](Http& client) {
    return client.put("/api/business/default-configuration", {{"defaultCarrier", guid}});
  });
  guid = own_carrier("second");
  refuses("a contact at a carrier", "carriers", guid, [&](Http& client) {
    return client.post("/api/carriers/contacts", {{"carrierId", guid}, {"name", "Bob"}});
  });
  guid = own_carrier("third");
  refuses("the configuration of a carrier", "carriers", guid, [&](Http& client) {
    return client.post("/api/carriers/configure", {{"carrierId", guid}, {"accountNumber", "A-1"}});
  });
  EXPECT_TRUE(at(get(dispatch), "vehicle").is_null());
  EXPECT_TRUE(at(get(dispatch), "driver").is_null());
}

TEST_F(DeletionRaces, ADeletionClearsWhatIsNamedAtTheSameMoment) {
  const std::string dispatch = make_dispatch(http), van = make_vehicle(http);
  Response removed =
      while_naming("vehicles", vehicle,
                   "update dispatches set vehicle_id = '" + vehicle + "' where guid = '" + dispatch + "'",
                   to_delete(vehicle_path));
  EXPECT_EQ(removed.status, 200) << removed.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from dispatches where vehicle_id = $1", {vehicle}), 0);

  removed = while_naming("drivers", driver,
                         "update dispatches set driver_id = '" + driver + "' where guid = '" + dispatch +
                             "'; update vehicles set current_driver_id = '" + driver + "' where guid = '" +
                             van + "'",
                         to_delete(driver_path));
  EXPECT_EQ(removed.status, 200) << removed.text;
  EXPECT_EQ(tenant.sql.number("select count(*) from dispatches where driver_id = $1", {driver}), 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from vehicles where current_driver_id = $1", {driver}), 0);

  const std::string carrier = own_carrier("own");
  removed = while_naming("carriers", carrier,
                         "insert into business_defaults (business_id, carrier_id) values ('" + tenant.id +
                             "', '" + carrier +
                             "') on conflict (business_id) do update set carrier_id = excluded.carrier_id; "
                             "insert into carrier_contacts (business_id, carrier_id, name) values ('" +
                             tenant.id + "', '" + carrier + "', 'Bob')",
                         to_delete("/api/carriers/" + carrier));
  EXPECT_EQ(removed.status, 200) << removed.text;
  const auto defaults = http.get("/api/business/default-configuration");
  EXPECT_TRUE(at(defaults.data(), "defaultCarrier").is_null());
  EXPECT_EQ(http.put("/api/business/default-configuration", defaults.data()).status, 200);
  EXPECT_TRUE(http.get("/api/carriers/contacts").data().as_array().empty());
}

TEST_F(DeletionRaces, AVehicleThatStartsInAnotherDispatchAtTheSameMomentStays) {
  const std::string dispatch = ready_dispatch({});
  const Response removed =
      while_naming("vehicles", vehicle,
                   "update dispatches set vehicle_id = '" + vehicle +
                       "', status = 'in_progress', started_at = now() where guid = '" + dispatch + "'",
                   to_delete(vehicle_path));
  expect_refused(removed, 409, "CONFLICT");
  EXPECT_EQ(http.get(vehicle_path).status, 200);
}

}  // namespace
}  // namespace waybill::tests
