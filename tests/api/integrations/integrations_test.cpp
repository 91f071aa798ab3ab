#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/connectors/connected_store.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view configure_path = "/api/integrations/provider/configure";
constexpr std::string_view configured_path = "/api/integrations/configured";

std::string disable_path(std::string_view guid) {
  return "/api/integrations/provider/disable/" + std::string(guid);
}
std::string remove_path(std::string_view guid) {
  return "/api/integrations/providers/ecommerce/remove/" + std::string(guid);
}

class IntegrationsTest : public ApiTest {
 protected:
  Response configure(const json::object& settings = {{"autoImportOrders", false}}) {
    return http.post(configure_path, configuration(store, settings));
  }

  std::string connect(const json::object& settings = {{"autoImportOrders", false}}) {
    const auto response = configure(settings);
    EXPECT_TRUE(response.status == 200 || response.status == 201) << response.text;
    return text_at(response.body, "data.guid");
  }

  json::object with_credential(std::string_view name, std::string_view value) {
    auto body = configuration(store);
    body.at("credentials").as_object()[name] = value;
    return body;
  }

  std::int64_t stored() {
    return tenant.sql.number("select count(*) from integrations where business_id = $1", {tenant.id});
  }

  /// Expects 400 CONFIGURATION_ERROR for exactly this field ("": none), nothing saved and no secret shown.
  void expect_unusable(const Response& response, std::string_view field, std::string_view part = "") {
    expect_refused(response, 400, "CONFIGURATION_ERROR");
    const auto details = response.details();
    EXPECT_EQ(details.size(), field.empty() ? 0U : 1U) << response.text;
    EXPECT_TRUE(field.empty() || details.contains(field)) << response.text;
    EXPECT_NE(text_at(response.body, "error.message").find(part), std::string::npos) << response.text;
    EXPECT_EQ(response.text.find(store.key()), std::string::npos) << response.text;
    EXPECT_EQ(response.text.find(store.secret()), std::string::npos) << response.text;
    EXPECT_EQ(stored(), 0);
  }

  /// Prevents workers from importing from the store, so that the values of the API stay unchanged.
  void disable_imports(std::string_view guid) {
    tenant.sql.rows(
        "update integrations set lease_owner = gen_random_uuid(), lease_until = 'infinity' where guid = $1",
        {std::string(guid)});
  }

  WooCommerceSimulator store;
};

TEST_F(IntegrationsTest, TheCatalogueListsTheFieldsOfEachProvider) {
  const auto response = http.get("/api/integrations/providers");
  ASSERT_EQ(response.status, 200) << response.text;
  std::set<std::string> codes;
  for (const auto& provider : response.data().as_array()) {
    EXPECT_EQ(names_of(provider),
              (std::set<std::string>{"guid", "code", "name", "type", "credentials", "settings"}));
    EXPECT_EQ(names_of(at(provider, "credentials")),
              (std::set<std::string>{"apiKey", "apiSecret", "storeUrl"}));
    EXPECT_EQ(at(provider, "settings"),
              json::value({{"autoImportOrders", true}, {"syncProducts", false}, {"pushTracking", false}}));
    EXPECT_EQ(text_at(provider, "type"), "ecommerce");
    EXPECT_EQ(text_at(provider, "guid"), provider_guid(text_at(provider, "code")));
    codes.insert(text_at(provider, "code"));
  }
  EXPECT_TRUE(codes.contains("woocommerce")) << response.text;
}

