#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"

namespace waybill::tests {
namespace {

const std::set<std::string> vehicle_keys{"guid",   "name", "licensePlate", "make",          "model",  "type",
                                         "status", "year", "capacity",     "currentDriver", "tracker"};

class VehiclesTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) { return "/api/vehicle/" + std::string(guid); }
};

TEST_F(VehiclesTest, CreatingReturnsGuidNameAndPlate) {
  const auto response = http.post("/api/vehicle", {{"name", "Van 1"},
                                                   {"licensePlate", "AA-01-BB"},
                                                   {"type", "van"},
                                                   {"make", "Ford"},
                                                   {"model", "Transit"},
                                                   {"year", 2024},
                                                   {"capacity", {{"weight", 1200.5}, {"volume", 11}}}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Van 1"}, {"licensePlate", "AA-01-BB"}}));

  const auto whole = http.get(path_of(guid));
  EXPECT_EQ(keys_of(whole.data()), vehicle_keys);
  EXPECT_EQ(whole.data(), json::value({{"guid", guid},
                                       {"name", "Van 1"},
                                       {"licensePlate", "AA-01-BB"},
                                       {"make", "Ford"},
                                       {"model", "Transit"},
                                       {"type", "van"},
                                       {"status", "available"},
                                       {"year", 2024},
                                       {"capacity", {{"weight", 1200.5}, {"volume", 11}}},
                                       {"currentDriver", nullptr},
                                       {"tracker", nullptr}}));
  EXPECT_EQ(http.get("/api/vehicles").data(), json::value(json::array{whole.data()}));
}

TEST_F(VehiclesTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/vehicle", json::object{}), {"name", "licensePlate", "type"});
  expect_invalid(http.post("/api/vehicle", {{"name", std::string(201, 'n')},
                                            {"licensePlate", ""},
                                            {"type", "boat"},
                                            {"year", 1885},
                                            {"status", "parked"},
                                            {"capacity", {{"weight", -1}, {"volume", "x"}, {"height", 1}}},
                                            {"wheels", 4}}),
                 {"name", "licensePlate", "type", "year", "status", "capacity.weight", "capacity.volume",
                  "capacity.height", "wheels"});
  const auto guid = make_vehicle(http, {{"year", 1886}, {"capacity", {{"weight", 0}}}});
  expect_invalid(http.put("/api/vehicle", {{"name", "x"}}), {"guid"});
  expect_invalid(
      http.put("/api/vehicle", {{"guid", guid}, {"name", " "}, {"licensePlate", nullptr}, {"year", 2101}}),
      {"name", "licensePlate", "year"});
  expect_invalid(http.put("/api/vehicle", {{"guid", "x"}}), {"guid"});
}

TEST_F(VehiclesTest, EveryTypeIsAccepted) {
  for (const auto* const type : {"van", "car", "truck", "motorcycle", "bicycle", "other"}) {
    EXPECT_EQ(text_at(http.get(path_of(make_vehicle(http, {{"type", type}}))).data(), "type"), type);
  }
}

TEST_F(VehiclesTest, AnyStatusFollowsAny) {
  const auto guid = make_vehicle(http);
  const std::vector<std::string> statuses{"available", "in_use", "maintenance", "inactive"};
  for (const auto& from : statuses) {
    for (const auto& to : statuses) {
      EXPECT_EQ(http.put("/api/vehicle", {{"guid", guid}, {"status", from}}).status, 200);
      const auto response = http.put("/api/vehicle", {{"guid", guid}, {"status", to}});
      EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Van 1"}}));
      EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "status"), to);
    }
  }
}

TEST_F(VehiclesTest, PutMergesAndAGetCanBePutBack) {
  const auto driver = make_driver(http);
  const auto guid = make_vehicle(http, {{"make", "Ford"}, {"capacity", {{"weight", 5}, {"volume", 6}}}});
  make_device(http, "GPS-1", guid);
  EXPECT_EQ(http.put("/api/vehicle", {{"guid", guid},
                                      {"name", "Van 2"},
                                      {"make", nullptr},
                                      {"capacity", {{"weight", 7.25}}},
                                      {"currentDriver", {{"guid", driver}}}})
                .data(),
            json::value({{"guid", guid}, {"name", "Van 2"}}));
  const auto whole = http.get(path_of(guid));
  EXPECT_TRUE(whole.data().at("make").is_null());
  EXPECT_EQ(at(whole.data(), "capacity"), json::value({{"weight", 7.25}, {"volume", 6}}));
  EXPECT_EQ(at(whole.data(), "currentDriver"), json::value({{"guid", driver}, {"name", "Dora"}}));
  EXPECT_EQ(http.put("/api/vehicle", whole.data()).status, 200);
  EXPECT_EQ(http.get(path_of(guid)).data(), whole.data());
  EXPECT_EQ(
      http.put("/api/vehicle", {{"guid", guid}, {"capacity", nullptr}, {"currentDriverId", nullptr}}).status,
      200);
  EXPECT_TRUE(http.get(path_of(guid)).data().at("capacity").is_null());
  EXPECT_TRUE(http.get(path_of(guid)).data().at("currentDriver").is_null());
}

TEST_F(VehiclesTest, TheDriverMustExistAndBeUnambiguous) {
  const auto driver = make_driver(http);
  const auto other = make_driver(http);
  const auto guid = make_vehicle(http);
  expect_invalid(
      http.put("/api/vehicle",
               {{"guid", guid}, {"currentDriverId", driver}, {"currentDriver", {{"guid", other}}}}),
      {"currentDriver.guid"});
  for (const auto& missing : {std::string(unknown_guid), make_driver(other_business().http)}) {
    expect_refused(http.put("/api/vehicle", {{"guid", guid}, {"currentDriverId", missing}}), 404,
                   "NOT_FOUND");
    expect_refused(
        http.post("/api/vehicle",
                  {{"name", "V"}, {"licensePlate", "P"}, {"type", "car"}, {"currentDriverId", missing}}),
        404, "NOT_FOUND");
  }
}

TEST_F(VehiclesTest, ADeletedVehicleIsGoneAndItsDeviceHasNoVehicle) {
  const auto guid = make_vehicle(http);
  make_device(http, "GPS-1", guid);
  EXPECT_EQ(text_at(http.get("/api/tracking/devices").data(), "0.assignedVehicle.guid"), guid);
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.put("/api/vehicle", {{"guid", guid}, {"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(http.get("/api/vehicle/location/" + guid), 404, "NOT_FOUND");
  EXPECT_TRUE(http.get("/api/vehicles").data().as_array().empty());
  EXPECT_TRUE(at(http.get("/api/tracking/devices").data(), "0.assignedVehicle").is_null());
}

TEST_F(VehiclesTest, AVehicleOfAnotherBusinessIs404) {
  const auto foreign_vehicle = make_vehicle(other_business().http);
  for (const auto& guid : {foreign_vehicle, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put("/api/vehicle", {{"guid", guid}, {"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.get("/api/vehicle/location/" + guid), 404, "NOT_FOUND");
    expect_refused(http.get("/api/vehicle/travel-history/" + guid), 404, "NOT_FOUND");
  }
  EXPECT_EQ(text_at(other_business().http.get(path_of(foreign_vehicle)).data(), "name"), "Van 1");
}

}  // namespace
}  // namespace waybill::tests
