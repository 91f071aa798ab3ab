#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "net/http/webhook_signature.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::vector<std::string> keys(const json::value& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.as_object()) result.emplace_back(key);
  return result;
}

class WebhookRequest : public WorkflowTest {
 protected:
  json::object definition(json::object action) const {
    action["type"] = "webhook";
    if (!action.contains("recipient")) action["recipient"] = url();
    return {{"name", "hook"},
            {"entityType", "Order"},
            {"triggerId", trigger_guid("order_updated")},
            {"action", std::move(action)}};
  }

  // Changes an order once and returns the request that this causes.
  Received one_delivery() {
    const std::string order = tenant.create_order();
    const std::size_t before = receiver.count(tenant.path());
    tenant.put_order(order, {{"notes", "Grüße, “Ada” \\ </script>"}});
    return wait_for(before + 1).at(before);
  }
};

TEST_F(WebhookRequest, HasStandardWebhooksHeadersAndTheBodyOfTheContract) {
  const json::object workflow = tenant.configure(definition({}));
  const std::string order = tenant.create_order();
  tenant.put_order(order, {{"notes", "ring twice"}, {"serviceLevel", "express"}});
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const Received& request = received[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_NE(request.header("webhook-id"), "");
  const auto age =
      std::chrono::system_clock::to_time_t(request.wall_at) - std::stoll(request.header("webhook-timestamp"));
  EXPECT_GE(age, 0);
  EXPECT_LE(age, 5);
  EXPECT_THAT(signatures(request), ElementsAre(StartsWith("v1,")));

  const json::value body = request.json_body();
  EXPECT_THAT(keys(body), UnorderedElementsAre("type", "timestamp", "data"));
  EXPECT_EQ(text_at(body, "type"), "order_updated");
  EXPECT_TRUE(parse_timestamp(text_at(body, "timestamp")).has_value());
  EXPECT_THAT(keys(at(body, "data")), UnorderedElementsAre("entityType", "entity", "previous", "workflow"));
  EXPECT_EQ(text_at(body, "data.entityType"), "Order");
  EXPECT_EQ(at(body, "data.previous"), (json::object{{"notes", nullptr}, {"serviceLevel", nullptr}}));
  EXPECT_EQ(at(body, "data.workflow"), (json::object{{"guid", workflow.at("guid")}, {"name", "hook"}}));
  EXPECT_EQ(at(body, "data.entity"), tenant.http.get("/api/v1/Orders/" + order).data());
}

TEST_F(WebhookRequest, IsVerifiedByTheNpmPackageAndByTheTest) {
  const std::string secret = text_at(tenant.configure(definition({})), "action.secret");
  Received request = one_delivery();
  const auto parsed = net::WebhookSecret::parse(secret);
  if (!parsed) FAIL() << "no secret: " << secret;
  EXPECT_EQ(net::verify_webhook(*parsed, request.header("webhook-id"), request.header("webhook-timestamp"),
                                request.header("webhook-signature"), request.body, system_clock().now()),
            net::SignatureCheck::valid);
  const Finished valid = verify_with_npm(secret, request);
  EXPECT_EQ(valid.status, 0) << valid.standard_error;
  request.body += " ";
  const Finished changed = verify_with_npm(secret, request);
  EXPECT_EQ(changed.status, 1) << changed.standard_error;
}

TEST_F(WebhookRequest, HasTheHeadersOfTheActionAndRefusesReservedOnes) {
  tenant.configure(definition({{"headers", {{"X-Shop", "42"}, {"Authorization", "Bearer s3cret"}}}}));
  const Received request = one_delivery();
  EXPECT_EQ(request.header("x-shop"), "42");
  EXPECT_EQ(request.header("authorization"), "Bearer s3cret");
  for (const char* reserved : {"webhook-id", "Webhook-Signature", "content-length", "Host"}) {
    const Response refused =
        tenant.http.post("/api/workflows/configure", definition({{"headers", {{reserved, "x"}}}}));
    EXPECT_EQ(refused.status, 400) << reserved;
  }
}

TEST_F(WebhookRequest, BodyIsRenderedFromTheTemplateWithJsonEscapes) {
  const std::string secret = text_at(
      tenant.configure(definition(
          {{"template",
            R"({"text": "{{orderNumber}}: {{notes}}", "was": "{{previous.notes}}", "by": "{{workflow.name}}"})"}})),
      "action.secret");
  const Received request = one_delivery();
  const json::value body = request.json_body();
  EXPECT_THAT(text_at(body, "text"), testing::EndsWith(": Grüße, “Ada” \\ </script>"));
  EXPECT_EQ(text_at(body, "was"), "");
  EXPECT_EQ(text_at(body, "by"), "hook");
  EXPECT_THAT(signatures(request), ElementsAre(expected_signature(secret, request)));
}

TEST_F(WebhookRequest, ASecretIsGeneratedAndReturnedOnce) {
  const json::object made = tenant.configure(definition({}));
  const std::string secret = text_at(made, "action.secret");
  EXPECT_TRUE(net::WebhookSecret::parse(secret).has_value()) << secret;
  EXPECT_EQ(expected_signature(secret, one_delivery()),
            signatures(receiver.received(tenant.path()).at(0)).at(0));
  const std::string guid = text_at(made, "guid");
  const std::string read = json::serialize(tenant.workflow(guid));
  EXPECT_EQ(read.find(secret), std::string::npos);
  EXPECT_EQ(read.find("secret"), std::string::npos);
  EXPECT_EQ(json::serialize(tenant.run_with_status(guid, "succeeded")).find(secret), std::string::npos);
  EXPECT_EQ(
      tenant.sql.value("select count(*) from workflows w where w::text like '%' || $1 || '%'", {secret}),
      "0");
}

TEST_F(WebhookRequest, AGivenSecretIsUsedAndABadOneRefused) {
  const std::string secret = net::WebhookSecret::random().text();
  tenant.configure(definition({{"secret", secret}}));
  const Received request = one_delivery();
  EXPECT_THAT(signatures(request), ElementsAre(expected_signature(secret, request)));
  for (const char* bad :
       {"", "whsec_", "whsec_c2hvcnQ=", "s3cret", "whsec_not base64 at all, but long enough!"}) {
    const Response refused = tenant.http.post("/api/workflows/configure", definition({{"secret", bad}}));
    EXPECT_EQ(refused.status, 400) << bad;
    EXPECT_TRUE(refused.details().contains("action.secret")) << refused.text;
  }
}

TEST_F(WebhookRequest, AChangedWorkflowKeepsItsSecret) {
  const json::object made = tenant.configure(definition({}));
  json::object change = definition({{"headers", {{"X-New", "1"}}}});
  change["guid"] = made.at("guid");
  EXPECT_EQ(text_at(tenant.configure(change), "action.secret"), "");
  const Received request = one_delivery();
  EXPECT_EQ(request.header("x-new"), "1");
  EXPECT_THAT(signatures(request), ElementsAre(expected_signature(text_at(made, "action.secret"), request)));
}

TEST_F(WebhookRequest, CredentialsInHeadersAreSentButNotShown) {
  json::object wanted = definition(
      {{"headers", {{"Authorization", "Bearer sesame"}, {"X-Auth-Key", "sesame too"}, {"Accept", "shown"}}}});
  const json::object made = tenant.configure(wanted);
  EXPECT_EQ(text_at(made, "action.headers.Authorization"), "********");
  const Received request = one_delivery();
  EXPECT_EQ(request.header("authorization"), "Bearer sesame");
  EXPECT_EQ(request.header("x-auth-key"), "sesame too");
  EXPECT_EQ(request.header("accept"), "shown");

  const json::object shown{{"Authorization", "********"}, {"X-Auth-Key", "********"}, {"Accept", "shown"}};
  const std::string workflow = text_at(made, "guid");
  EXPECT_EQ(at(tenant.workflow(workflow), "action.headers"), json::value(shown));
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(text_at(tenant.run(text_at(run, "guid")), "request.headers.Authorization"), "********");

  wanted["guid"] = workflow;
  wanted.at("action").as_object()["headers"] = shown;
  tenant.configure(wanted);
  const Received again = one_delivery();
  EXPECT_EQ(again.header("authorization"), "Bearer sesame") << "hidden values sent back unchanged are kept";
  EXPECT_EQ(again.header("x-auth-key"), "sesame too");
  tenant.settle();
  for (const char* table : {"workflows", "workflow_versions", "runs", "run_queue"}) {
    EXPECT_EQ(
        tenant.sql.number("select count(*) from " + std::string(table) + " t where t::text like '%sesame%'"),
        0)
        << table;
  }

  wanted.at("action").as_object()["recipient"] = "http://127.0.0.1:1/elsewhere";
  for (const bool of_another_host : {true, false}) {
    if (!of_another_host) wanted.erase("guid");
    const Response refused = tenant.http.post("/api/workflows/configure", wanted);
    EXPECT_EQ(refused.status, 400);
    EXPECT_TRUE(refused.details().contains("action.headers.Authorization"));
  }
}

TEST_F(WebhookRequest, HeaderValuesAreShownOnRequestToAdminsOnly) {
  const json::object made =
      tenant.configure(definition({{"headers", {{"X-Auth-Key", "sesame"}, {"Accept", "text/html"}}}}));
  const std::string path = "/api/workflows/configured/" + text_at(made, "guid") + "/headers";
  const Response shown = tenant.http.get(path);
  ASSERT_EQ(shown.status, 200) << shown.text;
  EXPECT_EQ(at(shown.data(), "headers"), json::value({{"X-Auth-Key", "sesame"}, {"Accept", "text/html"}}));
  EXPECT_EQ(shown.header("Cache-Control"), "no-store");
  const Response token = tenant.http.post("/api/business/tokens", {{"name", "o"}, {"role", "operator"}});
  EXPECT_EQ(world.waybill.http(text_at(token.data(), "token")).get(path).status, 403);
  EXPECT_EQ(Tenant(world.waybill, test_name() + ", another").http.get(path).status, 404);
  const json::object bare = tenant.configure(definition({}));
  const Response none = tenant.http.get("/api/workflows/configured/" + text_at(bare, "guid") + "/headers");
  EXPECT_EQ(at(none.data(), "headers"), json::value(json::object()));
}

TEST_F(WebhookRequest, HeadersStoredInPlainTextAreSealedWhenConfiguredAgain) {
  const json::object made = tenant.configure(definition({{"headers", {{"X-Shop", "42"}}}}));
  const std::string workflow = text_at(made, "guid");
  tenant.sql.rows(
      "update workflows set sealed_credentials = null, updated_at = now(), version = version + 1, "
      "action = jsonb_set(action, '{headers}', '{\"X-Shop\": \"plain\"}') where guid = $1::uuid",
      {workflow});
  tenant.sql.rows(
      "insert into workflow_versions (business_id, workflow_id, version, definition) "
      "select business_id, guid, version, workflow_definition(w) from workflows w where guid = $1::uuid",
      {workflow});
  ASSERT_TRUE(eventually([&] { return one_delivery().header("x-shop") == "plain"; }));
  EXPECT_EQ(text_at(tenant.workflow(workflow), "action.headers.X-Shop"), "********");
  const json::object run = tenant.run_with_status(workflow, "succeeded");
  EXPECT_EQ(text_at(tenant.run(text_at(run, "guid")), "request.headers.X-Shop"), "********");
  EXPECT_EQ(
      text_at(tenant.http.get("/api/workflows/configured/" + workflow + "/headers").data(), "headers.X-Shop"),
      "plain");

  tenant.configure({{"guid", workflow}, {"name", "renamed"}});
  EXPECT_EQ(tenant.sql.value("select action #>> '{headers,X-Shop}' from workflows where guid = $1::uuid",
                             {workflow}),
            "********");
  EXPECT_EQ(one_delivery().header("x-shop"), "plain");
}

TEST_F(WebhookRequest, IsSignedWithTheTwoNewestSecretsDuringRotation) {
  const json::object made = tenant.configure(definition({}));
  const std::string path = "/api/workflows/configured/" + text_at(made, "guid") + "/rotate-secret";
  const std::string first = text_at(made, "action.secret");
  const std::string second = text_at(tenant.http.post(path, json::object()).body, "data.secret");
  ASSERT_NE(second, first);
  const Received both = one_delivery();
  EXPECT_THAT(signatures(both),
              UnorderedElementsAre(expected_signature(first, both), expected_signature(second, both)));
  EXPECT_EQ(verify_with_npm(first, both).status, 0);
  EXPECT_EQ(verify_with_npm(second, both).status, 0);

  const std::string third = net::WebhookSecret::random().text();
  const Response rotated = tenant.http.post(path, {{"secret", third}, {"overlap", "PT1H"}});
  ASSERT_EQ(rotated.status, 200) << rotated.text;
  const Received newest = one_delivery();
  EXPECT_THAT(signatures(newest),
              UnorderedElementsAre(expected_signature(second, newest), expected_signature(third, newest)));

  ASSERT_EQ(tenant.http.post(path, {{"overlap", "PT0S"}}).status, 200);
  EXPECT_THAT(signatures(one_delivery()), SizeIs(1));
  EXPECT_EQ(tenant.http.post(path, {{"overlap", "P1Y"}}).status, 400);
}

TEST_F(WebhookRequest, IsSignedWithTheOlderSecretUntilItsOverlapEnds) {
  const json::object made = tenant.configure(definition({}));
  const std::string path = "/api/workflows/configured/" + text_at(made, "guid") + "/rotate-secret";
  ASSERT_EQ(tenant.http.post(path, {{"overlap", "PT1S"}}).status, 200);
  EXPECT_THAT(signatures(one_delivery()), SizeIs(2));
  EXPECT_TRUE(eventually([&] { return signatures(one_delivery()).size() == 1; }));
}

}  // namespace
}  // namespace waybill::tests