TEST_F(IntegrationsTest, ConfigureCallsTheStoreAndReturnsItsLocation) {
  const auto response = configure({{"syncProducts", true}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(names_of(response.data()), (std::set<std::string>{"guid", "provider", "status", "connectedAt"}));
  EXPECT_EQ(text_at(response.body, "data.provider"), "woocommerce");
  EXPECT_EQ(text_at(response.body, "data.status"), "active");
  EXPECT_FALSE(store.calls().empty());
  const auto guid = text_at(response.body, "data.guid");
  EXPECT_EQ(response.header("Location"), "/api/integrations/" + guid);
  const auto single = http.get(response.header("Location"));
  ASSERT_EQ(single.status, 200) << single.text;
  EXPECT_EQ(names_of(single.data()),
            (std::set<std::string>{"guid", "provider", "status", "connectedAt", "storeUrl", "settings"}));
  EXPECT_EQ(text_at(single.body, "data.storeUrl"), store.url());
  auto settings = at(single.body, "data.settings").as_object();
  const Time since = *parse_timestamp(text_at(settings, "importSince"));
  EXPECT_EQ(since, *parse_timestamp(text_at(single.body, "data.connectedAt")) - std::chrono::days(30));
  settings.erase("importSince");
  EXPECT_EQ(json::value(settings), json::value({{"autoImportOrders", true},
                                                {"syncProducts", true},
                                                {"pushTracking", false},
                                                {"serviceMapping", json::array()}}))
      << "omitted settings have defaults";
  const auto list = http.get(configured_path);
  ASSERT_EQ(list.data().as_array().size(), 1U) << list.text;
  EXPECT_EQ(list.data().as_array()[0], single.data());
}

TEST_F(IntegrationsTest, CredentialsAreSealedAndNeverShown) {
  const auto guid = connect();
  for (const auto& path : {std::string(configured_path), "/api/integrations/" + guid}) {
    const auto text = http.get(path).text;
    EXPECT_EQ(text.find(store.key()), std::string::npos) << text;
    EXPECT_EQ(text.find(store.secret()), std::string::npos) << text;
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from integrations i where business_id = $1 "
                              "and position($2 in encode(api_key, 'escape') || encode(api_secret, 'escape') "
                              "|| to_jsonb(i)::text) > 0",
                              {tenant.id, store.key()}),
            0);
}

TEST_F(IntegrationsTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post(configure_path, json::object()), {"providerId", "credentials"});
  expect_invalid(
      http.post(configure_path, {{"providerId", "x"},
                                 {"providerType", 1},
                                 {"credentials", {{"apiKey", ""}, {"apiSecret", 2}, {"token", "t"}}},
                                 {"settings", {{"pushTracking", "yes"}, {"other", true}}}}),
      {"providerId", "providerType", "credentials.apiKey", "credentials.apiSecret", "credentials.storeUrl",
       "credentials.token", "settings.pushTracking", "settings.other"});
  auto body = configuration(store);
  body["providerType"] = "carrier";
  body["credentials"] = json::object{{"apiKey", "ck\r\nX-Evil: 1"}, {"storeUrl", "ftp://shop.example"}};
  expect_invalid(http.post(configure_path, body),
                 {"providerType", "credentials.apiKey", "credentials.apiSecret", "credentials.storeUrl"});
  for (const auto* url : {"https://user:word@shop.example", "https://", "https://shop.example/?a=1"}) {
    expect_invalid(http.post(configure_path, with_credential("storeUrl", url)), {"credentials.storeUrl"});
  }
  EXPECT_TRUE(store.calls().empty());
  EXPECT_EQ(stored(), 0);
}

TEST_F(IntegrationsTest, AnUnknownProviderIs404) {
  auto body = configuration(store);
  body["providerId"] = unknown_guid;
  expect_refused(http.post(configure_path, body), 404, "NOT_FOUND");
}

TEST_F(IntegrationsTest, RefusedCredentialsAreNotSaved) {
  expect_unusable(http.post(configure_path, with_credential("apiKey", "ck_unknown")), "credentials.apiKey");
  expect_unusable(http.post(configure_path, with_credential("apiSecret", "cs_wrong")), "credentials.apiKey");
  store.revoke_key();
  expect_unusable(configure(), "credentials.apiKey");
}

TEST_F(IntegrationsTest, PushingTrackingNeedsTheRightToWrite) {
  store.set_rights(WooCommerceSimulator::Rights::read);
  expect_unusable(configure({{"autoImportOrders", false}, {"pushTracking", true}}), "credentials.apiKey");
  EXPECT_EQ(configure().status, 201);
}

TEST_F(IntegrationsTest, OtherServersAreDistinguishedFromStores) {
  int closed_port = 0;
  {
    const Receiver gone;
    closed_port = gone.port();
  }
  const auto unused_address = "http://127.0.0.1:" + std::to_string(closed_port);
  expect_unusable(http.post(configure_path, with_credential("storeUrl", unused_address)),
                  "credentials.storeUrl", "cannot be reached");
  expect_unusable(http.post(configure_path, with_credential("storeUrl", "https://no-such-shop.invalid")),
                  "credentials.storeUrl", "cannot be reached");
  Receiver other;
  other.on_request([](const Received&) { return Reply::with_status(404, {}, "<html>nothing</html>"); });
  expect_unusable(http.post(configure_path, with_credential("storeUrl", other.url())),
                  "credentials.storeUrl");
  const WooCommerceSimulator unknown_certificate({.https = true});
  expect_unusable(http.post(configure_path, configuration(unknown_certificate)), "credentials.storeUrl",
                  "certificate");
}

