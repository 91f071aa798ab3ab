#include <chrono>
#include <cmath>

#include "storage/sql/user_sessions.sql.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view new_password = "battery staple";

class PasswordsTest : public AccountTest {
 protected:
  Response request_reset(std::string_view email) {
    return http.post("/api/user/forgot-password", {{"email", email}});
  }

  Response resend_verification(std::string_view email) {
    return http.post("/api/user/resend-verification", {{"email", email}});
  }

  Response reset(std::string_view token, std::string_view password = new_password) {
    return http.post("/api/user/reset-password",
                     {{"token", token}, {"password", password}, {"confirmPassword", password}});
  }

  static Response change(Http& user, std::string_view current, std::string_view password = new_password) {
    return user.post("/api/user/change-password",
                     {{"currentPassword", current}, {"password", password}, {"confirmPassword", password}});
  }

  /// The address of an account that is not verified.
  std::string pending_address() {
    const auto email = fresh_address();
    EXPECT_EQ(http.post("/api/user/register", registration(email)).status, 201);
    return email;
  }

  std::int64_t mails_waiting() { return world.database.number("select count(*) from mail_outbox"); }
};

TEST_F(PasswordsTest, TheMailedTokenResetsAPasswordOnce) {
  const auto email = fresh_address();
  make_account(email);
  ASSERT_EQ(request_reset("USER" + email.substr(4)).status, 200);
  const auto token = mailed_token(email, 2);
  const auto link = "\r\nhttp://127.0.0.1:" + std::to_string(world.waybill.port()) +
                    "/reset-password?token=" + token + "\r\n";
  EXPECT_NE(mails_to(email, 2).back().find(link), std::string::npos) << mails_to(email, 2).back();
  expect_invalid(reset("wb_wrong"), {"token"});
  expect_invalid(reset(token, "too short"), {"password"});
  expect_invalid(
      http.post("/api/user/reset-password",
                {{"token", token}, {"password", new_password}, {"confirmPassword", good_password}}),
      {"confirmPassword"});
  EXPECT_EQ(log_in(email).status, 200) << "nothing has changed yet";
  EXPECT_EQ(reset(token).status, 200);
  EXPECT_EQ(log_in(email).status, 401);
  EXPECT_EQ(log_in(email, new_password).status, 200);
  expect_invalid(reset(token), {"token"});
}

TEST_F(PasswordsTest, AResetForgetsTheFailedLoginsWithTheAddress) {
  const auto email = fresh_address(), other = fresh_address();
  for (const auto& each : {email, other}) {
    make_account(each);
    world.database.rows(
        "insert into login_failures select sha256(convert_to('email:' || $1, 'UTF8')), array_agg(now()) "
        "from generate_series(1, 10)",
        {each});
    expect_refused(log_in(each), 429, "RATE_LIMITED");
  }
  ASSERT_EQ(request_reset(email).status, 200);
  ASSERT_EQ(reset(mailed_token(email, 2)).status, 200);
  EXPECT_EQ(log_in(email, new_password).status, 200);
  expect_refused(log_in(other), 429, "RATE_LIMITED");
}

TEST_F(PasswordsTest, AResetEndsAllSessionsOfTheUser) {
  const auto email = fresh_address();
  auto first = new_user(email);
  auto second = session(email);
  auto other_business = new_user();
  ASSERT_EQ(request_reset(email).status, 200);
  ASSERT_EQ(reset(mailed_token(email, 2)).status, 200);
  expect_refused(first.get("/api/user/me"), 401, "UNAUTHORIZED");
  expect_refused(second.get("/api/user/me"), 401, "UNAUTHORIZED");
  EXPECT_EQ(other_business.get("/api/user/me").status, 200);
}

TEST_F(PasswordsTest, AResetEndsSessionsAlsoForRequestsWhoseBodyHasNotArrived) {
  const auto email = fresh_address();
  auto victim = new_user(email);
  const auto business = victim.post("/api/business", {{"name", "Acme"}, {"email", "acme@example.com"}});
  ASSERT_EQ(business.status, 201) << business.text;
  const std::string body = R"({"name":"kept by a thief","role":"owner"})";
  auto thief = victim.raw();
  thief.send("POST /api/business/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + victim.token() +
             "\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\n\r\n");
  ASSERT_TRUE(thief.read_continue());
  ASSERT_EQ(request_reset(email).status, 200);
  ASSERT_EQ(reset(mailed_token(email, 2)).status, 200);
  thief.send(body);
  expect_refused(thief.read_response(), 401, "UNAUTHORIZED");
  EXPECT_EQ(world.database.number("select count(*) from api_tokens where business_id = $1::uuid",
                                  {text_at(business.data(), "guid")}),
            0);
}

TEST_F(PasswordsTest, AResetTokenExpiresAfterAnHourOrWithTheNextToken) {
  const auto email = fresh_address();
  make_account(email);
  ASSERT_EQ(request_reset(email).status, 200);
  const auto first = mailed_token(email, 2);
  ASSERT_EQ(request_reset(email).status, 200);
  expect_invalid(reset(first), {"token"});
  const auto second = mailed_token(email, 3);
  EXPECT_EQ(world.database.number("select floor(extract(epoch from expires_at - now()) / 60) from "
                                  "password_resets where token_hash = sha256($1::bytea)",
                                  {second}),
            59);
  world.database.rows("update password_resets set expires_at = now() where token_hash = sha256($1::bytea)",
                      {second});
  expect_invalid(reset(second), {"token"});
}

