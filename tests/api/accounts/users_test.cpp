#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "storage/sql/duties.sql.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/smtp.hpp"

namespace waybill::tests {
namespace {

using Names = std::set<std::string>;

class UsersTest : public AccountTest {
 protected:
  Response accept(std::string_view token, std::string_view password = good_password) {
    return http.post("/api/user/accept-invitation",
                     {{"token", token}, {"password", password}, {"confirmPassword", password}});
  }
};

TEST_F(UsersTest, RegisteringMailsALinkAndTheTokenOnALineByItself) {
  const auto email = fresh_address();
  const auto response = http.post("/api/user/register", registration(email));
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(names_of(response.data()), (Names{"guid", "email"}));
  EXPECT_EQ(text_at(response.data(), "email"), email);
  EXPECT_EQ(response.header("Location"), "/api/user/me");
  const auto token = mailed_token(email);
  EXPECT_EQ(token.size(), 3U + 43U);
  const auto link =
      "\r\nhttp://127.0.0.1:" + std::to_string(world.waybill.port()) + "/verify?token=" + token + "\r\n";
  EXPECT_NE(mails_to(email)[0].find(link), std::string::npos) << mails_to(email)[0];
}

TEST_F(UsersTest, RegisteringReportsAllBadFieldsAtOnce) {
  expect_invalid(http.post("/api/user/register", json::object{}),
                 {"email", "password", "confirmPassword", "acceptedTerms"});
  expect_invalid(http.post("/api/user/register", registration("ada", {{"password", "123456789"},
                                                                      {"acceptedTerms", false},
                                                                      {"firstName", std::string(201, 'x')},
                                                                      {"nickname", "ada"}})),
                 {"email", "password", "confirmPassword", "acceptedTerms", "firstName", "nickname"});
  expect_invalid(http.post("/api/user/register", registration("a@example.com", {{"acceptedTerms", "yes"}})),
                 {"acceptedTerms"});
}

TEST_F(UsersTest, APasswordHasAtLeastTenCharactersAndAtMostAThousand) {
  const auto with_password = [](const std::string& password) {
    return registration(fresh_address(), {{"password", password}, {"confirmPassword", password}});
  };
  expect_invalid(http.post("/api/user/register", with_password("123456789")), {"password"});
  EXPECT_EQ(http.post("/api/user/register", with_password("1234567890")).status, 201);
  EXPECT_EQ(http.post("/api/user/register", with_password(std::string(1'000, 'x'))).status, 201);
  expect_invalid(http.post("/api/user/register", with_password(std::string(1'001, 'x'))),
                 {"password", "confirmPassword"});
}

TEST_F(UsersTest, AnAddressHasOneAccountInAnyCase) {
  make_account("Grace.Hopper@example.com");
  expect_refused(http.post("/api/user/register", registration("grace.hopper@EXAMPLE.com")), 409, "CONFLICT");
  EXPECT_EQ(log_in("GRACE.hopper@example.com").status, 200);
  const auto pending = fresh_address();
  EXPECT_EQ(http.post("/api/user/register", registration(pending)).status, 201);
  expect_refused(http.post("/api/user/register", registration(pending)), 409, "CONFLICT");
  world.database.exec("update users set mail_token_expires_at = now() where email = '" + pending + "'");
  expect_invalid(http.post("/api/user/verify", {{"token", mailed_token(pending)}}), {"token"});
  EXPECT_EQ(http.post("/api/user/register", registration(pending)).status, 201)
      << "an account that stays unverified is replaced";
  EXPECT_EQ(http.post("/api/user/verify", {{"token", mailed_token(pending, 2)}}).status, 200);
}

TEST_F(UsersTest, LoggingInNeedsAVerifiedAddress) {
  const auto email = fresh_address();
  ASSERT_EQ(http.post("/api/user/register", registration(email)).status, 201);
  expect_refused(log_in(email), 403, "FORBIDDEN");
  expect_refused(log_in(email, "wrong password"), 401, "UNAUTHORIZED");
  const auto token = mailed_token(email);
  expect_invalid(http.post("/api/user/verify", {{"token", token + "x"}}), {"token"});
  expect_invalid(http.post("/api/user/verify", json::object{}), {"token"});
  EXPECT_EQ(http.post("/api/user/verify", {{"token", token}}).status, 200);
  expect_invalid(http.post("/api/user/verify", {{"token", token}}), {"token"});

  const auto response = log_in(email);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(names_of(response.data()), (Names{"token", "expiresAt", "user"}));
  EXPECT_EQ(names_of(at(response.data(), "user")),
            (Names{"guid", "email", "firstName", "lastName", "role", "name"}));
  EXPECT_EQ(text_at(response.data(), "user.email"), email);
  EXPECT_TRUE(at(response.data(), "user.role").is_null());
  EXPECT_TRUE(text_at(response.data(), "token").starts_with("wb_"));
  const auto expires = parse_timestamp(text_at(response.data(), "expiresAt")).value();
  EXPECT_NEAR(static_cast<double>(to_unix_seconds(expires) - to_unix_seconds(system_clock().now())), 86'400,
              60);
}

TEST_F(UsersTest, MeReturnsTheUserOfTheToken) {
  const auto email = fresh_address();
  make_account(email);
  const auto login = log_in(email);
  auto user = world.waybill.http(text_at(login.data(), "token"));
  EXPECT_EQ(user.get("/api/user/me").data(), at(login.data(), "user"));
  auto token = world.waybill.business("me of a token");
  expect_refused(token.get("/api/user/me"), 403, "FORBIDDEN");
  expect_refused(token.post("/api/user/logout"), 403, "FORBIDDEN");
  expect_refused(http.get("/api/user/me"), 401, "UNAUTHORIZED");
}

TEST_F(UsersTest, PasswordsAndTokensAreKeptAsHashesAndNeverLogged) {
  const auto email = fresh_address();
  make_account(email);
  const auto token = text_at(log_in(email).data(), "token");
  log_in(email, "another secret");
  const auto hash = world.database.value("select password_hash from users where email = $1", {email});
  EXPECT_TRUE(hash.starts_with("$argon2id$")) << hash;
  const auto log = world.waybill.process().standard_output() + world.waybill.process().standard_error();
  for (const std::string& secret : {hash, token, std::string(good_password), std::string("another secret")}) {
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
  }
  EXPECT_EQ(world.database.number("select count(*) from user_sessions where token_hash = sha256($1::bytea)",
                                  {token}),
            1);
}

TEST_F(UsersTest, AnInvitationShowsTheNameOfTheBusinessAsOneQuotedLine) {
  auto owner = new_owner();
  const std::string name = "x\".\r\n\r\nLocked:\u2028y.example\u202e";
  ASSERT_EQ(owner.put("/api/business", {{"name", name}}).status, 200);
  const auto email = fresh_address();
  ASSERT_EQ(owner.post("/api/business/users", {{"email", email}}).status, 201);
  const std::string shown = "\"x'.    Locked: y.example\"";
  const std::string mail = mails_to(email)[0];
  EXPECT_NE(mail.find("work with the business " + shown + " in waybill.\r\n"), std::string::npos) << mail;
}

TEST_F(UsersTest, AnInvitationIsMailedAndAccepted) {
  auto owner = new_owner();
  const auto email = fresh_address();
  const auto invited =
      owner.post("/api/business/users",
                 {{"email", email}, {"firstName", "Bob"}, {"lastName", "Builder"}, {"role", "operator"}});
  ASSERT_EQ(invited.status, 201) << invited.text;
  const Names fields{"guid", "email", "firstName", "lastName", "role", "status", "createdAt"};
  EXPECT_EQ(names_of(invited.data()), fields);
  EXPECT_EQ(text_at(invited.data(), "status"), "invited");
  EXPECT_EQ(invited.header("Location"), "/api/business/users/" + text_at(invited.data(), "guid"));
  EXPECT_EQ(owner.get(invited.header("Location")).data(), invited.data());
  const auto token = mailed_token(email);
  EXPECT_NE(mails_to(email)[0].find("/accept-invitation?token=" + token + "\r\n"), std::string::npos);
  expect_refused(log_in(email), 401, "UNAUTHORIZED");

  expect_invalid(accept("wb_wrong"), {"token"});
  expect_invalid(accept(token, "too short"), {"password"});
  expect_invalid(
      http.post("/api/user/accept-invitation",
                {{"token", token}, {"password", good_password}, {"confirmPassword", "1234567890"}}),
      {"confirmPassword"});
  expect_invalid(http.post("/api/user/verify", {{"token", token}}), {"token"});
  const auto accepted = accept(token);
  ASSERT_EQ(accepted.status, 200) << accepted.text;
  EXPECT_EQ(names_of(accepted.data()), (Names{"guid", "email"}));
  EXPECT_EQ(text_at(accepted.data(), "guid"), text_at(invited.data(), "guid"));
  expect_invalid(accept(token), {"token"});

  const auto login = log_in(email);
  EXPECT_EQ(text_at(login.data(), "user.role"), "operator");
  EXPECT_EQ(text_at(login.data(), "user.firstName"), "Bob");
  const auto list = owner.get("/api/business/users");
  ASSERT_EQ(list.data().as_array().size(), 2U) << list.text;
  EXPECT_EQ(names_of(at(list.data(), "1")), fields);
  EXPECT_EQ(text_at(list.data(), "1.status"), "active");
  EXPECT_EQ(text_at(list.data(), "0.role"), "owner");
}

TEST_F(UsersTest, AnInvitationExpiresAndCanBeWithdrawn) {
  auto owner = new_owner();
  const auto late = fresh_address();
  owner.post("/api/business/users", {{"email", late}});
  world.database.exec("update users set mail_token_expires_at = now() where email = '" + late + "'");
  expect_invalid(accept(mailed_token(late)), {"token"});
  const auto unwanted = fresh_address();
  const auto invited = owner.post("/api/business/users", {{"email", unwanted}});
  EXPECT_EQ(text_at(invited.data(), "role"), "viewer");
  EXPECT_EQ(owner.del(invited.header("Location")).status, 200);
  expect_invalid(accept(mailed_token(unwanted)), {"token"});
  EXPECT_EQ(owner.get("/api/business/users").data().as_array().size(), 2U);
}

TEST_F(UsersTest, AnAccountWithoutABusinessAcceptsAnInvitation) {
  auto owner = new_owner();
  const auto email = fresh_address();
  auto user = new_user(email);
  const auto guid = user_guid(user);
  ASSERT_EQ(owner.post("/api/business/users", {{"email", email}, {"role", "admin"}}).status, 201);
  EXPECT_EQ(accept(mailed_token(email, 2), "another password").status, 200);
  EXPECT_EQ(log_in(email).status, 401) << "the old password";
  const auto login = log_in(email, "another password");
  EXPECT_EQ(text_at(login.data(), "user.guid"), guid);
  EXPECT_EQ(text_at(login.data(), "user.role"), "admin");
  EXPECT_EQ(owner.get("/api/business/users").data().as_array().size(), 2U);
}

TEST_F(UsersTest, TheGuidOfAnAcceptedInvitationNamesTheUser) {
  auto owner = new_owner();
  const auto email = fresh_address();
  auto user = new_user(email);
  const auto guid = user_guid(user);
  const auto invited = owner.post("/api/business/users", {{"email", email}, {"role", "viewer"}});
  const auto path = invited.header("Location");
  ASSERT_EQ(accept(mailed_token(email, 2)).status, 200);
  const auto found = owner.get(path);
  ASSERT_EQ(found.status, 200) << found.text;
  EXPECT_EQ(text_at(found.data(), "guid"), guid) << "the account keeps its own";
  EXPECT_EQ(found.data(), owner.get("/api/business/users/" + guid).data());
  EXPECT_EQ(text_at(owner.patch(path, {{"role", "operator"}}).data(), "role"), "operator");
  EXPECT_EQ(text_at(log_in(email).data(), "user.role"), "operator");
  auto other_business = new_owner();
  expect_refused(other_business.get(path), 404, "NOT_FOUND");
  EXPECT_EQ(owner.del(path).status, 200);
  for (const auto& gone : {path, "/api/business/users/" + guid})
    expect_refused(owner.get(gone), 404, "NOT_FOUND");
  EXPECT_EQ(owner.get("/api/business/users").data().as_array().size(), 1U);
}

TEST_F(UsersTest, AnUnverifiedAccountIsFoundByTheGuidOfItsInvitation) {
  auto owner = new_owner();
  const auto email = fresh_address();
  ASSERT_EQ(http.post("/api/user/register", registration(email)).status, 201);
  const auto invited = owner.post("/api/business/users", {{"email", email}});
  ASSERT_EQ(accept(mailed_token(email, 2)).status, 200);
  EXPECT_EQ(text_at(owner.get(invited.header("Location")).data(), "status"), "active");
}

TEST_F(UsersTest, NamesOfAnAccountThatNobodyVerifiedAreReplacedByThoseOfTheInvitation) {
  auto owner = new_owner();
  const auto names_after = [&](const std::string& email, const json::object& invitation) {
    const auto invited = owner.post("/api/business/users", invitation);
    EXPECT_EQ(invited.status, 201) << invited.text;
    EXPECT_EQ(accept(mailed_token(email, 2)).status, 200);
    const auto user = owner.get(invited.header("Location")).data();
    return text_at(user, "firstName") + " " + text_at(user, "lastName");
  };
  const auto registered = [&] {
    auto email = fresh_address();
    auto body = registration(email);
    body["firstName"] = "Fake";
    body["lastName"] = "Person";
    EXPECT_EQ(http.post("/api/user/register", body).status, 201);
    return email;
  };
  const auto unverified = registered();
  EXPECT_EQ(names_after(unverified, {{"email", unverified}, {"firstName", "Grace"}, {"lastName", "Hopper"}}),
            "Grace Hopper");
  const auto verified = registered();
  EXPECT_EQ(http.post("/api/user/verify", {{"token", mailed_token(verified)}}).status, 200);
  EXPECT_EQ(names_after(verified, {{"email", verified}, {"firstName", "Grace"}, {"lastName", "Hopper"}}),
            "Fake Person");
}

TEST_F(UsersTest, AUserOfAnotherBusinessCannotJoin) {
  auto owner = new_owner();
  auto other_business = new_owner();
  const auto email = text_at(other_business.get("/api/user/me").data(), "email");
  EXPECT_EQ(owner.post("/api/business/users", {{"email", email}}).status, 201)
      << "the response does not reveal this";
  expect_refused(accept(mailed_token(email, 2)), 409, "CONFLICT");
  EXPECT_EQ(text_at(other_business.get("/api/user/me").data(), "role"), "owner");
}

TEST_F(UsersTest, AnInvitedAddressCanStillRegister) {
  auto owner = new_owner();
  const auto email = fresh_address();
  ASSERT_EQ(owner.post("/api/business/users", {{"email", email}}).status, 201);
  expect_refused(owner.post("/api/business/users", {{"email", email}}), 409, "CONFLICT");
  EXPECT_EQ(http.post("/api/user/register", registration(email)).status, 201);
}

TEST_F(UsersTest, AnInvitationReportsAllBadFieldsAtOnce) {
  auto owner = new_owner();
  expect_invalid(owner.post("/api/business/users", {{"role", "king"}, {"firstName", 1}, {"x", 1}}),
                 {"email", "role", "firstName", "x"});
}

TEST_F(UsersTest, UsersAreChangedAndRemoved) {
  auto owner = new_owner();
  auto member = new_member(owner, "viewer");
  const auto path = "/api/business/users/" + user_guid(member);
  auto response = owner.patch(path, {{"role", "operator"}, {"firstName", "Bob"}, {"lastName", nullptr}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(text_at(response.data(), "role"), "operator");
  EXPECT_EQ(text_at(member.get("/api/user/me").data(), "role"), "operator") << "at once";
  EXPECT_EQ(owner.patch(path, response.data()).data(), response.data()) << "a response can be sent back";
  expect_invalid(owner.patch(path, {{"role", nullptr}, {"status", "x"}, {"firstName", true}}),
                 {"role", "firstName"});
  EXPECT_EQ(owner.del(path).status, 200);
  expect_refused(member.get("/api/user/me"), 401, "UNAUTHORIZED");
  expect_refused(owner.get(path), 404, "NOT_FOUND");
  expect_refused(owner.del(path), 404, "NOT_FOUND");
  expect_refused(owner.patch(path, {{"role", "viewer"}}), 404, "NOT_FOUND");
}

TEST_F(UsersTest, ARemovedUserKeepsTheAccount) {
  auto owner = new_owner();
  const auto email = fresh_address();
  owner.post("/api/business/users", {{"email", email}});
  accept(mailed_token(email));
  auto member = session(email);
  EXPECT_EQ(owner.del("/api/business/users/" + user_guid(member)).status, 200);
  auto user = session(email);
  EXPECT_EQ(user.post("/api/business", {{"name", "Own"}, {"email", "own@example.com"}}).status, 201);
}

TEST_F(UsersTest, TheLastOwnerCannotBeRemoved) {
  auto owner = new_owner();
  const auto path = "/api/business/users/" + user_guid(owner);
  expect_refused(owner.del(path), 409, "CONFLICT");
  expect_refused(owner.patch(path, {{"role", "admin"}}), 409, "CONFLICT");
  EXPECT_EQ(owner.patch(path, {{"role", "owner"}, {"firstName", "Ada"}}).status, 200);
  owner.post("/api/business/users", {{"email", fresh_address()}, {"role", "owner"}});
  expect_refused(owner.del(path), 409, "CONFLICT");
  auto second = new_member(owner, "owner");
  EXPECT_EQ(owner.patch(path, {{"role", "admin"}}).status, 200) << "another owner has accepted";
  expect_refused(second.del("/api/business/users/" + user_guid(second)), 409, "CONFLICT");
}

TEST_F(UsersTest, OneOfTwoOwnersWhoRemoveEachOtherRemains) {
  for (int round = 0; round < 5; ++round) {
    auto first = new_owner();
    auto second = new_member(first, "owner");
    const auto path_of = [&](Http& user) { return "/api/business/users/" + user_guid(user); };
    const auto first_path = path_of(first);
    const auto second_path = path_of(second);
    int statuses[2] = {};
    std::thread first_thread([&] { statuses[0] = first.patch(second_path, {{"role", "viewer"}}).status; });
    std::thread other([&] { statuses[1] = second.patch(first_path, {{"role", "viewer"}}).status; });
    first_thread.join();
    other.join();
    EXPECT_NE(statuses[0] == 200, statuses[1] == 200) << statuses[0] << " and " << statuses[1];
  }
}

TEST_F(UsersTest, AnAdminNeitherGrantsNorRevokesTheRoleOwner) {
  auto owner = new_owner();
  auto admin = new_member(owner, "admin");
  const auto owner_path = "/api/business/users/" + user_guid(owner);
  const auto own_path = "/api/business/users/" + user_guid(admin);
  expect_refused(admin.post("/api/business/users", {{"email", fresh_address()}, {"role", "owner"}}), 403,
                 "FORBIDDEN");
  expect_refused(admin.patch(own_path, {{"role", "owner"}}), 403, "FORBIDDEN");
  expect_refused(admin.patch(owner_path, {{"role", "viewer"}}), 403, "FORBIDDEN");
  expect_refused(admin.del(owner_path), 403, "FORBIDDEN");
  EXPECT_EQ(admin.patch(owner_path, {{"role", "owner"}, {"firstName", "Ada"}}).status, 200)
      << "the role cannot be changed";
  EXPECT_EQ(admin.post("/api/business/users", {{"email", fresh_address()}, {"role", "admin"}}).status, 201);
  EXPECT_EQ(admin.patch(own_path, {{"role", "operator"}}).status, 200);
}

TEST_F(UsersTest, UsersOfAnotherBusinessAreNotFound) {
  auto owner = new_owner();
  auto other_business = new_owner();
  const auto path = "/api/business/users/" + user_guid(other_business);
  expect_refused(owner.get(path), 404, "NOT_FOUND");
  expect_refused(owner.patch(path, {{"role", "viewer"}}), 404, "NOT_FOUND");
  expect_refused(owner.del(path), 404, "NOT_FOUND");
  EXPECT_EQ(text_at(other_business.get("/api/user/me").data(), "role"), "owner");
  EXPECT_EQ(owner.get("/api/business/users").data().as_array().size(), 1U);
}

TEST_F(UsersTest, ABusinessHasAtMostAThousandUsers) {
  auto owner = new_owner();
  world.database.rows(
      "insert into users (email, business_id, role) select 'n' || n || '@many.example', u.business_id, "
      "'viewer'"
      " from users u, generate_series(1, 998) n where u.guid = $1::uuid",
      {user_guid(owner)});
  EXPECT_EQ(owner.post("/api/business/users", {{"email", fresh_address()}}).status, 201);
  expect_refused(owner.post("/api/business/users", {{"email", fresh_address()}}), 409, "CONFLICT");
  EXPECT_EQ(owner.get("/api/business/users").data().as_array().size(), 1'000U);
}

TEST_F(UsersTest, ExpiredRowsAreRemoved) {
  const auto email = fresh_address();
  make_account(email);
  auto over = session(email);
  auto present = session(email);
  const auto late = fresh_address();
  ASSERT_EQ(http.post("/api/user/register", registration(late)).status, 201);
  EXPECT_EQ(log_in(email, "wrong password").status, 401);
  auto& database = world.database;
  database.rows("update user_sessions set expires_at = now() where token_hash = sha256($1::bytea)",
                {over.token()});
  database.rows("update users set mail_token_expires_at = now() - interval '8 days' where email = $1",
                {late});
  make_failures_older("16 minutes");
  database.rows(storage::sql::duties::ExpireAccounts::statement.text, {"1000000"});
  EXPECT_EQ(over.get("/api/user/me").status, 401);
  EXPECT_EQ(present.get("/api/user/me").status, 200);
  EXPECT_EQ(database.number("select count(*) from users where email = $1", {late}), 0);
  EXPECT_EQ(database.number("select count(*) from users where email = $1", {email}), 1);
  EXPECT_EQ(database.number("select count(*) from login_failures"), 0);
}

TEST(UsersMail, AMailServerOutageDoesNotAffectARegistration) {
  json::object options{{"starttls", false}};
  options["port"] = SmtpServer(options).port();  // the port is free again
  const TestDatabase database;
  const Waybill waybill(
      database.url(),
      {.arguments = {"--smtp-url", "smtp://127.0.0.1:" + json::serialize(options["port"]), "--mail-from",
                     "Waybill <post@example.com>", "--public-url", "https://way.example/base/"}});
  auto http = waybill.http();
  const auto registered = http.post("/api/user/register", {{"email", "ada@example.com"},
                                                           {"password", good_password},
                                                           {"confirmPassword", good_password},
                                                           {"acceptedTerms", true}});
  ASSERT_EQ(registered.status, 201) << registered.text;
  SmtpServer server(options);
  const auto mail = server.message(1);
  EXPECT_EQ(text_at(mail, "from"), "post@example.com");
  const auto raw = text_at(mail, "raw");
  EXPECT_NE(raw.find("\r\nhttps://way.example/base/verify?token=wb_"), std::string::npos) << raw;
  EXPECT_NE(raw.find("\r\nFrom: Waybill <post@example.com>\r\n"), std::string::npos) << raw;
  auto session = database.connect();
  EXPECT_TRUE(eventually([&] { return session.number("select count(*) from mail_outbox") == 0; }));
}

TEST(UsersMail, APermanentlyRefusedMailIsNotRetried) {
  SmtpServer server({{"starttls", false}, {"rcpt", "550 5.1.1 no such user"}});
  const TestDatabase database;
  Waybill waybill(database.url(), {.arguments = {"--smtp-url", server.url()}});
  auto http = waybill.http();
  ASSERT_EQ(http.post("/api/user/register", {{"email", "ada@example.com"},
                                             {"password", good_password},
                                             {"confirmPassword", good_password},
                                             {"acceptedTerms", true}})
                .status,
            201);
  EXPECT_TRUE(waybill.process().wait_for_line("550 5.1.1 no such user"));
  auto session = database.connect();
  EXPECT_TRUE(eventually([&] { return session.number("select count(*) from mail_outbox") == 0; }));
}

}  // namespace
}  // namespace waybill::tests
