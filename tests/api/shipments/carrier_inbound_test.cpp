// Carriers' links, inbound secrets and signed calls.
#include <chrono>
#include <latch>
#include <thread>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "net/http/webhook_signature.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class CarrierInboundTest : public ShipmentsFixture {
 protected:
  CarrierInboundTest() : ups(carrier("ups")), secret(text_at(configure(ups).data(), "inboundSecret")) {}

  Response configure(std::string_view guid) {
    return http.post("/api/carriers/configure", {{"carrierId", guid}, {"accountNumber", "A-1"}});
  }
  static json::object scan(std::string_view number, std::string_view status = "collected") {
    return {{"trackingNumber", number}, {"status", status}, {"description", "seen"}};
  }
  static Headers signed_headers(std::string_view secret, std::string_view id, std::string_view body,
                                std::chrono::seconds age = {}) {
    const auto sent = to_unix_seconds(system_clock().now() - age);
    const auto key = net::WebhookSecret::parse(secret).value();
    return {{"Content-Type", "application/json"},
            {"webhook-id", std::string(id)},
            {"webhook-timestamp", std::to_string(sent)},
            {"webhook-signature", net::webhook_signature(std::span(&key, 1), id, sent, body)}};
  }
  Response call(std::string_view body, const Headers& headers, std::string_view query = "") {
    return anonymous.request_text("POST", "/api/carriers/" + ups + "/inbound" + std::string(query), body,
                                  headers);
  }
  Response send(const json::value& scans, std::string_view id) {
    const auto body = json::serialize(scans);
    return call(body, signed_headers(secret, id, body));
  }
  std::string parcel(std::string_view number) {
    return create({{"carrierId", ups}, {"carrierTrackingNumber", number}});
  }
  std::string status_of(std::string_view guid) { return text_at(get(guid), "status"); }

  std::string ups;
  std::string secret;
  Http anonymous = world.waybill.http();
};

TEST_F(CarrierInboundTest, ASignedCallStoresScansOfItsBusiness) {
  const auto guid = parcel("1Z1");
  const auto response = send(json::array{scan("1z1"), scan("nothing")}, "d-1");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(at(response.data(), "0"), json::value({{"index", 0}, {"moved", true}}));
  EXPECT_EQ(names_of(at(response.data(), "1")), (Names{"index", "error"}));
  EXPECT_EQ(status_of(guid), "collected");
  const auto history = http.get(path_of(guid, "/history"));
  EXPECT_EQ(at(history.data(), "1.by"), json::value({{"type", "import"}, {"guid", ups}, {"name", "UPS"}}));
}

TEST_F(CarrierInboundTest, ARepeatedDeliveryIsIgnored) {
  const auto guid = parcel("1Z1");
  EXPECT_EQ(send(json::array{scan("1Z1")}, "d-1").status, 200);
  const auto repeated = send(json::array{scan("1Z1", "in_transit")}, "d-1");
  EXPECT_EQ(repeated.status, 200);
  EXPECT_EQ(repeated.text, R"({"success":true})");
  EXPECT_EQ(status_of(guid), "collected");
  EXPECT_EQ(send(json::array{scan("1Z1", "in_transit")}, "d-2").status, 200);
  EXPECT_EQ(status_of(guid), "in_transit");
}

