#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

/// Two API processes on one database.
struct QuotaWorld {
  World world{{.command = "up", .arguments = {"--plans", "pro=40"}}};
  Waybill second{world.database.url(),
                 {.command = "api",
                  .arguments = {"--plans", "pro=40"},
                  .secret_key_file = world.waybill.secret_key_file()}};
};

class QuotaTest : public testing::Test {
 protected:
  static constexpr std::string_view path = "/api/business/my-business";

  QuotaTest() {
    // Makes a test fit into one window.
    EXPECT_TRUE(
        eventually([] { return to_unix_seconds(system_clock().now()) % 60 < 50; }, std::chrono::seconds(15)));
  }

  Http client(std::string_view plan) {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    return world.waybill.business(test->name(), plan);
  }

  Http on_second(const Http& client) const { return shared_world.second.http(client.token()); }

  static std::int64_t remaining(const Response& response) {
    return std::stoll(response.header("X-RateLimit-Remaining"));
  }

  QuotaWorld& shared_world = shared<QuotaWorld>();
  World& world = shared_world.world;
};

TEST_F(QuotaTest, EachRequestIsCountedAndTheHeadersShowTheCount) {
  auto http = client("pro");
  std::string reset;
  for (std::int64_t left = 39; left >= 0; --left) {
    const auto response = http.get(path);
    ASSERT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.header("X-RateLimit-Limit"), "40");
    EXPECT_EQ(remaining(response), left);
    if (reset.empty()) reset = response.header("X-RateLimit-Reset");
    EXPECT_EQ(response.header("X-RateLimit-Reset"), reset);
  }
  EXPECT_EQ(std::stoll(reset) % 60, 0);
  const auto refused = http.get(path);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error_code(), "RATE_LIMITED");
  EXPECT_EQ(remaining(refused), 0);
  EXPECT_GE(std::stoi(refused.header("Retry-After")), 1);
  EXPECT_LE(std::stoi(refused.header("Retry-After")), 60);
}

TEST_F(QuotaTest, OneQuotaIsSharedByTwoNodesInTurn) {
  auto first_client = client("standard");
  auto second_client = on_second(first_client);
  int granted = 0;
  std::int64_t lowest = 600;
  for (int count = 0; count < 640; ++count) {
    const auto response = (count % 2 == 0 ? first_client : second_client).get(path);
    granted += response.status == 200 ? 1 : 0;
    EXPECT_LE(remaining(response), lowest) << count;
    lowest = remaining(response);
  }
  EXPECT_EQ(granted, 600);
}

TEST_F(QuotaTest, OneQuotaIsSharedByTwoNodesConcurrentlyAndNeverExceeded) {
  auto http = client("standard");
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int index = 0; index < 6; ++index) {
    threads.emplace_back(
        [&, client = index % 2 == 0 ? http.with_token(http.token()) : on_second(http)]() mutable {
          std::int64_t lowest = 600;
          for (int count = 0; count < 200; ++count) {
            const auto response = client.get(path);
            granted += response.status == 200 ? 1 : 0;
            EXPECT_LE(remaining(response), lowest) << "the count never rises for one client on one node";
            lowest = remaining(response);
          }
        });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(granted, 600);
  EXPECT_GE(granted, 570);
}

TEST_F(QuotaTest, EachTokenHasItsOwnQuota) {
  auto http = client("pro");
  auto other = world.waybill.http(text_at(http.post("/api/business/generate-api-token").data(), "token"));
  while (http.get(path).status == 200) continue;
  EXPECT_EQ(other.get(path).status, 200);
}

