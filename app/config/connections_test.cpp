#include "app/config/connections.hpp"

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

constexpr Roles up{.api = true, .worker = true};
constexpr Roles api{.api = true};
constexpr Roles worker{.worker = true};

int least(Roles roles, std::int64_t io_threads) {
  for (int most = 1;; ++most) {
    try {
      plan_connections(roles, most, io_threads, 8);
      return most;
    } catch (const ConfigError&) {
      continue;
    }
  }
}

TEST(Connections, NeverExceedTheirNumber) {
  for (const Roles& roles : {up, api, worker}) {
    for (int most = least(roles, 0); most <= 300; ++most) {
      const ConnectionPlan plan = plan_connections(roles, most, 0, 16);
      EXPECT_LE(plan.total, most);
      const int fixed = 3 + (roles.api ? 4 : 0) + (roles.worker ? 15 : 0);
      EXPECT_EQ(plan.total, fixed + plan.io_threads * (plan.reads + plan.writes + plan.long_reads) +
                                plan.store_reads + plan.store_writes);
    }
  }
}

TEST(Connections, TheDefaultSufficesForTheFullPoolsOfTwoThreads) {
  const ConnectionPlan plan = plan_connections(api, 40, 0, 2);
  EXPECT_EQ(plan.io_threads, 2);
  EXPECT_EQ(plan.reads, 2);
  EXPECT_EQ(plan.writes, 6);
  EXPECT_EQ(plan.long_reads, 3);
}

TEST(Connections, TooFewAreRefusedWithTheSmallestNumber) {
  EXPECT_EQ(least(worker, 0), 22);
  EXPECT_EQ(least(api, 0), 13);
  EXPECT_EQ(least(up, 0), 32);
  EXPECT_EQ(least(api, 8), 55);
  try {
    plan_connections(api, 54, 8, 2);
    FAIL() << "54 do not suffice";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--database-connections 54 is too small: `api` with --io-threads 8 needs at least 55");
  }
}

TEST(Connections, ThreadsFollowTheCoresAsFarAsTheConnectionsAllow) {
  EXPECT_EQ(plan_connections(api, 40, 0, 64).io_threads, 5);
  EXPECT_EQ(plan_connections(api, 400, 0, 64).io_threads, 64);
  EXPECT_EQ(plan_connections(up, 40, 0, 2).io_threads, 2);
  EXPECT_EQ(plan_connections(worker, 40, 0, 2).io_threads, 0);
}

TEST(Connections, MoreThanPostgresqlOffersAreRefusedWithTheNumbers) {
  EXPECT_NO_THROW(check_available(97, 97, 100));
  try {
    check_available(98, 97, 100);
    FAIL() << "98 exceed 97";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "--database-connections 98 exceeds the 97 connections that PostgreSQL offers (max_connections "
        "100 less 3 reserved): raise max_connections or lower --database-connections");
  }
}

TEST(Connections, TheSumOfAllProcessesGivesAWarning) {
  EXPECT_EQ(too_many_allowed(57, 40, 97), "");
  EXPECT_NE(too_many_allowed(58, 40, 97), "");
}

}  // namespace
}  // namespace waybill::app
