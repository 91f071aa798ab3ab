#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "net/web_push/vapid.hpp"
#include "tests/actions/push_service.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::vector<std::string> keys(const json::value& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.as_object()) result.emplace_back(key);
  return result;
}

/// The claims of the token that signs a message (RFC 8292).
json::value claims_of(const Pushed& push) {
  const std::string header = push.header("authorization");
  const std::size_t dot = header.find('.');
  const auto bytes = base64url_decode(header.substr(dot + 1, header.find('.', dot + 1) - dot - 1)).value();
  return json::parse(std::string(bytes.begin(), bytes.end()));
}

/// The key pair with which a business signs.
std::string make_vapid_keys(Tenant& tenant, const std::string& secret_key_file) {
  const auto pair = net::make_vapid_keys();
  const SecretBox secrets(SecretBox::read_key(secret_key_file));
  tenant.sql.value(
      "insert into vapid_keys (business_id, public_key, private_key_sealed) values ($1, $2, decode($3, "
      "'hex')) "
      "on conflict (business_id) do update set public_key = excluded.public_key, "
      "private_key_sealed = excluded.private_key_sealed",
      {tenant.id, pair.public_key, hex(secrets.seal(pair.private_key, "vapid-key:" + tenant.id))});
  return pair.public_key;
}

void save_subscription(Tenant& tenant, const PushBrowser& browser,
                       const std::optional<std::string>& user = {}) {
  tenant.sql.value(
      "insert into push_subscriptions (business_id, user_id, endpoint, p256dh, auth) values ($1, $2, $3, $4, "
      "$5)",
      {tenant.id, user, browser.endpoint, browser.p256dh, browser.auth});
}

std::string make_user(Tenant& tenant, std::string_view name) {
  return tenant.sql.value(
      "insert into users (email, business_id, role) values ($1, $2, 'operator') returning guid",
      {std::string(name) + "@" + tenant.name + ".example", tenant.id});
}

/// The guid of a workflow that sends push messages when an order changes.
std::string push_workflow(Tenant& tenant, json::object action = {}) {
  action["type"] = "send_push";
  if (!action.contains("title")) action["title"] = "{{orderNumber}} changed";
  return text_at(tenant.configure({{"name", "push"},
                                   {"entityType", "Order"},
                                   {"triggerId", trigger_guid("order_updated")},
                                   {"action", std::move(action)}}),
                 "guid");
}

// The results of a run's attempts for each subscription.
std::vector<std::string> results(const json::object& run, std::size_t number) {
  std::vector<std::string> result;
  const json::value report =
      json::parse(at(run, "tries").as_array().at(number - 1).at("response").as_string());
  for (const json::value& entry : report.at("subscriptions").as_array())
    result.push_back(text_at(entry, "result"));
  return result;
}

class SendPush : public WorkflowTest {
 protected:
  PushBrowser browser(const std::optional<std::string>& user = {}) {
    PushBrowser subscribed = service.subscribe(vapid_key);
    save_subscription(tenant, subscribed, user);
    return subscribed;
  }

  std::string workflow(json::object action = {}) { return push_workflow(tenant, std::move(action)); }

  // The guid of an order, after a change.
  std::string change(std::string_view notes = "ring twice") {
    std::string order = tenant.create_order();
    tenant.put_order(order, {{"notes", notes}});
    return order;
  }

  std::int64_t subscription_count() {
    return tenant.sql.number("select count(*) from push_subscriptions where business_id = $1", {tenant.id});
  }

  PushService& service = shared<PushService>();
  std::string vapid_key = make_vapid_keys(tenant, world.waybill.secret_key_file());
};