TEST_F(QuotaTest, TheTokensOfABusinessTogetherHaveTenTimesTheQuotaOfOne) {
  auto http = client("pro");
  auto neighbour = world.waybill.business("the neighbour of a busy business", "pro");
  std::vector<Http> tokens;
  tokens.push_back(http.with_token(http.token()));
  tokens.push_back(on_second(http));
  for (int count = 0; count < 13; ++count) {
    const auto made = tokens.back().post("/api/business/generate-api-token");
    ASSERT_EQ(made.status, 201) << made.text;
    tokens.push_back(
        (count % 2 == 0 ? shared_world.second : world.waybill).http(text_at(made.data(), "token")));
  }
  Http spare = std::move(tokens.back());
  tokens.pop_back();
  int granted = 13;
  Response refused;
  for (auto& token : tokens) {
    for (int count = 0; count < 40; ++count) {
      auto response = token.get(path);
      granted += response.status == 200 ? 1 : 0;
      if (response.status != 200) refused = std::move(response);
    }
  }
  EXPECT_LE(granted, 400);
  EXPECT_GE(granted, 380);
  EXPECT_EQ(refused.status, 429);
  const auto last = spare.get(path);
  EXPECT_EQ(last.status, 429);
  EXPECT_EQ(last.header("X-RateLimit-Limit"), "400") << "the nearer of the two";
  EXPECT_EQ(remaining(last), 0);
  EXPECT_EQ(neighbour.get(path).status, 200);
}

TEST_F(QuotaTest, TokensThatThePlanRefusesCountForTheirBusinessNever) {
  auto http = client("free");
  for (int count = 0; count < 700; ++count) {
    const auto response = http.get(path);
    ASSERT_EQ(response.status, 403) << count << ": before any 429";
  }
  auto sql = world.database.connect();
  EXPECT_EQ(sql.number("select count(*) from quota_windows q join businesses b on b.guid = q.token_id"
                       " where b.name = $1",
                       {testing::UnitTest::GetInstance()->current_test_info()->name()}),
            0);
}

TEST_F(QuotaTest, AFactorOfNothingLeavesEachTokenItsOwnQuota) {
  const Waybill third(world.database.url(),
                      {.command = "api",
                       .arguments = {"--plans", "pro=3", "--business-quota-factor", "0"},
                       .secret_key_file = world.waybill.secret_key_file()});
  auto http = client("pro");
  for (int count = 0; count < 12; ++count) {
    const auto made = http.post("/api/business/generate-api-token");
    auto token = third.http(text_at(made.data(), "token"));
    for (int request = 0; request < 3; ++request) EXPECT_EQ(token.get(path).status, 200) << count;
    EXPECT_EQ(token.get(path).status, 429);
  }
}

// A clock that was ahead for a second leaves windows that the right clock would only reach much later.
TEST_F(QuotaTest, AWindowThatIsFartherAheadThanAMinuteIsReplaced) {
  auto http = client("pro");
  auto sql = world.database.connect();
  for (const std::string ahead : {"2", "60", "525600"}) {
    const auto made = http.post("/api/business/generate-api-token");
    ASSERT_EQ(made.status, 201) << made.text;
    auto token = world.waybill.http(text_at(made.data(), "token"));
    const std::string minute = "floor(extract(epoch from now()) / 60)::bigint + " + ahead;
    sql.rows(
        "insert into quota_windows select v, " + minute +
            ", 100000, 1, gen_random_uuid(), false from (select guid as v from api_tokens where token_hash"
            " = sha256($1::bytea) union all select business_id from api_tokens where token_hash ="
            " sha256($1::bytea)) t on conflict (token_id) do update set window_start ="
            " excluded.window_start, used = excluded.used",
        {token.token()});
    const auto response = on_second(token).get(path);
    EXPECT_EQ(response.status, 200) << ahead << ": " << response.text;
    EXPECT_LE(std::stoll(response.header("X-RateLimit-Reset")), to_unix_seconds(system_clock().now()) + 61);
  }
}

TEST_F(QuotaTest, AnUnlimitedPlanIsNotCountedInTheDatabase) {
  auto http = client("unlimited");
  EXPECT_EQ(http.get(path).header("X-RateLimit-Limit"), "1000000000");
  for (int count = 0; count < 20; ++count) EXPECT_EQ(http.get(path).status, 200);
  auto sql = world.database.connect();
  EXPECT_EQ(sql.number("select count(*) from quota_windows q join api_tokens t on t.guid = q.token_id"
                       " join businesses b on b.guid = t.business_id where b.plan = 'unlimited'"),
            0);
}

}  // namespace
}  // namespace waybill::tests
