#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/fleet.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

/// The starting point of `tenant`'s routes.
void set_business_address(Tenant& tenant, const std::string& city, const std::string& country = "PT") {
  tenant.sql.rows(
      "update businesses set street = 'Depot 1', city = $2, country = $3, timezone = 'Europe/Lisbon' where "
      "guid = $1",
      {tenant.id, city, country});
}

std::string plan(Tenant& tenant, const std::vector<std::string>& shipments) {
  json::array guids;
  for (const auto& guid : shipments) guids.emplace_back(guid);
  return make_dispatch(tenant.http, {{"shipmentIds", guids}, {"plannedDate", "2026-07-01T08:00:00Z"}});
}

std::vector<std::string> texts_of(const json::value& list, std::string_view path) {
  std::vector<std::string> found;
  for (const auto& entry : list.as_array()) found.push_back(text_at(entry, path));
  return found;
}

class RoutesTest : public ApiTest {
 protected:
  json::value route(std::string_view guid) {
    const auto response = http.get("/api/route/" + std::string(guid));
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  json::value timeline(std::string_view guid) {
    return http.get("/api/route/timeline/" + std::string(guid)).data();
  }
  std::vector<std::string> addresses(std::string_view guid) {
    return texts_of(at(route(guid), "stops"), "address");
  }
};

using Texts = std::vector<std::string>;

TEST_F(RoutesTest, IsPlannedWithTheDispatchInTheShortestOrder) {
  set_business_address(tenant, "Lisbon");
  const auto shipments = insert_shipments(tenant, {"Porto", "Santarém", "Braga", "Coimbra"},
                                          {{"recipient_country", "'Portugal'"}});
  const auto guid = plan(tenant, shipments);
  const auto data = route(guid);
  EXPECT_EQ(keys_of(data), (std::set<std::string>{"guid", "dispatchId", "stops", "totalDistance",
                                                  "estimatedDuration", "unlocated", "startUnlocated"}));
  EXPECT_EQ(text_at(data, "dispatchId"), guid);
  EXPECT_NE(text_at(data, "guid"), guid);
  EXPECT_EQ(keys_of(at(data, "stops.0")), (std::set<std::string>{"sequence", "shipmentId", "address",
                                                                 "estimatedArrival", "status", "unlocated"}));
  auto cities = addresses(guid);
  if (cities.front() != "Rua 1, Santarém, Portugal")
    std::ranges::reverse(cities);  // equally short in reverse
  const auto braga = std::ranges::find(cities, "Rua 1, Braga, Portugal") - cities.begin();
  EXPECT_GE(braga, 2) << "the route turns in the far north";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(at(data, "stops." + std::to_string(i) + ".sequence"), i + 1);
  EXPECT_EQ(text_at(data, "stops.0.status"), "pending");
  // The best of all 24 orders.
  EXPECT_NEAR(at(data, "totalDistance").to_number<double>(), 846, 2);
  // At 40 km/h and with five minutes for each of four stops.
  const double hours = at(data, "totalDistance").to_number<double>() / 40 + 4 * 5.0 / 60;
  const auto minutes = static_cast<int>(hours * 60);
  EXPECT_EQ(text_at(data, "estimatedDuration"),
            std::to_string(minutes / 60) + "h " + std::to_string(minutes % 60) + "m");

  const auto whole = http.get("/api/dispatch/" + guid).data();
  EXPECT_EQ(texts_of(at(whole, "shipments"), "guid"), texts_of(at(data, "stops"), "shipmentId"));
  EXPECT_EQ(texts_of(at(whole, "shipments"), "estimatedArrival"),
            texts_of(at(data, "stops"), "estimatedArrival"));
}

TEST_F(RoutesTest, BothPathsTakeTheGuidOfDispatchAndRoute) {
  set_business_address(tenant, "Lisbon");
  const auto guid = plan(tenant, insert_shipments(tenant, {"Porto"}));
  const auto data = route(guid);
  const auto route_guid = text_at(data, "guid");
  EXPECT_EQ(route(route_guid), data);
  EXPECT_EQ(timeline(route_guid), timeline(guid));
  EXPECT_EQ(http.post("/api/route/" + route_guid + "/optimize").data(), data);
  for (const auto& missing :
       {std::string(unknown_guid),
        text_at(other_business().http.get("/api/route/" + make_dispatch(other_business().http)).data(),
                "guid")}) {
    expect_refused(http.get("/api/route/" + missing), 404, "NOT_FOUND");
    expect_refused(http.get("/api/route/timeline/" + missing), 404, "NOT_FOUND");
    expect_refused(http.post("/api/route/" + missing + "/optimize"), 404, "NOT_FOUND");
  }
  expect_invalid(http.get("/api/route/x"), {"id"});
}

TEST_F(RoutesTest, ArrivalsArePlannedDatePlusDrivingTimeAndFiveMinutesAStop) {
  set_business_address(tenant, "Lisbon");
  const auto guid =
      plan(tenant, insert_shipments(tenant, {"Lisboa", "LISBON"}, {{"recipient_country", "'PT'"}}));
  const auto data = route(guid);
  EXPECT_EQ(texts_of(at(data, "stops"), "estimatedArrival"),
            (Texts{"2026-07-01T08:00:00.000Z", "2026-07-01T08:05:00.000Z"}));
  EXPECT_EQ(at(data, "totalDistance"), 0);
  EXPECT_EQ(text_at(data, "estimatedDuration"), "0h 10m");
}

TEST_F(RoutesTest, FollowsAddedAndRemovedShipments) {
  set_business_address(tenant, "Lisbon");
  const auto shipments =
      insert_shipments(tenant, {"Porto", "Faro", "Coimbra"}, {{"recipient_country", "'PT'"}});
  const auto guid = plan(tenant, {shipments[0]});
  const auto alone = at(route(guid), "totalDistance").to_number<double>();
  for (const auto i : {1, 2}) {
    EXPECT_EQ(http.post("/api/dispatch/add-shipment",
                        {{"dispatchId", guid}, {"shipmentId", shipments[static_cast<std::size_t>(i)]}})
                  .status,
              200);
  }
  auto order = texts_of(at(route(guid), "stops"), "shipmentId");
  ASSERT_EQ(order.size(), 3U);
  EXPECT_TRUE(order.front() == shipments[1] || order.back() == shipments[1])
      << "Faro lies on the other side of Lisbon";
  EXPECT_GT(at(route(guid), "totalDistance").to_number<double>(), alone + 300);
  EXPECT_EQ(
      http.post("/api/dispatch/remove-shipment", {{"dispatchId", guid}, {"shipmentId", shipments[1]}}).status,
      200);
  EXPECT_EQ(
      http.post("/api/dispatch/remove-shipment", {{"dispatchId", guid}, {"shipmentId", shipments[2]}}).status,
      200);
  EXPECT_EQ(at(route(guid), "totalDistance").to_number<double>(), alone);
  EXPECT_EQ(at(route(guid), "stops.0.sequence"), 1);
  EXPECT_EQ(
      http.post("/api/dispatch/remove-shipment", {{"dispatchId", guid}, {"shipmentId", shipments[0]}}).status,
      200);
  EXPECT_EQ(at(route(guid), "totalDistance"), 0);
  EXPECT_EQ(text_at(route(guid), "estimatedDuration"), "0h 0m");
}

TEST_F(RoutesTest, OptimizingKeepsCompletedStopsAndLocatesTheOthersAgain) {
  set_business_address(tenant, "Lisbon");
  const auto shipments =
      insert_shipments(tenant, {"Porto", "Faro", "Coimbra"}, {{"recipient_country", "'PT'"}});
  const auto guid = plan(tenant, shipments);
  EXPECT_EQ(http.patch("/api/dispatch/" + guid + "/status", {{"status", "ready"}}).status, 200);
  EXPECT_EQ(http.patch("/api/dispatch/" + guid + "/status", {{"status", "in_progress"}}).status, 200);
  tenant.sql.rows("update shipments set status = 'delivered', delivered_at = now() where guid = $1",
                  {shipments[0]});
  tenant.sql.rows("update shipments set recipient_city = 'Braga' where guid = $1", {shipments[1]});
  // The completed stop was last before: it is now first, and the route continues from there.
  const auto response = http.post("/api/route/" + guid + "/optimize");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(texts_of(at(response.data(), "stops"), "shipmentId"),
            (Texts{shipments[0], shipments[1], shipments[2]}));
  EXPECT_EQ(texts_of(at(response.data(), "stops"), "status"), (Texts{"completed", "pending", "pending"}));
  EXPECT_EQ(http.patch("/api/dispatch/" + guid + "/status", {{"status", "completed"}}).status, 200);
  expect_refused(http.post("/api/route/" + guid + "/optimize"), 409, "CONFLICT");
}

TEST_F(RoutesTest, AnUnknownPlaceIsSaidInsteadOfPlanned) {
  set_business_address(tenant, "Lisbon");
  const auto porto = insert_shipments(tenant, {"Porto"}, {{"recipient_country", "'PT'"}});
  const auto known = route(plan(tenant, porto));
  EXPECT_EQ(at(known, "stops.0.unlocated"), false);
  EXPECT_EQ(at(known, "unlocated"), 0);
  EXPECT_EQ(at(known, "startUnlocated"), false);
  const auto porto_again = insert_shipments(tenant, {"Porto"}, {{"recipient_country", "'PT'"}});
  const auto lost = insert_shipments(tenant, {"Xqzzyvilleburgh"}, {{"recipient_country", "'PT'"}});
  const auto guid = plan(tenant, {lost[0], porto_again[0]});
  for (const auto& data : {route(guid), http.post("/api/route/" + guid + "/optimize").data()}) {
    EXPECT_EQ(texts_of(at(data, "stops"), "shipmentId"), (Texts{porto_again[0], lost[0]})) << "it comes last";
    EXPECT_EQ(at(data, "stops.1.unlocated"), true);
    EXPECT_EQ(at(data, "stops.1.estimatedArrival"), nullptr);
    EXPECT_EQ(at(data, "stops.0.unlocated"), false);
    EXPECT_EQ(at(data, "unlocated"), 1);
    EXPECT_EQ(at(data, "stops.0.estimatedArrival"), at(known, "stops.0.estimatedArrival"));
    EXPECT_EQ(at(data, "totalDistance"), at(known, "totalDistance")) << "of the known places alone";
    EXPECT_EQ(at(data, "estimatedDuration"), at(known, "estimatedDuration"));
  }
  const auto events = at(timeline(guid), "events");
  ASSERT_EQ(events.as_array().size(), 4U) << "the driver still delivers to it";
  EXPECT_EQ(at(events, "2.time"), nullptr);
  EXPECT_EQ(text_at(events, "2.type"), "delivery");
  const auto whole = http.get("/api/dispatch/" + guid).data();
  EXPECT_EQ(at(whole, "shipments.1.estimatedArrival"), nullptr);
}

TEST_F(RoutesTest, ARouteOfUnknownPlacesAloneHasNoTimes) {
  set_business_address(tenant, "Lisbon");
  const auto lost = insert_shipments(tenant, {"Xqzzyvilleburgh", "Yqzzyvilleburgh"});
  const auto data = route(plan(tenant, lost));
  EXPECT_EQ(at(data, "unlocated"), 2);
  EXPECT_EQ(at(data, "totalDistance"), 0);
  EXPECT_EQ(text_at(data, "estimatedDuration"), "0h 0m");
  EXPECT_EQ(at(data, "stops.0.estimatedArrival"), nullptr);
  EXPECT_EQ(at(data, "stops.1.estimatedArrival"), nullptr);
}

TEST_F(RoutesTest, AnUnknownStartIsSaid) {
  set_business_address(tenant, "Xqzzyvilleburgh");
  const auto shipments = insert_shipments(tenant, {"Porto", "Lisbon"}, {{"recipient_country", "'PT'"}});
  const auto guid = plan(tenant, shipments);
  EXPECT_EQ(at(route(guid), "startUnlocated"), true);
  set_business_address(tenant, "Lisbon");
  const auto data = http.post("/api/route/" + guid + "/optimize").data();
  EXPECT_EQ(at(data, "startUnlocated"), false);
}

TEST_F(RoutesTest, AStopThatAnEarlierVersionPlannedWithoutAPlaceHasNoArrival) {
  set_business_address(tenant, "Lisbon");
  const auto guid = plan(tenant, insert_shipments(tenant, {"Porto"}, {{"recipient_country", "'PT'"}}));
  tenant.sql.rows("update dispatch_stops set latitude = null, longitude = null where dispatch_id = $1",
                  {guid});
  EXPECT_EQ(at(route(guid), "stops.0.unlocated"), true);
  EXPECT_EQ(at(route(guid), "stops.0.estimatedArrival"), nullptr);
  EXPECT_EQ(at(timeline(guid), "events.1.time"), nullptr);
  EXPECT_EQ(at(http.get("/api/dispatch/" + guid).data(), "shipments.0.estimatedArrival"), nullptr);
}

TEST_F(RoutesTest, GoesToTheCityOfThePostalCode) {
  set_business_address(tenant, "Berlin", "DE");
  const auto distance_to = [&](const std::string& city, const std::string& postal_code) {
    const auto shipments = insert_shipments(
        tenant, {city}, {{"recipient_postal_code", "'" + postal_code + "'"}, {"recipient_country", "'DE'"}});
    const auto data = route(plan(tenant, shipments));
    EXPECT_EQ(at(data, "unlocated"), 0) << city;
    return at(data, "totalDistance").to_number<double>();
  };
  EXPECT_LT(distance_to("Frankfurt", "15230"), 300);
  EXPECT_GT(distance_to("Frankfurt", "60311"), 800);
  EXPECT_LT(distance_to("Frankfurt-Booßen", "15234"), 300);
  EXPECT_GT(distance_to("Köln-Ehrenfeld", ""), 800);
}

TEST_F(RoutesTest, TheNamesOfACityGiveTheSameRoute) {
  set_business_address(tenant, "Kansas City", "US");
  tenant.sql.rows("update businesses set state = 'MO' where guid = $1", {tenant.id});
  const auto distance_to = [&](const std::string& city, const std::string& state,
                               const std::string& country) {
    const auto shipments = insert_shipments(
        tenant, {city}, {{"recipient_state", "'" + state + "'"}, {"recipient_country", "'" + country + "'"}});
    const auto data = route(plan(tenant, shipments));
    EXPECT_EQ(at(data, "unlocated"), 0) << city;
    return at(data, "totalDistance").to_number<double>();
  };
  EXPECT_NEAR(distance_to("St. Louis", "MO", "US"), 995, 5);
  EXPECT_NEAR(distance_to("Saint Charles", "MO", "US"), 926, 5);
  const std::array<std::string, 4> pairs[] = {
      {"St. Louis", "Saint Louis", "MO", "US"},
      {"Saint Charles", "St. Charles", "Missouri", "US"},
      {"Saint Paul", "St. Paul", "MN", "US"},
      {"Fort Worth", "Ft. Worth", "TX", "US"},
      {"Frankfurt am Main", "Frankfurt", "", "DE"},
      {"Sankt Gallen", "St. Gallen", "", "CH"},
      {"Kyiv", "Kiev", "", "UA"},
      {"Moscow", "Москва", "", "RU"},
      {"Tokyo", "東京", "", "JP"},
      {"Cairo", "القاهرة", "", "EG"},
  };
  for (const auto& [one, other, state, country] : pairs)
    EXPECT_EQ(distance_to(other, state, country), distance_to(one, state, country)) << other;
}

TEST_F(RoutesTest, ABusinessWithoutAnAddressHasRoutes) {
  const auto shipments =
      insert_shipments(tenant, {"Porto", "Faro", "Coimbra"}, {{"recipient_country", "'PT'"}});
  const auto guid = plan(tenant, shipments);
  const auto order = texts_of(at(route(guid), "stops"), "shipmentId");
  EXPECT_EQ(order[1], shipments[2]) << "Coimbra lies between";
  EXPECT_EQ(text_at(timeline(guid), "events.0.location"), tenant.name);
}

TEST_F(RoutesTest, TheTimelineShowsTheDayInTheTimeZoneOfTheBusiness) {
  set_business_address(tenant, "Lisbon");
  const auto shipments = insert_shipments(tenant, {"Lisbon", "Lisbon"});
  const auto guid = plan(tenant, shipments);
  auto data = timeline(guid);
  EXPECT_EQ(keys_of(data), (std::set<std::string>{"routeId", "events"}));
  EXPECT_EQ(text_at(data, "routeId"), text_at(route(guid), "guid"));
  EXPECT_EQ(keys_of(at(data, "events.0")), (std::set<std::string>{"time", "type", "location", "status"}));
  EXPECT_EQ(texts_of(at(data, "events"), "type"), (Texts{"departure", "delivery", "delivery", "return"}));
  EXPECT_EQ(texts_of(at(data, "events"), "time"), (Texts{"09:00", "09:00", "09:05", "09:10"}))
      << "summer time";
  EXPECT_EQ(texts_of(at(data, "events"), "status"), Texts(4, "pending"));
  EXPECT_EQ(text_at(data, "events.0.location"), "Depot 1, Lisbon, PT");
  EXPECT_EQ(text_at(data, "events.1.location"), "Rua 1, Lisbon");

  const auto move = [&](std::string_view status) {
    return http.patch("/api/dispatch/" + guid + "/status", {{"status", status}}).status;
  };
  EXPECT_EQ(move("ready"), 200);
  EXPECT_EQ(move("in_progress"), 200);
  tenant.sql.rows("update dispatches set started_at = '2026-07-01 08:30Z' where guid = $1", {guid});
  data = timeline(guid);
  EXPECT_EQ(texts_of(at(data, "events"), "status"),
            (Texts{"completed", "in_progress", "pending", "pending"}));
  EXPECT_EQ(text_at(data, "events.0.time"), "09:30") << "unchanged";
  const auto first = text_at(route(guid), "stops.0.shipmentId");
  tenant.sql.rows(
      "update shipments set status = 'delivered', delivered_at = '2026-07-01 09:17Z' where guid = $1",
      {first});
  data = timeline(guid);
  EXPECT_EQ(texts_of(at(data, "events"), "status"),
            (Texts{"completed", "completed", "in_progress", "pending"}));
  EXPECT_EQ(text_at(data, "events.1.time"), "10:17");
  tenant.sql.rows("update shipments set status = 'returned' where business_id = $1 and guid <> $2",
                  {tenant.id, first});
  EXPECT_EQ(texts_of(at(timeline(guid), "events"), "status"), Texts(4, "completed"));
}

TEST_F(RoutesTest, AThousandStopsArePlanned) {
  set_business_address(tenant, "Lisbon");
  const auto rows = tenant.sql.column(
      "insert into shipments (business_id, tracking_number, recipient_city, recipient_country) select $1, "
      "'K' || n, "
      "(array['Lisbon', 'Porto', 'Braga', 'Faro', 'Coimbra', 'Évora', 'Setúbal', 'Aveiro'])[1 + n % 8], 'PT' "
      "from generate_series(1, 1000) n returning guid",
      {tenant.id});
  http.set_deadline(std::chrono::seconds(60));
  EXPECT_EQ(at(route(plan(tenant, rows)), "stops").as_array().size(), 1000U);
}

/// The distances and times of a route.
json::value figures_of(const json::value& route) {
  json::array arrivals;
  for (const auto& stop : at(route, "stops").as_array()) arrivals.push_back(at(stop, "estimatedArrival"));
  return {at(route, "totalDistance"), at(route, "estimatedDuration"), at(route, "startUnlocated"), arrivals};
}

class OutdatedRoutesTest : public RoutesTest {
 protected:
  OutdatedRoutesTest() { set_business_address(tenant, "Lisbon"); }

