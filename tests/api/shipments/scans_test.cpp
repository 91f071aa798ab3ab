// POST /api/v1/traces: scans of many shipments in one call.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <latch>
#include <thread>

#include "base/clock.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ScansTest : public ShipmentsFixture {
 protected:
  static constexpr std::string_view path = "/api/v1/traces";

  static std::string from_now(std::chrono::seconds offset) {
    return format_timestamp(system_clock().now() + offset);
  }
  static json::object scan(std::string_view shipment, std::string_view status,
                           const json::object& fields = {}) {
    json::object body{{"shipmentId", shipment}, {"status", status}, {"description", "seen"}};
    for (const auto& [key, value] : fields) body[key] = value;
    return body;
  }
  static json::object numbered(std::string_view number, std::string_view status) {
    return {{"trackingNumber", number}, {"status", status}, {"description", "seen"}};
  }
  static json::value moved(int index, bool value) { return {{"index", index}, {"moved", value}}; }

  json::value results(const json::array& scans) {
    const auto response = http.post(path, scans);
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  std::vector<std::string> statuses(std::string_view guid) {
    return texts(http.get(path_of(guid, "/traces")), "status");
  }
  std::string number_of(std::string_view guid) { return text_at(get(guid), "trackingNumber"); }
  /// Shipments that plain SQL adds, in order of their numbers.
  std::vector<std::string> add_many(int count) {
    return tenant.sql.column(
        "with made as (insert into shipments (business_id, tracking_number, recipient_name, recipient_city) "
        "select $1, 'MANY-' || lpad(i::text, 6, '0'), 'Ada', 'Porto' from generate_series(1, $2::int) i "
        "returning guid, tracking_number) select guid from made order by tracking_number",
        {tenant.id, std::to_string(count)});
  }
};

using Statuses = std::vector<std::string>;

TEST_F(ScansTest, EachScanHasItsResult) {
  const auto first = create();
  const auto second = create();
  EXPECT_EQ(results({scan(first, "collected"), scan(second, "created"), scan(second, "in_transit")}),
            json::value(json::array{moved(0, true), moved(1, false), moved(2, true)}));
  EXPECT_EQ(text_at(get(first), "status"), "collected");
  EXPECT_EQ(statuses(second), (Statuses{"created", "created", "in_transit"}));
}

TEST_F(ScansTest, AShipmentIsFoundByEitherNumberWithoutRegardToCase) {
  const auto guid = create({{"carrierTrackingNumber", "1z Ab/Ü"}});
  auto number = number_of(guid);
  for (char& c : number) c = static_cast<char>(std::tolower(c));
  EXPECT_EQ(results({numbered(number, "collected"), numbered("1Z aB/ü", "in_transit")}),
            json::value(json::array{moved(0, true), moved(1, true)}));
}

TEST_F(ScansTest, BlanksInNumbersThatSqlWroteDoNotMatter) {
  const auto guid = create();
  for (const std::string stored : {"1Z 999 AA1577", " 1Z999AA1577", "1Z999AA1577 "}) {
    for (const std::string column : {"tracking_number", "carrier_tracking_number"}) {
      update(guid, "tracking_number = 'T', carrier_tracking_number = null");
      update(guid, column + " = '" + stored + "'");
      for (const std::string given : {"1Z 999 AA1577", "1z999aa1577"}) {
        EXPECT_EQ(results({numbered(given, "created")}), json::value(json::array{moved(0, false)})) << stored;
        const auto query = url_encode(given);
        EXPECT_EQ(texts(http.get(std::string(collection) + "?trackingNumber=" + query), "guid"),
                  Statuses{guid});
        EXPECT_EQ(texts(http.get("/api/search?q=" + query), "guid"), Statuses{guid});
      }
    }
  }
  const auto inserted = tenant.sql.value(
      "insert into shipments (business_id, tracking_number) values ($1, ' SQL 7 ') returning guid",
      {tenant.id});
  EXPECT_EQ(results({numbered("sql7", "collected")}), json::value(json::array{moved(0, true)}));
  EXPECT_EQ(tenant.status_of(inserted), "collected");
}

