#include "api/gate/auth.hpp"

#include <future>
#include <map>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "base/error.hpp"

namespace waybill::api {
namespace {

class FakeClock : public Clock {
 public:
  Time now() const override { return present; }
  Time present{std::chrono::seconds(1'000'000)};
};

/// Completes a look-up in a later turn of the io_context, so that other requests can run before.
class FakeStore : public TokenStore {
 public:
  explicit FakeStore(asio::io_context& io) : io_(io) {}

  asio::awaitable<std::optional<TokenRecord>> find(const TokenHash& hash) override {
    ++lookups;
    asio::steady_timer turn(io_, std::chrono::seconds(0));
    co_await turn.async_wait(asio::use_awaitable);
    if (away) throw storage::DatabaseUnavailable("away");
    const auto found = records.find(hash);
    if (found == records.end()) co_return std::nullopt;
    co_return found->second;
  }
  asio::awaitable<void> touch(const Principal& principal) override {
    touched.push_back(principal.name);
    co_return;
  }

  TokenRecord& add(const std::string& token) {
    auto& record = records[sha256(token)];
    record.principal.name = token;
    record.plan = "standard";
    return record;
  }

  std::map<TokenHash, TokenRecord> records;
  std::vector<std::string> touched;
  int lookups = 0;
  bool away = false;

 private:
  asio::io_context& io_;
};

class AuthTest : public testing::Test {
 protected:
  using Options = Authenticator::Options;

  void remake(const Options& options) {
    authenticator = std::make_unique<Authenticator>(io.get_executor(), store, clock, options);
  }

  std::future<Authenticator::Record> begin(const std::string& header) {
    return asio::co_spawn(
        io,
        [](Authenticator& self, std::string text) -> asio::awaitable<Authenticator::Record> {
          co_return co_await self.authenticate(text);
        }(*authenticator, header),
        asio::use_future);
  }

  void run() {
    io.restart();
    io.run();
  }

  /// Returns the name of the token, or the code of the refusal.
  std::string authenticate(const std::string& header) {
    auto future = begin(header);
    run();
    return result(future);
  }

  std::string authenticate_cookie(const std::string& value) {
    auto future = asio::co_spawn(
        io,
        [](Authenticator& self, std::string text) -> asio::awaitable<Authenticator::Record> {
          co_return co_await self.authenticate_cookie(text);
        }(*authenticator, value),
        asio::use_future);
    run();
    return result(future);
  }

  static std::string result(std::future<Authenticator::Record>& future) {
    try {
      return future.get()->principal.name;
    } catch (const Failure& failure) {
      return std::string(code_text(failure.code()));
    } catch (const storage::DatabaseUnavailable&) {
      return "away";
    }
  }

