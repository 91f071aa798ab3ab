// Scans that come by themselves: pulls by time and by the calls of gateways, with a simulator of EasyPost.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "tests/carriers/gateway_world.hpp"
#include "tests/carriers/tracking_turn.hpp"
#include "tests/simulators/store_simulator.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using Call = EasyPostSimulator::Call;
using namespace std::chrono_literals;

constexpr Deadline a_while = 2s;  // several turns of a lane

class Tracking : public testing::Test {
 protected:
  static void SetUpTestSuite() { shared_world = std::make_unique<GatewayWorld>(); }
  static void TearDownTestSuite() { shared_world.reset(); }

  void SetUp() override {
    tenant.sql.rows(
        "update businesses set street = '1 Quay', city = 'Bonn', postal_code = '53111', country = 'Germany' "
        "where guid = $1",
        {tenant.id});
    const Response configured = configure();
    ASSERT_EQ(configured.status, 200) << configured.text;
    secret = text_at(configured.data(), "inboundSecret");
  }

  Response configure(bool is_synced = true) {
    return tenant.http.post("/api/carriers/configure", {{"carrierId", carrier},
                                                        {"connector", "easypost"},
                                                        {"apiUrl", world.easypost.url()},
                                                        {"accountNumber", ca},
                                                        {"apiKey", user.live_key},
                                                        {"trackingSync", is_synced}});
  }
  json::value connection() { return at(tenant.http.get("/api/carriers/" + carrier).data(), "connection"); }
  std::string number(std::string_view of = "EZ") { return std::string(of) + tenant.id.substr(0, 8); }
  std::string shipment(const std::string& number, const std::string& packages = R"([{"weight": 2}])") {
    return tenant.sql.value(
        "insert into shipments (business_id, tracking_number, carrier_id, carrier_tracking_number, packages) "
        "values ($1, $2, $3, $4, $5::jsonb) returning guid",
        {tenant.id, "WB-" + number, carrier, number, packages});
  }
  bool becomes(const std::string& parcel, std::string_view status) {
    return eventually([&] { return tenant.status_of(parcel) == status; });
  }
  /// Makes the parcels of the business due, in a lane that is swept.
  void make_due() {
    give_turn("swept_at = null");
    ASSERT_TRUE(eventually([&] { return pulls() > 0; }));
    tenant.sql.rows("update tracking_pulls set due_at = now() - interval '3 hours' where business_id = $1",
                    {tenant.id});
    give_turn();
  }
  void give_turn(const std::string& change = "swept_at = swept_at") {
    ASSERT_TRUE(give_tracking_turn(tenant.sql, tenant.id, change));
  }
  void wake_workers() { tenant.sql.rows("select pg_notify('waybill_pulls', '')"); }
  std::int64_t pulls() {
    return tenant.sql.number("select count(*) from tracking_pulls where business_id = $1", {tenant.id});
  }
  std::int64_t asked() {
    return tenant.sql.number(
        "select count(*) from tracking_pulls where business_id = $1 and asked_at is not null", {tenant.id});
  }
  std::int64_t traces(const std::string& parcel) {
    return tenant.sql.number(
        "select count(*) from shipment_traces where shipment_id = $1 and external_id is not null", {parcel});
  }
  Response send(const EasyPostSimulator::WebhookCall& call) {
    return anonymous.request_text("POST", "/api/carriers/" + carrier + "/inbound?business=" + tenant.id,
                                  call.body, call.headers);
  }
  /// A call that the simulator's trackers do not make.
  EasyPostSimulator::WebhookCall call_of(const std::string& of, std::string_view key) const {
    const std::string body =
        to_json(json::object{{"id", "evt_" + of},
                             {"description", "tracker.updated"},
                             {"result", {{"tracking_code", of}, {"status", "delivered"}}}});
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(key.data());
    return {
        .body = body,
        .headers = {{"X-Hmac-Signature", "hmac-sha256-hex=" + hex(hmac_sha256({bytes, key.size()}, body))}},
        .event_id = "evt_" + of};
  }

  static inline std::unique_ptr<GatewayWorld> shared_world;
  GatewayWorld& world = *shared_world;
  Tenant tenant{world.waybill, testing::UnitTest::GetInstance()->current_test_info()->name()};
  EasyPostSimulator::User user = world.easypost.add_user();
  std::string ca = world.easypost.add_carrier_account(user);
  std::string carrier =
      tenant.sql.value("select guid from carriers where code = 'ups' and business_id = catalogue_business()");
  std::string secret;
  Http anonymous = world.waybill.http();
};

