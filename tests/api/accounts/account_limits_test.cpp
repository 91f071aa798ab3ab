// Limits for requests that send account mails, and for those that hash passwords.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "storage/sql/duties.sql.hpp"
#include "tests/api/fixtures/account_fixture.hpp"

namespace waybill::tests {
namespace {

/// A waybill with the default limits, behind a proxy that forwards the clients' addresses.
struct LimitedWorld {
  static Waybill::Options options(const std::string& mail_dir) {
    return {.account_mails_per_network = 10,
            .arguments = {"--mail-dir", mail_dir, "--trusted-proxy", "127.0.0.1"}};
  }

  TempDirectory mails;
  World world{options(mails.path())};
};

class AccountLimits : public testing::Test {
 protected:
  AccountLimits() { world.database.exec("delete from account_requests; delete from login_failures"); }

  static std::string fresh_address() {
    static int count = 0;
    return "limited" + std::to_string(++count) + "@example.com";
  }

  static json::object registration(std::string_view email) {
    return {{"email", email},
            {"password", good_password},
            {"confirmPassword", good_password},
            {"acceptedTerms", true}};
  }

  Response ask(std::string_view path, const json::object& body, const std::string& from) {
    return http.post("/api/user/" + std::string(path), body, {{"X-Forwarded-For", from}});
  }
  Response ask(const std::string& email, const std::string& from, std::string_view path = "forgot-password") {
    return ask(path, json::object{{"email", email}}, from);
  }

