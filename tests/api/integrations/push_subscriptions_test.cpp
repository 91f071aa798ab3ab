#include <set>

#include "base/crypto.hpp"
#include "base/secret_box.hpp"
#include "net/web_push/vapid.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class SubscriptionsTest : public ApiTest {
 protected:
  static constexpr std::string_view path = "/api/integrations/save-vapid-subscription";

  static json::object subscription(std::string_view endpoint = "https://push.example.com/send/1") {
    return {{"endpoint", endpoint},
            {"keys", {{"p256dh", net::make_vapid_keys().public_key}, {"auth", base64url(random_bytes(16))}}}};
  }

  std::vector<Session::Row> stored() {
    return tenant.sql.rows(
        "select endpoint, p256dh, auth, user_id::text from push_subscriptions where business_id = $1::uuid"
        " order by endpoint",
        {tenant.id});
  }
};

TEST_F(SubscriptionsTest, AreSavedWithoutResponseData) {
  const auto subscription_body = subscription();
  const auto response = http.post(path, subscription_body);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.text, R"({"success":true})");
  const auto rows = stored();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "https://push.example.com/send/1");
  EXPECT_EQ(rows[0][1], text_at(subscription_body, "keys.p256dh"));
  EXPECT_EQ(rows[0][2], text_at(subscription_body, "keys.auth"));
  EXPECT_FALSE(rows[0][3]) << "a token has no user";
}