TEST_F(IntegrationsTest, NoResponseOfTheStoreCausesA500) {
  std::string body;
  int status = 200;
  Receiver other;
  other.on_request([&](const Received&) {
    return Reply::with_status(status, {{"Content-Type", "application/json"}}, body);
  });
  for (const auto* text :
       {"null", "5", "\"x\"", "[[]]", "[5]", "{\"code\": {\"a\": []}, \"message\": 5}", "\xff"}) {
    for (const int each : {200, 201, 204, 302, 400, 401, 404, 418}) {
      body = text;
      status = each;
      const auto response = http.post(configure_path, with_credential("storeUrl", other.url()));
      EXPECT_LT(response.status, 500) << each << " " << text << ": " << response.text;
    }
  }
}

TEST_F(IntegrationsTest, ABusyStoreIsReportedAsTemporary) {
  store.fail(failing_with(503), 100);
  expect_unusable(configure(), "", "tried again");
  store.stop_failing();
  store.fail(too_many_requests("7"), 100);
  const auto limited = configure();
  expect_unusable(limited, "", "tried again");
  EXPECT_EQ(limited.header("Retry-After"), "7");
  store.stop_failing();
  EXPECT_EQ(configure().status, 201);
}

TEST_F(IntegrationsTest, TheSameActiveStoreIsAConflictInAnySpellingOfItsUrl) {
  connect();
  expect_refused(configure(), 409, "CONFLICT");
  expect_refused(http.post(configure_path, with_credential("storeUrl", "HTTP" + store.url().substr(4) + "/")),
                 409, "CONFLICT");
  EXPECT_EQ(other_business().http.post(configure_path, configuration(store)).status, 201)
      << "another business may configure the same store";
  const WooCommerceSimulator second;
  EXPECT_EQ(http.post(configure_path, configuration(second)).status, 201);
}

TEST_F(IntegrationsTest, OneOfConcurrentConfigurationsOfAStoreSucceeds) {
  std::array<Response, 4> responses;
  {
    std::vector<std::jthread> callers;
    for (auto& response : responses) {
      callers.emplace_back([&, client = http.with_token(http.token())]() mutable {
        response = client.post(configure_path, configuration(store));
      });
    }
  }
  EXPECT_EQ(std::ranges::count(responses, 201, &Response::status), 1);
  EXPECT_EQ(std::ranges::count(responses, 409, &Response::status), 3);
  EXPECT_EQ(stored(), 1);
}

TEST_F(IntegrationsTest, ADisabledStoreKeepsItsGuidWhenConfiguredAgain) {
  const auto guid = connect();
  for (const auto* method : {"GET", "POST"}) {
    const auto disabled = http.request(method, disable_path(guid));
    EXPECT_EQ(disabled.status, 200) << disabled.text;
    EXPECT_EQ(disabled.data(), json::value({{"guid", guid}, {"status", "disabled"}}));
  }
  EXPECT_EQ(text_at(http.get(configured_path).body, "data.0.status"), "disabled");
  const auto sealed =
      tenant.sql.value("select encode(api_key, 'hex') from integrations where guid = $1", {guid});
  const auto again = configure({{"autoImportOrders", false}, {"syncProducts", true}});
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.header("Location"), "");
  EXPECT_EQ(text_at(again.body, "data.guid"), guid);
  EXPECT_EQ(text_at(again.body, "data.status"), "active");
  EXPECT_EQ(at(http.get(configured_path).body, "data.0.settings.syncProducts"), true);
  EXPECT_NE(tenant.sql.value("select encode(api_key, 'hex') from integrations where guid = $1", {guid}),
            sealed);
}