TEST_F(ScansTest, BlanksInNumbersDoNotMatter) {
  const std::vector<std::string> pasted{" 1Z999AA10123456784 ", "1Z 999 AA1 01 2345 6784",
                                        "\u00a01Z999AA10123456784\r\n", "\ufeff1Z999\u200bAA10123456784\t",
                                        "1Z999AA10123456784"};
  for (const auto& stored : pasted) {
    const auto guid = create({{"carrierTrackingNumber", stored}});
    EXPECT_EQ(text_at(get(guid), "carrierTrackingNumber"), "1Z999AA10123456784");
    for (const auto& scanned : pasted)
      EXPECT_EQ(results({numbered(scanned, "created")}), json::value(json::array{moved(0, false)}))
          << scanned;
    EXPECT_EQ(http.del(path_of(guid)).status, 200);
  }
  const auto guid = create();
  EXPECT_EQ(results({numbered(" " + number_of(guid) + "\u00a0", "collected")}),
            json::value(json::array{moved(0, true)}));
}

TEST_F(ScansTest, AScanOfNoShipmentOrOfSeveralIsAnError) {
  const auto guid = create({{"carrierTrackingNumber", "twice"}});
  create({{"carrierTrackingNumber", "TWICE"}});
  const auto gone = create({{"carrierTrackingNumber", "gone"}});
  EXPECT_EQ(http.del(path_of(gone)).status, 200);
  const auto foreign = other_business().sql.value(
      "insert into shipments (business_id, tracking_number) values ($1, 'FOREIGN') returning guid",
      {other_business().id});
  const auto list =
      results({numbered("twice", "collected"), numbered("nothing", "collected"),
               numbered("gone", "collected"), scan(unknown_guid, "collected"), scan(foreign, "collected"),
               numbered("foreign", "collected"), scan(guid, "collected")});
  for (int index = 0; index < 6; ++index) {
    const auto& entry = list.as_array().at(index);
    EXPECT_EQ(names_of(entry), (Names{"index", "error"})) << index;
    EXPECT_EQ(entry.at("index"), index);
  }
  EXPECT_NE(text_at(list, "0.error"), text_at(list, "1.error"));
  EXPECT_EQ(list.as_array().at(6), moved(6, true)) << "the other entries are stored";
}

TEST_F(ScansTest, AShipmentWhoseTwoNumbersAreTheSameIsFound) {
  const auto guid = create();
  update(guid, "carrier_tracking_number = tracking_number");
  EXPECT_EQ(results({numbered(number_of(guid), "collected")}), json::value(json::array{moved(0, true)}));
}

TEST_F(ScansTest, AScanFromTheFutureIsAnErrorOfItsEntry) {
  const auto guid = create();
  const auto list = results({scan(guid, "collected", {{"timestamp", from_now(std::chrono::seconds(310))}}),
                             scan(guid, "collected", {{"timestamp", from_now(std::chrono::seconds(290))}})});
  EXPECT_EQ(names_of(at(list, "0")), (Names{"index", "error"}));
  EXPECT_EQ(at(list, "1"), moved(1, true));
}