  std::vector<std::string> shipments_to(const std::vector<std::string>& cities) {
    return insert_shipments(tenant, cities, {{"recipient_country", "'PT'"}});
  }

  /// The figures of a route that is planned now.
  json::value planned_now(const std::vector<std::string>& cities) {
    return figures_of(route(plan(tenant, shipments_to(cities))));
  }

  void move(const std::string& dispatch, std::string_view status) {
    const auto response = http.patch("/api/dispatch/" + dispatch + "/status", {{"status", status}});
    EXPECT_EQ(response.status, 200) << response.text;
  }
};

TEST_F(OutdatedRoutesTest, ADeletedShipmentPlansTheRouteAgain) {
  const auto expected = planned_now({"Porto"});
  const std::function<void(const std::string&)> deletions[] = {
      [&](const std::string& guid) { EXPECT_EQ(http.del("/api/v1/shipments/" + guid).status, 200); },
      [&](const std::string& guid) {
        EXPECT_EQ(http.post("/api/v1/shipments/delete", json::array{json::object{{"guid", guid}}}).status,
                  200);
      },
      [&](const std::string& guid) {
        tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {guid});
      },
      [&](const std::string& guid) { tenant.sql.rows("delete from shipments where guid = $1", {guid}); },
  };
  for (const auto& remove : deletions) {
    const auto shipments = shipments_to({"Porto", "Faro"});
    const auto guid = plan(tenant, shipments);
    EXPECT_NE(figures_of(route(guid)), expected);
    remove(shipments[1]);
    EXPECT_EQ(figures_of(route(guid)), expected);
    move(guid, "ready");
    EXPECT_EQ(figures_of(route(guid)), expected);
  }
}

