#include "tests/connectors/woocommerce_fixture.hpp"

namespace waybill::tests {
namespace {

using connectors::InboundCall;
using connectors::InboundVerdict;
using connectors::StoreProblem;

Options on_https(Options options = {}) {
  options.https = true;
  return options;
}

TEST_F(WooCommerceStore, TheConnectorIsInTheCatalogue) {
  const auto& terms = connector().terms();
  EXPECT_EQ(terms.code, "woocommerce");
  EXPECT_EQ(terms.name, "WooCommerce");
  EXPECT_EQ(terms.type, "ecommerce");
  EXPECT_FALSE(terms.api_key.empty() || terms.api_secret.empty() || terms.store_url.empty());
  for (const auto* const copied : {"/wp-json", "/wp-json/wc/v3/", "/wp-admin/admin.php", "/"}) {
    EXPECT_EQ(connector().normal_url("https://a.example/shop" + std::string(copied)),
              "https://a.example/shop");
  }
  EXPECT_EQ(connector().normal_url("https://a.example/wp-jsonp"), "https://a.example/wp-jsonp");
  EXPECT_EQ(connector().normal_url(" HTTPS://Shop.Example:443/shop/ "), "https://shop.example/shop");
}

TEST_F(WooCommerceStore, EachCallOverHttpIsSignedWithANewNonce) {
  start();
  for (int i = 0; i < 3; ++i) check();
  for (const auto& call : store_->calls()) {
    EXPECT_EQ(call.status, 200);
    EXPECT_EQ(call.parameters.at("oauth_signature_method"), "HMAC-SHA256");
    EXPECT_FALSE(call.parameters.contains("consumer_secret"));
  }
}

TEST_F(WooCommerceStore, KeyAndSecretAreInTheHeaderOverHttps) {
  start(on_https());
  check();
  ASSERT_EQ(store_->calls().size(), 1U);
  EXPECT_FALSE(store_->calls()[0].parameters.contains("consumer_key"));
  EXPECT_FALSE(store_->calls()[0].parameters.contains("oauth_signature"));
}

TEST_F(WooCommerceStore, CredentialsMoveToTheQueryIfTheHeaderIsDropped) {
  Options options = on_https();
  options.drops_authorization = true;
  start(options);
  check();
  check();
  const auto calls = store_->calls();
  ASSERT_EQ(calls.size(), 3U) << "refused once";
  EXPECT_EQ(calls[0].status, 401);
  EXPECT_TRUE(calls[1].parameters.contains("consumer_key"));
  EXPECT_TRUE(calls[2].parameters.contains("consumer_key"));
}

TEST_F(WooCommerceStore, ASiteUnawareOfItsTlsGetsSignedCalls) {
  for (const bool plain : {false, true}) {
    start({.https = true, .plain_permalinks = plain, .unaware_of_tls = true});
    store_->add_order();
    check(true);
    store_->forget_calls();
    EXPECT_EQ(sweep().records.size(), 1U);
    for (const auto& call : store_->calls()) EXPECT_EQ(call.status, 200) << "remembered";
  }
}

TEST_F(WooCommerceStore, PlainPermalinksWorkWithoutAnAuthorizationHeader) {
  start({.https = true, .plain_permalinks = true, .drops_authorization = true});
  check(true);
  check();
  EXPECT_EQ(store_->calls().back().status, 200);
}

TEST_F(WooCommerceStore, AWrongSecretIsNotPutIntoTheQuery) {
  start(on_https());
  store_->set_secret("cs_other");
  EXPECT_EQ(problem_of_check(), StoreProblem::credentials);
  EXPECT_NE(message_.find("Consumer secret is invalid."), std::string::npos) << message_;
  EXPECT_EQ(store_->calls().size(), 1U);
}

TEST_F(WooCommerceStore, WrongCredentialsAreReported) {
  start();
  store_->set_secret("cs_other");
  EXPECT_EQ(problem_of_check(), StoreProblem::credentials);
  store_->set_secret(store_->secret());
  store_->revoke_key();
  EXPECT_EQ(problem_of_check(), StoreProblem::credentials);
  EXPECT_NE(message_.find("Consumer key is invalid."), std::string::npos) << message_;
  start(on_https());
  store_->revoke_key();
  EXPECT_EQ(problem_of_check(), StoreProblem::credentials);
  EXPECT_NE(message_.find("Consumer key is invalid."), std::string::npos) << message_;
}

TEST_F(WooCommerceStore, AClockThatIsTooFarOffIsReported) {
  start();
  store_->set_clock_skew(std::chrono::minutes(14));
  EXPECT_EQ(problem_of_check(), std::nullopt);
  store_->set_clock_skew(std::chrono::minutes(-16));
  EXPECT_EQ(problem_of_check(), StoreProblem::credentials);
  EXPECT_NE(message_.find("Invalid timestamp."), std::string::npos) << message_;
}

TEST_F(WooCommerceStore, NoErrorContainsTheSecretOrTheKey) {
  for (const bool https : {false, true}) {
    start(https ? on_https() : Options{});
    store_->set_secret("cs_other");
    problem_of_check();
    EXPECT_EQ(message_.find(store_->secret()), std::string::npos) << message_;
    EXPECT_EQ(message_.find(store_->key()), std::string::npos) << message_;
  }
}

TEST_F(WooCommerceStore, ASiteInASubdirectoryIsFound) {
  start({.path = "/shop/de"});
  store_->add_order();
  check();
  EXPECT_EQ(sweep().records.size(), 1U);
}

TEST_F(WooCommerceStore, PlainPermalinksAreFoundAndRemembered) {
  for (const auto* const path : {"", "/shop"}) {
    for (const bool https : {false, true}) {
      start({.path = path, .https = https, .plain_permalinks = true});
      store_->add_order();
      check(true);
      check();
      EXPECT_EQ(sweep().records.size(), 1U);
      const auto calls = store_->calls();
      EXPECT_EQ(calls[0].status, 404);
      for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_EQ(calls[i].status, 200);
    }
  }
}

TEST_F(WooCommerceStore, AReadOnlyKeyIsAcceptedForImportsAndRefusedForPushing) {
  for (const bool https : {false, true}) {
    start(https ? on_https() : Options{});
    store_->set_rights(WooCommerceSimulator::Rights::read);
    EXPECT_EQ(problem_of_check(false), std::nullopt);
    EXPECT_EQ(problem_of_check(true), StoreProblem::credentials);
    EXPECT_NE(message_.find("Read/Write"), std::string::npos) << message_;
    EXPECT_NE(message_.find("does not have write permissions"), std::string::npos) << message_;
  }
}

TEST_F(WooCommerceStore, CheckingWritePermissionChangesNothing) {
  start();
  const auto id = store_->add_order();
  const auto before = store_->order(id);
  check(true);
  EXPECT_EQ(store_->order(id), before);
  EXPECT_EQ(store_->count("POST", "orders/batch"), 1U);
}

TEST_F(WooCommerceStore, AStoreBefore5_8IsRefusedWithTheRequiredVersion) {
  start({.before_5_8 = true});
  EXPECT_EQ(problem_of_check(), StoreProblem::wrong_store);
  EXPECT_NE(message_.find("WooCommerce 5.8"), std::string::npos) << message_;
  EXPECT_EQ(problem_of([&] { sweep(); }), StoreProblem::wrong_store);
}

TEST_F(WooCommerceStore, AServerThatIsNoStoreIsReported) {
  Receiver other;
  const auto problem = [&] { return problem_of([&] { client_.run(open(other.url(""))->check(false)); }); };
  other.on_request([](const Received&) { return Reply::with_status(200, {}, "<html>Hello</html>"); });
  EXPECT_EQ(problem(), StoreProblem::wrong_store);
  other.on_request([](const Received&) { return Reply::with_status(404, {}, "<html>No</html>"); });
  EXPECT_EQ(problem(), StoreProblem::wrong_store);
  other.on_request([](const Received&) { return json_reply(200, {{"orders", json::array()}}); });
  EXPECT_EQ(problem(), StoreProblem::wrong_store);
  other.on_request(
      [](const Received&) { return json_reply(404, {{"code", "rest_no_route"}, {"message", "No"}}); });
  EXPECT_EQ(problem(), StoreProblem::wrong_store);
  EXPECT_NE(message_.find("without WooCommerce"), std::string::npos) << message_;
  other.on_request([](const Received&) {
    return Reply::with_status(301, {{"Location", "https://www.shop.example/wp-json/?oauth_signature=x"}});
  });
  EXPECT_EQ(problem(), StoreProblem::wrong_store);
  EXPECT_NE(message_.find("https://www.shop.example"), std::string::npos) << message_;
  EXPECT_EQ(message_.find("oauth"), std::string::npos) << message_;
  other.on_request([](const Received&) { return Reply::with_status(403, {}, "<html>Denied</html>"); });
  EXPECT_EQ(problem(), StoreProblem::credentials);
  EXPECT_NE(message_.find("firewall"), std::string::npos) << message_;
}

TEST_F(WooCommerceStore, ConnectionRefusedAndABadCertificateAreDistinguished) {
  EXPECT_EQ(problem_of([&] { client_.run(open("http://127.0.0.1:1")->check(false)); }),
            StoreProblem::unreachable);
  WooCommerceSimulator untrusted(on_https());
  EXPECT_EQ(problem_of([&] { client_.run(open(untrusted.url())->check(false)); }), StoreProblem::tls);
}

TEST_F(WooCommerceStore, TemporaryErrorsHaveTheRequestedWait) {
  start();
  for (const int status : {500, 502, 503, 504}) {
    store_->fail(failing_with(status));
    EXPECT_EQ(problem_of_check(), StoreProblem::failing) << status;
    EXPECT_EQ(wait_, std::nullopt);
  }
  store_->fail(failing_with(503, {{"Retry-After", "120"}}));
  EXPECT_EQ(problem_of_check(), StoreProblem::failing);
  EXPECT_EQ(wait_, std::chrono::minutes(2));
  store_->fail(too_many_requests("2.5"));
  EXPECT_EQ(problem_of_check(), StoreProblem::busy);
  EXPECT_EQ(wait_, std::chrono::milliseconds(2500));
  store_->fail(cut_answer());
  EXPECT_EQ(problem_of_check(), StoreProblem::busy);
  store_->fail(failing_with(403, {{"Retry-After", "30"}}));
  EXPECT_EQ(problem_of_check(), StoreProblem::busy) << "a firewall that limits the rate";
  EXPECT_EQ(wait_, std::chrono::seconds(30));
  EXPECT_EQ(problem_of_check(), std::nullopt);
}

TEST_F(WooCommerceStore, ALostKeepAliveConnectionIsNotReportedAsWrongCredentials) {
  start();
  for (int i = 0; i < 3; ++i) {
    check();
    store_->fail(lost_answer());
    EXPECT_EQ(problem_of_check(), std::nullopt) << message_;
  }
}

TEST_F(WooCommerceStore, WebhooksAreVerifiedOverTheRawBody) {
  const connectors::StoreCredentials credentials{.api_key = "ck", .api_secret = "cs_1", .store_url = {}};
  const auto verified = [&](std::string_view body, const Headers& headers) {
    const auto header = [&](std::string_view name) -> std::optional<std::string_view> {
      for (const auto& [own, value] : headers) {
        if (own == name) return value;
      }
      return std::nullopt;
    };
    return connector().verify(credentials, {.body = body, .header = header});
  };
  const std::string body = R"({"id":727, "name":"Tröja"})";
  // printf '%s' BODY | openssl dgst -sha256 -hmac cs_1 -binary | base64
  const std::string signature = "fIAx587BR1RWF1oSRznIPoTjOcqtPIudrptMux9tjcc=";
  auto good = verified(body, {{"x-wc-webhook-signature", signature}, {"x-wc-webhook-delivery-id", "d-1"}});
  EXPECT_EQ(good.kind, InboundVerdict::Kind::hint);
  EXPECT_EQ(good.delivery_id, "d-1");
  EXPECT_EQ(verified(body, {{"x-wc-webhook-signature", signature}}).delivery_id, std::nullopt);
  EXPECT_EQ(verified(body + " ", {{"x-wc-webhook-signature", signature}}).kind,
            InboundVerdict::Kind::bad_signature);
  EXPECT_EQ(verified(body, {{"x-wc-webhook-signature", ""}}).kind, InboundVerdict::Kind::bad_signature);
  EXPECT_EQ(verified(body, {}).kind, InboundVerdict::Kind::bad_signature);
  EXPECT_EQ(verified("webhook_id=7", {}).kind, InboundVerdict::Kind::ping);
  for (const auto* const no_ping : {"webhook_id=", "webhook_id=7&x=1", "webhook_id=x", "id=7", ""}) {
    EXPECT_EQ(verified(no_ping, {}).kind, InboundVerdict::Kind::bad_signature) << no_ping;
  }
  const connectors::StoreCredentials none{.api_key = "ck", .api_secret = {}, .store_url = {}};
  const auto any = [](std::string_view) -> std::optional<std::string_view> { return "x"; };
  EXPECT_EQ(connector().verify(none, {.body = body, .header = any}).kind,
            InboundVerdict::Kind::bad_signature);
}

}  // namespace
}  // namespace waybill::tests
