#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "base/clock.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

std::string ago(std::chrono::seconds seconds) { return format_timestamp(system_clock().now() - seconds); }

class TrackingTest : public ApiTest {
 protected:
  json::object position(std::string_view time, const json::object& more = {}) const {
    json::object body{
        {"deviceId", device}, {"latitude", 38.7167}, {"longitude", -9.1333}, {"timestamp", time}};
    for (const auto& [name, value] : more) body[name] = value;
    return body;
  }

  Response send(const json::value& body) { return http.post("/api/tracking/positions", body); }

  void expect_stored(const json::value& body, int received, int stored) {
    const auto response = send(body);
    ASSERT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.data(), json::value({{"received", received}, {"stored", stored}}));
  }

  std::string status() { return text_at(http.get("/api/tracking/devices").data(), "0.status"); }
  Response location(std::string_view query = "") {
    return http.get("/api/vehicle/location/" + vehicle + std::string(query));
  }
  std::vector<std::string> times(std::string_view query) {
    const auto response = location(query);
    EXPECT_EQ(response.status, 200) << response.text;
    std::vector<std::string> found;
    for (const auto& entry : at(response.data(), "positions").as_array())
      found.push_back(text_at(entry, "timestamp"));
    return found;
  }

  std::string vehicle = make_vehicle(http);
  std::string device = make_device(http, "GPS-1", vehicle);
};

