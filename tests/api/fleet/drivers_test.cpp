#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"

namespace waybill::tests {
namespace {

const std::set<std::string> driver_keys{"guid", "name", "email", "phone", "licenseNumber", "status"};

class DriversTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) { return "/api/drivers/" + std::string(guid); }
};

TEST_F(DriversTest, CreatingReturnsTheDriverAndItsLocation) {
  const auto response = http.post(
      "/api/drivers",
      {{"name", "Ada"}, {"email", "ada@example.com"}, {"phone", "+351 1"}, {"licenseNumber", "L-1"}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(keys_of(response.data()), driver_keys);
  EXPECT_EQ(text_at(response.data(), "status"), "available") << "the default";
  EXPECT_EQ(http.get(path_of(guid)).data(), response.data());
}

TEST_F(DriversTest, TheListIsAPlainArraySortedByName) {
  for (const auto* const name : {"Carl", "Ada", "Bob"}) make_driver(http, {{"name", name}});
  const auto list = http.get("/api/drivers");
  EXPECT_EQ(texts(list, "name"), (std::vector<std::string>{"Ada", "Bob", "Carl"}));
  EXPECT_EQ(keys_of(at(list.data(), "0")), driver_keys);
  EXPECT_FALSE(list.body.as_object().contains("page"));
}

TEST_F(DriversTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/drivers", json::object{}), {"name"});
  expect_invalid(http.post("/api/drivers", {{"name", " "},
                                            {"email", "ada"},
                                            {"phone", 1},
                                            {"licenseNumber", std::string(201, 'l')},
                                            {"status", "asleep"},
                                            {"nmae", "x"}}),
                 {"name", "email", "phone", "licenseNumber", "status", "nmae"});
  const auto guid = make_driver(http);
  expect_invalid(http.put(path_of(guid), {{"name", " "}, {"status", nullptr}}), {"name", "status"});
  expect_invalid(http.put(path_of(guid), {{"name", nullptr}}), {"name"});
  EXPECT_EQ(http.put(path_of(guid), {{"licenseNumber", std::string(200, 'l')}}).status, 200);
}

TEST_F(DriversTest, PutMergesAndAnyStatusFollowsAny) {
  const auto guid = make_driver(http, {{"name", "Ada"}, {"phone", "1"}, {"email", "ada@example.com"}});
  const std::vector<std::string> statuses{"available", "on_duty", "off_duty", "inactive"};
  for (const auto& from : statuses) {
    for (const auto& to : statuses) {
      EXPECT_EQ(http.put(path_of(guid), {{"status", from}}).status, 200);
      EXPECT_EQ(text_at(http.put(path_of(guid), {{"status", to}}).data(), "status"), to);
    }
  }
  EXPECT_EQ(http.put(path_of(guid), {{"phone", nullptr}}).status, 200);
  const auto whole = http.get(path_of(guid));
  EXPECT_TRUE(whole.data().at("phone").is_null());
  EXPECT_EQ(text_at(whole.data(), "email"), "ada@example.com");
  const auto again = http.put(path_of(guid), whole.data());
  EXPECT_EQ(again.status, 200) << "a GET response can be PUT back";
  EXPECT_EQ(again.data(), whole.data());
}

TEST_F(DriversTest, ADeletedDriverIsRemovedEverywhere) {
  const auto guid = make_driver(http);
  const auto vehicle = make_vehicle(http, {{"currentDriverId", guid}});
  const auto dispatch = text_at(
      http.post("/api/dispatch", {{"name", "D"}, {"plannedDate", "2026-11-20T08:00:00Z"}, {"driverId", guid}})
          .data(),
      "guid");
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  EXPECT_TRUE(http.get("/api/drivers").data().as_array().empty());
  EXPECT_TRUE(http.get("/api/vehicle/" + vehicle).data().at("currentDriver").is_null());
  EXPECT_TRUE(http.get("/api/dispatch/" + dispatch).data().at("driver").is_null());
}

TEST_F(DriversTest, ADriverOfAnotherBusinessIs404) {
  const auto foreign_driver = make_driver(other_business().http);
  for (const auto& guid : {foreign_driver, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  }
  expect_invalid(http.get(path_of("x")), {"guid"});
  EXPECT_EQ(other_business().http.get(path_of(foreign_driver)).status, 200);
}

}  // namespace
}  // namespace waybill::tests
