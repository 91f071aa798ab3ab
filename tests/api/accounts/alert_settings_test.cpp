// The alert settings: GET and PUT /api/business/alerts.
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view path = "/api/business/alerts";
const json::array all_causes{"run_dead",         "workflow_paused", "import_failed",
                             "destination_down", "workflow_silent", "import_silent",
                             "scans_silent",     "label_unknown",   "label_failed",
                             "label_doubled",    "label_dearer",    "label_of_cancelled_order"};

class AlertSettings : public ApiTest {
 protected:
  json::object settings() { return http.get(path).data().as_object(); }
  std::string secret_after(const json::object& body) {
    const Response changed = http.put(path, body);
    EXPECT_EQ(changed.status, 200) << changed.text;
    const json::value webhook = at(changed.data(), "webhook");
    return webhook.as_object().contains("secret") ? text_at(webhook, "secret") : "";
  }
};

TEST_F(AlertSettings, BeginWithoutRecipients) {
  EXPECT_EQ(
      json::value(settings()),
      json::value({{"emails", json::array()}, {"webhook", nullptr}, {"on", all_causes}, {"minutes", 60}}));
}

TEST_F(AlertSettings, AreMergedAndClearedByNull) {
  ASSERT_EQ(
      http.put(path, {{"emails", json::array{"ops@example.com", "OPS@example.com", "b@example.com"}}}).status,
      200);
  ASSERT_EQ(http.put(path, {{"on", json::array{"run_dead", "run_dead"}}, {"minutes", 5}}).status, 200);
  EXPECT_EQ(json::value(settings()), json::value({{"emails", json::array{"ops@example.com", "b@example.com"}},
                                                  {"webhook", nullptr},
                                                  {"on", json::array{"run_dead"}},
                                                  {"minutes", 5}}));
  ASSERT_EQ(http.put(path, settings()).status, 200) << "an answer can be sent back";
  ASSERT_EQ(http.put(path, {{"on", json::array()}}).status, 200);
  EXPECT_EQ(settings().at("on"), json::value(json::array())) << "nothing is reported";
  ASSERT_EQ(http.put(path, {{"emails", nullptr}, {"on", nullptr}, {"minutes", nullptr}}).status, 200);
  EXPECT_EQ(
      json::value(settings()),
      json::value({{"emails", json::array()}, {"webhook", nullptr}, {"on", all_causes}, {"minutes", 60}}));
}

TEST_F(AlertSettings, ShowTheSecretOfTheWebhookOnlyWhenItIsMade) {
  expect_invalid(http.put(path, {{"webhook", json::object()}}), {"webhook.url"});
  const std::string first = secret_after({{"webhook", {{"url", "https://example.com/a"}}}});
  EXPECT_TRUE(first.starts_with("whsec_")) << first;
  EXPECT_EQ(settings().at("webhook"), json::value({{"url", "https://example.com/a"}}));
  const auto sealed = [&] {
    return tenant.sql.value("select sealed_alert_secret from business_defaults where business_id = $1",
                            {tenant.id});
  };
  const std::string stored = sealed();
  EXPECT_EQ(secret_after({{"webhook", {{"url", "https://example.com/b"}}}}), "") << "the secret stays";
  EXPECT_EQ(sealed(), stored);
  EXPECT_EQ(settings().at("webhook"), json::value({{"url", "https://example.com/b"}}));
  EXPECT_EQ(secret_after({{"webhook", {{"secret", first}}}}), "") << "a given secret is known";
  EXPECT_NE(sealed(), stored);
  const std::string second = secret_after({{"webhook", {{"secret", nullptr}}}});
  EXPECT_TRUE(second.starts_with("whsec_") && second != first) << second;
  ASSERT_EQ(http.put(path, {{"webhook", nullptr}}).status, 200);
  EXPECT_TRUE(settings().at("webhook").is_null());
  EXPECT_EQ(sealed(), "");
}

TEST_F(AlertSettings, RefuseWhatIsNotValid) {
  json::array many;
  for (int i = 0; i < 21; ++i) many.push_back(json::value("a" + std::to_string(i) + "@example.com"));
  expect_invalid(
      http.put(path, {{"emails", many}, {"minutes", 0}, {"on", json::array{"run_dead", "x"}}, {"nme", 1}}),
      {"emails", "minutes", "on[1]", "nme"});
  expect_invalid(
      http.put(path, {{"emails", json::array{"no address"}}, {"minutes", 10081}, {"on", json::array{1}}}),
      {"emails[0]", "minutes", "on[0]"});
  expect_invalid(http.put(path, {{"minutes", 1.5}, {"webhook", {{"url", nullptr}}}}),
                 {"minutes", "webhook.url"});
  expect_invalid(http.put(path, {{"webhook", {{"url", "ftp://example.com/"}, {"secret", "short"}}}}),
                 {"webhook.url", "webhook.secret"});
  many.erase(many.begin());
  EXPECT_EQ(http.put(path, {{"emails", many}, {"minutes", 10080}}).status, 200);
  EXPECT_EQ(http.put(path, {{"minutes", 1}}).status, 200);
}

TEST_F(AlertSettings, BelongToOneBusiness) {
  ASSERT_EQ(http.put(path, {{"minutes", 7}}).status, 200);
  EXPECT_EQ(at(other_business().http.get(path).data(), "minutes"), 60);
}

TEST(GuardedAlertSettings, RefuseAWebhookAtAPrivateAddress) {
  World world({.allow_private_destinations = false});
  Tenant tenant(world.waybill, "guarded");
  for (const std::string_view url :
       {"http://127.0.0.1:9000/", "http://10.0.0.1/", "https://example.com:22/"}) {
    const Response refused = tenant.http.put(path, {{"webhook", {{"url", url}}}});
    EXPECT_EQ(refused.status, 400) << url;
    EXPECT_TRUE(refused.details().contains("webhook.url")) << refused.text;
  }
}

class AlertRoles : public AccountTest {};

TEST_F(AlertRoles, AllReadAndAdminsChangeThem) {
  Http owner = new_owner();
  for (const std::string_view role : {"viewer", "operator"}) {
    Http member = new_member(owner, role);
    EXPECT_EQ(member.get(path).status, 200) << role;
    expect_refused(member.put(path, {{"minutes", 5}}), 403, "FORBIDDEN");
  }
  EXPECT_EQ(new_member(owner, "admin").put(path, {{"minutes", 5}}).status, 200);
}

TEST_F(AlertRoles, TheAuditLogHasTheChangesWithoutTheSecret) {
  Http owner = new_owner();
  const Response changed = owner.put(path, {{"emails", json::array{"ops@example.com"}},
                                            {"webhook", {{"url", "https://example.com/a"}}},
                                            {"minutes", 5}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  const std::string secret = text_at(changed.data(), "webhook.secret");
  const Response log = owner.get("/api/business/audit?PageSize=1");
  EXPECT_EQ(log.text.find(secret), std::string::npos);
  const json::value entry = log.data().as_array().at(0);
  EXPECT_EQ(text_at(entry, "action"), "updated");
  EXPECT_EQ(text_at(entry, "entityType"), "business");
  const json::object& changes = entry.at("changes").as_object();
  EXPECT_EQ(changes.at("alerts.emails").at("to"), json::value(json::array{"ops@example.com"}));
  EXPECT_EQ(changes.at("alerts.minutes").at("to"), 5);
  EXPECT_EQ(changes.at("alerts.webhook.url").at("to"), "https://example.com/a");
  EXPECT_EQ(changes.at("alerts.webhook.secret").at("to"), "********");
}

}  // namespace
}  // namespace waybill::tests