TEST_F(OutdatedRoutesTest, TheLastShipmentOfAPlanLeavesAnEmptyRoute) {
  const auto shipments = shipments_to({"Porto"});
  const auto guid = plan(tenant, shipments);
  EXPECT_EQ(http.del("/api/v1/shipments/" + shipments[0]).status, 200);
  const auto data = route(guid);
  EXPECT_EQ(at(data, "totalDistance"), 0);
  EXPECT_EQ(text_at(data, "estimatedDuration"), "0h 0m");
}

TEST_F(OutdatedRoutesTest, AShipmentThatIsDeletedOnTheWayLeavesTheRoute) {
  const auto shipments = shipments_to({"Porto", "Faro"});
  const auto guid = plan(tenant, shipments);
  move(guid, "ready");
  move(guid, "in_progress");
  tenant.sql.rows("update shipments set deleted_at = now() where guid = $1", {shipments[1]});
  EXPECT_EQ(figures_of(route(guid)), planned_now({"Porto"}));
}

TEST_F(OutdatedRoutesTest, AChangedAddressOfAShipmentPlansTheRouteAgain) {
  const auto expected = planned_now({"Porto"});
  const std::function<void(const std::string&)> changes[] = {
      [&](const std::string& guid) {
        EXPECT_EQ(http.put("/api/v1/shipments/" + guid, {{"recipient", {{"city", "Porto"}}}}).status, 200);
      },
      [&](const std::string& guid) {
        tenant.sql.rows("update shipments set recipient_city = 'Porto' where guid = $1", {guid});
      },
  };
  for (const auto& change : changes) {
    for (const bool is_ready : {false, true}) {
      const auto shipments = shipments_to({"Lisbon"});
      const auto guid = plan(tenant, shipments);
      if (is_ready) move(guid, "ready");
      change(shipments[0]);
      EXPECT_EQ(text_at(http.get("/api/dispatch/" + guid).data(), "shipments.0.estimatedArrival"),
                text_at(expected, "3.0"))
          << "the dispatch is read first";
      EXPECT_EQ(figures_of(route(guid)), expected);
    }
  }
}

