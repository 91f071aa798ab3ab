#include "api/gate/quota.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "api/gate/local_leases_test.hpp"

namespace waybill::api {
namespace {

Grant take(Quota& quota, const QuotaClaim& claim, Time now) {
  asio::io_context io;
  auto grant = asio::co_spawn(io, quota.take(claim, now), asio::use_future);
  io.run();
  return grant.get();
}

Time at(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

/// One API node.
struct Node {
  explicit Node(LeaseSource& leases) : quota(ledger, leases) {}
  Grant take(const Guid& token, std::int64_t limit, Time now) {
    return api::take(quota, {.token = token, .limit = limit}, now);
  }
  Grant take(const QuotaClaim& claim, Time now) { return api::take(quota, claim, now); }
  QuotaLedger ledger;
  LeasedQuota quota;
};

class QuotaTest : public testing::Test {
 protected:
  LocalLeases leases;
  Node node{leases};
  Node other{leases};
  const Guid token = Guid::random();
};

TEST_F(QuotaTest, GrantsTheLimitInEachMinuteAndNoMore) {
  for (std::int64_t remaining = 99; remaining >= 0; --remaining) {
    const auto grant = node.take(token, 100, at(1'200));
    EXPECT_TRUE(grant.allowed);
    EXPECT_EQ(grant.limit, 100);
    EXPECT_EQ(grant.remaining, remaining);
    EXPECT_EQ(grant.reset, 1'260);
  }
  const auto refused = node.take(token, 100, at(1'259));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 0);
  EXPECT_EQ(refused.reset, 1'260);
  EXPECT_EQ(node.take(token, 100, at(1'260)).remaining, 99);
}

TEST_F(QuotaTest, EachTokenHasItsOwn) {
  EXPECT_TRUE(node.take(token, 1, at(0)).allowed);
  EXPECT_FALSE(node.take(token, 1, at(0)).allowed);
  EXPECT_TRUE(node.take(Guid::random(), 1, at(0)).allowed);
}

TEST_F(QuotaTest, RemainingNeverGrowsWithinAWindowThoughTheClockIsSetBack) {
  EXPECT_EQ(node.take(token, 10, at(600)).remaining, 9);
  const auto grant = node.take(token, 10, at(541));
  EXPECT_EQ(grant.remaining, 8);
  EXPECT_EQ(grant.reset, 660);
}

// A crash of the database empties its table.
TEST_F(QuotaTest, LostCountsOfTheWindowAreThoseThatTheNodeKnows) {
  int granted = 0;
  for (int count = 0; count < 60; ++count) granted += node.take(token, 100, at(600)).allowed ? 1 : 0;
  EXPECT_EQ(granted, 60);
  leases.forget();
  while (node.take(token, 100, at(610)).allowed) ++granted;
  EXPECT_EQ(granted, 100);
  EXPECT_FALSE(other.take(token, 100, at(611)).allowed) << "the node has told the database";
  EXPECT_EQ(node.take(token, 100, at(660)).remaining, 99);
}

TEST_F(QuotaTest, AWindowOfAClockThatWasAheadEndsWithTheError) {
  while (node.take(token, 10, at(7'200)).allowed) continue;
  leases.forget();  // as the database does with a window that is ahead
  const auto grant = node.take(token, 10, at(600));
  EXPECT_TRUE(grant.allowed);
  EXPECT_EQ(grant.reset, 660);
}

TEST_F(QuotaTest, AChangeOfPlanTakesEffectWithinTheWindow) {
  for (int count = 0; count < 3; ++count) node.take(token, 600, at(0));
  EXPECT_FALSE(node.take(token, 2, at(1)).allowed);
  EXPECT_EQ(node.take(token, 6'000, at(2)).remaining, 5'996);
}

TEST_F(QuotaTest, ThreadsTogetherGetTheLimitExactly) {
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int count = 0; count < 500; ++count) granted += node.take(token, 1'000, at(0)).allowed ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(granted, 1'000);
}

TEST_F(QuotaTest, NodesTogetherGetTheLimitExactlyAndReportTheRest) {
  std::int64_t granted = 0;
  std::int64_t lowest = 600;
  for (int count = 0; count < 700; ++count) {
    const auto grant = (count % 2 == 0 ? node : other).take(token, 600, at(0));
    granted += grant.allowed ? 1 : 0;
    EXPECT_LE(grant.remaining, lowest) << count;
    lowest = grant.remaining;
  }
  EXPECT_EQ(granted, 600);
}

TEST_F(QuotaTest, TheUnusedLeaseOfANodeIsATwentiethAtMost) {
  for (int count = 0; count < 200; ++count) node.take(token, 6'000, at(0));
  int granted = 200;
  while (other.take(token, 6'000, at(0)).allowed) ++granted;
  EXPECT_LE(granted, 6'000);
  EXPECT_GE(granted, 6'000 - 6'000 / 20);
}

TEST_F(QuotaTest, ANodeByItselfLeasesRarely) {
  for (int count = 0; count < 5'000; ++count) EXPECT_TRUE(node.take(token, 6'000, at(0)).allowed);
  EXPECT_LT(leases.count(), 60);
}

TEST_F(QuotaTest, ATokenWithoutLimitLeasesNothing) {
  EXPECT_EQ(node.take(token, 1'000'000'000, at(0)).remaining, 999'999'999);
  EXPECT_EQ(node.take(token, 1'000'000'000, at(0)).remaining, 999'999'998);
  EXPECT_EQ(leases.count(), 0);
}

TEST_F(QuotaTest, ARefusedClientLeasesNoMore) {
  while (node.take(token, 60, at(0)).allowed) continue;
  const auto before = leases.count();
  for (int count = 0; count < 100; ++count) EXPECT_FALSE(node.take(token, 60, at(1)).allowed);
  EXPECT_EQ(leases.count(), before);
}

/// Tokens of one owner.
class OwnerQuotaTest : public QuotaTest {
 protected:
  QuotaClaim claim(const Guid& one, std::int64_t limit, std::int64_t together) const {
    return {.token = one, .limit = limit, .owner = owner, .owner_limit = together};
  }

  const Guid owner = Guid::random();
};

TEST_F(OwnerQuotaTest, AllTokensTogetherGetTheLimitOfTheOwnerExactly) {
  std::int64_t granted = 0;
  for (int index = 0; index < 12; ++index) {
    const auto one = Guid::random();
    for (int count = 0; count < 70; ++count) granted += node.take(claim(one, 60, 600), at(0)).allowed ? 1 : 0;
  }
  EXPECT_EQ(granted, 600);
}

TEST_F(OwnerQuotaTest, NodesTogetherNeverExceedItAndUseNineteenTwentieths) {
  std::int64_t granted = 0;
  for (int index = 0; index < 12; ++index) {
    const auto one = Guid::random();
    for (int count = 0; count < 700; ++count)
      granted += (count % 2 == 0 ? node : other).take(claim(one, 600, 6'000), at(0)).allowed ? 1 : 0;
  }
  EXPECT_LE(granted, 6'000);
  EXPECT_GE(granted, 5'700);
}

TEST_F(OwnerQuotaTest, TheGrantTellsTheNearerOfTheTwo) {
  const auto of_token = node.take(claim(token, 5, 12), at(0));
  EXPECT_EQ(of_token.limit, 5);
  EXPECT_EQ(of_token.remaining, 4);
  for (int count = 0; count < 5; ++count) node.take(claim(Guid::random(), 5, 12), at(0));
  for (int count = 0; count < 3; ++count) node.take(claim(Guid::random(), 5, 12), at(0));
  const auto of_owner = node.take(claim(token, 5, 12), at(0));
  EXPECT_TRUE(of_owner.is_of_owner);
  EXPECT_EQ(of_owner.limit, 12);
  EXPECT_EQ(of_owner.remaining, 2);
  while (node.take(claim(Guid::random(), 5, 12), at(0)).allowed) continue;
  const auto refused = node.take(claim(token, 5, 12), at(1));
  EXPECT_FALSE(refused.allowed);
  EXPECT_TRUE(refused.is_of_owner);
  EXPECT_EQ(refused.remaining, 0);
  EXPECT_TRUE(node.take(claim(token, 5, 12), at(60)).allowed) << "in the next minute";
}

TEST_F(OwnerQuotaTest, RemainingNeverGrowsForATokenWhoseOwnerHasOthers) {
  std::int64_t lowest = 40;
  for (int count = 0; count < 100; ++count) {
    node.take(claim(Guid::random(), 40, 90), at(0));
    const auto grant = node.take(claim(token, 40, 90), at(0));
    EXPECT_LE(grant.remaining, lowest) << count;
    lowest = grant.remaining;
  }
  EXPECT_EQ(lowest, 0);
}

TEST_F(OwnerQuotaTest, RequestsThatTheirTokenRefusesDoNotCount) {
  for (int count = 0; count < 300; ++count) node.take(claim(token, 10, 100), at(0));
  // A node that has not seen the end of the token's quota leases for both.
  for (int count = 0; count < 300; ++count) other.take(claim(token, 10, 100), at(0));
  int granted = 0;
  for (int index = 0; index < 20; ++index) {
    const auto one = Guid::random();
    while (other.take(claim(one, 10, 100), at(0)).allowed) ++granted;
  }
  EXPECT_LE(granted, 90);
  EXPECT_GE(granted, 85) << "but for the rest of the first node's lease";
}

TEST_F(OwnerQuotaTest, AChangeOfPlanTakesEffectWithinTheWindow) {
  for (int count = 0; count < 20; ++count) node.take(claim(Guid::random(), 60, 600), at(0));
  EXPECT_FALSE(node.take(claim(token, 2, 20), at(1)).allowed);
  const auto grant = node.take(claim(token, 6'000, 60'000), at(2));
  EXPECT_TRUE(grant.allowed);
  EXPECT_FALSE(grant.is_of_owner);
}

TEST_F(OwnerQuotaTest, ARequestThatNeedsBothLeasesTakesThemAtOnce) {
  node.take(claim(token, 60, 600), at(0));
  EXPECT_EQ(leases.count(), 1);
}

TEST_F(OwnerQuotaTest, WithoutALimitTheTokensOfAnOwnerHaveTheirOwnQuotasOnly) {
  EXPECT_EQ(owner_limit(600, 0), 0);
  EXPECT_EQ(owner_limit(600, 10), 6'000);
  EXPECT_GE(owner_limit(INT64_MAX, 1'000), QuotaLedger::unlimited);
  for (int index = 0; index < 30; ++index)
    EXPECT_TRUE(node.take(claim(Guid::random(), 1, owner_limit(1, 0)), at(0)).allowed);
  EXPECT_EQ(node.take(claim(token, 1'000'000'000, owner_limit(1'000'000'000, 10)), at(0)).limit,
            1'000'000'000);
}

TEST(Quota, ALeaseThatFailsIsTriedAgain) {
  struct Away : LocalLeases {
    asio::awaitable<std::vector<Lease>> lease(std::vector<Request> requests) override {
      if (is_away) throw storage::DatabaseUnavailable("gone");
      return LocalLeases::lease(std::move(requests));
    }
    bool is_away = true;
  } leases;
  Node node(leases);
  const auto token = Guid::random();
  EXPECT_THROW(node.take(token, 10, at(0)), storage::DatabaseUnavailable);
  leases.is_away = false;
  EXPECT_EQ(node.take(token, 10, at(0)).remaining, 9);
}

TEST(Plans, DefaultsAreThoseOfTheContract) {
  const Plans plans;
  EXPECT_FALSE(plans.find("free")->api_access);
  EXPECT_EQ(plans.find("free")->requests_per_minute, 60);
  EXPECT_EQ(plans.find("standard")->requests_per_minute, 600);
  EXPECT_EQ(plans.find("pro")->requests_per_minute, 6'000);
  EXPECT_EQ(plans.find("unlimited")->requests_per_minute, 1'000'000'000);
  EXPECT_TRUE(plans.find("unlimited")->api_access);
  EXPECT_EQ(plans.find("gold"), nullptr);
}

TEST(Plans, EqualPlansHaveOneTextWhichIsReadAsThem) {
  const std::string text = "free=60:no-api,pro=6000,standard=600,unlimited=1000000000";
  EXPECT_EQ(Plans().text(), text);
  for (const char* const same : {"", "pro=6000", "standard=0600, free=60:no-api"})
    EXPECT_EQ(Plans::parse(same).text(), text) << same;
  EXPECT_EQ(Plans::parse("b=2,a=1").text(), Plans::parse("a=1,b=2").text());
  EXPECT_EQ(Plans::parse(Plans::parse("a=1:no-api,free=7").text()).text(),
            "a=1:no-api,free=7,pro=6000,standard=600,unlimited=1000000000");
}

TEST(Plans, AreConfigurable) {
  const auto plans = Plans::parse("standard=10,trial=5:no-api");
  EXPECT_EQ(plans.find("standard")->requests_per_minute, 10);
  EXPECT_FALSE(plans.find("trial")->api_access);
  EXPECT_EQ(plans.find("pro")->requests_per_minute, 6'000);
  EXPECT_EQ(Plans::parse("free=7, pro=8").find("pro")->requests_per_minute, 8);
  for (const auto* const bad :
       {"x", "=5", "x=", "x=0", "x=-1", "x=5s", "x=5:api", ",", "free=1,free=2", "x=1,x=1"}) {
    EXPECT_THROW(Plans::parse(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace waybill::api