TEST_F(Tracking, ACallOfTheGatewayBringsTheScansButIsNotBelieved) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "in_transit", .message = "Departed", .city = "Bonn"});
  const auto call = call_of(number(), secret);  // it says "delivered"
  EXPECT_EQ(send(call).status, 200);
  EXPECT_TRUE(becomes(parcel, "in_transit"));
  EXPECT_EQ(traces(parcel), 1);
  const auto asked_once =
      tenant.sql.value("select asked_at from tracking_pulls where shipment_id = $1", {parcel});
  EXPECT_EQ(send(call).status, 200) << "a repeated one";
  EXPECT_EQ(
      tenant.sql.number(
          "select count(*) from tracking_pulls where shipment_id = $1 and hinted_at is not null", {parcel}),
      0)
      << "changes nothing";
  world.easypost.add_scan(number(), {.status = "out_for_delivery", .message = "On the van"});
  EXPECT_EQ(send(world.easypost.tracker_updated(number(), secret)).status, 200);
  EXPECT_TRUE(throughout(
      [&] {
        return tenant.sql.value("select asked_at from tracking_pulls where shipment_id = $1", {parcel}) ==
               asked_once;
      },
      a_while))
      << "one pull of a number in a minute";
  EXPECT_EQ(tenant.sql.number(
                "select count(*) from tracking_pulls where shipment_id = $1 and hinted_at is not null and "
                "due_at = asked_at + interval '1 minute'",
                {parcel}),
            1)
      << "but the second call is not lost";
  tenant.sql.rows("update tracking_pulls set due_at = now() where shipment_id = $1", {parcel});
  give_turn();
  EXPECT_TRUE(becomes(parcel, "out_for_delivery"));
}

TEST_F(Tracking, AScanFromTheFutureThatACallBroughtHoldsNoParcelStill) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(),
                          {.status = "in_transit", .message = "Depot", .datetime = "2099-01-01T00:00:00Z"});
  EXPECT_EQ(send(call_of(number(), secret)).status, 200);
  EXPECT_TRUE(becomes(parcel, "in_transit"));
  world.easypost.add_scan(number(), {.status = "delivered",
                                     .message = "Delivered",
                                     .datetime = format_timestamp(system_clock().now() - 1h)});
  tenant.sql.rows("update tracking_pulls set due_at = now() where shipment_id = $1", {parcel});
  give_turn();
  EXPECT_TRUE(becomes(parcel, "delivered"));
  EXPECT_EQ(traces(parcel), 2);
}

TEST_F(Tracking, AForgedCallIsRefusedAndAnUnknownNumberAnsweredAsAnyOther) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "delivered", .message = "Delivered"});
  EXPECT_EQ(send(call_of(number(), "another secret")).status, 401);
  auto unsigned_call = call_of(number(), secret);
  unsigned_call.headers.clear();
  EXPECT_EQ(send(unsigned_call).status, 401);
  const Response unknown = send(call_of("NONE" + number(), secret));
  EXPECT_EQ(unknown.status, 200);
  EXPECT_TRUE(throughout([&] { return asked() == 0; }, a_while));
  EXPECT_EQ(tenant.status_of(parcel), "created");
  const Response known = send(call_of(number(), secret));
  EXPECT_EQ(known.text, unknown.text) << "a stranger learns nothing";
}

/// A worker of a cluster without gateways.
TEST(TrackingWithoutGateways, LooksAtTheDatabaseTwiceAMinute) {
  const TestDatabase database;
  const Waybill waybill{database.url(), {}};
  Session session = database.connect();
  const auto last = [&] {
    return session.value(
        "select max(query_start) from pg_stat_activity where datname = current_database() and "
        "application_name = "
        "'waybill tracking' and state = 'idle'");
  };
  ASSERT_TRUE(eventually([&] { return !last().empty(); }));
  std::string seen = last();
  const auto looks_again = [&] {
    std::string now = last();
    return now != std::exchange(seen, now);
  };
  EXPECT_TRUE(eventually([&] { return throughout([&] { return !looks_again(); }, 5s); })) << "it sleeps";
  seen = last();
  session.exec("notify waybill_pulls");
  EXPECT_TRUE(eventually(looks_again)) << "until it is woken";
}