TEST_F(SubscriptionsTest, AreAcceptedInTheFormOfBrowsers) {
  auto subscription_body = subscription();
  subscription_body["expirationTime"] = nullptr;
  EXPECT_EQ(http.post(path, subscription_body).status, 200);
  subscription_body["expirationTime"] = 1'800'000'000'000;
  EXPECT_EQ(http.post(path, subscription_body).status, 200);
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(SubscriptionsTest, TheSameEndpointTwiceIsOneSubscriptionWithTheLastKeys) {
  http.post(path, subscription());
  const auto second = subscription();
  EXPECT_EQ(http.post(path, second).status, 200);
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_EQ(stored()[0][1], text_at(second, "keys.p256dh"));
  EXPECT_EQ(http.post(path, subscription("https://push.example.com/send/2")).status, 200);
  EXPECT_EQ(stored().size(), 2U);
  EXPECT_EQ(other_business().http.post(path, subscription()).status, 200)
      << "another business has its own subscription";
  EXPECT_EQ(stored().size(), 2U);
}

TEST_F(SubscriptionsTest, BeyondTenThousandTheOldestAreRemoved) {
  tenant.sql.exec(
      "insert into push_subscriptions (business_id, endpoint, p256dh, auth, updated_at)"
      " select '" +
      tenant.id +
      "', 'https://push.example.com/old/' || n, 'x', 'y', now() - n * interval '1 minute'"
      " from generate_series(1, 10000) n");
  const auto is_there = [&](int n) {
    return tenant.sql.value(
               "select count(*) from push_subscriptions where business_id = $1 and endpoint = $2",
               {tenant.id, "https://push.example.com/old/" + std::to_string(n)}) == "1";
  };
  EXPECT_EQ(http.post(path, subscription("https://push.example.com/old/1")).status, 200);
  EXPECT_TRUE(is_there(10'000)) << "saving it again adds none";
  EXPECT_EQ(http.post(path, subscription()).status, 200);
  EXPECT_EQ(stored().size(), 10'000U);
  EXPECT_FALSE(is_there(10'000));
  EXPECT_TRUE(is_there(9'999));
}

TEST_F(SubscriptionsTest, CanBeDeleted) {
  http.post(path, subscription());
  const json::object endpoint{{"endpoint", "https://push.example.com/send/1"}};
  expect_refused(other_business().http.request("DELETE", path, endpoint), 404, "NOT_FOUND");
  EXPECT_EQ(http.request("DELETE", path, endpoint).text, R"({"success":true})");
  EXPECT_TRUE(stored().empty());
  expect_refused(http.request("DELETE", path, endpoint), 404, "NOT_FOUND");
  expect_invalid(http.request("DELETE", path, json::object{}), {"endpoint"});
}

TEST_F(SubscriptionsTest, TheirKeysMustBeUsable) {
  expect_invalid(http.post(path, json::object{}), {"endpoint", "keys"});
  expect_invalid(http.post(path, {{"endpoint", "https://push.example.com/"}, {"keys", json::object{}}}),
                 {"keys.p256dh", "keys.auth"});
  auto subscription_body = subscription();
  auto& keys = subscription_body["keys"].as_object();
  auto point = base64url_decode(text_at(subscription_body, "keys.p256dh")).value();
  point[33] ^= 1;
  keys["p256dh"] = base64url(point);
  keys["auth"] = base64url(random_bytes(15));
  expect_invalid(http.post(path, subscription_body), {"keys.p256dh", "keys.auth"});
  keys["p256dh"] = base64url(random_bytes(64));
  keys["auth"] = base64(random_bytes(16));
  expect_invalid(http.post(path, subscription_body), {"keys.p256dh", "keys.auth"});
  EXPECT_TRUE(stored().empty());
}

TEST_F(SubscriptionsTest, TheirEndpointIsAnHttpUrlOfAtMostTwoThousandCharacters) {
  for (const auto* const bad :
       {"push", "ftp://push.example.com/", "https://user:pw@push.example.com/", "https://"}) {
    expect_invalid(http.post(path, subscription(bad)), {"endpoint"});
  }
  const std::string start = "https://push.example.com/";
  EXPECT_EQ(http.post(path, subscription(start + std::string(2'000 - start.size(), 'x'))).status, 200);
  expect_invalid(http.post(path, subscription(start + std::string(2'001 - start.size(), 'x'))), {"endpoint"});
}

TEST_F(SubscriptionsTest, EachBusinessHasAKeyPairWithASealedPrivateKey) {
  const auto response = http.get("/api/integrations/vapid-public-key");
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data().as_object().size(), 1U);
  const auto key = text_at(response.data(), "publicKey");
  EXPECT_TRUE(net::is_push_key(key)) << key;
  EXPECT_EQ(text_at(http.get("/api/integrations/vapid-public-key").data(), "publicKey"), key)
      << "the key is permanent";
  EXPECT_NE(text_at(other_business().http.get("/api/integrations/vapid-public-key").data(), "publicKey"),
            key);
  const auto sealed = tenant.sql.value(
      "select encode(private_key_sealed, 'hex') from vapid_keys where business_id = $1::uuid", {tenant.id});
  const SecretBox box(SecretBox::read_key(world.waybill.secret_key_file()));
  const auto secret = box.open(unhex(sealed).value(), "vapid-key:" + tenant.id);
  EXPECT_EQ(base64url_decode(secret)->size(), 32U);
}

TEST_F(SubscriptionsTest, SavingOneCreatesTheKeyPairOfABusinessFromTheCommandLine) {
  EXPECT_EQ(http.post(path, subscription()).status, 200);
  EXPECT_EQ(tenant.sql.number("select count(*) from vapid_keys where business_id = $1::uuid", {tenant.id}),
            1);
}

class UserSubscriptionsTest : public AccountTest {};

TEST_F(UserSubscriptionsTest, ABusinessThatAUserCreatesHasAKeyPairFromTheStart) {
  auto owner = new_owner();
  EXPECT_EQ(world.database.number("select count(*) from vapid_keys k join users u using (business_id)"
                                  " where u.guid = $1::uuid",
                                  {user_guid(owner)}),
            1);
}

TEST_F(UserSubscriptionsTest, ASubscriptionOfAUserIsDeletedWithTheUser) {
  auto owner = new_owner();
  auto member = new_member(owner, "operator");
  const auto guid = user_guid(member);
  const json::object subscription_body{
      {"endpoint", "https://push.example.com/send/" + guid},
      {"keys", {{"p256dh", net::make_vapid_keys().public_key}, {"auth", base64url(random_bytes(16))}}}};
  EXPECT_EQ(member.post("/api/integrations/save-vapid-subscription", subscription_body).status, 200);
  const auto count = [&] {
    return world.database.number("select count(*) from push_subscriptions where user_id = $1::uuid", {guid});
  };
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(owner.del("/api/business/users/" + guid).status, 200);
  EXPECT_EQ(count(), 0);
}

/// A separate waybill, because the shared one allows push messages to any address.
TEST(SubscriptionsGuard, AnEndpointMustNotHaveAPrivateAddress) {
  const TestDatabase database;
  const Waybill waybill(database.url(), {.allow_private_destinations = false});
  auto http = waybill.business("guarded");
  for (const auto* const bad :
       {"http://127.0.0.1/", "https://10.0.0.1/x", "https://localhost/", "https://[::1]/",
        "https://169.254.169.254/latest", "https://push.example.com:25/"}) {
    const auto response = http.post(
        "/api/integrations/save-vapid-subscription",
        {{"endpoint", bad},
         {"keys", {{"p256dh", net::make_vapid_keys().public_key}, {"auth", base64url(random_bytes(16))}}}});
    EXPECT_EQ(response.status, 400) << bad;
    EXPECT_TRUE(response.details().contains("endpoint")) << response.text;
  }
}

}  // namespace
}  // namespace waybill::tests