TEST_F(TrackingTest, ANewDeviceIsActive) {
  const auto response =
      http.post("/api/tracking/add-device", {{"deviceId", "a:B_9-z"}, {"type", "gps_tracker"}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(keys_of(response.data()), (std::set<std::string>{"guid", "deviceId", "status"}));
  EXPECT_EQ(text_at(response.data(), "status"), "active");
  EXPECT_EQ(response.header("Location"), "/api/tracking/devices/" + text_at(response.data(), "guid"));

  const auto list = http.get("/api/tracking/devices");
  EXPECT_EQ(texts(list, "deviceId"), (std::vector<std::string>{"GPS-1", "a:B_9-z"}));
  EXPECT_EQ(keys_of(at(list.data(), "0")),
            (std::set<std::string>{"guid", "deviceId", "type", "status", "assignedVehicle", "lastSeen",
                                   "batteryLevel"}));
  EXPECT_EQ(at(list.data(), "0.assignedVehicle"), json::value({{"guid", vehicle}, {"name", "Van 1"}}));
  EXPECT_TRUE(at(list.data(), "1.assignedVehicle").is_null());
  EXPECT_EQ(http.get(response.header("Location")).data(), at(list.data(), "1"));
  EXPECT_TRUE(at(list.data(), "0.lastSeen").is_null());
}

TEST_F(TrackingTest, ADeviceIdHas3To64LettersDigitsAndSpecialCharacters) {
  const auto add = [&](const std::string& id) {
    return http.post("/api/tracking/add-device", {{"deviceId", id}, {"type", "gps_tracker"}});
  };
  for (const auto& id : {std::string("ab"), std::string(65, 'a'), std::string("a b"), std::string("a.b"),
                         std::string("ä12"), std::string("abc\n")}) {
    expect_invalid(add(id), {"deviceId"});
    expect_invalid(send({{"deviceId", id}, {"latitude", 1}, {"longitude", 1}}), {"deviceId"});
  }
  for (const auto& id : {std::string("a:_"), std::string(64, '-')}) EXPECT_EQ(add(id).status, 201) << id;
  expect_invalid(http.post("/api/tracking/add-device", json::object{}), {"deviceId", "type"});
}

TEST_F(TrackingTest, ADeviceIdIsUniqueWithinTheBusiness) {
  const json::object body{{"deviceId", "GPS-1"}, {"type", "gps_tracker"}};
  expect_refused(http.post("/api/tracking/add-device", body), 409, "CONFLICT");
  EXPECT_EQ(other_business().http.post("/api/tracking/add-device", body).status, 201);
}

TEST_F(TrackingTest, ADeviceOfADeletedVehicleBecomesANewOneOfAnotherVehicle) {
  expect_stored(position(ago(60s), {{"batteryLevel", 10}}), 1, 1);
  const auto next = make_vehicle(http, {{"licensePlate", "AA-02-BB"}});
  const json::object body{{"deviceId", "GPS-1"}, {"type", "other"}, {"vehicleId", next}};
  expect_refused(http.post("/api/tracking/add-device", body), 409, "CONFLICT");
  const auto before = text_at(http.get("/api/tracking/devices").data(), "0.guid");
  ASSERT_EQ(http.del("/api/vehicle/" + vehicle).status, 200);
  expect_refused(http.post("/api/tracking/add-device", {{"deviceId", "GPS-1"}, {"type", "other"}}), 409,
                 "CONFLICT");
  expect_refused(http.post("/api/tracking/add-device",
                           {{"deviceId", "GPS-1"}, {"type", "other"}, {"vehicleId", vehicle}}),
                 404, "NOT_FOUND");
  const auto response = http.post("/api/tracking/add-device", body);
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_NE(text_at(response.data(), "guid"), before);
  expect_refused(http.get("/api/tracking/devices/" + before), 404, "NOT_FOUND");
  const auto moved = http.get(response.header("Location")).data();
  EXPECT_EQ(text_at(moved, "assignedVehicle.guid"), next);
  EXPECT_EQ(text_at(moved, "type"), "other");
  EXPECT_EQ(text_at(moved, "status"), "active");
  EXPECT_TRUE(at(moved, "batteryLevel").is_null());
  EXPECT_EQ(http.get("/api/tracking/devices").data().as_array().size(), 1U);
  vehicle = next;
  EXPECT_TRUE(times("").empty()) << "the earlier positions are those of the deleted vehicle";
  expect_stored(position(ago(30s)), 1, 1);
  EXPECT_EQ(times("").size(), 1U);
  expect_refused(http.post("/api/tracking/add-device", body), 409, "CONFLICT");
}

TEST_F(TrackingTest, ADeviceWithoutAVehicleIsGivenToOneByAddingItAgain) {
  make_device(http, "GPS-2");
  EXPECT_EQ(http.post("/api/tracking/add-device",
                      {{"deviceId", "GPS-2"}, {"type", "gps_tracker"}, {"vehicleId", vehicle}})
                .status,
            201);
  EXPECT_EQ(text_at(http.get("/api/tracking/devices").data(), "1.assignedVehicle.guid"), vehicle);
}

TEST_F(TrackingTest, TheVehicleOfADeviceMustExist) {
  for (const auto& missing : {std::string(unknown_guid), make_vehicle(other_business().http)}) {
    expect_refused(
        http.post("/api/tracking/add-device", {{"deviceId", "GPS-2"}, {"type", "x"}, {"vehicleId", missing}}),
        404, "NOT_FOUND");
  }
}

TEST_F(TrackingTest, TheVehicleOfADeviceMayHaveTheFormOfTheList) {
  auto body = at(http.get("/api/tracking/devices").data(), "0").as_object();
  body["deviceId"] = "GPS-2";
  EXPECT_EQ(http.post("/api/tracking/add-device", body).status, 201);
  EXPECT_EQ(text_at(http.get("/api/tracking/devices").data(), "1.assignedVehicle.guid"), vehicle);
  body["deviceId"] = "GPS-3";
  body["vehicleId"] = unknown_guid;
  expect_invalid(http.post("/api/tracking/add-device", body), {"assignedVehicle.guid"});
}

TEST_F(TrackingTest, OnePositionOrAnArrayIsAccepted) {
  expect_stored(position(ago(60s), {{"speed", 42.5}, {"heading", 359}}), 1, 1);
  expect_stored(json::array{position(ago(50s)), position(ago(40s))}, 2, 2);
  EXPECT_EQ(times("").size(), 3U);
  EXPECT_EQ(send({{"deviceId", device}, {"latitude", 1}, {"longitude", 2}}).status, 200)
      << "the default time is now";
  EXPECT_EQ(at(location().data(), "currentLocation.longitude"), 2);
}

TEST_F(TrackingTest, KnownPositionsAreIgnoredAndLatePositionsSortedIn) {
  const auto first = ago(300s);
  const auto second = ago(200s);
  const auto third = ago(100s);
  expect_stored(json::array{position(first), position(third), position(third)}, 3, 2);
  expect_stored(json::array{position(third, {{"latitude", 1}}), position(second)}, 2, 1);
  EXPECT_EQ(times(""), (std::vector<std::string>{first, second, third}));
  EXPECT_EQ(text_at(location().data(), "currentLocation.timestamp"), third)
      << "a late position is not the current one";
  EXPECT_EQ(at(location().data(), "currentLocation.latitude"), 38.7167);
  EXPECT_EQ(text_at(http.get("/api/vehicle/" + vehicle).data(), "tracker.lastUpdate"), third);
}

TEST_F(TrackingTest, AnUnknownDeviceIs404AndNothingIsStored) {
  make_device(other_business().http, "GPS-X");
  for (const auto* const id : {"GPS-X", "GPS-0"}) {
    const auto response = send(json::array{position(ago(10s)), position(ago(5s), {{"deviceId", id}})});
    expect_refused(response, 404, "NOT_FOUND");
    EXPECT_TRUE(response.details().contains("[1].deviceId")) << response.text;
    EXPECT_NE(text_at(response.body, "error.message").find(id), std::string::npos);
    expect_refused(send(position(ago(5s), {{"deviceId", id}})), 404, "NOT_FOUND");
  }
  EXPECT_TRUE(times("").empty());
  EXPECT_TRUE(at(http.get("/api/tracking/devices").data(), "0.lastSeen").is_null());
}

TEST_F(TrackingTest, PositionsInTheFutureAreRefused) {
  ASSERT_EQ(send(position(ago(-4min))).status, 200);
  expect_invalid(send(position(ago(-6min))), {"timestamp"});
  expect_invalid(send(json::array{position(ago(9s)), position(ago(-6min)), position(ago(-24h))}),
                 {"[1].timestamp", "[2].timestamp"});
}

TEST_F(TrackingTest, LimitsOfPositionsAreChecked) {
  expect_invalid(send(json::object{}), {"deviceId", "latitude", "longitude"});
  expect_invalid(
      send(position("yesterday", {{"latitude", 90.1},
                                  {"longitude", -180.1},
                                  {"speed", -1},
                                  {"heading", 361},
                                  {"batteryLevel", 101},
                                  {"error", 1},
                                  {"altitude", 5}})),
      {"timestamp", "latitude", "longitude", "speed", "heading", "batteryLevel", "error", "altitude"});
  expect_invalid(
      send(json::array{position(ago(9s)), position(ago(8s), {{"latitude", -91}, {"deviceId", "a b"}})}),
      {"[1].latitude", "[1].deviceId"});
  expect_invalid(send(json::array{1}), {"[0]"});
  expect_invalid(send("x"), {"body"});
  expect_invalid(send(json::array{}), {"body"});
  EXPECT_EQ(
      send(
          position(
              ago(7s),
              {{"latitude", 90}, {"longitude", -180}, {"speed", 0}, {"heading", 360}, {"batteryLevel", 100}}))
          .status,
      200);
}

TEST_F(TrackingTest, ABatchHasAtMost1000Positions) {
  json::array batch;
  const auto now = system_clock().now();
  for (int i = 0; i < 1000; ++i) batch.push_back(position(format_timestamp(now - std::chrono::seconds(i))));
  expect_stored(batch, 1000, 1000);
  expect_stored(batch, 1000, 0);
  EXPECT_EQ(times("").size(), 1000U);
  batch.push_back(position(ago(5000s)));
  expect_invalid(send(batch), {"body"});
  expect_stored(position(ago(5000s)), 1, 1);
  EXPECT_EQ(times("").size(), 1000U) << "the newest by default";
  EXPECT_EQ(times("?from=2001-01-01").size(), 1001U);
}

TEST_F(TrackingTest, ConcurrentBatchesInDifferentOrdersAreAllAccepted) {
  make_device(http, "GPS-2", vehicle);
  const auto now = system_clock().now();
  std::vector<std::thread> clients;
  std::atomic<int> refused = 0;
  for (int client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      Http own = http.with_token(http.token());
      for (int batch = 0; batch < 10; ++batch) {
        json::array positions;
        for (int i = 0; i < 100; ++i) {
          const auto time = now - std::chrono::milliseconds(client * 1000 + batch * 100 + i);
          // Every client uses the devices in another order.
          positions.push_back(
              position(format_timestamp(time), {{"deviceId", (i + client) % 2 == 0 ? "GPS-1" : "GPS-2"}}));
        }
        if (own.post("/api/tracking/positions", positions).status != 200) ++refused;
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(tenant.sql.number("select count(*) from positions where business_id = $1", {tenant.id}), 8000);
}

TEST_F(TrackingTest, LocationsCanBeFilteredByTime) {
  tenant.sql.rows("update businesses set timezone = 'America/New_York' where guid = $1", {tenant.id});
  for (const auto* const time : {"2026-03-01T04:59:59.999Z", "2026-03-01T05:00:00Z",
                                 "2026-03-02T04:59:59.999Z", "2026-03-02T05:00:00Z"}) {
    expect_stored(position(time), 1, 1);
  }
  using Times = std::vector<std::string>;
  const Times day{"2026-03-01T05:00:00.000Z", "2026-03-02T04:59:59.999Z"};
  EXPECT_EQ(times("?from=2026-03-01&to=2026-03-01"), day) << "a whole day in the time zone of the business";
  EXPECT_EQ(times("?from=2026-03-01T05:00:00Z&to=2026-03-02T04:59:59.999Z"), day);
  EXPECT_EQ(times("?from=2026-03-01T00:00:00-05:00&to=2026-03-01T05:30:00Z"), Times{day[0]});
  EXPECT_EQ(times("?from=2026-03-02").size(), 1U);
  EXPECT_EQ(times("?to=2026-02-28"), Times{"2026-03-01T04:59:59.999Z"});
  EXPECT_TRUE(times("?from=2026-03-05&to=2026-03-01").empty());
  expect_invalid(location("?from=x&to=2026-13-01"), {"from", "to"});
}

TEST_F(TrackingTest, AVehicleThatWasNeverSeenHasNoLocation) {
  const auto response = location();
  EXPECT_EQ(
      response.data(),
      json::value({{"vehicleId", vehicle}, {"currentLocation", nullptr}, {"positions", json::array{}}}));
  EXPECT_EQ(http.get("/api/vehicle/travel-history/" + vehicle).data(), json::value(json::array{}));
}

TEST_F(TrackingTest, TheCurrentLocationHasSpeedAndHeading) {
  const auto time = ago(5s);
  expect_stored(position(time, {{"speed", 42.5}, {"heading", 270}}), 1, 1);
  const auto data = location().data();
  EXPECT_EQ(keys_of(data), (std::set<std::string>{"vehicleId", "currentLocation", "positions"}));
  EXPECT_EQ(at(data, "currentLocation"), json::value({{"latitude", 38.7167},
                                                      {"longitude", -9.1333},
                                                      {"speed", 42.5},
                                                      {"heading", 270},
                                                      {"timestamp", time}}));
  EXPECT_EQ(at(data, "positions.0"),
            json::value({{"latitude", 38.7167}, {"longitude", -9.1333}, {"timestamp", time}}));
}

TEST_F(TrackingTest, TheStatusFollowsTheNewestReportAtOnce) {
  EXPECT_EQ(status(), "active");
  expect_stored(position(ago(60s), {{"batteryLevel", 14.9}}), 1, 1);
  EXPECT_EQ(status(), "low_battery");
  expect_stored(position(ago(55s)), 1, 1);
  EXPECT_EQ(status(), "low_battery") << "the last reported battery level counts";
  expect_stored(position(ago(50s), {{"batteryLevel", 15}}), 1, 1);
  EXPECT_EQ(status(), "active");
  EXPECT_EQ(at(http.get("/api/tracking/devices").data(), "0.batteryLevel"), 15);
  expect_stored(position(ago(40s), {{"error", "antenna"}, {"batteryLevel", 5}}), 1, 1);
  EXPECT_EQ(status(), "error");
  expect_stored(position(ago(45s), {{"batteryLevel", 90}}), 1, 1);
  EXPECT_EQ(status(), "error") << "a late report changes nothing";
  expect_stored(position(ago(30s), {{"batteryLevel", 50}}), 1, 1);
  EXPECT_EQ(status(), "active");
}

TEST_F(TrackingTest, ABatchChangesTheStatusAsItsPositionsWouldOneByOne) {
  const auto level = [&] { return at(http.get("/api/tracking/devices").data(), "0.batteryLevel"); };
  const auto first = ago(60s);
  expect_stored(json::array{position(first, {{"batteryLevel", 14}}), position(first, {{"batteryLevel", 80}})},
                2, 1);
  EXPECT_EQ(level(), 14) << "the second position of a time is ignored";
  EXPECT_EQ(status(), "low_battery");
  expect_stored(json::array{position(ago(50s), {{"batteryLevel", 90}}), position(ago(40s))}, 2, 2);
  EXPECT_EQ(level(), 90) << "the last reported battery level counts";
  EXPECT_EQ(status(), "active");
  expect_stored(json::array{position(ago(55s), {{"batteryLevel", 5}}), position(ago(30s))}, 2, 2);
  EXPECT_EQ(level(), 90) << "the level of a position before that of the battery changes nothing";
  EXPECT_EQ(status(), "active");
}

TEST_F(TrackingTest, ALateBatteryLevelCountsIfNoLaterPositionHasOne) {
  const auto level = [&] { return at(http.get("/api/tracking/devices").data(), "0.batteryLevel"); };
  expect_stored(position(ago(20s)), 1, 1);
  const auto seen = at(http.get("/api/tracking/devices").data(), "0.lastSeen");
  const auto late = ago(40s);
  expect_stored(position(late, {{"batteryLevel", 5}, {"error", "antenna"}}), 1, 1);
  EXPECT_EQ(level(), 5);
  EXPECT_EQ(status(), "low_battery") << "the fault is that of the newest position: none";
  EXPECT_EQ(at(http.get("/api/tracking/devices").data(), "0.lastSeen"), seen);
  expect_stored(position(late, {{"batteryLevel", 90}}), 1, 0);
  EXPECT_EQ(level(), 5) << "an ignored position changes nothing";
  expect_stored(position(ago(30s), {{"batteryLevel", 70}}), 1, 1);
  EXPECT_EQ(level(), 70);
  EXPECT_EQ(status(), "active");
}

TEST_F(TrackingTest, ABatteryLevelWithoutATimeIsThatOfTheNewestPosition) {
  const auto level = [&] { return at(http.get("/api/tracking/devices").data(), "0.batteryLevel"); };
  expect_stored(position(ago(20s), {{"batteryLevel", 50}}), 1, 1);
  tenant.sql.rows("update tracking_devices set battery_at = null where business_id = $1", {tenant.id});
  expect_stored(position(ago(30s), {{"batteryLevel", 5}}), 1, 1);
  EXPECT_EQ(level(), 50);
  tenant.sql.rows("update tracking_devices set battery_at = null where business_id = $1", {tenant.id});
  expect_stored(position(ago(10s)), 1, 1);
  expect_stored(position(ago(15s), {{"batteryLevel", 7}}), 1, 1);
  EXPECT_EQ(level(), 7);
}

TEST_F(TrackingTest, TheOrderAndTheGroupsInWhichPositionsArriveDoNotMatter) {
  constexpr int cases = 6, copies = 5, most_positions = 7;
  std::mt19937 random(4);  // NOLINT: repeatable
  int made = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<json::object> sent;
    for (int place = 0; place < most_positions; ++place) {
      json::object more;
      if (random() % 2 == 0) more["batteryLevel"] = json::array{5, 14.9, 50}.at(random() % 3);
      if (random() % 4 == 0) more["error"] = "antenna";
      sent.push_back(position(ago(std::chrono::seconds(10 + 5 * place)), more));
    }
    json::array first;
    for (int copy = 0; copy < copies; ++copy) {
      const std::string id = "copy-" + std::to_string(++made);
      make_device(http, id);
      if (copy > 0) std::ranges::shuffle(sent, random);
      json::array group;
      for (json::object& each : sent) {
        each["deviceId"] = id;
        group.push_back(each);
        if (random() % 3 != 0 && &each != &sent.back()) continue;
        ASSERT_EQ(send(group).status, 200);
        group.clear();
      }
      const auto data = http.get("/api/tracking/devices").data();
      const auto found = std::ranges::find_if(
          data.as_array(), [&](const json::value& each) { return text_at(each, "deviceId") == id; });
      ASSERT_NE(found, data.as_array().end());
      const json::array state{at(*found, "lastSeen"), at(*found, "batteryLevel"), at(*found, "status")};
      if (copy == 0) first = state;
      EXPECT_EQ(state, first) << json::serialize(json::array(sent.begin(), sent.end()));
    }
  }
}

TEST_F(TrackingTest, ADeviceSilentFor15MinutesIsOfflineUntilItReports) {
  expect_stored(position(ago(901s), {{"batteryLevel", 80}}), 1, 1);
  EXPECT_EQ(status(), "offline") << "the report itself is too old";
  expect_stored(position(ago(1s)), 1, 1);
  EXPECT_EQ(status(), "active");
  const auto set_last_seen = [&](std::string_view seconds) {
    tenant.sql.rows(
        "update tracking_devices set last_seen = now() - $2::int * interval '1 second' where business_id = "
        "$1",
        {tenant.id, std::string(seconds)});
  };
  set_last_seen("870");
  EXPECT_TRUE(throughout([&] { return status() == "active"; }, 100ms));
  set_last_seen("901");
  EXPECT_TRUE(eventually([&] { return status() == "offline"; })) << "set by the worker's duty";
  expect_stored(position(ago(0s)), 1, 1);
  EXPECT_EQ(status(), "active");
}

TEST_F(TrackingTest, TravelIsShownByDayInTheTimeZoneOfTheBusiness) {
  tenant.sql.rows("update businesses set timezone = 'America/New_York' where guid = $1", {tenant.id});
  json::array batch;
  const auto at_place = [&](std::string_view time, double latitude, double longitude) {
    batch.push_back(position(time, {{"latitude", latitude}, {"longitude", longitude}}));
  };
  // 0.1 degrees of latitude are 11.12 km. A day that begins at 05:00Z:
  at_place("2026-03-01T04:59:00Z", 38.7, -9.13);
  at_place("2026-03-01T05:00:00Z", 38.7, -9.13);
  at_place("2026-03-01T05:30:00Z", 38.8, -9.13);
  at_place("2026-03-01T05:34:59Z", 38.8005, -9.13);  // 56 m further, not quite five minutes
  at_place("2026-03-01T06:00:00Z", 38.9, -9.13);
  at_place("2026-03-01T06:03:00Z", 38.9005, -9.13);
  at_place("2026-03-01T06:05:00Z", 38.9, -9.13);  // five minutes within 100 m
  at_place("2026-03-01T06:30:00Z", 39.0, -9.13);
  expect_stored(batch, 8, 8);

  const auto response = http.get("/api/vehicle/travel-history/" + vehicle);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(texts(response, "date"), (std::vector<std::string>{"2026-03-01", "2026-02-28"}));
  const auto& day = at(response.data(), "0");
  EXPECT_EQ(keys_of(day), (std::set<std::string>{"date", "distanceTraveled", "travelTime", "startLocation",
                                                 "endLocation", "stops", "fuelUsed"}));
  EXPECT_NEAR(at(day, "distanceTraveled").to_number<double>(), 33.36, 0.01);
  EXPECT_EQ(text_at(day, "travelTime"), "1h 25m") << "without the stop";
  EXPECT_EQ(at(day, "stops"), 1);
  EXPECT_EQ(text_at(day, "startLocation"), "Lisbon, PT");
  EXPECT_EQ(text_at(day, "endLocation").substr(text_at(day, "endLocation").size() - 4), ", PT");
  EXPECT_TRUE(at(day, "fuelUsed").is_null());
  EXPECT_EQ(text_at(response.data(), "1.travelTime"), "0h 1m") << "the minute before midnight";
}

TEST_F(TrackingTest, TheWayOverMidnightIsDividedByTimeInEachZone) {
  json::array batch;
  const auto at_place = [&](std::string_view time, double latitude) {
    batch.push_back(position(time, {{"latitude", latitude}, {"longitude", -9.13}}));
  };
  at_place("2026-03-01T04:30:00Z", 38.7);  // midnight of New York is at 05:00Z
  at_place("2026-03-01T05:30:00Z", 38.8);
  at_place("2026-03-01T06:00:00Z", 38.9);
  expect_stored(batch, 3, 3);
  const auto distances = [&](const std::string& zone) {
    tenant.sql.rows("update businesses set timezone = $2 where guid = $1", {tenant.id, zone});
    std::vector<double> kilometres;
    const auto response = http.get("/api/vehicle/travel-history/" + vehicle);
    for (const auto& day : response.data().as_array())
      kilometres.push_back(at(day, "distanceTraveled").to_number<double>());
    return kilometres;
  };
  EXPECT_THAT(distances("UTC"), testing::ElementsAre(testing::DoubleNear(22.24, 0.011)));
  EXPECT_THAT(distances("America/New_York"),
              testing::ElementsAre(testing::DoubleNear(16.68, 0.011), testing::DoubleNear(5.56, 0.011)));
}

TEST_F(TrackingTest, TheOldestDayShownHasItsPartOfTheWayFromTheDayBefore) {
  // Each day has one position at noon, a degree of latitude north of the last: 111.2 km a day.
  tenant.sql.rows(
      "insert into positions (business_id, device_guid, at, latitude, longitude) select $1, d.guid, "
      "timestamptz '2025-01-01 12:00Z' + n * interval '1 day', n, -9.1 from tracking_devices d, "
      "generate_series(0, 39) n where d.business_id = $1",
      {tenant.id});
  const auto response = http.get("/api/vehicle/travel-history/" + vehicle);
  ASSERT_EQ(response.data().as_array().size(), 31U);
  EXPECT_NEAR(at(response.data(), "30.distanceTraveled").to_number<double>(), 111.2, 0.1);
  EXPECT_NEAR(at(response.data(), "0.distanceTraveled").to_number<double>(), 55.6, 0.1) << "half a day";
}

std::int64_t resident_megabytes(pid_t process, std::string_view kind) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kind)) return std::stoll(line.substr(kind.size())) / 1024;
  }
  return 0;
}