TEST_F(SendPush, EveryBrowserDecryptsTheMessageOfTheContract) {
  const PushBrowser first_browser = browser();
  const PushBrowser second_browser = browser();
  const std::string guid = workflow({{"title", "{{orderNumber}} & more"},
                                     {"body", "{{notes}}"},
                                     {"url", "https://shop.example/orders/{{guid}}"},
                                     {"ttl", 600},
                                     {"urgency", "high"}});
  const std::string order = change("Grüße, “Ada” <b>");
  const std::string number = text_at(tenant.http.get("/api/v1/Orders/" + order).data(), "orderNumber");
  std::string tag;
  for (const PushBrowser& each : {first_browser, second_browser}) {
    const auto pushes = service.wait_for(each, 1);
    ASSERT_THAT(pushes, SizeIs(1));
    EXPECT_EQ(pushes[0].status, 201);
    tag = text_at(pushes[0].message, "tag");
    EXPECT_EQ(
        pushes[0].message,
        (json::value{{"title", number + " & more"},
                     {"body", "Grüße, “Ada” <b>"},
                     {"url", "https://shop.example/orders/" + order},
                     {"tag", tag},
                     {"data", {{"type", "order_updated"}, {"entityType", "Order"}, {"entityId", order}}}}));
    EXPECT_EQ(pushes[0].header("ttl"), "600");
    EXPECT_EQ(pushes[0].header("urgency"), "high");
    EXPECT_EQ(pushes[0].header("topic"), tag);
    EXPECT_LE(tag.size(), 32U);
    EXPECT_EQ(pushes[0].header("content-encoding"), "aes128gcm");
  }
  const json::object run = tenant.run_with_status(guid, "succeeded");
  EXPECT_THAT(keys(at(run, "request")), UnorderedElementsAre("title", "body", "url", "subscriptions"));
  EXPECT_EQ(text_at(run, "request.title"), number + " & more");
  EXPECT_EQ(at(run, "request.body"), "Grüße, “Ada” <b>");
  EXPECT_EQ(at(run, "request.subscriptions"), 2);
  EXPECT_EQ(at(run, "tries.0.statusCode"), 201);
  EXPECT_THAT(results(run, 1), ElementsAre("delivered", "delivered"));
}

TEST_F(SendPush, IsSignedForTheOriginOfThePushServiceAndAtMostADay) {
  const PushBrowser first_browser = browser();
  workflow();
  change();
  const auto pushes = service.wait_for(first_browser, 1);
  ASSERT_THAT(pushes, SizeIs(1));
  const std::string header = pushes[0].header("authorization");
  EXPECT_TRUE(header.ends_with(", k=" + vapid_key)) << header;
  const json::value claims = claims_of(pushes[0]);
  EXPECT_EQ(text_at(claims, "aud"), service.origin());
  EXPECT_TRUE(text_at(claims, "sub").starts_with("mailto:")) << claims;
  const std::int64_t lifetime = claims.at("exp").as_int64() - to_unix_seconds(system_clock().now());
  EXPECT_GT(lifetime, 0);
  EXPECT_LE(lifetime, 24 * 3600);
}

TEST_F(SendPush, AGoneSubscriptionIsRemovedAndTheOthersAreServed) {
  const PushBrowser stays = browser();
  const PushBrowser expired = browser();
  const PushBrowser unknown = browser();
  service.expire(expired);
  service.answer_next(unknown, 404);
  const std::string guid = workflow();
  change();
  const json::object run = tenant.run_with_status(guid, "succeeded");
  EXPECT_THAT(results(run, 1), UnorderedElementsAre("delivered", "gone", "gone"));
  EXPECT_EQ(run.at("attempts"), 1);
  EXPECT_THAT(
      tenant.sql.column("select endpoint from push_subscriptions where business_id = $1", {tenant.id}),
      ElementsAre(stays.endpoint));
}

TEST_F(SendPush, OnlyFailedSubscriptionsAreRetried) {
  const PushBrowser healthy = browser();
  const PushBrowser busy = browser();
  const PushBrowser limited = browser();
  service.answer_next(busy, 503);
  service.answer_next(limited, 429, {{"Retry-After", "1"}});
  const std::string guid = workflow();
  change();
  const auto retried = service.wait_for(busy, 2);
  ASSERT_THAT(retried, SizeIs(2));
  const json::object run = tenant.run_with_status(guid, "succeeded");
  EXPECT_EQ(run.at("attempts"), 2);
  EXPECT_THAT(results(run, 1), UnorderedElementsAre("delivered", "failed", "failed"));
  EXPECT_THAT(results(run, 2), ElementsAre("delivered", "delivered"));
  EXPECT_THAT(service.pushes(healthy), SizeIs(1));
  EXPECT_THAT(service.pushes(limited), SizeIs(2));
  EXPECT_EQ(retried[0].header("topic"), retried[1].header("topic"))
      << "the later attempt replaces the earlier one";
  EXPECT_EQ(text_at(retried[1].message, "tag"), retried[1].header("topic"));
}