  static void expect_limited(const Response& response) {
    EXPECT_EQ(response.status, 429) << response.text;
    EXPECT_EQ(response.error_code(), "RATE_LIMITED");
    const auto wait = std::stoi("0" + response.header("Retry-After"));
    EXPECT_GT(wait, 3'500);
    EXPECT_LE(wait, 3'600);
  }

  /// Stores a count as if the requests had just been made.
  void store_count(const std::string& key, int count) {
    world.database.rows(
        "insert into account_requests select sha256(convert_to($1, 'UTF8')), array_agg(now() - interval '1 "
        "minute') "
        "from generate_series(1, $2::integer) on conflict (key) do update set times = excluded.times",
        {key, std::to_string(count)});
  }

  void make_requests_older() {
    world.database.exec(
        "update account_requests set times = (select array_agg(t - interval '1 hour') from unnest(times) t)");
  }

  LimitedWorld& limited = shared<LimitedWorld>();
  World& world = limited.world;
  Http http = world.waybill.http();
};

TEST_F(AccountLimits, ANetworkHasTenAccountMailsAnHourOverAllKindsAndNodes) {
  const Waybill second(world.database.url(), {.command = "api",
                                              .account_mails_per_network = 10,
                                              .arguments = {"--trusted-proxy", "127.0.0.1"},
                                              .secret_key_file = world.waybill.secret_key_file()});
  const auto known = fresh_address();
  store_count("network:203.0.113.1", 6);
  EXPECT_EQ(ask("register", registration(known), "203.0.113.1").status, 201);
  EXPECT_EQ(ask(known, "203.0.113.1").status, 200);
  EXPECT_EQ(ask(fresh_address(), "203.0.113.1", "resend-verification").status, 200);
  auto other = second.http();
  EXPECT_EQ(other
                .post("/api/user/forgot-password", {{"email", fresh_address()}},
                      {{"X-Forwarded-For", "203.0.113.1"}})
                .status,
            200);
  expect_limited(ask("register", registration(fresh_address()), "203.0.113.1"));
  const auto for_known = ask(known, "203.0.113.1");
  expect_limited(for_known);
  expect_limited(ask(fresh_address(), "203.0.113.1", "resend-verification"));
  EXPECT_EQ(ask(fresh_address(), "203.0.113.1").text, for_known.text);
  EXPECT_EQ(ask(known, "203.0.113.2").status, 200) << "another network; the refused request did not count";
  make_requests_older();
  EXPECT_EQ(ask(known, "203.0.113.1").status, 200);
}

TEST_F(AccountLimits, TheFirst64BitsOfAnIpv6AddressAreItsNetwork) {
  store_count("network:2001:db8:1:2::", 9);
  EXPECT_EQ(ask(fresh_address(), "2001:db8:1:2::1").status, 200);
  expect_limited(ask(fresh_address(), "2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_EQ(ask(fresh_address(), "2001:db8:1:3::1").status, 200);
}

TEST_F(AccountLimits, AnAddressHasThreeAccountMailsAnHourInAnyCaseAndWithAnyAccount) {
  for (const bool is_known : {true, false}) {
    const auto email = fresh_address();
    if (is_known) {
      EXPECT_EQ(ask("register", registration(email), "203.0.113.3").status, 201);
    } else {
      EXPECT_EQ(ask(email, "203.0.113.3").status, 200);
    }
    EXPECT_EQ(ask(email, "203.0.113.4").status, 200);
    EXPECT_EQ(ask("LIMITED" + email.substr(7), "203.0.113.5", "resend-verification").status, 200);
    expect_limited(ask(email, "203.0.113.6"));
    expect_limited(ask("LIMITED" + email.substr(7), "203.0.113.7", "resend-verification"));
    expect_limited(ask("register", registration(email), "203.0.113.8"));
  }
  store_count("network:203.0.113.10", 8);
  store_count("address:full@example.com", 3);
  for (int count = 0; count < 3; ++count) expect_limited(ask("full@example.com", "203.0.113.10"));
  EXPECT_EQ(ask(fresh_address(), "203.0.113.10").status, 200)
      << "requests refused for the address do not count";
  EXPECT_EQ(ask(fresh_address(), "203.0.113.10").status, 200);
  expect_limited(ask(fresh_address(), "203.0.113.10"));
}

TEST_F(AccountLimits, AnAddressHasThreeAccountMailsInAllSpellingsOfItsDomain) {
  const std::string mailbox = "spelt@ex\u00e4mple.com";
  EXPECT_EQ(ask(mailbox, "203.0.113.11").status, 200);
  EXPECT_EQ(ask("spelt@xn--exmple-cua.com", "203.0.113.12").status, 200);
  EXPECT_EQ(ask("Spelt@EXA\u0308mple.com", "203.0.113.13").status, 200);
  expect_limited(ask(mailbox, "203.0.113.14"));
  expect_limited(ask("spelt@XN--exmple-cua.com", "203.0.113.15"));
  EXPECT_EQ(ask("spelt@example.org", "203.0.113.16").status, 200);
}

TEST_F(AccountLimits, ABusinessHasFiftyInvitationsAnHourAndAnAddressThree) {
  const auto invite = [](Http& client, const std::string& email) {
    return client.post("/api/business/users", {{"email", email}});
  };
  const auto email = fresh_address();
  for (int number = 0; number < 3; ++number) {
    auto business = world.waybill.business("invites " + std::to_string(number));
    EXPECT_EQ(invite(business, email).status, 201);
  }
  auto business = world.waybill.business("invites many");
  expect_limited(invite(business, email));
  EXPECT_EQ(ask(email, "203.0.113.20").status, 200) << "its account has a separate count";
  const auto guid = world.database.value("select guid from businesses where name = 'invites many'");
  store_count("business:" + guid, 49);
  EXPECT_EQ(invite(business, fresh_address()).status, 201);
  expect_limited(invite(business, fresh_address()));
}

TEST_F(AccountLimits, LoginsFromIpv6AreLimitedByTheFirst64Bits) {
  const auto fail = [&](const std::string& from) {
    return ask("login", {{"email", fresh_address()}, {"password", "wrong"}}, from).status;
  };
  for (int host = 1; host <= 10; ++host) EXPECT_EQ(fail("2001:db8::" + std::to_string(host)), 401);
  EXPECT_EQ(fail("2001:db8::11"), 429);
  EXPECT_EQ(fail("2001:db8:0:1::1"), 401);
}

TEST_F(AccountLimits, ExpiredCountsAreRemoved) {
  store_count("network:203.0.113.30", 3);
  world.database.rows(storage::sql::duties::ExpireAccounts::statement.text, {"1000000"});
  EXPECT_EQ(world.database.number("select count(*) from account_requests"), 1);
  make_requests_older();
  world.database.rows(storage::sql::duties::ExpireAccounts::statement.text, {"1000000"});
  EXPECT_EQ(world.database.number("select count(*) from account_requests"), 0);
}

/// Statuses of many concurrent registrations, and the number of those that ended before a login during them.
struct Registrations {
  int made = 0;
  int limited = 0;
  int made_before_login = 0;
};

Registrations register_concurrently(const Waybill& waybill, TestDatabase& database, int count) {
  const auto account = [](std::string email) {
    return json::object{{"email", std::move(email)},
                        {"password", good_password},
                        {"confirmPassword", good_password},
                        {"acceptedTerms", true}};
  };
  auto user = waybill.http();
  EXPECT_EQ(user.post("/api/user/register", account("first@example.com")).status, 201);
  database.exec("update users set verified_at = now()");
  std::atomic<int> made = 0;
  std::atomic<int> limited = 0;
  std::atomic<int> sent = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index) {
    threads.emplace_back([&, index] {
      auto client = waybill.http();
      client.set_deadline(std::chrono::seconds(60));  // the last one waits for the hashes of all others
      ++sent;
      const auto status =
          client.post("/api/user/register", account("many" + std::to_string(index) + "@example.com")).status;
      made += status == 201 ? 1 : 0;
      limited += status == 429 ? 1 : 0;
    });
  }
  while (sent < count) std::this_thread::yield();
  EXPECT_EQ(
      user.post("/api/user/login", {{"email", "first@example.com"}, {"password", good_password}}).status,
      200);
  const int made_before_login = made;
  for (auto& thread : threads) thread.join();
  return {made, limited, made_before_login};
}

TEST(RegistrationRush, IsLimitedAndSendsNoMoreMailsThanTheLimit) {
  const TempDirectory mails;
  TestDatabase database;
  const Waybill waybill(database.url(),
                        {.account_mails_per_network = 10, .arguments = {"--mail-dir", mails.path()}});
  const auto result = register_concurrently(waybill, database, 100);
  EXPECT_EQ(result.made, 9);
  EXPECT_EQ(result.limited, 91);
  EXPECT_LT(result.made_before_login, 9) << "a login does not wait for all registrations before it";
  EXPECT_EQ(database.number("select count(*) from users"), 10);
}

TEST(RegistrationRush, DelaysNoLoginEvenWithoutTheLimit) {
  TestDatabase database;
  const Waybill waybill(database.url(), {});
  const auto result = register_concurrently(waybill, database, 64);
  EXPECT_EQ(result.made, 64);
  EXPECT_LT(result.made_before_login, 16) << "a login does not wait for the registrations before it";
}

}  // namespace
}  // namespace waybill::tests