TEST_F(ScansTest, AWrongTypeOrAMissingFieldAnywhereRefusesTheWholeCall) {
  const auto guid = create();
  expect_invalid(
      http.post(path,
                {scan(guid, "collected"),
                 {{"shipmentId", guid}},
                 {{"status", "lost"}, {"description", 5}, {"shipmentId", "x"}, {"speed", 1}},
                 {{"status", "created"}, {"description", "d"}},
                 scan(guid, "collected", {{"trackingNumber", "x"}}),
                 scan(guid, "collected",
                      {{"timestamp", "now"}, {"externalId", ""}, {"location", std::string(201, 'l')}})}),
      {"[1].status", "[1].description", "[2].status", "[2].description", "[2].shipmentId", "[2].speed",
       "[3].trackingNumber", "[4].shipmentId", "[5].timestamp", "[5].externalId", "[5].location"});
  EXPECT_EQ(statuses(guid), (Statuses{"created"})) << "nothing is stored";
  expect_invalid(http.post(path, json::array{}), {"body"});
  expect_invalid(http.post(path, json::object{}), {"body"});
  expect_invalid(http.post(path, json::array(1'001, json::value(scan(guid, "collected")))), {"body"});
}

TEST_F(ScansTest, ARepeatedExternalIdOfAShipmentIsIgnored) {
  const auto guid = create();
  const auto other = create();
  const json::object id{{"externalId", "E-1"}};
  EXPECT_EQ(
      results({scan(guid, "collected", id), scan(guid, "in_transit", id), scan(other, "collected", id)}),
      json::value(json::array{moved(0, true), moved(1, false), moved(2, true)}));
  EXPECT_EQ(results({scan(guid, "in_transit", id)}), json::value(json::array{moved(0, false)}));
  json::object single{{"status", "in_transit"}, {"description", "seen"}, {"externalId", "E-1"}};
  EXPECT_EQ(report(guid, single).data().at("moved"), false);
  single["externalId"] = "E-2";
  EXPECT_EQ(report(guid, single).data().at("moved"), true);
  EXPECT_EQ(statuses(guid), (Statuses{"created", "collected", "in_transit"}));
}

TEST_F(ScansTest, AnOlderScanIsKeptAndMovesNothing) {
  const auto guid = create();
  const auto hour = [](int back) { return json::object{{"timestamp", from_now(std::chrono::hours(-back))}}; };
  EXPECT_EQ(results({scan(guid, "in_transit", hour(2)), scan(guid, "delivered", hour(3)),
                     scan(guid, "delivered", hour(1)), scan(guid, "collected", hour(0))}),
            json::value(json::array{moved(0, true), moved(1, false), moved(2, true), moved(3, false)}));
  EXPECT_EQ(text_at(get(guid), "status"), "delivered");
}

TEST_F(ScansTest, TheTimesOfTheShipmentAreThoseOfTheScans) {
  const auto guid = create();
  const auto made = get(guid);
  EXPECT_EQ(text_at(made, "statusChangedAt"), text_at(made, "createdAt"));
  EXPECT_TRUE(at(made, "lastTraceAt").is_null());
  const auto moved_at = from_now(std::chrono::hours(-2));
  const auto seen_at = from_now(std::chrono::hours(-1));
  results({scan(guid, "in_transit", {{"timestamp", moved_at}}),
           scan(guid, "in_transit", {{"timestamp", seen_at}}),
           scan(guid, "in_transit", {{"timestamp", from_now(std::chrono::hours(-3))}})});
  EXPECT_EQ(text_at(get(guid), "statusChangedAt"), moved_at);
  EXPECT_EQ(text_at(get(guid), "lastTraceAt"), seen_at) << "the newest scan's own time";
}

TEST_F(ScansTest, EachScanIsOneEventWithItsTrace) {
  const auto guid = create();
  results({scan(guid, "created", {{"externalId", "1"}}), scan(guid, "created", {{"externalId", "2"}}),
           scan(guid, "collected", {{"externalId", "3"}, {"location", "Porto"}}),
           scan(guid, "collected", {{"externalId", "4"}}), scan(guid, "in_transit", {{"externalId", "5"}})});
  report(guid, {{"status", "in_transit"}, {"description", "again"}, {"externalId", "6"}});
  const auto events = tenant.sql.rows(
      "select detail #>> '{trace,externalId}', detail #>> '{trace,location}', (shipment_before).status, "
      "(shipment_after).status from events where entity_id = $1 and (shipment_before).guid is not null "
      "order by id",
      {guid});
  ASSERT_EQ(events.size(), 6U);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i][0], std::to_string(i + 1));
  EXPECT_EQ(events[2][1], "Porto");
  EXPECT_EQ(events[1][3], "created");
  EXPECT_EQ(events[2][2], "created");
  EXPECT_EQ(events[2][3], "collected");
  EXPECT_EQ(events[3][2], "collected");
  EXPECT_EQ(events[3][3], "collected");
  EXPECT_EQ(events[4][3], "in_transit");
}

TEST_F(ScansTest, TheHistoryShowsTheDescriptionOfAMove) {
  const auto guid = create();
  results({scan(guid, "collected", {{"description", "At the depot"}})});
  const auto history = http.get(path_of(guid, "/history"));
  EXPECT_EQ(texts(history, "to"), (Statuses{"created", "collected"}));
  EXPECT_EQ(text_at(history.data(), "1.notes"), "At the depot");
}

TEST_F(ScansTest, ManyMovesOfOneShipmentTakeEffectInOrder) {
  const auto guid = create();
  json::array scans;
  for (int i = 0; i < 100; ++i) scans.push_back(scan(guid, i % 2 == 0 ? "out_for_delivery" : "in_transit"));
  const auto list = results(scans);
  for (const auto& entry : list.as_array()) EXPECT_EQ(entry.at("moved"), true);
  EXPECT_EQ(text_at(get(guid), "status"), "in_transit");
  EXPECT_EQ(events_of(guid), 101);
}

TEST_F(ScansTest, SimultaneousScansOfAShipmentLoseNoEvent) {
  const auto guid = create();
  constexpr int callers = 8;
  std::latch start(callers);
  {
    std::vector<std::jthread> threads;
    threads.reserve(callers);
    for (int caller = 0; caller < callers; ++caller) {
      threads.emplace_back([&, caller, client = http.with_token(http.token())]() mutable {
        start.arrive_and_wait();
        const auto body =
            scan(guid, caller % 2 == 0 ? "in_transit" : "created", {{"externalId", std::to_string(caller)}});
        const auto response = client.post(path, json::array{body});
        EXPECT_EQ(response.status, 200) << response.text;
      });
    }
  }
  EXPECT_EQ(statuses(guid).size(), callers + 1U);
  EXPECT_EQ(tenant.sql.number("select count(distinct detail #>> '{trace,externalId}') from events "
                              "where entity_id = $1",
                              {guid}),
            callers);
  EXPECT_EQ(events_of(guid), callers + 1);
}

TEST_F(ScansTest, CallsThatNameTheSameShipmentsInAnyOrderDoNotDeadlock) {
  const auto guids = add_many(200);
  constexpr int callers = 4;
  std::latch start(callers);
  std::vector<std::jthread> threads;
  threads.reserve(callers);
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller, client = http.with_token(http.token())]() mutable {
      json::array scans;
      for (const auto& guid : guids) scans.push_back(scan(guid, "created"));
      if (caller % 2 == 1) std::ranges::reverse(scans);
      start.arrive_and_wait();
      const auto response = client.post(path, scans);
      EXPECT_EQ(response.status, 200) << response.text;
    });
  }
  threads.clear();
  EXPECT_EQ(tenant.sql.number("select count(*) from shipment_traces where business_id = $1", {tenant.id}),
            200 * (callers + 1));
}