TEST_F(OutdatedRoutesTest, TheTimelineFollowsAChangedAddress) {
  const auto shipments = shipments_to({"Lisbon"});
  const auto guid = plan(tenant, shipments);
  tenant.sql.rows("update shipments set recipient_city = 'Porto' where guid = $1", {shipments[0]});
  EXPECT_EQ(at(timeline(guid), "events.1.time"),
            at(timeline(plan(tenant, shipments_to({"Porto"}))), "events.1.time"));
}

TEST_F(OutdatedRoutesTest, AnAddedShipmentOfSqlIsPlannedWhenTheRouteIsRead) {
  const auto shipments = shipments_to({"Porto", "Faro"});
  const auto guid = plan(tenant, {shipments[0]});
  tenant.sql.rows("update shipments set dispatch_id = $1 where guid = $2", {guid, shipments[1]});
  EXPECT_EQ(at(route(guid), "totalDistance"), at(planned_now({"Porto", "Faro"}), "0"));
}

TEST_F(OutdatedRoutesTest, AChangedAddressOfTheBusinessPlansEachOpenRouteAgain) {
  const auto first = plan(tenant, shipments_to({"Porto"}));
  const auto second = plan(tenant, insert_shipments(tenant, {"Porto"}));
  const auto ended = plan(tenant, shipments_to({"Porto"}));
  const auto before = figures_of(route(ended));
  move(second, "ready");
  move(ended, "cancelled");
  const auto times = tenant.sql.value(
      "select string_agg(updated_at::text, ',' order by guid) from dispatches where business_id = $1",
      {tenant.id});
  EXPECT_EQ(http.put("/api/business", {{"address", {{"city", "Faro"}}}}).status, 200);
  EXPECT_EQ(
      tenant.sql.value(
          "select string_agg(updated_at::text, ',' order by guid) from dispatches where business_id = $1",
          {tenant.id}),
      times)
      << "the change itself writes to no dispatch";
  const auto expected = planned_now({"Porto"});
  EXPECT_NE(expected, before);
  EXPECT_EQ(figures_of(route(first)), expected);
  EXPECT_EQ(figures_of(route(second)), expected);
  EXPECT_EQ(figures_of(route(ended)), before) << "a dispatch that has ended keeps its route";
  EXPECT_EQ(http.put("/api/business", {{"address", {{"city", "Madrid"}, {"country", "ES"}}}}).status, 200);
  EXPECT_EQ(figures_of(route(second)), figures_of(route(plan(tenant, insert_shipments(tenant, {"Porto"})))))
      << "a shipment without a country is in that of the business";
}