TEST_F(SendPush, ANewSubscriptionIsNotServedByARetryOfAnEarlierRun) {
  const PushBrowser busy = browser();
  service.answer_next(busy, 503, {{"Retry-After", "2"}});
  const std::string guid = workflow();
  change();
  ASSERT_THAT(service.wait_for(busy, 1), SizeIs(1));
  const PushBrowser late = browser();
  tenant.run_with_status(guid, "succeeded");
  EXPECT_THAT(service.pushes(busy), SizeIs(2));
  EXPECT_THAT(service.pushes(late), IsEmpty());
}

TEST_F(SendPush, ARefusalEndsDeliveryToItsSubscriptionOnly) {
  const PushBrowser good = browser();
  const PushBrowser forbidden = browser();
  service.answer_next(forbidden, 403);
  const std::string guid = workflow();
  change();
  const json::object run = tenant.run_with_status(guid, "succeeded");
  EXPECT_THAT(results(run, 1), UnorderedElementsAre("delivered", "refused"));
  EXPECT_EQ(run.at("attempts"), 1);
  EXPECT_EQ(subscription_count(), 2) << "the subscription is kept";
}

TEST_F(SendPush, ARunThatAllServicesRefuseIsDead) {
  for (const int status : {400, 401, 403, 413}) service.answer_next(browser(), status);
  const std::string guid = workflow();
  change();
  const json::object run = tenant.run_with_status(guid, "dead");
  EXPECT_EQ(run.at("attempts"), 1);
  EXPECT_THAT(results(run, 1), ElementsAre("refused", "refused", "refused", "refused"));
  EXPECT_TRUE(text_at(run, "code").starts_with("HTTP_4")) << text_at(run, "code");
}

TEST_F(SendPush, WithoutASubscriptionTheRunIsSkipped) {
  const std::string guid = workflow();
  change();
  EXPECT_EQ(tenant.run_with_status(guid, "skipped").at("code"), "NO_SUBSCRIPTION");
}

TEST_F(SendPush, WithOnlyGoneSubscriptionsTheRunIsSkipped) {
  service.expire(browser());
  const std::string guid = workflow();
  change();
  EXPECT_EQ(tenant.run_with_status(guid, "skipped").at("code"), "NO_SUBSCRIPTION");
  EXPECT_EQ(subscription_count(), 0);
}

