#include <atomic>
#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "domain/records/state_machines.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ShipmentsTracesTest : public ShipmentsFixture {
 protected:
  json::value traces(std::string_view guid) {
    const auto response = http.get(path_of(guid, "/traces"));
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  std::vector<std::string> statuses(std::string_view guid) {
    return texts(http.get(path_of(guid, "/traces")), "status");
  }
  static std::string from_now(std::chrono::seconds offset) {
    return format_timestamp(system_clock().now() + offset);
  }
  static json::object trace(std::string_view status, std::string_view timestamp = {}) {
    json::object body{{"status", status}, {"description", "seen"}};
    if (!timestamp.empty()) body["timestamp"] = timestamp;
    return body;
  }
};

using Statuses = std::vector<std::string>;

TEST_F(ShipmentsTracesTest, ATraceIsStoredAndChangesTheStatusOfTheShipment) {
  const auto guid = create();
  const auto at_depot = from_now(std::chrono::minutes(-10));
  const auto response = report(guid, {{"status", "collected"},
                                      {"description", "At the depot"},
                                      {"location", "Lisbon"},
                                      {"timestamp", at_depot}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"moved", true}}));
  EXPECT_EQ(text_at(get(guid), "status"), "collected");
  const auto list = traces(guid);
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(at(list, "0"), json::value({{"timestamp", at_depot},
                                        {"status", "collected"},
                                        {"description", "At the depot"},
                                        {"location", "Lisbon"}}));
  EXPECT_EQ(text_at(list, "1.status"), "created");
  EXPECT_EQ(text_at(list, "1.timestamp"), text_at(get(guid), "createdAt"));
  EXPECT_TRUE(at(list, "1.location").is_null());
}

TEST_F(ShipmentsTracesTest, ATraceWithoutATimestampHasTheCurrentTime) {
  const auto guid = create();
  const auto before = system_clock().now() - std::chrono::seconds(1);
  EXPECT_EQ(report(guid, trace("in_transit")).data().at("moved"), true);
  EXPECT_EQ(report(guid, trace("in_transit")).data().at("moved"), false) << "the same status is no change";
  EXPECT_EQ(statuses(guid), (Statuses{"created", "in_transit", "in_transit"}));
  const auto reported_at = parse_timestamp(text_at(traces(guid), "1.timestamp")).value();
  EXPECT_GE(reported_at, before);
  EXPECT_LE(reported_at, system_clock().now() + std::chrono::seconds(1));
}

TEST_F(ShipmentsTracesTest, ALateTraceIsSortedInAndChangesNoStatus) {
  const auto guid = create();
  const auto hour = [](int back) { return from_now(std::chrono::hours(-back)); };
  EXPECT_EQ(report(guid, trace("in_transit", hour(3))).data().at("moved"), true);
  EXPECT_EQ(report(guid, trace("out_for_delivery", hour(2))).data().at("moved"), true)
      << "reported late, but newer";
  EXPECT_EQ(report(guid, trace("exception", hour(4))).data().at("moved"), false);
  EXPECT_EQ(text_at(get(guid), "status"), "out_for_delivery");
  EXPECT_EQ(report(guid, trace("delivered", hour(1))).data().at("moved"), true);
  EXPECT_EQ(statuses(guid),
            (Statuses{"exception", "in_transit", "out_for_delivery", "delivered", "created"}));
}

TEST_F(ShipmentsTracesTest, ATraceAsOldAsTheLastStatusChangeChangesTheStatus) {
  const auto guid = create();
  const auto reported_at = from_now(std::chrono::minutes(-1));
  EXPECT_EQ(report(guid, trace("collected", reported_at)).data().at("moved"), true);
  EXPECT_EQ(report(guid, trace("in_transit", reported_at)).data().at("moved"), true);
  const auto just_before =
      format_timestamp(parse_timestamp(reported_at).value() - std::chrono::milliseconds(1));
  EXPECT_EQ(report(guid, trace("delivered", just_before)).data().at("moved"), false);
}

TEST_F(ShipmentsTracesTest, OtherStatusChangesLeaveATraceAndCountAsStatusChanges) {
  const auto guid = create();
  update(guid, "status = 'in_transit'");
  EXPECT_EQ(statuses(guid), (Statuses{"created", "in_transit"}));
  EXPECT_FALSE(text_at(traces(guid), "1.description").empty());
  EXPECT_EQ(report(guid, trace("delivered", from_now(std::chrono::minutes(-1)))).data().at("moved"), false);
  update(guid, "instructions = 'x'");
  EXPECT_EQ(statuses(guid).size(), 3U) << "without a status change there is no trace";
}

