// Sessions whose token is in a cookie: logins, calls, their protection against other origins, and their end.
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/browser.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class CookieSessions : public AccountTest {
 protected:
  Browser browser() { return Browser(world.waybill.http()); }
  Browser browser_of(const std::string& address) {
    auto opened = browser();
    EXPECT_EQ(opened.log_in(address, good_password).status, 200);
    return opened;
  }
  /// The browser of a user who owns a new business.
  Browser owner_browser() {
    email = fresh_address();
    owner = new_user(email);
    EXPECT_EQ(owner.post("/api/business", {{"name", "Acme"}, {"email", "acme@example.com"}}).status, 201);
    return browser_of(email);
  }
  std::string cookie_name() const { return "waybill_" + std::to_string(world.waybill.port()); }

  std::string email;
  Http owner = world.waybill.http();
};

TEST_F(CookieSessions, TheTokenIsInTheCookieAndNotInTheBody) {
  email = fresh_address();
  make_account(email);
  auto page = browser();
  const auto login = page.log_in(email, good_password);
  ASSERT_EQ(login.status, 200) << login.text;
  EXPECT_EQ(names_of(login.data()), (std::set<std::string>{"token", "expiresAt", "user"}));
  EXPECT_TRUE(at(login.data(), "token").is_null());
  EXPECT_EQ(login.text.find("wb_"), std::string::npos);
  EXPECT_EQ(login.header("Set-Cookie"),
            cookie_name() + "=" + page.token() + "; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict");
  EXPECT_EQ(page.token().size(), 3U + 43U);
  EXPECT_EQ(page.get(me_path).data(), at(login.data(), "user"));
  EXPECT_EQ(text_at(login.data(), "user.name"), "Ada Lovelace");
  const auto by_token = log_in(email);
  EXPECT_EQ(by_token.header("Set-Cookie"), "");
  EXPECT_TRUE(text_at(by_token.data(), "token").starts_with("wb_"));
}

TEST_F(CookieSessions, WithoutBothHeadersTheCookieIsAbsentForAnyMethod) {
  auto page = owner_browser();
  EXPECT_EQ(page.get(orders_path).status, 200);
  for (const auto& [name, value] : Headers{{"X-Waybill-Console", ""},
                                           {"X-Waybill-Console", "0"},
                                           {"Sec-Fetch-Site", ""},
                                           {"Sec-Fetch-Site", "cross-site"},
                                           {"Sec-Fetch-Site", "same-site"},
                                           {"Sec-Fetch-Site", "none"}}) {
    for (const std::string_view method : {"GET", "HEAD", "POST", "DELETE"}) {
      const auto path =
          method == "DELETE" ? "/api/business/users/" + user_guid(owner) : std::string(orders_path);
      EXPECT_EQ(page.request(method, path, {}, {{name, value}}).status, 401)
          << method << " " << name << value;
    }
    const auto login =
        page.post("/api/user/login", {{"email", email}, {"password", good_password}, {"session", "cookie"}},
                  {{name, value}});
    expect_refused(login, 401, "UNAUTHORIZED");
    EXPECT_EQ(login.header("Set-Cookie"), "");
  }
  EXPECT_EQ(page.http().get(orders_path, {{"Cookie", page.cookie()}}).status, 401);
}

TEST_F(CookieSessions, APageIsRefusedOnceTheCookieIsThatOfAnotherPersonOrBusiness) {
  auto page = owner_browser();
  const auto acme = page.get(me_path).header("X-Waybill-Session");
  ASSERT_NE(acme, "");
  EXPECT_EQ(page.get(orders_path, {{"X-Waybill-Session", acme}}).status, 200);
  EXPECT_EQ(browser_of(email).get(me_path).header("X-Waybill-Session"), acme) << "the next login of a person";

  auto beta = owner_browser();
  const auto other = beta.get(me_path).header("X-Waybill-Session");
  ASSERT_NE(other, acme);
  const Headers of_acme{{"X-Waybill-Session", acme}};
  const auto invited = fresh_address();
  const auto invite = beta.post("/api/business/users", {{"email", invited}, {"role", "operator"}}, of_acme);
  expect_refused(invite, 401, "UNAUTHORIZED");
  EXPECT_EQ(invite.header("X-Waybill-Session"), other) << "says whose the cookie is now";
  EXPECT_EQ(world.database.number("select count(*) from users where email = '" + invited + "'"), 0);
  expect_refused(beta.get(orders_path, of_acme), 401, "UNAUTHORIZED");
  const auto tag = beta.get(orders_path).header("ETag");
  expect_refused(beta.get(orders_path, {{"If-None-Match", tag}, of_acme.front()}), 401, "UNAUTHORIZED");
  expect_refused(beta.post("/api/user/logout", {}, of_acme), 401, "UNAUTHORIZED");
  EXPECT_EQ(beta.get(me_path).status, 200) << "nothing ended it, and a call without the name works";
  EXPECT_EQ(beta.log_in(email, good_password).status, 200);
}

