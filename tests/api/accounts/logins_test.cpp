#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

class LoginsTest : public AccountTest {
 protected:
  /// The fastest of a few attempts for each address, to exclude disturbances; alternating, so that a
  /// disturbance affects both.
  std::vector<std::chrono::microseconds> login_times(const std::vector<std::string>& emails) {
    std::vector<std::chrono::microseconds> fastest(emails.size(), std::chrono::microseconds::max());
    for (int count = 0; count < 9; ++count) {
      world.database.exec("delete from login_failures");
      for (std::size_t i = 0; i < emails.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(log_in(emails[i], "wrong password").status, 401);
        fastest[i] = std::min(fastest[i], std::chrono::duration_cast<std::chrono::microseconds>(
                                              std::chrono::steady_clock::now() - start));
      }
    }
    return fastest;
  }
};

TEST_F(LoginsTest, AnUnknownAddressAndAWrongPasswordGiveTheSameResponseInTheSameTime) {
  const auto email = fresh_address();
  make_account(email);
  const auto wrong = log_in(email, "wrong password");
  const auto unknown = log_in("nobody@example.com", "wrong password");
  const auto no_address = log_in("no address", "wrong password");
  expect_refused(wrong, 401, "UNAUTHORIZED");
  EXPECT_EQ(unknown.text, wrong.text);
  EXPECT_EQ(no_address.text, wrong.text);
  EXPECT_EQ(unknown.status, 401);
  const auto times = login_times({email, "nobody@example.com"});
  EXPECT_GT(times[1] * 2, times[0]);
  EXPECT_GT(times[0] * 2, times[1]);
}

TEST_F(LoginsTest, AnEmailAddressIsLimitedAfterTenFailuresIn15Minutes) {
  const auto email = fresh_address();
  make_account(email);
  for (int count = 0; count < 10; ++count) EXPECT_EQ(log_in(email, "wrong password").status, 401) << count;
  world.database.exec("delete from login_failures where key = sha256('address:127.0.0.1')");
  const auto refused = log_in(email);
  expect_refused(refused, 429, "RATE_LIMITED");
  EXPECT_GT(std::stoi(refused.header("Retry-After")), 600);
  EXPECT_LE(std::stoi(refused.header("Retry-After")), 900);
  expect_refused(log_in("USER" + email.substr(4), "wrong password"), 429, "RATE_LIMITED");
  make_failures_older("15 minutes");
  EXPECT_EQ(log_in(email).status, 200);
}

TEST_F(LoginsTest, ANetworkAddressIsLimitedAfterTenFailuresIn15Minutes) {
  const auto email = fresh_address();
  make_account(email);
  for (int count = 0; count < 10; ++count) EXPECT_EQ(log_in(fresh_address(), "wrong").status, 401) << count;
  for (int count = 0; count < 3; ++count) expect_refused(log_in(email), 429, "RATE_LIMITED");
  make_failures_older("15 minutes");
  EXPECT_EQ(log_in(email).status, 200) << "the refused logins did not count";
}

TEST_F(LoginsTest, SuccessfulLoginsDoNotCount) {
  const auto email = fresh_address();
  make_account(email);
  for (int count = 0; count < 11; ++count) EXPECT_EQ(log_in(email).status, 200) << count;
}

TEST_F(LoginsTest, ConcurrentLoginsOnSeveralNodesDoNotExceedTheLimit) {
  const Waybill second(world.database.url(),
                       {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  std::atomic<int> wrong = 0;
  std::atomic<int> limited = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      auto client = (index % 2 == 0 ? world.waybill : second).http();
      for (int count = 0; count < 3; ++count) {
        const auto status =
            client.post("/api/user/login", {{"email", "nobody@example.com"}, {"password", "wrong"}}).status;
        wrong += status == 401 ? 1 : 0;
        limited += status == 429 ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 10);
  EXPECT_EQ(limited, 14);
}

TEST_F(LoginsTest, LoggingOutEndsTheSessionAtOnce) {
  const auto email = fresh_address();
  auto user = new_user(email);
  auto other = session(email);
  EXPECT_EQ(user.get("/api/user/me").status, 200);
  EXPECT_EQ(user.post("/api/user/logout").status, 200);
  expect_refused(user.get("/api/user/me"), 401, "UNAUTHORIZED");
  EXPECT_EQ(other.get("/api/user/me").status, 200) << "other sessions continue";
}

TEST_F(LoginsTest, ASessionEndsAfter24Hours) {
  const auto email = fresh_address();
  auto user = new_user(email);
  EXPECT_EQ(user.get("/api/user/me").status, 200);
  world.database.exec(
      "update user_sessions set expires_at = now() where user_id = (select guid from users where email = '" +
      email + "')");
  EXPECT_TRUE(eventually([&] { return user.get("/api/user/me").status == 401; }));
}

TEST_F(LoginsTest, AUserKeepsTheNewestTwentySessions) {
  const auto email = fresh_address();
  make_account(email);
  std::vector<Http> sessions;
  for (int count = 0; count < 23; ++count) sessions.push_back(session(email));
  for (std::size_t index = 0; index < sessions.size(); ++index) {
    EXPECT_EQ(sessions[index].get("/api/user/me").status, index < 3 ? 401 : 200) << index;
  }
  auto other = new_user();
  EXPECT_EQ(other.get("/api/user/me").status, 200);
  EXPECT_EQ(sessions.back().post("/api/user/logout").status, 200);
  auto after = session(email);
  EXPECT_EQ(sessions[3].get("/api/user/me").status, 200) << "a session that has ended leaves its place";
  EXPECT_EQ(after.get("/api/user/me").status, 200);
}

TEST_F(LoginsTest, ConcurrentLoginsOnSeveralNodesKeepTwentySessions) {
  const auto email = fresh_address();
  make_account(email);
  insert_sessions(email, 18);
  const Waybill second(world.database.url(),
                       {.command = "api", .secret_key_file = world.waybill.secret_key_file()});
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      auto client = index % 2 == 0 ? world.waybill.http() : second.http();
      const auto response = client.post("/api/user/login", {{"email", email}, {"password", good_password}});
      EXPECT_EQ(response.status, 200) << response.text;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(session_count(email), 20);
}

TEST_F(LoginsTest, FailedLoginsThatAWrongClockHasDatedInTheFutureDoNotCount) {
  const auto email = fresh_address();
  make_account(email);
  world.database.rows(
      "insert into login_failures select sha256(convert_to('email:' || $1, 'UTF8')), "
      "array_agg(now() + interval '1 day') from generate_series(1, 10)",
      {email});
  EXPECT_EQ(log_in(email).status, 200);
}

TEST(LoginsProxy, FailedLoginsCountForTheAddressFromATrustedProxy) {
  const TestDatabase database;
  const Waybill waybill(database.url(), {.arguments = {"--trusted-proxy", "127.0.0.1"}});
  auto http = waybill.http();
  auto fail = [&, count = 0](const std::string& from) mutable {
    const auto email = "user" + std::to_string(++count) + "@example.com";
    return http
        .post("/api/user/login", {{"email", email}, {"password", "wrong"}}, {{"X-Forwarded-For", from}})
        .status;
  };
  for (int count = 0; count < 10; ++count) EXPECT_EQ(fail("203.0.113.9, 198.51.100.7"), 401);
  EXPECT_EQ(fail("198.51.100.7"), 429);
  EXPECT_EQ(fail("198.51.100.8"), 401);
}

}  // namespace
}  // namespace waybill::tests