TEST_F(SendPush, AMessageThatIsTooLargeEndsTheRunWithoutAnAttempt) {
  const PushBrowser first_browser = browser();
  const std::string guid = workflow({{"body", "{{notes}}"}});
  change(std::string(4'000, 'x'));
  const json::object run = tenant.run_with_status(guid, "dead");
  EXPECT_EQ(run.at("code"), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(run.at("attempts"), 0);
  EXPECT_THAT(service.pushes(first_browser), IsEmpty());
}

TEST_F(SendPush, AReplaySendsToTheSubscriptionsAtThatTime) {
  const PushBrowser first_browser = browser();
  const std::string guid = workflow();
  change();
  const std::string run = text_at(tenant.run_with_status(guid, "succeeded"), "guid");
  const PushBrowser second_browser = browser();
  const Response replayed = tenant.http.post("/api/workflows/runs/" + run + "/replay");
  ASSERT_EQ(replayed.status, 201) << replayed.text;
  const auto first = service.wait_for(first_browser, 2);
  const auto second = service.wait_for(second_browser, 1);
  ASSERT_THAT(first, SizeIs(2));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(first[0].message, first[1].message);
  EXPECT_EQ(second[0].message, first[0].message);
}

TEST_F(SendPush, AMessageForAUserReachesOnlyTheirBrowsersWhileTheyAreMembers) {
  const std::string ada = make_user(tenant, "ada");
  const std::string bob = make_user(tenant, "bob");
  const PushBrowser ada_browser = browser(ada);
  const PushBrowser bob_browser = browser(bob);
  const PushBrowser anonymous_browser = browser();
  workflow({{"recipient", ada}, {"title", "for Ada"}});
  const std::string left = workflow({{"recipient", bob}, {"title", "for Bob"}});
  tenant.sql.value("update users set business_id = null, role = null, password_hash = 'x' where guid = $1",
                   {bob});
  change();
  ASSERT_THAT(service.wait_for(ada_browser, 1), SizeIs(1));
  EXPECT_EQ(tenant.run_with_status(left, "skipped").at("code"), "NO_SUBSCRIPTION");
  EXPECT_EQ(text_at(service.pushes(ada_browser).at(0).message, "title"), "for Ada");
  EXPECT_THAT(service.pushes(ada_browser), SizeIs(1));
  EXPECT_THAT(service.pushes(bob_browser), IsEmpty());
  EXPECT_THAT(service.pushes(anonymous_browser), IsEmpty());
}

TEST_F(SendPush, ATestIsSentToTheBrowsersOfTheCaller) {
  const std::string email = tenant.id + "@example.com";
  Http http = world.waybill.http();
  ASSERT_EQ(http.post("/api/user/register", {{"email", email},
                                             {"password", "correct horse"},
                                             {"confirmPassword", "correct horse"},
                                             {"acceptedTerms", true}})
                .status,
            201);
  const std::string user = tenant.sql.value(
      "update users set verified_at = now(), business_id = $1, role = 'owner' where email = $2 returning "
      "guid",
      {tenant.id, email});
  const Response login = http.post("/api/user/login", {{"email", email}, {"password", "correct horse"}});
  Http caller = world.waybill.http(text_at(login.data(), "token"));
  const std::string guid = workflow({{"title", "{{orderNumber}}"}, {"body", "{{notes}}"}});
  const std::string path = "/api/workflows/configured/" + guid + "/send-test";
  const Response refused = tenant.http.post(path, json::object());
  EXPECT_TRUE(refused.details().contains("to")) << "a token has no browsers: " << refused.text;
  EXPECT_EQ(text_at(caller.post(path, json::object()).data(), "to"), "0");

  const PushBrowser own = browser(user);
  const PushBrowser another = browser(make_user(tenant, "another"));
  const std::string order = tenant.create_order({{"orderNumber", "T-1"}, {"notes", "try"}});
  const Response sent = caller.post(path, {{"entityId", order}});
  EXPECT_EQ(sent.status, 200) << sent.text;
  EXPECT_EQ(text_at(sent.data(), "to"), "1");
  EXPECT_TRUE(at(sent.data(), "error").is_null()) << sent.text;
  const auto pushes = service.wait_for(own, 1);
  ASSERT_THAT(pushes, SizeIs(1));
  EXPECT_EQ(text_at(pushes[0].message, "title"), "T-1");
  EXPECT_EQ(text_at(pushes[0].message, "body"), "try");
  EXPECT_EQ(text_at(pushes[0].message, "tag"), "test");
  EXPECT_TRUE(text_at(claims_of(pushes[0]), "sub").starts_with("mailto:"));
  EXPECT_THAT(service.pushes(another), IsEmpty());

  service.expire(own);
  const Response failed = caller.post(path, {{"entityId", order}});
  EXPECT_EQ(text_at(failed.data(), "response"), "0 browsers were reached.");
  EXPECT_FALSE(text_at(failed.data(), "error").empty());
  EXPECT_EQ(tenant.runs("Page=1").size(), 0U);
}

TEST_F(SendPush, TextsComeFromTheStoredTemplateAtTheTimeOfTheChange) {
  const PushBrowser first_browser = browser();
  const json::object texts{{"code", "changed"},          {"name", "Changed"},
                           {"entityType", "Order"},      {"type", "send_push"},
                           {"title", "{{orderNumber}}"}, {"body", "Now: {{notes}}"},
                           {"url", "/orders/{{guid}}"}};
  const Response made = tenant.http.post("/api/workflows/templates", texts);
  ASSERT_EQ(made.status, 201) << made.text;
  workflow({{"template", "changed"}, {"title", nullptr}});
  const std::string order = change("red & blue");
  ASSERT_THAT(service.wait_for(first_browser, 1), SizeIs(1));
  const json::value first = service.pushes(first_browser)[0].message;
  EXPECT_EQ(text_at(first, "body"), "Now: red & blue");
  EXPECT_EQ(text_at(first, "url"), "/orders/" + order);
  const std::string guid = text_at(made.data(), "guid");
  const Response changed = tenant.http.put("/api/workflows/templates/" + guid, {{"body", "Then: {{notes}}"}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  tenant.put_order(order, {{"notes", "green"}});
  ASSERT_THAT(service.wait_for(first_browser, 2), SizeIs(2));
  EXPECT_EQ(text_at(service.pushes(first_browser)[1].message, "body"), "Then: green");
}

TEST_F(SendPush, ConfiguringRefusesATemplateOrUserOfAnotherBusiness) {
  Tenant other(world.waybill, test_name() + " of others");
  const std::string outsider = make_user(other, "stranger");
  const auto refused = [&](std::string_view field, std::string_view value) {
    json::object action{{"type", "send_push"}, {"title", "t"}};
    action[field] = value;
    return tenant.http.post("/api/workflows/configure", {{"name", "push"},
                                                         {"entityType", "Order"},
                                                         {"triggerId", trigger_guid("order_updated")},
                                                         {"action", action}});
  };
  EXPECT_EQ(refused("template", "nowhere").status, 400);
  EXPECT_THAT(keys(refused("template", "nowhere").details()), ElementsAre("action.template"));
  for (const std::string& user : {outsider, Guid::random().to_string()}) {
    EXPECT_EQ(refused("recipient", user).status, 400);
    EXPECT_THAT(keys(refused("recipient", user).details()), ElementsAre("action.recipient"));
  }
  EXPECT_EQ(refused("recipient", make_user(tenant, "ada")).status, 201);
}

TEST_F(SendPush, ConfiguringRefusesAllBadFields) {
  const Response refused = tenant.http.post(
      "/api/workflows/configure",
      {{"name", "push"},
       {"entityType", "Order"},
       {"triggerId", trigger_guid("order_updated")},
       {"action",
        {{"type", "send_push"}, {"recipient", "everyone"}, {"ttl", 2'419'201}, {"urgency", "now"}}}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(keys(refused.details()),
              UnorderedElementsAre("action.recipient", "action.ttl", "action.urgency", "action.title"));
}

TEST_F(SendPush, UnreachableBrowsersAreRetried) {
  PushBrowser away = service.subscribe(vapid_key);
  {
    const Receiver taken;  // a port on which nothing listens any more
    away.endpoint = taken.url("/notify/x");
  }
  save_subscription(tenant, away);
  const PushBrowser good = browser();
  const std::string guid = workflow();
  change();
  const json::object run = tenant.run_with_status(guid, "retrying");
  EXPECT_EQ(run.at("code"), "CONNECT");
  EXPECT_THAT(service.wait_for(good, 1), SizeIs(1));
  tenant.sql.value("delete from push_subscriptions where business_id = $1 and endpoint = $2 returning guid",
                   {tenant.id, away.endpoint});
  EXPECT_THAT(results(tenant.run_with_status(guid, "succeeded"), 1),
              UnorderedElementsAre("delivered", "failed"));
  EXPECT_THAT(service.pushes(good), SizeIs(1));
}

TEST(SendPushGuard, NoPushIsSentToAPrivateAddress) {
  World world({.allow_private_destinations = false});
  Tenant tenant(world.waybill, "guarded");
  PushService& service = shared<PushService>();
  const PushBrowser inside = service.subscribe(make_vapid_keys(tenant, world.waybill.secret_key_file()));
  save_subscription(tenant, inside);
  const std::string guid = push_workflow(tenant);
  tenant.put_order(tenant.create_order(), {{"notes", "x"}});
  EXPECT_EQ(tenant.run_with_status(guid, "retrying").at("code"), "DESTINATION_REFUSED");
  EXPECT_THAT(service.pushes(inside), IsEmpty());
}

TEST(SendPushCrash, TheRemainingSubscriptionsSurviveTheWorker) {
  TestDatabase database;
  TempDirectory directory;
  const std::string key_file = directory / "secret.key";
  SecretBox::read_or_make_key(key_file);
  const Waybill::Options options{.retry_schedule = "2s,1s,1s", .secret_key_file = key_file};
  auto waybill = std::make_unique<Waybill>(database.url(), options);
  Tenant tenant(*waybill, "crash");
  PushService& service = shared<PushService>();
  const std::string vapid_key = make_vapid_keys(tenant, key_file);
  const PushBrowser served = service.subscribe(vapid_key);
  const PushBrowser busy = service.subscribe(vapid_key);
  save_subscription(tenant, served);
  save_subscription(tenant, busy);
  service.answer_next(busy, 503);
  const std::string guid = push_workflow(tenant);
  tenant.put_order(tenant.create_order(), {{"notes", "x"}});
  tenant.run_with_status(guid, "retrying");
  waybill->process().kill_tree();
  waybill = std::make_unique<Waybill>(database.url(), options);
  Tenant again(*waybill, "crash");
  const json::object run = again.run_with_status(guid, "succeeded");
  EXPECT_EQ(run.at("attempts"), 2);
  EXPECT_THAT(service.pushes(busy), SizeIs(2));
  EXPECT_THAT(service.pushes(served), SizeIs(1)) << "it was served before the crash";
}

}  // namespace
}  // namespace waybill::tests