TEST_F(TrackingTest, ManyPositionsAreSummarizedInLittleMemoryWithoutDelayingOtherReads) {
  // Northwards at half a degree a day, which is 55.6 km, for 31 days.
  tenant.sql.rows(
      "insert into positions (business_id, device_guid, at, latitude, longitude) select $1, d.guid, "
      "timestamptz '2025-01-01 00:00Z' + n * interval '8.95 seconds', "
      "n * 15.5 / 299160, -9.1 from tracking_devices d, generate_series(0, 299160) n "
      "where d.business_id = $1",
      {tenant.id});
  Waybill api(world.waybill.database_url(),
              {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  auto client = api.http(http.token());
  const auto path = "/api/vehicle/travel-history/" + vehicle;
  EXPECT_EQ(client.get("/api/vehicle/" + vehicle).status, 200);
  [[maybe_unused]] const auto before = resident_megabytes(api.process().pid(), "VmHWM:");
  std::atomic<bool> is_done = false;
  std::chrono::milliseconds slowest{0};
  std::jthread reader([&] {
    auto other = api.http(http.token());
    while (!is_done) {
      const auto begun = std::chrono::steady_clock::now();
      EXPECT_EQ(other.get("/api/vehicle/" + vehicle).status, 200);
      slowest = std::max(slowest, std::chrono::duration_cast<std::chrono::milliseconds>(
                                      std::chrono::steady_clock::now() - begun));
    }
  });
  const auto response = client.get(path);
  is_done = true;
  reader.join();
  ASSERT_EQ(response.status, 200) << response.text;
  ASSERT_EQ(response.data().as_array().size(), 31U);
  EXPECT_NEAR(at(response.data(), "15.distanceTraveled").to_number<double>(), 55.6, 0.1);
  EXPECT_EQ(at(response.data(), "15.stops"), 0);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_LT(resident_megabytes(api.process().pid(), "VmHWM:") - before, 20);
  EXPECT_LT(slowest, 500ms);
#endif
}

TEST_F(TrackingTest, ADayOfTooManyPositionsIsThinnedOut) {
  tenant.sql.rows(
      "insert into positions (business_id, device_guid, at, latitude, longitude) select $1, d.guid, "
      "timestamptz '2025-01-01 00:00Z' + n * interval '1 second', n / 86400.0, -9.1 from tracking_devices d, "
      "generate_series(0, 86399) n where d.business_id = $1",
      {tenant.id});
  const auto response = http.get("/api/vehicle/travel-history/" + vehicle);
  ASSERT_EQ(response.data().as_array().size(), 1U);
  EXPECT_NEAR(at(response.data(), "0.distanceTraveled").to_number<double>(), 111.2, 0.1);
  EXPECT_EQ(text_at(response.data(), "0.travelTime"), "23h 59m");
}

TEST_F(TrackingTest, TravelHistoryShowsTheLast31DaysWithPositions) {
  tenant.sql.rows(
      "insert into positions (business_id, device_guid, at, latitude, longitude) select $1, d.guid, "
      "timestamptz '2025-01-01 12:00Z' + n * interval '3 days', 38.7, -9.1 from tracking_devices d, "
      "generate_series(0, 39) n "
      "where d.business_id = $1",
      {tenant.id});
  const auto response = http.get("/api/vehicle/travel-history/" + vehicle);
  const auto dates = texts(response, "date");
  ASSERT_EQ(dates.size(), 31U);
  EXPECT_EQ(dates.front(), "2025-04-28");
  EXPECT_EQ(dates.back(), "2025-01-28");
}

TEST_F(TrackingTest, PositionsAreStoredInWeeklyPartitions) {
  Session sql = world.database.connect();
  sql.exec("begin");
  sql.exec("insert into positions (business_id, device_guid, at, latitude, longitude) values ('" + tenant.id +
           "', gen_random_uuid(), '2031-05-15 12:00Z', 1, 1)");
  sql.exec("select make_position_partitions('2031-05-15', '2031-05-15')");
  EXPECT_EQ(sql.number("select count(*) from positions_20310512"), 1)
      << "earlier positions move into the partition of their week";
  EXPECT_EQ(sql.value("select drop_partition('positions_20310512')"), "t");
  EXPECT_EQ(sql.number("select count(*) from positions where business_id = '" + tenant.id + "'"), 0);
  sql.exec("rollback");
}

}  // namespace
}  // namespace waybill::tests