TEST_F(ShipmentsTracesTest, TracesChangeTheStatusOnlyAsTheTableAllows) {
  const auto& machine = domain::shipment_states();
  const auto guid = create();
  for (const auto from : machine.states) {
    for (const auto to : machine.states) {
      tenant.sql.exec("delete from shipment_traces where shipment_id = '" + guid + "'");
      update(guid, "status = '" + std::string(from) + "'");
      const auto response = report(guid, trace(to));
      ASSERT_EQ(response.status, 200) << from << " to " << to << response.text;
      EXPECT_EQ(response.data().at("moved"), machine.allows(from, to)) << from << " to " << to;
      EXPECT_EQ(text_at(get(guid), "status"), machine.allows(from, to) ? to : from);
      EXPECT_EQ(statuses(guid).back(), to) << "the trace is stored in any case";
    }
  }
}

TEST_F(ShipmentsTracesTest, ATraceMoreThanFiveMinutesAheadIsRefused) {
  const auto guid = create();
  EXPECT_EQ(report(guid, trace("collected", from_now(std::chrono::seconds(290)))).status, 200);
  expect_invalid(report(guid, trace("in_transit", from_now(std::chrono::seconds(310)))), {"timestamp"});
  EXPECT_EQ(statuses(guid), (Statuses{"created", "collected"}));
}

TEST_F(ShipmentsTracesTest, BadTracesAreRefusedAndNotStored) {
  const auto guid = create();
  expect_invalid(report(guid, json::object{}), {"status", "description"});
  expect_invalid(report(guid, {{"status", "lost"},
                               {"description", std::string(10'001, 'd')},
                               {"location", std::string(201, 'l')},
                               {"timestamp", "now"},
                               {"speed", 3}}),
                 {"status", "description", "location", "timestamp", "speed"});
  expect_refused(report(unknown_guid, trace("collected")), 404, "NOT_FOUND");
  EXPECT_EQ(statuses(guid), (Statuses{"created"}));
  expect_refused(http.get(path_of(unknown_guid, "/traces")), 404, "NOT_FOUND");
}

TEST_F(ShipmentsTracesTest, DeliveredAtIsSetByEveryKindOfStatusChange) {
  const auto by_trace = create();
  const auto reported_at = from_now(std::chrono::hours(-2));
  EXPECT_EQ(report(by_trace, trace("delivered", reported_at)).data().at("moved"), true);
  EXPECT_EQ(text_at(get(by_trace), "deliveredAt"), reported_at) << "as reported";
  EXPECT_EQ(report(by_trace, trace("returned")).data().at("moved"), true);
  EXPECT_EQ(text_at(get(by_trace), "deliveredAt"), reported_at) << "the time of delivery is kept";

  const auto by_sql = create();
  update(by_sql, "status = 'delivered'");
  EXPECT_FALSE(at(get(by_sql), "deliveredAt").is_null());
  update(by_sql, "status = 'in_transit'");
  EXPECT_TRUE(at(get(by_sql), "deliveredAt").is_null());
  const auto inserted = tenant.sql.value(
      "insert into shipments (business_id, tracking_number, status) values ($1, 'D', 'delivered') returning "
      "guid",
      {tenant.id});
  EXPECT_FALSE(at(get(inserted), "deliveredAt").is_null());
}

TEST_F(ShipmentsTracesTest, ManyConcurrentTracesAreStoredAndOneChangesTheStatus) {
  const auto guid = create();
  const auto reported_at = from_now(std::chrono::minutes(-1));
  std::atomic<int> moved = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, client = http.with_token(http.token())]() mutable {
        const auto response = client.post(path_of(guid, "/traces"), trace("collected", reported_at));
        EXPECT_EQ(response.status, 200) << response.text;
        if (response.data().at("moved") == true) ++moved;
      });
    }
  }
  EXPECT_EQ(moved, 1);
  EXPECT_EQ(statuses(guid).size(), 9U);
  EXPECT_EQ(
      tenant.sql.number("select count(*) from shipment_traces where shipment_id = $1 and is_move", {guid}),
      1);
}

TEST_F(ShipmentsTracesTest, TheNewestThousandAreShown) {
  const auto guid = create();
  tenant.sql.exec(
      "insert into shipment_traces (business_id, shipment_id, at, status, description, is_move) select '" +
      tenant.id + "', '" + guid +
      "', timestamptz '2026-01-01' + n * interval '1 second', 'in_transit', n::text, false from "
      "generate_series(1, 1000) n");
  const auto list = traces(guid);
  ASSERT_EQ(list.as_array().size(), 1000U);
  EXPECT_EQ(text_at(list, "0.description"), "2");
  EXPECT_EQ(text_at(list, "999.status"), "created");
}

TEST_F(ShipmentsTracesTest, DeletingTheRowDeletesItsTraces) {
  const auto guid = create();
  tenant.sql.exec("delete from shipments where guid = '" + guid + "'");
  EXPECT_EQ(tenant.sql.number("select count(*) from shipment_traces where shipment_id = $1", {guid}), 0);
}

}  // namespace
}  // namespace waybill::tests
