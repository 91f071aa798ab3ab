#include "api/gate/held_bytes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using Limit = ByteLimits::Limit;

constexpr std::size_t mebibyte = 1024UL * 1024;
constexpr std::size_t ample = 100'000 * mebibyte;

/// A claim of `bytes` that are in memory, and the limit that refuses it.
struct Taken {
  ByteLimits::Claim claim;
  std::optional<Limit> refused;
};

Taken take(const ByteLimits& limits, ByteLimits::Kind kind, const ByteLimits::Holder& holder,
           std::size_t bytes) {
  auto claim = limits.claim(kind, holder);
  const auto refused = claim.raise(bytes, bytes);
  return {std::move(claim), refused};
}

ByteLimits::Holder some_business(std::string network = "192.0.2.1") {
  return {.business = Guid::random(), .network = std::move(network)};
}

ByteLimits::Holder stranger(std::string network) { return {.business = {}, .network = std::move(network)}; }

TEST(ByteLimits, ABusinessHoldsAtMostItsShareOfEachKindAndOthersTheirs) {
  const ByteLimits limits(ample);
  const auto one = some_business(), other = some_business();
  {
    const auto answers = take(limits, ByteLimits::Kind::answer, one, 60 * mebibyte);
    EXPECT_EQ(answers.refused, std::nullopt);
    EXPECT_EQ(take(limits, ByteLimits::Kind::answer, one, 4 * mebibyte + 1).refused, Limit::holder);
    EXPECT_EQ(take(limits, ByteLimits::Kind::answer, one, 4 * mebibyte).refused, std::nullopt)
        << "released at once";
    EXPECT_EQ(take(limits, ByteLimits::Kind::body, one, 128 * mebibyte).refused, std::nullopt);
    EXPECT_EQ(take(limits, ByteLimits::Kind::answer, other, 64 * mebibyte).refused, std::nullopt);
    EXPECT_EQ(take(limits, ByteLimits::Kind::answer, one, ByteLimits::large - 1).refused, std::nullopt)
        << "only large ones count";
  }
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, one, 64 * mebibyte).refused, std::nullopt);
}

TEST(ByteLimits, BodiesAndAnswersOfANetworkWithoutABusinessCountTogether) {
  const ByteLimits limits(ample);
  const auto body = take(limits, ByteLimits::Kind::body, stranger("192.0.2.1"), 10 * mebibyte);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, stranger("192.0.2.1"), 6 * mebibyte + 1).refused,
            Limit::holder);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, stranger("192.0.2.1"), 6 * mebibyte).refused,
            std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, stranger("192.0.2.2"), 16 * mebibyte).refused,
            std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, some_business(), 16 * mebibyte).refused, std::nullopt);
}

TEST(ByteLimits, TheOnlyClaimMayHaveAnySizeAndGrow) {
  const ByteLimits limits(4 * mebibyte);
  const auto holder = some_business();
  auto large = limits.claim(ByteLimits::Kind::answer, holder);
  EXPECT_EQ(large.raise(100 * mebibyte, mebibyte), std::nullopt);
  EXPECT_EQ(large.raise(100 * mebibyte, 100 * mebibyte), std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, holder, mebibyte).refused, Limit::holder);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, some_business("192.0.2.9"), mebibyte).refused,
            Limit::process);
}

TEST(ByteLimits, ANetworkHoldsAtMostAQuarterOfTheProcess) {
  const ByteLimits limits(400 * mebibyte);
  std::vector<Taken> held;
  for (int i = 0; i < 100; ++i)
    held.push_back(take(limits, ByteLimits::Kind::answer, some_business(), mebibyte));
  EXPECT_EQ(held.back().refused, std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, some_business(), 1).refused, Limit::network);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, some_business("2001:db8::"), mebibyte).refused,
            std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::answer, some_business(""), mebibyte).refused, std::nullopt)
      << "a proxy is no network";
}

TEST(ByteLimits, ClientsWithoutABusinessLeaveThreeQuartersToOthers) {
  const ByteLimits limits(400 * mebibyte);
  std::vector<Taken> held;
  for (int i = 0; i < 100; ++i)
    held.push_back(take(limits, ByteLimits::Kind::body, stranger("network " + std::to_string(i)), mebibyte));
  EXPECT_EQ(held.back().refused, std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::body, stranger("another"), 1).refused, Limit::process);
  for (int i = 0; i < 300; ++i) {
    held.push_back(
        take(limits, ByteLimits::Kind::body, some_business("network " + std::to_string(i / 10)), mebibyte));
    ASSERT_EQ(held.back().refused, std::nullopt);
  }
  EXPECT_EQ(take(limits, ByteLimits::Kind::body, some_business("another"), 1).refused, Limit::process);
  held.clear();
  EXPECT_EQ(take(limits, ByteLimits::Kind::body, stranger("another"), 16 * mebibyte).refused, std::nullopt);
}

TEST(ByteLimits, AnAnnouncedSizeKeepsNobodyElseOut) {
  const ByteLimits limits(8 * mebibyte);
  auto announced = limits.claim(ByteLimits::Kind::body, stranger("192.0.2.1"));
  EXPECT_EQ(announced.raise(16 * mebibyte, 0), std::nullopt);
  EXPECT_EQ(take(limits, ByteLimits::Kind::body, stranger("192.0.2.1"), 1).refused, Limit::holder);
  const auto other = take(limits, ByteLimits::Kind::body, stranger("192.0.2.2"), 2 * mebibyte);
  EXPECT_EQ(other.refused, std::nullopt);
  EXPECT_EQ(announced.raise(16 * mebibyte, 1), Limit::process) << "it counts as it arrives";
}

TEST(ByteLimits, ARefusedClaimCountsNothing) {
  const ByteLimits limits(40 * mebibyte);
  const auto held = take(limits, ByteLimits::Kind::body, some_business("192.0.2.1"), 8 * mebibyte);
  auto refused = take(limits, ByteLimits::Kind::body, some_business("192.0.2.1"), 8 * mebibyte);
  EXPECT_EQ(refused.refused, Limit::network);
  EXPECT_EQ(take(limits, ByteLimits::Kind::body, some_business("192.0.2.1"), 2 * mebibyte).refused,
            std::nullopt);
}

TEST(ByteLimits, AClaimMayOutliveTheLimits) {
  auto limits = std::make_optional<ByteLimits>(mebibyte);
  auto claim = limits->claim(ByteLimits::Kind::body, stranger("192.0.2.1"));
  EXPECT_EQ(claim.raise(10, 10), std::nullopt);
  limits.reset();
  EXPECT_EQ(claim.raise(20, 20), std::nullopt);
}

}  // namespace
}  // namespace waybill::api