TEST_F(PasswordsTest, TokensOfOneKindAreRefusedForAnother) {
  const auto pending = pending_address();
  const auto verification = mailed_token(pending);
  expect_invalid(reset(verification), {"token"});
  auto owner = new_owner();
  const auto invited = fresh_address();
  ASSERT_EQ(owner.post("/api/business/users", {{"email", invited}}).status, 201);
  expect_invalid(reset(mailed_token(invited)), {"token"});
  const auto email = fresh_address();
  make_account(email);
  ASSERT_EQ(request_reset(email).status, 200);
  const auto token = mailed_token(email, 2);
  expect_invalid(http.post("/api/user/verify", {{"token", token}}), {"token"});
  expect_invalid(http.post("/api/user/accept-invitation",
                           {{"token", token}, {"password", new_password}, {"confirmPassword", new_password}}),
                 {"token"});
  EXPECT_EQ(http.post("/api/user/verify", {{"token", verification}}).status, 200);
}

TEST_F(PasswordsTest, AResetVerifiesTheAddressThatItWasMailedTo) {
  const auto email = pending_address();
  const auto verification = mailed_token(email);
  ASSERT_EQ(request_reset(email).status, 200);
  ASSERT_EQ(reset(mailed_token(email, 2)).status, 200);
  EXPECT_EQ(log_in(email, new_password).status, 200);
  expect_invalid(http.post("/api/user/verify", {{"token", verification}}), {"token"});
}

TEST_F(PasswordsTest, ANewVerificationMailInvalidatesTheEarlierToken) {
  const auto email = pending_address();
  const auto first = mailed_token(email);
  ASSERT_EQ(resend_verification(email).status, 200);
  const auto second = mailed_token(email, 2);
  expect_invalid(http.post("/api/user/verify", {{"token", first}}), {"token"});
  EXPECT_EQ(http.post("/api/user/verify", {{"token", second}}).status, 200);
  ASSERT_EQ(resend_verification(email).status, 200);
  expect_invalid(http.post("/api/user/verify", {{"token", second}}), {"token"});
  EXPECT_TRUE(eventually([&] { return mails_waiting() == 0; }));
  EXPECT_EQ(mails_to(email, 2).size(), 2U) << "a verified address gets no mail";
}

TEST_F(PasswordsTest, UnknownAddressesGetTheSameResponseInTheSameTime) {
  const auto email = pending_address();
  for (const std::string_view path : {"/api/user/forgot-password", "/api/user/resend-verification"}) {
    const auto ask = [&](const std::string& address) {
      const auto start = std::chrono::steady_clock::now();
      const auto answer = http.post(path, {{"email", address}});
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.text, R"({"success":true})");
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    const auto known = ask(email);
    const auto unknown = ask(fresh_address());
    EXPECT_GE(known, 250);
    EXPECT_GE(unknown, 250);
    EXPECT_LT(std::abs(known - unknown), 200);
  }
  expect_invalid(request_reset("no address"), {"email"});
  expect_invalid(resend_verification("no address"), {"email"});
}

TEST_F(PasswordsTest, AChangedPasswordEndsAllOtherSessions) {
  const auto email = fresh_address();
  auto user = new_user(email);
  auto other = session(email);
  ASSERT_EQ(request_reset(email).status, 200);
  const auto token = mailed_token(email, 2);
  ASSERT_EQ(change(user, good_password).status, 200);
  EXPECT_EQ(user.get("/api/user/me").status, 200);
  expect_refused(other.get("/api/user/me"), 401, "UNAUTHORIZED");
  EXPECT_EQ(log_in(email).status, 401);
  EXPECT_EQ(log_in(email, new_password).status, 200);
  expect_invalid(reset(token), {"token"});
}

TEST_F(PasswordsTest, ChangingAPasswordNeedsTheCurrentPasswordAndAUser) {
  const auto email = fresh_address();
  auto user = new_user(email);
  expect_invalid(change(user, "wrong password"), {"currentPassword"});
  expect_invalid(change(user, good_password, "too short"), {"password"});
  expect_invalid(user.post("/api/user/change-password", json::object{}),
                 {"currentPassword", "password", "confirmPassword"});
  auto token = world.waybill.business("password of a token");
  expect_refused(change(token, good_password), 403, "FORBIDDEN");
  expect_refused(change(http, good_password), 401, "UNAUTHORIZED");
  EXPECT_EQ(log_in(email).status, 200);
}

TEST_F(PasswordsTest, WrongCurrentPasswordsCountAsFailedLogins) {
  const auto email = fresh_address();
  auto user = new_user(email);
  for (int count = 0; count < 10; ++count)
    expect_invalid(change(user, "wrong password"), {"currentPassword"});
  expect_refused(change(user, good_password), 429, "RATE_LIMITED");
  expect_refused(log_in(email), 429, "RATE_LIMITED");
}

TEST_F(PasswordsTest, ALoginThatVerifiedTheOldPasswordStartsNoSession) {
  const auto email = fresh_address();
  make_account(email);
  const auto guid = world.database.value("select guid from users where email = $1", {email});
  const auto start = [&](const std::string& hash) {
    return world.database.rows(storage::sql::user_sessions::Start::statement.text,
                               {guid, "\\x" + std::string(64, 'a'), hash, "false"});
  };
  EXPECT_TRUE(start("the old hash").empty());
  EXPECT_EQ(
      start(world.database.value("select password_hash from users where guid = $1::uuid", {guid})).size(),
      1U);
}

}  // namespace
}  // namespace waybill::tests
