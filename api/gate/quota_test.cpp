#include "api/gate/quota.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "api/gate/local_leases.hpp"

namespace waybill::api {
namespace {

Grant take(Quota& quota, const Guid& token, std::int64_t limit, Time now) {
  asio::io_context io;
  auto grant = asio::co_spawn(io, quota.take(token, limit, now), asio::use_future);
  io.run();
  return grant.get();
}

Time at(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

/// One API node.
struct Node {
  explicit Node(LeaseSource& leases) : quota(ledger, leases) {}
  Grant take(const Guid& token, std::int64_t limit, Time now) { return api::take(quota, token, limit, now); }
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
  const auto grant = node.take(token, 10, at(500));
  EXPECT_EQ(grant.remaining, 8);
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

TEST(Quota, ALeaseThatFailsIsTriedAgain) {
  struct Away : LocalLeases {
    asio::awaitable<Lease> lease(const Request& request) override {
      if (is_away) throw storage::DatabaseUnavailable("gone");
      return LocalLeases::lease(request);
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

TEST(Plans, AreConfigurable) {
  const auto plans = Plans::parse("standard=10,trial=5:no-api");
  EXPECT_EQ(plans.find("standard")->requests_per_minute, 10);
  EXPECT_FALSE(plans.find("trial")->api_access);
  EXPECT_EQ(plans.find("pro")->requests_per_minute, 6'000);
  for (const auto* const bad : {"x", "=5", "x=", "x=0", "x=-1", "x=5s", "x=5:api", ","}) {
    EXPECT_THROW(Plans::parse(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace waybill::api