TEST_F(OutdatedRoutesTest, StopsThatAreDoneStay) {
  const auto shipments = shipments_to({"Porto", "Lisbon"});
  const auto guid = plan(tenant, shipments);
  move(guid, "ready");
  move(guid, "in_progress");
  tenant.sql.rows("update shipments set status = 'delivered', delivered_at = now() where guid = $1",
                  {shipments[0]});
  const auto before = route(guid);
  tenant.sql.rows("update shipments set recipient_city = 'Faro' where guid = $1", {shipments[0]});
  EXPECT_EQ(figures_of(route(guid)), figures_of(before)) << "the place of a stop that is done";
  tenant.sql.rows("update shipments set recipient_city = 'Porto' where guid = $1", {shipments[1]});
  const auto data = route(guid);
  EXPECT_EQ(texts_of(at(data, "stops"), "shipmentId"), (Texts{shipments[0], shipments[1]}));
  EXPECT_EQ(at(data, "totalDistance"), at(planned_now({"Porto"}), "0")) << "Porto twice";
}

TEST_F(OutdatedRoutesTest, AnErasureLeavesNoMarkOfTheAddress) {
  const auto customer =
      text_at(http.post("/api/v1/Customers", {{"name", "Ada"}, {"email", "ada@example.com"}}).data(), "guid");
  const auto shipments = insert_shipments(tenant, {"Porto"}, {{"customer_id", "'" + customer + "'"}});
  const auto guid = plan(tenant, shipments);
  const std::string marks = "select count(planned_for) from dispatch_stops where dispatch_id = $1";
  EXPECT_EQ(tenant.sql.number(marks, {guid}), 1);
  ASSERT_EQ(http.post("/api/v1/Customers/" + customer + "/erase").status, 200);
  EXPECT_EQ(tenant.sql.number(marks, {guid}), 0);
}