TEST_F(ScansTest, TenThousandScansInTenCallsAreStored) {
  const auto guids = add_many(10'000);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t first = 0; first < guids.size(); first += 1'000) {
    json::array scans;
    for (std::size_t i = first; i < first + 1'000; ++i) {
      scans.push_back(scan(guids[i], i % 2 == 0 ? "in_transit" : "created", {{"externalId", guids[i]}}));
    }
    const auto list = results(scans);
    EXPECT_EQ(list.as_array().size(), 1'000U);
    EXPECT_EQ(list.as_array().front(), moved(0, true));
    EXPECT_EQ(list.as_array().back(), moved(999, false));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), 20) << "2 s on an idle machine";
  EXPECT_EQ(tenant.sql.number(
                "select count(*) from events where business_id = $1 and detail -> 'trace' is not null",
                {tenant.id}),
            10'000);
}

TEST_F(ScansTest, AViewerReportsNoScans) {
  auto token = world.waybill.token(tenant.name);
  tenant.sql.rows(
      "update api_tokens set role = 'viewer' where guid = (select guid from api_tokens where "
      "business_id = $1 order by created_at desc limit 1)",
      {tenant.id});
  auto client = http.with_token(std::move(token));
  expect_refused(client.post(path, json::array{scan(create(), "collected")}), 403, "FORBIDDEN");
}

}  // namespace
}  // namespace waybill::tests
