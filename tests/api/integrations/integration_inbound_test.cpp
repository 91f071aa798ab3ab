// Calls from the webhooks of stores.
#include "base/crypto.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/connectors/connected_store.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view order_body = R"({"id": 727, "status": "processing"})";

class InboundTest : public ApiTest {
 protected:
  InboundTest() {
    const auto response = http.post("/api/integrations/provider/configure", configuration(store));
    EXPECT_EQ(response.status, 201) << response.text;
    guid = text_at(response.body, "data.guid");
    postpone_sweep();
  }

  /// Makes the sweep due far in the future and leased to another worker, so that no worker begins one.
  void postpone_sweep() {
    tenant.sql.rows(
        "update integrations set due_at = now() + interval '1 day', lease_owner = gen_random_uuid(), "
        "lease_until = 'infinity' "
        "where guid = $1",
        {guid});
  }
  bool is_due() {
    return tenant.sql.number("select count(*) from integrations where guid = $1 and due_at <= now()",
                             {guid}) == 1;
  }

  static std::string signature(std::string_view secret, std::string_view body) {
    const std::span key(reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size());
    return base64(hmac_sha256(key, body));
  }

  Headers signed_headers(std::string_view body, std::string delivery) const {
    return {{"Content-Type", "application/json"},
            {"x-wc-webhook-signature", signature(store.secret(), body)},
            {"X-WC-Webhook-Topic", "order.updated"},
            {"X-WC-Webhook-Delivery-ID", std::move(delivery)}};
  }

  Response call(std::string_view body, const Headers& headers) {
    return anonymous.request_text("POST", "/api/integrations/" + guid + "/inbound", body, headers);
  }

  WooCommerceSimulator store;
  Http anonymous = world.waybill.http();
  std::string guid;
};

TEST_F(InboundTest, ASignedCallMakesASweepDue) {
  const auto response = call(order_body, signed_headers(order_body, "d-1"));
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.text, R"({"success":true})");
  EXPECT_TRUE(is_due());
}

TEST_F(InboundTest, ADeliveryCountsOnce) {
  call(order_body, signed_headers(order_body, "d-1"));
  postpone_sweep();
  EXPECT_EQ(call(order_body, signed_headers(order_body, "d-1")).status, 200);
  EXPECT_FALSE(is_due());
  EXPECT_EQ(call(order_body, signed_headers(order_body, "d-2")).status, 200);
  EXPECT_TRUE(is_due());
}

TEST_F(InboundTest, ADeletedOrderIsRequestedByTheNextImport) {
  tenant.sql.rows(
      "insert into orders (business_id, order_number, integration_id, external_id) values ($1, '727', $2, "
      "'727')",
      {tenant.id, guid});
  const auto requested = [&] {
    return tenant.sql.column(
        "select external_id from import_failures where integration_id = $1 and due_at <= now()", {guid});
  };
  const auto deleted = [&](std::string_view body, std::string delivery) {
    auto headers = signed_headers(body, std::move(delivery));
    headers[2].second = "order.deleted";
    return call(body, headers).status;
  };
  EXPECT_EQ(call(order_body, signed_headers(order_body, "d-0")).status, 200);
  for (const auto* const body : {"", "{}", "[]", R"({"id": 728})", R"({"id": null})", "webhook_id=7"})
    EXPECT_EQ(deleted(body, std::string("d-") + body), 200) << body;
  EXPECT_TRUE(requested().empty()) << "an unknown order, or none";
  EXPECT_EQ(deleted("\ufeff{\"id\": 727}", "d-2"), 200);
  EXPECT_EQ(requested(), std::vector<std::string>{"727"});
}

TEST_F(InboundTest, AnyDeliveryIdIsAccepted) {
  for (const auto& id : {std::string(5'000, 'x'), std::string("h\xe4"), std::string()}) {
    postpone_sweep();
    EXPECT_EQ(call(order_body, signed_headers(order_body, id)).status, 200) << id.size();
    EXPECT_TRUE(is_due());
  }
}

TEST_F(InboundTest, AWrongSignatureIs401) {
  auto headers = signed_headers(order_body, "d-1");
  expect_refused(call(R"({"id": 728})", headers), 401, "UNAUTHORIZED");
  headers[1].second = signature("another secret", order_body);
  expect_refused(call(order_body, headers), 401, "UNAUTHORIZED");
  headers.erase(headers.begin() + 1);
  expect_refused(call(order_body, headers), 401, "UNAUTHORIZED");
  EXPECT_FALSE(is_due());
}

TEST_F(InboundTest, ThePingOfANewWebhookIs200AndMakesNoSweepDue) {
  const auto response = call("webhook_id=7", {{"Content-Type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(is_due());
}

TEST_F(InboundTest, ACallForADisabledStoreIs200WithoutEffectAndForARemovedStore404) {
  http.get("/api/integrations/provider/disable/" + guid);
  EXPECT_EQ(call(order_body, signed_headers(order_body, "d-1")).status, 200);
  EXPECT_FALSE(is_due());
  expect_refused(call(order_body, {}), 401, "UNAUTHORIZED");
  http.del("/api/integrations/providers/ecommerce/remove/" + guid);
  expect_refused(call(order_body, signed_headers(order_body, "d-2")), 404, "NOT_FOUND");
}

TEST_F(InboundTest, AnUnknownIntegrationIs404AndAMalformedGuid400) {
  guid = unknown_guid;
  expect_refused(call(order_body, signed_headers(order_body, "d-1")), 404, "NOT_FOUND");
  guid = "nothing";
  expect_invalid(call(order_body, {}), {"guid"});
}

TEST_F(InboundTest, ABodyOfMoreThanAMebibyteIs413) {
  const std::string large(1'048'577, ' ');
  expect_refused(call(large, signed_headers(large, "d-1")), 413, "PAYLOAD_TOO_LARGE");
}

TEST_F(InboundTest, WrongSignaturesAreLimitedByAddressAndDoNotAffectOthers) {
  Response response;
  for (int count = 0; count < 61 && response.status != 429; ++count) response = call(order_body, {});
  expect_refused(response, 429, "RATE_LIMITED");
  const auto wait = response.header("Retry-After");
  EXPECT_GE(std::stoi(wait), 1);
  EXPECT_LE(std::stoi(wait), 60);
  const WooCommerceSimulator second;
  const auto other = http.post("/api/integrations/provider/configure", configuration(second));
  guid = text_at(other.body, "data.guid");
  EXPECT_EQ(call(order_body, signed_headers(order_body, "d-1")).status, 200)
      << "another store at the same address";
}

TEST(InboundLimit, GuessesOfIntegrationsAreLimitedByAddress) {
  const TestDatabase database;
  const Waybill api(database.url(), {.command = "api", .arguments = {"--trusted-proxy", "127.0.0.1"}});
  auto http = api.http();
  const auto guess = [&](std::string_view from) {
    return http.request_text("POST", "/api/integrations/" + std::string(unknown_guid) + "/inbound", "{}",
                             {{"X-Forwarded-For", std::string(from)}});
  };
  int status = 0;
  for (int count = 0; count < 61 && status != 429; ++count) {
    status = guess("2001:db8::" + std::to_string(count)).status;
  }
  EXPECT_EQ(status, 429);
  EXPECT_EQ(guess("2001:db8:0:1::1").status, 404);
}

}  // namespace
}  // namespace waybill::tests