TEST_F(Tracking, ShipmentsAreAskedForWhenTheyAreDue) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "in_transit", .message = "Departed"});
  make_due();
  EXPECT_TRUE(becomes(parcel, "in_transit"));
  EXPECT_TRUE(eventually([&] { return connection().at("trackingBehind").is_null(); }));
  EXPECT_EQ(tenant.sql.number("select count(*) from tracking_pulls where shipment_id = $1 and due_at between "
                              "now() + interval '1 hour 40 minutes' and now() + interval '2 hours'",
                              {parcel}),
            1);
  const auto history = tenant.http.get("/api/v1/shipments/" + parcel + "/history");
  EXPECT_EQ(text_at(at(history.data(), "1"), "by.name"), "UPS") << history.text;
}

TEST_F(Tracking, AnyParcelOfAShipmentCounts) {
  const std::string parcel = shipment(
      number(), R"([{"weight": 1}, {"weight": 1, "carrierTrackingNumber": ")" + number("P2") + R"("}])");
  world.easypost.add_scan(number("P2"), {.status = "in_transit", .message = "Departed"});
  make_due();
  EXPECT_TRUE(becomes(parcel, "in_transit"));
  EXPECT_TRUE(eventually([&] { return asked() == 2; }));
}

TEST_F(Tracking, AFinalShipmentIsAskedForNoMore) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "delivered", .message = "Delivered"});
  make_due();
  EXPECT_TRUE(becomes(parcel, "delivered"));
  tenant.sql.rows("update tracking_pulls set due_at = now() where business_id = $1", {tenant.id});
  give_turn();
  EXPECT_TRUE(eventually([&] { return pulls() == 0; }));
}

TEST_F(Tracking, CanBeTurnedOff) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "in_transit", .message = "Departed"});
  ASSERT_EQ(tenant.http.patch("/api/carriers/" + carrier, {{"trackingSync", false}}).status, 200);
  EXPECT_EQ(send(call_of(number(), secret)).status, 200);
  tenant.sql.rows("update tracking_lanes set look_at = now(), swept_at = null where business_id = $1",
                  {tenant.id});
  wake_workers();
  EXPECT_TRUE(throughout([&] { return asked() == 0; }, a_while));
  EXPECT_EQ(tenant.status_of(parcel), "created");
  EXPECT_TRUE(connection().at("trackingBehind").is_null());
}

TEST_F(Tracking, RefusedCredentialsAreShownUntilACallSucceeds) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "in_transit", .message = "Departed"});
  world.easypost.fail(Call::list_trackers, easypost_refusal(401, "UNAUTHORIZED"), 1000);
  for (int failures = 1; failures <= 3; ++failures) {
    EXPECT_NE(text_at(connection(), "status"), "failing");
    make_due();
    tenant.sql.rows("update carrier_configurations set tracking_paused_until = null where business_id = $1",
                    {tenant.id});
    give_turn();
    ASSERT_TRUE(eventually([&] {
      return tenant.sql.number("select tracking_failures from carrier_configurations where business_id = $1",
                               {tenant.id}) == failures;
    }));
  }
  EXPECT_EQ(text_at(connection(), "status"), "failing");
  EXPECT_THAT(text_at(connection(), "error"), HasSubstr("not authorized"));
  EXPECT_FALSE(connection().at("trackingBehind").is_number() &&
               connection().at("trackingBehind").to_number<int>() < 0);
  world.easypost.stop_failing();
  make_due();
  tenant.sql.rows("update carrier_configurations set tracking_paused_until = null where business_id = $1",
                  {tenant.id});
  give_turn();
  EXPECT_TRUE(becomes(parcel, "in_transit")) << "no number is lost";
  EXPECT_EQ(text_at(connection(), "status"), "ok");
  EXPECT_TRUE(connection().at("error").is_null());
}

TEST_F(Tracking, ABusyGatewayLosesNoNumber) {
  const std::string parcel = shipment(number());
  world.easypost.add_scan(number(), {.status = "in_transit", .message = "Departed"});
  world.easypost.fail(Call::list_trackers, easypost_busy("60"));
  make_due();
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from carrier_configurations where business_id = $1 and "
               "tracking_paused_until > now() + interval '50 seconds'",
               {tenant.id}) == 1;
  }));
  EXPECT_EQ(text_at(connection(), "status"), "ok") << "busy is no wrong key";
  world.easypost.stop_failing();
  make_due();
  tenant.sql.rows("update carrier_configurations set tracking_paused_until = null where business_id = $1",
                  {tenant.id});
  give_turn();
  EXPECT_TRUE(becomes(parcel, "in_transit"));
}

}  // namespace
}  // namespace waybill::tests
