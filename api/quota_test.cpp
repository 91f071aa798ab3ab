#include "api/quota.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

Grant take(Quota& quota, const Guid& token, std::int64_t limit, Time now) {
  asio::io_context io;
  auto grant = asio::co_spawn(io, quota.take(token, limit, now), asio::use_future);
  io.run();
  return grant.get();
}

Time at(std::int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(Quota, GrantsTheLimitInEachMinuteAndNoMore) {
  LocalQuota quota;
  const auto token = Guid::random();
  for (std::int64_t remaining = 4; remaining >= 0; --remaining) {
    const auto grant = take(quota, token, 5, at(1'200));
    EXPECT_TRUE(grant.allowed);
    EXPECT_EQ(grant.limit, 5);
    EXPECT_EQ(grant.remaining, remaining);
    EXPECT_EQ(grant.reset, 1'260);
  }
  const auto refused = take(quota, token, 5, at(1'259));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.remaining, 0);
  EXPECT_EQ(refused.reset, 1'260);
  EXPECT_EQ(take(quota, token, 5, at(1'260)).remaining, 4);
}

TEST(Quota, EachTokenHasItsOwn) {
  LocalQuota quota;
  const auto token = Guid::random();
  EXPECT_TRUE(take(quota, token, 1, at(0)).allowed);
  EXPECT_FALSE(take(quota, token, 1, at(0)).allowed);
  EXPECT_TRUE(take(quota, Guid::random(), 1, at(0)).allowed);
}

TEST(Quota, RemainingNeverGrowsWithinAWindowThoughTheClockIsSetBack) {
  LocalQuota quota;
  const auto token = Guid::random();
  EXPECT_EQ(take(quota, token, 10, at(600)).remaining, 9);
  const auto grant = take(quota, token, 10, at(500));
  EXPECT_EQ(grant.remaining, 8);
  EXPECT_EQ(grant.reset, 660);
}

TEST(Quota, AChangeOfPlanActsWithinTheWindow) {
  LocalQuota quota;
  const auto token = Guid::random();
  for (int count = 0; count < 3; ++count) take(quota, token, 600, at(0));
  EXPECT_FALSE(take(quota, token, 2, at(1)).allowed);
  EXPECT_EQ(take(quota, token, 6'000, at(2)).remaining, 5'996);
}

TEST(Quota, ThreadsTogetherGetTheLimitExactly) {
  LocalQuota quota;
  const auto token = Guid::random();
  std::atomic<int> granted = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int count = 0; count < 500; ++count) granted += take(quota, token, 1'000, at(0)).allowed ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(granted, 1'000);
}

TEST(Plans, DefaultsAreTheContracts) {
  const Plans plans;
  EXPECT_FALSE(plans.find("free")->api_access);
  EXPECT_EQ(plans.find("free")->requests_per_minute, 60);
  EXPECT_EQ(plans.find("standard")->requests_per_minute, 600);
  EXPECT_EQ(plans.find("pro")->requests_per_minute, 6'000);
  EXPECT_EQ(plans.find("unlimited")->requests_per_minute, 1'000'000'000);
  EXPECT_TRUE(plans.find("unlimited")->api_access);
  EXPECT_EQ(plans.find("gold"), nullptr);
}

TEST(Plans, AreConfiguration) {
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