  asio::io_context io;
  FakeClock clock;
  FakeStore store{io};
  std::unique_ptr<Authenticator> authenticator = std::make_unique<Authenticator>(
      io.get_executor(), store, clock, Options{.keep = std::chrono::hours(1)});
};

TEST(BearerToken, IsTakenFromItsSchemeInAnyCase) {
  EXPECT_EQ(bearer_token("Bearer wb_x"), "wb_x");
  EXPECT_EQ(bearer_token("bEARER   wb_x"), "wb_x");
  for (const std::string_view header :
       {"", "Bearer", "Bearer ", "Bearer   ", "Basic wb_x", "Bearerwb_x", "wb_x"}) {
    EXPECT_FALSE(bearer_token(header)) << header;
  }
  EXPECT_TRUE(bearer_token("Bearer " + std::string(512, 'x')));
  EXPECT_FALSE(bearer_token("Bearer " + std::string(513, 'x')));
}

TEST_F(AuthTest, KnowsTokensByTheirHash) {
  store.add("wb_a");
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
  EXPECT_EQ(authenticate("Bearer wb_b"), "UNAUTHORIZED");
  EXPECT_EQ(authenticate("wb_a"), "UNAUTHORIZED");
}

TEST_F(AuthTest, ATokenIsValidOnlyInTheHeaderOrTheCookieForWhichItWasMade) {
  store.add("wb_header");
  store.add("wb_cookie").principal.by_cookie = true;
  EXPECT_EQ(authenticate_cookie("wb_cookie"), "wb_cookie");
  EXPECT_EQ(authenticate_cookie("wb_header"), "UNAUTHORIZED");
  EXPECT_EQ(authenticate_cookie("wb_unknown"), "UNAUTHORIZED");
  EXPECT_EQ(authenticate("Bearer wb_cookie"), "UNAUTHORIZED");
  const int lookups = store.lookups;
  EXPECT_EQ(authenticate_cookie(std::string(513, 'x')), "UNAUTHORIZED");
  EXPECT_EQ(store.lookups, lookups) << "too long to be a token";
}

TEST_F(AuthTest, RefusesRevokedAndExpiredTokens) {
  store.add("wb_revoked").revoked = true;
  store.add("wb_expiring").expires_at = clock.present + std::chrono::seconds(10);
  EXPECT_EQ(authenticate("Bearer wb_revoked"), "UNAUTHORIZED");
  EXPECT_EQ(authenticate("Bearer wb_expiring"), "wb_expiring");
  clock.present += std::chrono::seconds(10);
  EXPECT_EQ(authenticate("Bearer wb_expiring"), "UNAUTHORIZED");
  EXPECT_EQ(store.lookups, 2);
}

TEST_F(AuthTest, RemembersKnownAndUnknownTokens) {
  store.add("wb_a");
  for (int count = 0; count < 3; ++count) {
    EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
    EXPECT_EQ(authenticate("Bearer wb_b"), "UNAUTHORIZED");
  }
  EXPECT_EQ(store.lookups, 2);
}

TEST_F(AuthTest, LooksAgainWhenTheTimeIsOver) {
  remake({.keep = std::chrono::seconds(0)});
  store.add("wb_a");
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
  store.add("wb_a").revoked = true;
  EXPECT_EQ(authenticate("Bearer wb_a"), "UNAUTHORIZED");
}

TEST_F(AuthTest, KeepsTokensForHalfASecondAtMost) {
  EXPECT_LE(Options{}.keep, std::chrono::milliseconds(500));
}

TEST_F(AuthTest, RequestsThatMissTheSameTokenShareOneLookUp) {
  store.add("wb_a");
  std::vector<std::future<Authenticator::Record>> futures;
  futures.reserve(11);
  for (int count = 0; count < 10; ++count) futures.push_back(begin("Bearer wb_a"));
  futures.push_back(begin("Bearer wb_b"));
  run();
  EXPECT_EQ(store.lookups, 2);
  for (std::size_t index = 0; index < 10; ++index) EXPECT_EQ(result(futures[index]), "wb_a");
  EXPECT_EQ(result(futures[10]), "UNAUTHORIZED");
}

TEST_F(AuthTest, AChangeOfTheEpochInvalidatesTheCache) {
  std::atomic<std::uint64_t> epoch = 0;
  remake({.keep = std::chrono::hours(1), .epoch = &epoch});
  store.add("wb_a");
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
  store.add("wb_a").revoked = true;
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
  ++epoch;
  EXPECT_EQ(authenticate("Bearer wb_a"), "UNAUTHORIZED");
  EXPECT_EQ(authenticate("Bearer wb_a"), "UNAUTHORIZED");
  EXPECT_EQ(store.lookups, 2);
}

TEST_F(AuthTest, ALookUpOfAnEarlierEpochIsNotShared) {
  std::atomic<std::uint64_t> epoch = 0;
  remake({.keep = std::chrono::hours(1), .epoch = &epoch});
  store.add("wb_a");
  auto before = begin("Bearer wb_a");
  io.run_one();  // starts its look-up
  ++epoch;
  auto after = begin("Bearer wb_a");
  auto also_after = begin("Bearer wb_a");
  run();
  EXPECT_EQ(result(before), "wb_a");
  EXPECT_EQ(result(after), "wb_a");
  EXPECT_EQ(result(also_after), "wb_a");
  EXPECT_EQ(store.lookups, 2);
}

TEST_F(AuthTest, AFailedLookUpIsReportedToAllAndForgotten) {
  store.add("wb_a");
  store.away = true;
  auto first = begin("Bearer wb_a");
  auto second = begin("Bearer wb_a");
  run();
  EXPECT_EQ(result(first), "away");
  EXPECT_EQ(result(second), "away");
  store.away = false;
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
}

TEST_F(AuthTest, NotesTheUseOfAnApiTokenAtMostOnceInItsInterval) {
  store.add("wb_a");
  store.add("wb_user").principal.caller = Caller::user;
  for (int count = 0; count < 3; ++count) {
    authenticate("Bearer wb_a");
    authenticate("Bearer wb_user");
  }
  EXPECT_EQ(store.touched, std::vector<std::string>{"wb_a"});
  remake({.touch_interval = std::chrono::seconds(0)});
  authenticate("Bearer wb_a");
  authenticate("Bearer wb_a");
  EXPECT_EQ(store.touched.size(), 3U);
}

TEST_F(AuthTest, GuessingDoesNotFillTheMemory) {
  remake({.keep = std::chrono::hours(1), .most_entries = 4});
  store.add("wb_a");
  for (int count = 0; count < 100; ++count) authenticate("Bearer wb_" + std::to_string(count));
  EXPECT_EQ(authenticate("Bearer wb_a"), "wb_a");
  EXPECT_LE(authenticator->size(), 4U);
}

}  // namespace
}  // namespace waybill::api
