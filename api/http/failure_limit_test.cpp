#include "api/http/failure_limit.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using std::chrono::seconds;

constexpr Time start{std::chrono::minutes(1'000)};

TEST(FailureLimit, AClientThatFailsTooOftenWaitsForTheNextMinute) {
  FailureLimit limit({.most_failures = 2});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(limit.wait("a", start), std::nullopt);
    limit.failed("a", start);
  }
  EXPECT_EQ(limit.wait("a", start + seconds(10)), seconds(50));
  EXPECT_EQ(limit.wait("b", start + seconds(10)), std::nullopt);
  EXPECT_EQ(limit.wait("a", start + seconds(60)), std::nullopt);
}

TEST(FailureLimit, CallsThatAllCountAreRefusedBeyondTheirNumber) {
  FailureLimit limit({.most_failures = 2});
  EXPECT_EQ(limit.count("a", start), std::nullopt);
  EXPECT_EQ(limit.count("a", start), std::nullopt);
  EXPECT_EQ(limit.count("a", start + seconds(20)), seconds(40));
  EXPECT_EQ(limit.count("b", start + seconds(20)), std::nullopt);
  EXPECT_EQ(limit.count("a", start + seconds(60)), std::nullopt);
}

TEST(FailureLimit, FurtherClientsAreCountedTogether) {
  FailureLimit limit({.most_failures = 2, .most_counted = 2});
  for (const auto* who : {"a", "b", "c", "d"}) limit.failed(who, start);
  EXPECT_EQ(limit.wait("a", start), std::nullopt);
  EXPECT_EQ(limit.wait("e", start), seconds(60));
}

TEST(NetworkOf, IsTheAddressOfIpv4AndTheUpperHalfOfIpv6) {
  EXPECT_EQ(network_of("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("2001:db8:1:2::9"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network_of("no address"), "no address");
}

}  // namespace
}  // namespace waybill::api