/// A waybill that uses a geocoder and an OSRM server, both simulated by the receiver.
struct MappedWorld : World {
  MappedWorld()
      : World({.arguments = {"--geocoder-url", receiver().url("/geocoder"), "--osrm-url",
                             receiver().url("/osrm")}}) {}
  static Receiver& receiver() { return shared<Receiver>(); }
};

class MappedRoutesTest : public testing::Test {
 protected:
  using Decide = std::function<Reply(const Received&)>;

  MappedRoutesTest() : world(shared<MappedWorld>()) { set_business_address(tenant, "Lisbon"); }
  ~MappedRoutesTest() override {
    receiver.on_request([](const Received&) { return Reply::with_status(404); });
  }

  /// Every address is at 10 N; its longitude is the length of its street's name.
  static Reply place(const Received& request) {
    const auto begin = request.target.find("street=") + 7;
    const auto length = request.target.find('&', begin) - begin;
    return Reply::with_status(200, {}, R"([{"lat":"10","lon":")" + std::to_string(length) + R"("}])");
  }

  static Reply table_of(const Received& request, int metres) {
    const auto count = static_cast<std::size_t>(std::ranges::count(request.target, ';')) + 1;
    json::array rows;
    for (std::size_t i = 0; i < count; ++i) {
      json::array row(count, metres);
      row[i] = 0;
      rows.push_back(std::move(row));
    }
    return Reply::with_status(200, {}, json::serialize(json::object{{"code", "Ok"}, {"distances", rows}}));
  }

  void answer(const Decide& geocoder, const Decide& osrm) {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the receiver owns the copies
    receiver.on_request([=](const Received& request) {
      return request.target.starts_with("/geocoder/") ? geocoder(request) : osrm(request);
    });
  }

  double distance_of(const std::vector<std::string>& shipments) {
    return at(tenant.http.get("/api/route/" + plan(tenant, shipments)).data(), "totalDistance")
        .to_number<double>();
  }

