#include "api/http/call_limit.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using std::chrono::seconds;

constexpr Time start{std::chrono::minutes(1'000)};

TEST(CallLimit, AClientThatFailsTooOftenWaitsForTheNextMinute) {
  CallLimit limit({.most_calls = 2});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(limit.wait("a", start), std::nullopt);
    limit.failed("a", start);
  }
  EXPECT_EQ(limit.wait("a", start + seconds(10)), seconds(50));
  EXPECT_EQ(limit.wait("b", start + seconds(10)), std::nullopt);
  EXPECT_EQ(limit.wait("a", start + seconds(60)), std::nullopt);
}

TEST(CallLimit, CallsThatAllCountAreRefusedBeyondTheirNumber) {
  CallLimit limit({.most_calls = 2});
  EXPECT_EQ(limit.count("a", start), std::nullopt);
  EXPECT_EQ(limit.count("a", start), std::nullopt);
  EXPECT_EQ(limit.count("a", start + seconds(20)), seconds(40));
  EXPECT_EQ(limit.count("b", start + seconds(20)), std::nullopt);
  EXPECT_EQ(limit.count("a", start + seconds(60)), std::nullopt);
}

TEST(CallLimit, FurtherClientsAreCountedTogether) {
  CallLimit limit({.most_calls = 2, .most_clients = 2});
  for (const auto* who : {"a", "b", "c", "d"}) EXPECT_EQ(limit.count(who, start), std::nullopt);
  EXPECT_EQ(limit.count("a", start), std::nullopt);
  EXPECT_EQ(limit.count("e", start), seconds(60));
}

TEST(CallLimit, FailuresOfManyClientsKeepOutNoOther) {
  CallLimit limit({.most_calls = 2, .most_clients = 2});
  for (const auto* who : {"a", "a", "b", "c", "c", "d", "d"}) limit.failed(who, start);
  EXPECT_EQ(limit.wait("a", start), seconds(60));
  EXPECT_EQ(limit.wait("c", start), std::nullopt);
  EXPECT_EQ(limit.wait("e", start), std::nullopt);
}

}  // namespace
}  // namespace waybill::api