TEST_F(CookieSessions, ALoginIsNotComparedWithTheSessionOfThePage) {
  auto page = owner_browser();
  const Headers unknown{{"X-Waybill-Session", "another"}};
  const json::object login{{"email", email}, {"password", good_password}, {"session", "cookie"}};
  EXPECT_EQ(page.post("/api/user/login", login, unknown).status, 200);
  EXPECT_EQ(owner.get(me_path, unknown).status, 200) << "a token is not shared between tabs";
  EXPECT_EQ(owner.get(me_path).header("X-Waybill-Session"), "");
}

TEST_F(CookieSessions, ThePageOfAPersonWithoutABusinessIsRefusedOnceThereIsOne) {
  email = fresh_address();
  make_account(email);
  auto page = browser_of(email);
  const Headers alone{{"X-Waybill-Session", page.get(me_path).header("X-Waybill-Session")}};
  EXPECT_EQ(page.post("/api/business", {{"name", "Acme"}, {"email", "a@example.com"}}, alone).status, 201);
  EXPECT_TRUE(eventually([&] { return page.get(me_path, alone).status == 401; }));
  EXPECT_EQ(page.get(orders_path).status, 200);
}

TEST_F(CookieSessions, AnAuthorizationHeaderHidesTheCookie) {
  auto page = owner_browser();
  expect_refused(page.get(orders_path, {{"Authorization", "Bearer wb_unknown"}}), 401, "UNAUTHORIZED");
  expect_refused(page.get(orders_path, {{"Authorization", ""}}), 401, "UNAUTHORIZED");
  const auto token = text_at(log_in(email).data(), "token");
  const auto by_token = page.get(me_path, {{"Authorization", "Bearer " + token}});
  EXPECT_EQ(by_token.status, 200);
}

TEST_F(CookieSessions, ATokenWorksOnlyWhereItWasGivenTo) {
  auto page = owner_browser();
  EXPECT_EQ(world.waybill.http(page.token()).get(me_path).status, 401) << "a cookie's token as a header";
  const auto token = text_at(log_in(email).data(), "token");
  const auto as_cookie = cookie_name() + "=" + token;
  expect_refused(page.get(me_path, {{"Cookie", as_cookie}}), 401, "UNAUTHORIZED");
  const auto made = owner.post("/api/business/tokens", {{"name", "till"}});
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(page.get(orders_path, {{"Cookie", cookie_name() + "=" + text_at(made.data(), "token")}}).status,
            401);
}