  Receiver& receiver = MappedWorld::receiver();
  MappedWorld& world;
  Tenant tenant{world.waybill, testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(MappedRoutesTest, DistancesComeFromTheOsrmServer) {
  answer(place, [](const Received& request) { return table_of(request, 7'500); });
  EXPECT_EQ(distance_of(insert_shipments(tenant, {"A", "B", "C"})), 4 * 7.5);
}

TEST_F(MappedRoutesTest, NoTransactionIsOpenDuringAnOsrmRequest) {
  std::atomic<int> request_count = 0;
  std::atomic<std::int64_t> open = 0;
  Session sql = world.database.connect();
  answer(place, [&](const Received& request) {
    ++request_count;
    open += sql.number(
        "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%' "
        "and application_name = 'waybill api'");
    return table_of(request, 1'000);
  });
  const auto shipments = insert_shipments(tenant, {"A", "B", "C"});
  const auto dispatch = plan(tenant, {shipments[0], shipments[1]});
  const auto change = [&](std::string_view action, const Headers& headers) {
    const auto response = tenant.http.post("/api/dispatch/" + std::string(action),
                                           {{"dispatchId", dispatch}, {"shipmentId", shipments[2]}}, headers);
    EXPECT_EQ(response.status, 200) << response.text;
  };
  change("add-shipment", {});
  change("remove-shipment", {{"Idempotency-Key", "k"}});
  EXPECT_EQ(tenant.http.post("/api/route/" + dispatch + "/optimize").status, 200);
  EXPECT_EQ(request_count, 4);
  EXPECT_EQ(open, 0);
}

TEST_F(MappedRoutesTest, ARouteIsPlannedAgainWhenItsStopsChangeDuringPlanning) {
  const auto shipments = insert_shipments(tenant, {"A", "B", "C"});
  answer(place, [](const Received& request) { return table_of(request, 1'000); });
  const auto dispatch = plan(tenant, {shipments[0]});
  Session sql = world.database.connect();
  std::atomic<int> request_count = 0;
  answer(place, [&](const Received& request) {
    if (++request_count == 1)
      sql.rows("update shipments set dispatch_id = $1 where guid = $2", {dispatch, shipments[2]});
    return table_of(request, 1'000);
  });
  const auto response = tenant.http.post("/api/dispatch/add-shipment",
                                         {{"dispatchId", dispatch}, {"shipmentId", shipments[1]}});
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(request_count, 2);
  const auto route = tenant.http.get("/api/route/" + dispatch).data();
  EXPECT_EQ(at(route, "stops").as_array().size(), 3U);
  EXPECT_EQ(at(route, "totalDistance"), 4) << "the stop added by SQL is located too";
  EXPECT_EQ(at(route, "unlocated"), 0);
}

TEST_F(MappedRoutesTest, ARouteIsPlannedByAReadOnlyAfterAChangeAndOnce) {
  const auto shipments = insert_shipments(tenant, {"A", "B"});
  std::atomic<int> request_count = 0;
  answer(place, [&](const Received& request) {
    ++request_count;
    return table_of(request, 1'000);
  });
  const auto dispatch = plan(tenant, shipments);
  const auto read = [&] {
    for (const auto* const path : {"/api/route/", "/api/route/timeline/", "/api/dispatch/"})
      EXPECT_EQ(tenant.http.get(path + dispatch).status, 200);
  };
  read();
  EXPECT_EQ(request_count, 1) << "it was planned with the dispatch";
  const auto guid = shipments[0];
  EXPECT_EQ(tenant.http.put("/api/v1/shipments/" + guid, {{"recipient", {{"phone", "1"}}}}).status, 200);
  read();
  EXPECT_EQ(request_count, 1) << "a phone number is not part of the address";
  EXPECT_EQ(tenant.http.put("/api/v1/shipments/" + guid, {{"recipient", {{"street", "Rua 123"}}}}).status,
            200);
  EXPECT_EQ(request_count, 1) << "the change plans nothing";
  read();
  EXPECT_EQ(request_count, 2);
}

TEST_F(MappedRoutesTest, AnAddressThatChangesDuringPlanningIsPlannedByTheNextRead) {
  const auto shipments = insert_shipments(tenant, {"A"});
  Session sql = world.database.connect();
  std::atomic<int> request_count = 0;
  answer(place, [&](const Received& request) {
    if (++request_count == 1)
      sql.rows("update shipments set recipient_street = 'Rua 12345' where guid = $1", {shipments[0]});
    return table_of(request, 1'000);
  });
  const auto dispatch = plan(tenant, shipments);
  tenant.http.get("/api/route/" + dispatch);
  EXPECT_EQ(request_count, 2);
  EXPECT_EQ(sql.number("select longitude from dispatch_stops where dispatch_id = $1", {dispatch}), 11)
      << "of the new address";
}

TEST_F(MappedRoutesTest, PositionsComeFromTheGeocoder) {
  answer(place, [](const Received&) { return Reply::with_status(500); });
  const auto shipments = insert_shipments(tenant, {"No such city"});
  // Encoded in a query, "Depot 1" has 9 characters and "Rua 1" 7: two degrees of longitude at 10 N.
  EXPECT_NEAR(distance_of(shipments), 2 * 1.3 * 219.0, 1) << "without OSRM, distances are straight lines";
}

TEST_F(MappedRoutesTest, AnAddressUnknownToTheGeocoderIsTakenFromTheGazetteer) {
  // An address that no other test uses, because results are cached.
  tenant.sql.rows("update businesses set street = 'Unasked 1' where guid = $1", {tenant.id});
  for (const auto& reply :
       {Reply::with_status(500), Reply::with_status(200, {}, "[]"), Reply::with_status(200, {}, "nonsense"),
        Reply::of_kind(Reply::Kind::reset), Reply::of_kind(Reply::Kind::close)}) {
    answer([=](const Received&) { return reply; }, [=](const Received&) { return reply; });
    EXPECT_NEAR(distance_of(insert_shipments(tenant, {"Porto"}, {{"recipient_country", "'PT'"}})),
                2 * 1.3 * 274, 5);
  }
}

TEST_F(MappedRoutesTest, AStopThatAFailedGeocoderLeftUnlocatedIsAskedForAgain) {
  tenant.sql.rows("update businesses set street = 'Unasked 2' where guid = $1", {tenant.id});
  const auto osrm = [](const Received& request) { return table_of(request, 1'000); };
  answer([](const Received&) { return Reply::with_status(503); }, osrm);
  const auto shipments = insert_shipments(tenant, {"No such town", "No such town"});
  const auto guid = plan(tenant, {shipments[0]});
  const auto failed = tenant.http.get("/api/route/" + guid).data();
  EXPECT_EQ(at(failed, "stops.0.unlocated"), true);
  EXPECT_EQ(at(failed, "stops.0.estimatedArrival"), nullptr);
  EXPECT_EQ(at(failed, "startUnlocated"), false) << "the gazetteer knows Lisbon";
  answer(place, osrm);
  EXPECT_EQ(
      tenant.http.post("/api/dispatch/add-shipment", {{"dispatchId", guid}, {"shipmentId", shipments[1]}})
          .status,
      200);
  const auto data = tenant.http.get("/api/route/" + guid).data();
  EXPECT_EQ(at(data, "unlocated"), 0);
  EXPECT_EQ(at(data, "totalDistance"), 3);
}

TEST_F(MappedRoutesTest, AnAddressWithoutACountryIsAskedForAtHome) {
  std::atomic<int> at_home = 0;
  answer(
      [&](const Received& request) {
        if (request.target.find("Rua%20Home") != std::string::npos && request.target.ends_with("country=PT"))
          ++at_home;
        return place(request);
      },
      [](const Received& request) { return table_of(request, 1'000); });
  distance_of(insert_shipments(tenant, {"Porto"}, {{"recipient_street", "'Rua Home'"}}));
  EXPECT_EQ(at_home, 1);
}

TEST_F(MappedRoutesTest, AHangingGeocoderDelaysItsRequestForSecondsAndNoOther) {
  answer([](const Received&) { return Reply::of_kind(Reply::Kind::hang); },
         [](const Received& request) { return table_of(request, 1'000); });
  std::thread slow([&] { distance_of(insert_shipments(tenant, {"Porto"})); });
  Http other = tenant.http.with_token(tenant.http.token());
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(other.get("/api/drivers").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  }
  slow.join();
}

TEST_F(MappedRoutesTest, ABusinessWithHundredsOfAddressesLeavesTheGeocoderToOthers) {
  const auto gate = std::make_shared<Gate>();
  std::atomic<int> held = 0;
  answer(
      [&, gate](const Received& request) {
        Reply reply = place(request);
        if (request.target.find("street=Loud") == std::string::npos) return reply;
        ++held;
        reply.gate = gate;
        return reply;
      },
      [](const Received& request) { return table_of(request, 1'000); });
  tenant.sql.rows("update businesses set street = 'Rua 7' where guid = $1", {tenant.id});
  Tenant loud(world.waybill, tenant.name + ", loud");
  const auto many = insert_shipments(loud, std::vector<std::string>(200, "Porto"),
                                     {{"recipient_street", "'Loud ' || gen_random_uuid()"}});
  const auto one = insert_shipments(tenant, {"No such city"}, {{"recipient_street", "'Rua Quiet'"}});
  std::thread planning([&] { plan(loud, many); });
  EXPECT_TRUE(eventually([&] { return held >= 7; })) << "calls of one business at a time";
  // A call that gets no turn within its time leaves the address to the gazetteer, which lacks this city.
  EXPECT_EQ(at(tenant.http.get("/api/route/" + plan(tenant, one)).data(), "unlocated"), 0);
  gate->open();
  planning.join();
}

TEST_F(MappedRoutesTest, AnAddressIsLookedUpOnce) {
  std::atomic<int> request_count = 0;
  answer(
      [&](const Received& request) {
        if (request.target.find("street=Rua%20Once") != std::string::npos) ++request_count;
        return place(request);
      },
      [](const Received& request) { return table_of(request, 1'000); });
  for (int i = 0; i < 3; ++i) {
    distance_of(insert_shipments(tenant, {"Porto"}, {{"recipient_street", "'Rua Once'"}}));
  }
  EXPECT_EQ(request_count, 1);
}

}  // namespace
}  // namespace waybill::tests