TEST_F(CarrierInboundTest, SimultaneousRepetitionsTakeEffectOnce) {
  const auto guid = parcel("1Z1");
  const auto body = json::serialize(json::array{scan("1Z1", "created")});
  const auto headers = signed_headers(secret, "d-1", body);
  constexpr int callers = 6;
  std::latch start(callers);
  {
    std::vector<std::jthread> threads;
    threads.reserve(callers);
    for (int caller = 0; caller < callers; ++caller) {
      threads.emplace_back([&, client = world.waybill.http()]() mutable {
        start.arrive_and_wait();
        EXPECT_EQ(client.request_text("POST", "/api/carriers/" + ups + "/inbound", body, headers).status,
                  200);
      });
    }
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from shipment_traces where shipment_id = $1", {guid}), 2);
}

TEST_F(CarrierInboundTest, AWrongOldOrMissingSignatureIs401) {
  const auto guid = parcel("1Z1");
  const auto body = json::serialize(json::array{scan("1Z1")});
  expect_refused(call(body, {{"Content-Type", "application/json"}}), 401, "UNAUTHORIZED");
  expect_refused(call(body + " ", signed_headers(secret, "d", body)), 401, "UNAUTHORIZED");
  expect_refused(call(body, signed_headers(net::WebhookSecret::random().text(), "d", body)), 401,
                 "UNAUTHORIZED");
  for (const auto age : {std::chrono::seconds(310), std::chrono::seconds(-310)}) {
    expect_refused(call(body, signed_headers(secret, "d", body, age)), 401, "UNAUTHORIZED");
  }
  EXPECT_EQ(status_of(guid), "created");
  EXPECT_EQ(call(body, signed_headers(secret, "d", body, std::chrono::seconds(290))).status, 200);
}

TEST_F(CarrierInboundTest, TheSecretGivesTheBusiness) {
  const auto other_secret =
      text_at(other_business()
                  .http.post("/api/carriers/configure", {{"carrierId", ups}, {"accountNumber", "B-1"}})
                  .data(),
              "inboundSecret");
  EXPECT_NE(other_secret, secret);
  const auto guid = parcel("1Z1");
  const auto body = json::serialize(json::array{scan("1Z1")});
  const auto foreign = call(body, signed_headers(other_secret, "d-1", body));
  EXPECT_EQ(names_of(at(foreign.data(), "0")), (Names{"index", "error"}));
  EXPECT_EQ(status_of(guid), "created");
  expect_refused(call(body, signed_headers(secret, "d-2", body), "?business=" + other_business().id), 401,
                 "UNAUTHORIZED");
  EXPECT_EQ(call(body, signed_headers(secret, "d-2", body), "?business=" + tenant.id).status, 200);
  EXPECT_EQ(status_of(guid), "collected");
}

TEST_F(CarrierInboundTest, ShipmentsOfOtherCarriersAreErrors) {
  create({{"carrierId", carrier("fedex")}, {"carrierTrackingNumber", "F1"}});
  create({{"carrierTrackingNumber", "N1"}});
  create({{"carrierId", carrier("fedex")}, {"carrierTrackingNumber", "BOTH"}});
  const auto ours = parcel("BOTH");
  const auto list = send(json::array{scan("F1"), scan("N1"), scan("BOTH")}, "d-1").data();
  EXPECT_EQ(names_of(at(list, "0")), (Names{"index", "error"}));
  EXPECT_EQ(names_of(at(list, "1")), (Names{"index", "error"}));
  EXPECT_EQ(at(list, "2"), json::value({{"index", 2}, {"moved", true}})) << "one shipment of this carrier";
  EXPECT_EQ(status_of(ours), "collected");
}

TEST_F(CarrierInboundTest, ABadBodyIs400AndCanBeSentAgain) {
  const auto guid = parcel("1Z1");
  const auto bad = send(json::array{scan("1Z1"), {{"status", "lost"}}}, "d-1");
  expect_invalid(bad, {"[1].status", "[1].description", "[1].trackingNumber"});
  expect_invalid(send({{"status", "collected"}}, "d-2"), {"body"});
  EXPECT_EQ(send(json::array{scan("1Z1")}, "d-1").status, 200);
  EXPECT_EQ(status_of(guid), "collected");
}

TEST_F(CarrierInboundTest, TheSecretIsShownOnceAndCanBeReplaced) {
  const auto again = configure(ups);
  EXPECT_TRUE(again.data().at("inboundSecret").is_null());
  const auto guid = parcel("1Z1");
  EXPECT_EQ(send(json::array{scan("1Z1")}, "d-1").status, 200) << "configuring again keeps the secret";
  const auto rotated = http.post("/api/carriers/" + ups + "/rotate-inbound-secret");
  ASSERT_EQ(rotated.status, 200) << rotated.text;
  EXPECT_EQ(names_of(rotated.data()), (Names{"guid", "inboundSecret"}));
  expect_refused(send(json::array{scan("1Z1", "in_transit")}, "d-2"), 401, "UNAUTHORIZED");
  secret = text_at(rotated.data(), "inboundSecret");
  EXPECT_EQ(send(json::array{scan("1Z1", "in_transit")}, "d-2").status, 200);
  EXPECT_EQ(status_of(guid), "in_transit");
  EXPECT_EQ(http.get("/api/carriers/" + ups).text.find("whsec_"), std::string::npos);
  expect_refused(http.post("/api/carriers/" + carrier("fedex") + "/rotate-inbound-secret"), 409, "CONFLICT");
  expect_refused(http.post("/api/carriers/" + std::string(unknown_guid) + "/rotate-inbound-secret"), 404,
                 "NOT_FOUND");
}

TEST_F(CarrierInboundTest, AnInactiveCarrierIs401AndAnUnknownOne404) {
  EXPECT_EQ(http.patch("/api/carriers/" + ups, {{"isActive", false}}).status, 200);
  expect_refused(send(json::array{scan("1Z1")}, "d-1"), 401, "UNAUTHORIZED");
  ups = unknown_guid;
  expect_refused(send(json::array{scan("1Z1")}, "d-1"), 404, "NOT_FOUND");
  ups = "nothing";
  expect_invalid(send(json::array{scan("1Z1")}, "d-1"), {"guid"});
}

TEST(CarrierInboundLimit, RefusedCallsAreLimitedByAddress) {
  const TestDatabase database;
  const Waybill api(database.url(), {.command = "api", .arguments = {"--trusted-proxy", "127.0.0.1"}});
  auto http = api.http();
  const auto ups = Guid::from_name(namespace_url, "waybill:carrier:ups").to_string();
  const auto guess = [&](std::string_view from) {
    return http.request_text("POST", "/api/carriers/" + ups + "/inbound", "[]",
                             {{"X-Forwarded-For", std::string(from)}});
  };
  int status = 0;
  for (int count = 0; count < 61 && status != 429; ++count) {
    status = guess("2001:db8::" + std::to_string(count)).status;
  }
  EXPECT_EQ(status, 429);
  EXPECT_EQ(guess("2001:db8:0:1::1").status, 401);
}

class TrackingPatternTest : public ApiTest {
 protected:
  Response make(const json::value& pattern) {
    return http.post(
        "/api/carriers",
        {{"name", "Bikes"}, {"code", "bikes"}, {"type", "lastmile"}, {"trackingUrlPattern", pattern}});
  }
  std::string ups() {
    return tenant.sql.value(
        "select guid from carriers where code = 'ups' and business_id = catalogue_business()");
  }
};

TEST_F(TrackingPatternTest, AnOwnCarrierHasAPatternThatCanBeChanged) {
  const auto guid = text_at(make("https://bikes.example/{number}").data(), "guid");
  const auto path = "/api/carriers/" + guid;
  EXPECT_EQ(text_at(http.get(path).data(), "trackingUrlPattern"), "https://bikes.example/{number}");
  EXPECT_EQ(http.patch(path, {{"trackingUrlPattern", "https://b.example/?n={number}"}}).status, 200);
  EXPECT_EQ(text_at(http.get(path).data(), "trackingUrlPattern"), "https://b.example/?n={number}");
  EXPECT_EQ(http.patch(path, {{"trackingUrlPattern", nullptr}}).status, 200);
  EXPECT_TRUE(http.get(path).data().at("trackingUrlPattern").is_null());
  expect_refused(http.patch(path, {{"isActive", true}}), 409, "CONFLICT");
}

TEST_F(TrackingPatternTest, ABadPatternIsRefused) {
  const json::array patterns{"",
                             "bikes",
                             "http://bikes.example/{number}",
                             "https://bikes.example/",
                             "https://{number}.example/",
                             "https://b.example/{number}/{order}",
                             5,
                             "https://b.example/{number}" + std::string(2'000, 'x')};
  for (const auto& pattern : patterns) expect_invalid(make(pattern), {"trackingUrlPattern"});
  const auto guid = text_at(make(nullptr).data(), "guid");
  expect_invalid(http.patch("/api/carriers/" + guid, {{"trackingUrlPattern", "x"}}), {"trackingUrlPattern"});
}

TEST_F(TrackingPatternTest, ThePatternOfABuiltInCarrierIsFixed) {
  const auto path = "/api/carriers/" + ups();
  const auto pattern = text_at(http.get(path).data(), "trackingUrlPattern");
  EXPECT_NE(pattern.find("{number}"), std::string::npos);
  expect_invalid(http.patch(path, {{"trackingUrlPattern", "https://a.example/{number}"}}),
                 {"trackingUrlPattern"});
  EXPECT_EQ(http.patch(path, {{"trackingUrlPattern", pattern}}).status, 200) << "no change";
}

TEST_F(CarrierInboundTest, ALargeCallForManyBusinessesMustNameOne) {
  tenant.sql.rows(
      "with made as (insert into businesses (name) select 'many' from generate_series(1, 70) returning guid) "
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, "
      "sealed_inbound_secret) select guid, $1::uuid, 'A-1', false, '\\x00' from made",
      {ups});
  const std::string body(1'000'000, ' ');
  const auto headers = signed_headers(secret, "d-1", body);
  EXPECT_EQ(call(body, headers).error_code(), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(call(body, headers, "?business=" + tenant.id).status, 400) << "the body is no list of scans";
  EXPECT_EQ(send(json::array{scan("nothing")}, "d-2").status, 200) << "a small call need not name it";
}

}  // namespace
}  // namespace waybill::tests