TEST_F(CookieSessions, OddCookiesAreAbsentAndLongOnesAreRefused) {
  auto page = owner_browser();
  const auto with = [&](const std::string& cookies) {
    return page.get(orders_path, {{"Cookie", cookies}}).status;
  };
  EXPECT_EQ(with("theme=dark; " + page.cookie() + "; waybill_1=wb_other"), 200);
  EXPECT_EQ(with(page.cookie() + "; " + page.cookie()), 401) << "given twice";
  EXPECT_EQ(with(cookie_name() + "="), 401);
  EXPECT_EQ(with(cookie_name() + "=\"" + page.token() + "\""), 401);
  EXPECT_EQ(with(cookie_name() + "=" + page.token() + "x"), 401);
  EXPECT_EQ(with("__Host-waybill=" + page.token()), 401) << "the name of another URL";
  EXPECT_EQ(with(cookie_name() + "=" + std::string(513, 'x')), 401);
  EXPECT_EQ(with("\xff\x80=;;=;" + page.cookie()), 200);
  EXPECT_EQ(with(std::string(65'536, 'x') + "; " + page.cookie()), 400) << "beyond the limit of a head";
  EXPECT_EQ(page.get(orders_path).status, 200);
}

TEST_F(CookieSessions, SeveralCookieFieldsAreReadTogether) {
  auto page = owner_browser();
  auto connection = page.http().raw();
  const auto ask = [&](const std::string& fields) {
    connection.send(
        "GET /api/v1/Orders HTTP/1.1\r\nHost: x\r\nX-Waybill-Console: 1\r\nSec-Fetch-Site: "
        "same-origin\r\n" +
        fields + "\r\n");
    return connection.read_response().status;
  };
  EXPECT_EQ(ask("Cookie: a=b\r\nCookie: " + page.cookie() + "\r\n"), 200);
  EXPECT_EQ(ask("Cookie: " + page.cookie() + "\r\nCookie: " + page.cookie() + "\r\n"), 401);
  EXPECT_EQ(ask("Sec-Fetch-Site: cross-site\r\nCookie: " + page.cookie() + "\r\n"), 401);
}

TEST_F(CookieSessions, AnswersAreKeptOutOfTheCachesOfOthers) {
  auto page = owner_browser();
  const auto is_private = [](const Response& response) {
    std::string vary;
    for (const auto& [name, value] : response.headers) {
      if (name == "Vary" || name == "vary") vary += value + "|";
    }
    return response.header("Cache-Control") == "private, no-cache" &&
           vary.find("Authorization, Cookie") != std::string::npos;
  };
  EXPECT_TRUE(is_private(page.get(orders_path)));
  EXPECT_TRUE(is_private(page.post(orders_path, {{"nmae", 1}}))) << "errors, too";
  EXPECT_TRUE(is_private(page.get("/api/nowhere")));
  EXPECT_TRUE(is_private(page.log_in(email, good_password)));
  EXPECT_TRUE(is_private(page.get(orders_path, {{"Cookie", cookie_name() + "=wb_gone"}})));
  EXPECT_TRUE(is_private(owner.get(orders_path))) << "with a tag, as all lists";
  const auto toggle = page.get("/api/workflows/configured/" + user_guid(owner) + "/toggle");
  EXPECT_EQ(toggle.header("Cache-Control"), "no-store") << "a GET that changes something";
}

TEST_F(CookieSessions, OfAPersonShareAQuotaOfAtLeast600ApartFromTheBusiness) {
  auto page = owner_browser();
  world.database.exec(
      "update businesses set plan = 'free' where guid = (select business_id from users where email = '" +
      email + "')");
  ASSERT_TRUE(eventually([&] { return owner.get(me_path).header("X-RateLimit-Limit") == "60"; }));
  ASSERT_TRUE(
      eventually([] { return to_unix_seconds(system_clock().now()) % 60 < 50; }, std::chrono::seconds(15)));
  const auto first = page.get(me_path);
  EXPECT_EQ(first.header("X-RateLimit-Limit"), "600");
  auto second_page = browser_of(email);
  const auto second = second_page.get(me_path);
  EXPECT_EQ(std::stoi(second.header("X-RateLimit-Remaining")),
            std::stoi(first.header("X-RateLimit-Remaining")) - 1)
      << "of the same person";
  while (owner.get(me_path).status != 429) {
  }
  EXPECT_EQ(page.get(me_path).status, 200) << "a token took nothing of it";
  world.database.exec(
      "update businesses set plan = 'pro' where guid = (select business_id from users where email = '" +
      email + "')");
  EXPECT_TRUE(eventually([&] { return page.get(me_path).header("X-RateLimit-Limit") == "6000"; }));
}

TEST_F(CookieSessions, AnIdempotencyKeyBelongsToTheUserAndNotToTheSession) {
  auto page = owner_browser();
  auto next = browser_of(email);
  const Headers key{{"Idempotency-Key", "of-a-user"}};
  const json::object customer{{"name", "Ada"}};
  const auto first = page.post("/api/v1/Customers", customer, key);
  ASSERT_EQ(first.status, 201) << first.text;
  ASSERT_EQ(page.post("/api/user/logout").status, 200);
  const auto again = next.post("/api/v1/Customers", customer, key);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(again.data(), first.data());
  const auto by_token = owner.post("/api/v1/Customers", customer, key);
  EXPECT_EQ(by_token.status, 201);
  EXPECT_EQ(by_token.header("Idempotency-Replayed"), "") << "a token has its own keys";
}

TEST_F(CookieSessions, KeptAnswersAreErasedWithAPersonAndDeletedWhenTheUserLeaves) {
  auto page = owner_browser();
  const Headers key{{"Idempotency-Key", "of-a-person"}};
  const auto created = page.post("/api/v1/Customers", {{"name", "Zenobia Quux"}}, key);
  ASSERT_EQ(created.status, 201) << created.text;
  ASSERT_EQ(page.post("/api/user/logout").status, 200);
  page = browser_of(email);
  const auto erased =
      page.post("/api/v1/Customers/" + text_at(created.data(), "guid") + "/erase", json::object());
  ASSERT_EQ(erased.status, 200) << erased.text;
  const auto again = page.post("/api/v1/Customers", {{"name", "Zenobia Quux"}}, key);
  EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
  EXPECT_EQ(again.text.find("Zenobia"), std::string::npos) << again.text;

  const auto member_email = fresh_address();
  ASSERT_EQ(page.post("/api/business/users", {{"email", member_email}, {"role", "operator"}}).status, 201);
  const auto accepted = http.post("/api/user/accept-invitation", {{"token", mailed_token(member_email)},
                                                                  {"password", good_password},
                                                                  {"confirmPassword", good_password}});
  ASSERT_EQ(accepted.status, 200) << accepted.text;
  const auto member = text_at(accepted.data(), "guid");
  auto member_page = browser_of(member_email);
  ASSERT_EQ(member_page.post("/api/v1/Customers", {{"name", "Ada"}}, key).status, 201);
  const auto kept = [&] {
    return world.database.number("select count(*) from idempotency_keys where token_id = '" + member + "'");
  };
  EXPECT_EQ(kept(), 1);
  EXPECT_EQ(page.request("DELETE", "/api/business/users/" + member).status, 200);
  EXPECT_EQ(kept(), 0) << "another business would get it again";
}

TEST_F(CookieSessions, LoggingOutEndsTheSessionAndRemovesTheCookie) {
  auto page = owner_browser();
  auto other = browser_of(email);
  const auto cookie = page.cookie();
  const auto out = page.post("/api/user/logout");
  EXPECT_EQ(out.status, 200);
  EXPECT_EQ(out.header("Set-Cookie"), cookie_name() + "=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
  expect_refused(page.get(me_path, {{"Cookie", cookie}}), 401, "UNAUTHORIZED");
  EXPECT_EQ(other.get(me_path).status, 200);
  EXPECT_EQ(owner.post("/api/user/logout").header("Set-Cookie"), "") << "the logout of a token";
}

TEST_F(CookieSessions, OfASuspendedBusinessCanBeEnded) {
  auto page = owner_browser();
  const auto suspend = [&](const std::string& since) {
    world.database.rows("update businesses set suspended_at = " + since +
                            " where guid = (select business_id from users where email = $1)",
                        {email});
  };
  suspend("now()");
  ASSERT_TRUE(eventually([&] { return page.get(me_path).status == 403; }));
  const auto ended = page.post("/api/user/logout");
  EXPECT_EQ(ended.status, 200) << ended.text;
  EXPECT_NE(ended.header("Set-Cookie").find("Max-Age=0"), std::string::npos);
  suspend("null");
  EXPECT_EQ(page.get(me_path).status, 401);
}

TEST_F(CookieSessions, EndAfter24HoursWithoutBeingExtended) {
  auto page = owner_browser();
  EXPECT_EQ(page.get(me_path).status, 200);
  const std::string of_user = " where user_id = (select guid from users where email = '" + email + "')";
  EXPECT_EQ(world.database.number("select count(*) from user_sessions" + of_user +
                                  " and by_cookie and expires_at = created_at + interval '24 hours'"),
            1);
  world.database.exec("update user_sessions set expires_at = now() - interval '1 second'" + of_user);
  EXPECT_TRUE(eventually([&] { return page.get(me_path).status == 401; }));
}

TEST_F(CookieSessions, EndWithTheirUserAndItsPassword) {
  auto page = owner_browser();
  auto other = browser_of(email);
  const json::object change{{"currentPassword", good_password},
                            {"password", "another horse"},
                            {"confirmPassword", "another horse"}};
  EXPECT_EQ(page.post("/api/user/change-password", change).status, 200);
  EXPECT_EQ(page.get(me_path).status, 200) << "the session that changes it stays";
  EXPECT_EQ(other.get(me_path).status, 401);

  const auto member_email = fresh_address();
  ASSERT_EQ(page.post("/api/business/users", {{"email", member_email}, {"role", "operator"}}).status, 201);
  const auto accepted = http.post("/api/user/accept-invitation", {{"token", mailed_token(member_email)},
                                                                  {"password", good_password},
                                                                  {"confirmPassword", good_password}});
  ASSERT_EQ(accepted.status, 200) << accepted.text;
  auto member = browser_of(member_email);
  const auto path = "/api/business/users/" + text_at(accepted.data(), "guid");
  EXPECT_EQ(page.request("PATCH", path, {{"role", "viewer"}}).status, 200);
  EXPECT_EQ(member.post("/api/v1/Customers", {{"name", "Ada"}}).status, 403);
  EXPECT_EQ(page.request("DELETE", path).status, 200);
  EXPECT_EQ(member.get(orders_path).status, 401) << "as a token of the user does";
}

TEST_F(CookieSessions, AreNamedAsTheUserInTheAuditLog) {
  auto page = owner_browser();
  ASSERT_EQ(page.post("/api/business/tokens", {{"name", "till"}}).status, 201);
  const auto log = page.get("/api/business/audit?PageSize=1");
  EXPECT_EQ(text_at(log.data(), "0.actor.type"), "user");
  EXPECT_EQ(text_at(log.data(), "0.actor.guid"), user_guid(owner));
}

TEST_F(CookieSessions, CorsNeverAllowsCredentials) {
  const Waybill open(world.database.url(), {.command = "api",
                                            .arguments = {"--cors-origin", "*"},
                                            .secret_key_file = world.waybill.secret_key_file()});
  auto client = open.http();
  const Headers from{{"Origin", "https://evil.example"}};
  for (const auto& response : {client.request("OPTIONS", orders_path, {}, from),
                               client.get(orders_path, from), client.post("/api/user/login", {}, from)}) {
    EXPECT_EQ(response.header("Access-Control-Allow-Origin"), "https://evil.example");
    EXPECT_EQ(response.header("Access-Control-Allow-Credentials"), "");
    EXPECT_EQ(response.header("Access-Control-Allow-Headers").find("Waybill"), std::string::npos);
  }
}

TEST_F(CookieSessions, TheUrlOfTheServiceDecidesTheirName) {
  email = fresh_address();
  make_account(email);
  const auto with_url = [&](const std::string& url) {
    return std::make_unique<Waybill>(world.database.url(),
                                     Waybill::Options{.command = "api",
                                                      .arguments = {"--public-url", url},
                                                      .secret_key_file = world.waybill.secret_key_file()});
  };
  const auto secure = with_url("https://way.example");
  Browser page(secure->http());
  const auto login = page.log_in(email, good_password);
  EXPECT_EQ(login.header("Set-Cookie"),
            "__Host-waybill=" + page.token() + "; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure");
  EXPECT_EQ(page.get(me_path).status, 200);

  const auto plain = with_url("http://way.example");
  Browser refused(plain->http());
  const auto answer = refused.log_in(email, good_password);
  expect_invalid(answer, {"session"});
  EXPECT_NE(answer.text.find("--public-url"), std::string::npos) << answer.text;
  EXPECT_EQ(refused.get(me_path, {{"Cookie", page.cookie()}}).status, 401);
}

TEST_F(CookieSessions, ALoginNeedsAddressAndPasswordOrALink) {
  expect_invalid(http.post("/api/user/login", json::object{}), {"email", "password"});
  expect_invalid(http.post("/api/user/login", {{"email", " "}, {"password", ""}}), {"email", "password"});
  expect_invalid(http.post("/api/user/login", {{"email", "a@b.c"}, {"password", "x"}, {"session", "token"}}),
                 {"session"});
  expect_invalid(http.post("/api/user/login", {{"link", "x"}}), {"session"});
  expect_invalid(http.post("/api/user/login", {{"link", "x"}, {"email", "a@b.c"}, {"session", "cookie"}}),
                 {"email"});
  expect_invalid(http.post("/api/user/login", {{"link", std::string(201, 'x')}, {"session", "cookie"}}),
                 {"link"});
}

TEST_F(CookieSessions, ShareTheNewest20OfAUserWithItsTokens) {
  auto page = owner_browser();
  insert_sessions(email, 19);
  ASSERT_EQ(log_in(email).status, 200);
  EXPECT_EQ(page.get(me_path).status, 401);
}

}  // namespace
}  // namespace waybill::tests