TEST_F(IntegrationsTest, SettingsOfAnActiveStoreChangeWithoutItsCredentials) {
  const auto guid = connect();
  const auto path = "/api/integrations/" + guid;
  const auto carrier = tenant.sql.value("select guid from carriers where code = 'ups'");
  const auto calls = store.calls().size();
  const json::array mapping{
      json::object{{"method", "Express*"}, {"carrierId", carrier}, {"serviceLevel", "express"}},
      json::object{{"method", "Standard"}, {"carrierId", nullptr}, {"serviceLevel", "any"}}};
  auto changed = http.patch(
      path, {{"settings", {{"serviceMapping", mapping}, {"importSince", "2026-01-02T03:04:05+01:00"}}}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(at(changed.body, "data.settings"), json::value({{"autoImportOrders", false},
                                                            {"syncProducts", false},
                                                            {"pushTracking", false},
                                                            {"serviceMapping", mapping},
                                                            {"importSince", "2026-01-02T02:04:05.000Z"}}));
  EXPECT_EQ(http.get(path).data(), changed.data());
  EXPECT_EQ(store.calls().size(), calls) << "the store is not called";
  // An absent setting stays; null sets the default.
  changed = http.patch(path, {{"settings", {{"syncProducts", true}}}});
  EXPECT_EQ(at(changed.body, "data.settings.serviceMapping"), json::value(mapping));
  changed = http.patch(path, {{"settings", {{"serviceMapping", nullptr}, {"importSince", nullptr}}}});
  EXPECT_EQ(at(changed.body, "data.settings.serviceMapping"), json::value(json::array()));
  EXPECT_EQ(*parse_timestamp(text_at(changed.body, "data.settings.importSince")),
            *parse_timestamp(text_at(changed.body, "data.connectedAt")) - std::chrono::days(30));
  EXPECT_EQ(at(changed.body, "data.settings.syncProducts"), true);
  // A GET response can be sent back.
  EXPECT_EQ(http.patch(path, {{"settings", at(http.get(path).body, "data.settings")}}).status, 200);
}

TEST_F(IntegrationsTest, SwitchingTrackingOnChecksTheRightToWrite) {
  store.set_rights(WooCommerceSimulator::Rights::read);
  const auto guid = connect();
  const auto path = "/api/integrations/" + guid;
  expect_refused(http.patch(path, {{"settings", {{"pushTracking", true}}}}), 400, "CONFIGURATION_ERROR");
  EXPECT_EQ(at(http.get(path).body, "data.settings.pushTracking"), false);
  store.set_rights(WooCommerceSimulator::Rights::read_write);
  EXPECT_EQ(http.patch(path, {{"settings", {{"pushTracking", true}}}}).status, 200);
}

TEST_F(IntegrationsTest, AnAnswerCanBeSentBack) {
  const std::string path = "/api/integrations/" + connect();
  const json::value before = http.get(path).data();
  const Response same = http.patch(path, before.as_object());
  EXPECT_EQ(same.status, 200) << same.text;
  EXPECT_EQ(http.get(path).data(), before);
}

TEST_F(IntegrationsTest, BadSettingsAreReportedByEntry) {
  const auto guid = connect();
  const auto path = "/api/integrations/" + guid;
  const auto carrier = tenant.sql.value("select guid from carriers where code = 'gls'");
  const auto change = [&](const json::array& mapping) {
    return http.patch(path, {{"settings", {{"serviceMapping", mapping}}}});
  };
  expect_invalid(http.patch(path, json::object()), {"settings"});
  expect_invalid(http.patch(path, {{"settings", {{"importSince", "soon"}}}, {"credentials", json::object()}}),
                 {"settings.importSince", "credentials"});
  expect_invalid(change({json::object{{"method", " "}, {"serviceLevel", "x"}}, json::object{{"method", "a"}},
                         json::object{{"method", "b"}, {"carrierId", "x"}, {"other", 1}}}),
                 {"settings.serviceMapping[0].method", "settings.serviceMapping[1]",
                  "settings.serviceMapping[2].carrierId", "settings.serviceMapping[2].other"});
  expect_invalid(change({json::object{{"method", "a"}, {"carrierId", carrier}, {"serviceLevel", "sameday"}}}),
                 {"settings.serviceMapping[0].serviceLevel"});
  expect_refused(change({json::object{{"method", "a"}, {"carrierId", unknown_guid}}}), 404, "NOT_FOUND");
  json::array many(101, json::object{{"method", "a"}, {"serviceLevel", "x"}});
  expect_invalid(change(many), {"settings.serviceMapping"});
  many.pop_back();
  EXPECT_EQ(change(many).status, 200);
  expect_refused(http.patch("/api/integrations/" + std::string(unknown_guid), {{"settings", json::object()}}),
                 404, "NOT_FOUND");
  http.get(disable_path(guid));
  expect_refused(http.patch(path, {{"settings", {{"syncProducts", true}}}}), 409, "CONFLICT");
}

TEST_F(IntegrationsTest, AStoreThatIsConfiguredAgainKeepsItsMappingAndImportSince) {
  const auto guid =
      connect({{"autoImportOrders", false},
               {"serviceMapping", json::array{json::object{{"method", "a"}, {"serviceLevel", "x"}}}}});
  const auto path = "/api/integrations/" + guid;
  const auto since = text_at(http.get(path).body, "data.settings.importSince");
  tenant.sql.rows("update integrations set orders_reached = now() where guid = $1", {guid});
  http.get(disable_path(guid));
  connect();
  EXPECT_EQ(text_at(http.get(path).body, "data.settings.importSince"), since)
      << "30 days before the first configuration";
  EXPECT_EQ(at(http.get(path).body, "data.settings.serviceMapping").as_array().size(), 1U);
  EXPECT_EQ(tenant.sql.value("select orders_reached is null from integrations where guid = $1", {guid}), "f");
  http.get(disable_path(guid));
  connect({{"autoImportOrders", false}, {"importSince", "2020-01-01T00:00:00Z"}});
  EXPECT_EQ(tenant.sql.value("select orders_reached is null from integrations where guid = $1", {guid}), "t");
}

TEST_F(IntegrationsTest, TheDefaultOfImportSinceCountsFromTheFirstConnection) {
  const auto guid = connect();
  const auto path = "/api/integrations/" + guid;
  const auto since = text_at(http.get(path).body, "data.settings.importSince");
  const auto set_default = [&] {
    const auto changed = http.patch(path, {{"settings", {{"importSince", nullptr}}}});
    EXPECT_EQ(changed.status, 200) << changed.text;
    return text_at(changed.body, "data.settings.importSince");
  };
  http.get(disable_path(guid));
  connect({{"autoImportOrders", false}, {"importSince", "2026-01-02T03:04:05Z"}});
  EXPECT_EQ(set_default(), since);
  http.get(disable_path(guid));
  connect();
  EXPECT_EQ(set_default(), since) << "of a store that is connected for the third time";

  // A store that an earlier version has connected.
  tenant.sql.rows(
      "update integrations set first_connected_at = null, import_since = null,"
      " connected_at = '2026-03-01T00:00:00Z' where guid = $1",
      {guid});
  EXPECT_EQ(text_at(http.get(path).body, "data.settings.importSince"), "2026-01-30T00:00:00.000Z");
  http.get(disable_path(guid));
  connect();
  EXPECT_EQ(set_default(), "2026-01-30T00:00:00.000Z");
}

TEST_F(IntegrationsTest, ARemovedStoreLeavesItsOrdersAndReturnsWithItsGuid) {
  const auto guid = connect();
  const auto order = tenant.insert_order({{"integration_id", "'" + guid + "'"}, {"external_id", "'7'"}});
  const auto removed = http.del(remove_path(guid));
  EXPECT_EQ(removed.text, R"({"success":true})");
  EXPECT_EQ(http.get("/api/v1/Orders/" + order).status, 200);
  EXPECT_TRUE(http.get(configured_path).data().as_array().empty());
  for (const auto& path :
       {"/api/integrations/" + guid, disable_path(guid), "/api/integrations/" + guid + "/runs"}) {
    expect_refused(http.get(path), 404, "NOT_FOUND");
  }
  expect_refused(http.del(remove_path(guid)), 404, "NOT_FOUND");
  expect_refused(http.post("/api/integrations/" + guid + "/sync"), 404, "NOT_FOUND");
  const auto back = configure();
  EXPECT_EQ(back.status, 201) << back.text;
  EXPECT_EQ(text_at(back.body, "data.guid"), guid);
}

TEST_F(IntegrationsTest, SyncReturnsARunAtOnceWithAnySettings) {
  const auto guid = connect();
  disable_imports(guid);
  const auto path = "/api/integrations/" + guid + "/sync";
  const auto first = http.post(path);
  ASSERT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(names_of(first.data()), (std::set<std::string>{"runId"}));
  const auto run = text_at(first.body, "data.runId");
  EXPECT_EQ(text_at(http.post(path).body, "data.runId"), run) << "a run that has not begun is reused";
  const auto runs = http.get("/api/integrations/" + guid + "/runs");
  EXPECT_EQ(text_at(runs.body, "data.0.guid"), run) << runs.text;
  EXPECT_EQ(
      tenant.sql.value("select requested_run from integrations where guid = $1 and due_at <= now()", {guid}),
      run);
}

TEST_F(IntegrationsTest, ARequestedRunEndsWhenItsStoreIsRemoved) {
  const auto guid = connect();
  disable_imports(guid);
  http.post("/api/integrations/" + guid + "/sync");
  http.get(disable_path(guid));
  const auto runs = http.get("/api/integrations/" + guid + "/runs");
  EXPECT_FALSE(at(runs.body, "data.0.finishedAt").is_null()) << runs.text;
  EXPECT_NE(text_at(runs.body, "data.0.errors.0.reason").find("disabled"), std::string::npos) << runs.text;
  expect_refused(http.post("/api/integrations/" + guid + "/sync"), 409, "CONFLICT");
}

TEST_F(IntegrationsTest, RunsAreListedNewestFirstInPages) {
  const auto guid = connect();
  http.get(disable_path(guid));
  tenant.sql.rows(
      "insert into integration_runs (business_id, guid, integration_id, started_at, finished_at, imported, "
      "updated, "
      "unchanged, failed, errors) select $1, timed_guid(now() + n * interval '1 second'), $2, now(), now(), "
      "n, 2, 3, "
      "1, '[{\"externalId\": \"7\", \"orderNumber\": \"#7\", \"reason\": \"bad\"}]' from generate_series(1, "
      "3) n",
      {tenant.id, guid});
  const auto path = "/api/integrations/" + guid + "/runs";
  const auto page = http.get(path + "?Page=1&PageSize=2");
  ASSERT_EQ(page.status, 200) << page.text;
  const auto total = at(page.body, "totalCount").to_number<int>();
  EXPECT_GE(total, 3);
  ASSERT_EQ(page.data().as_array().size(), 2U);
  const auto& newest = page.data().as_array()[0];
  EXPECT_EQ(names_of(newest), (std::set<std::string>{"guid", "startedAt", "finishedAt", "imported", "updated",
                                                     "unchanged", "failed", "errors"}));
  EXPECT_EQ(at(newest, "imported"), 3);
  EXPECT_EQ(at(newest, "errors"),
            json::value({{{"externalId", "7"}, {"orderNumber", "#7"}, {"reason", "bad"}}}));
  EXPECT_EQ(at(page.body, "data.1.imported"), 2);
  const auto past_the_end = http.get(path + "?Page=99");
  EXPECT_EQ(past_the_end.data(), json::array());
  EXPECT_EQ(at(past_the_end.body, "totalCount"), total);
  expect_invalid(http.get(path + "?Page=0&PageSize=101"), {"Page", "PageSize"});
  expect_refused(http.get("/api/integrations/" + std::string(unknown_guid) + "/runs"), 404, "NOT_FOUND");
}

TEST_F(IntegrationsTest, PushTrackingCannotBeConfiguredAsAnAction) {
  const auto refused = http.post("/api/workflows/configure", {{"name", "W"},
                                                              {"entityType", "Shipment"},
                                                              {"triggerId", trigger_guid("shipment_created")},
                                                              {"action", {{"type", "push_tracking"}}}});
  expect_invalid(refused, {"action.type"});
  EXPECT_EQ(refused.text.find("push_tracking"), std::string::npos) << refused.text;
}

TEST(IntegrationsGuard, PrivateAddressesAreRefusedUnlessTheOperatorAllowsThem) {
  const TestDatabase database;
  const Waybill api(database.url(), {.command = "api", .allow_private_destinations = false});
  const WooCommerceSimulator store;
  auto http = api.business("guarded");
  const auto refused = http.post(configure_path, configuration(store));
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_EQ(refused.error_code(), "CONFIGURATION_ERROR");
  EXPECT_TRUE(refused.details().contains("credentials.storeUrl")) << refused.text;
  EXPECT_TRUE(store.calls().empty());
}

}  // namespace
}  // namespace waybill::tests
