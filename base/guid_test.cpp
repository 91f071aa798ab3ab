#include "base/guid.hpp"

#include <set>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(Guid, ReadsEitherCaseAndWritesLowerCase) {
  const auto guid = Guid::parse("2ED6657D-E927-568B-95E1-2665A8AEA6A2");
  ASSERT_TRUE(guid);
  EXPECT_EQ(guid->to_string(), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(guid->bytes[0], 0x2e);
  EXPECT_EQ(guid->bytes[15], 0xa2);
}

TEST(Guid, RefusesEveryOtherForm) {
  for (const std::string_view text : {
           "",
           "2ed6657de927568b95e12665a8aea6a2",
           "{2ed6657d-e927-568b-95e1-2665a8aea6a2}",
           "2ed6657d-e927-568b-95e1-2665a8aea6a",
           "2ed6657d-e927-568b-95e1-2665a8aea6a22",
           "2ed6657d-e927-568b-95e1-2665a8aea6ag",
           "2ed6657d+e927-568b-95e1-2665a8aea6a2",
           "2ed6657de-927-568b-95e1-2665a8aea6a2",
           " ed6657d-e927-568b-95e1-2665a8aea6a2",
       }) {
    EXPECT_FALSE(Guid::parse(text)) << text;
  }
}

// The example of RFC 9562 appendix A.4.
TEST(Guid, Version5MatchesTheExampleOfTheRfc) {
  const auto dns = Guid::parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(Guid::from_name(*dns, "www.example.com").to_string(), "2ed6657d-e927-568b-95e1-2665a8aea6a2");
  EXPECT_EQ(namespace_url.to_string(), "6ba7b811-9dad-11d1-80b4-00c04fd430c8");
}

TEST(Guid, RandomGuidsAreVersion4AndDiffer) {
  std::set<Guid> seen;
  for (int i = 0; i < 100; ++i) {
    const Guid guid = Guid::random();
    EXPECT_EQ(guid.to_string()[14], '4');
    EXPECT_EQ(guid.bytes[8] & 0xc0, 0x80);
    seen.insert(guid);
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Guid, TimedHashIsAFunctionOfItsInput) {
  const Guid workflow = Guid::parse("2ed6657d-e927-568b-95e1-2665a8aea6a2").value();
  const Guid first = Guid::timed_hash(1'700'000'000'123, workflow, 7);
  EXPECT_EQ(first, Guid::timed_hash(1'700'000'000'123, workflow, 7));
  EXPECT_NE(first, Guid::timed_hash(1'700'000'000'123, workflow, 8));
  EXPECT_NE(first, Guid::timed_hash(1'700'000'000'123, namespace_url, 7));
  EXPECT_EQ(first.to_string()[14], '8');
  EXPECT_EQ(first.bytes[8] & 0xc0, 0x80);
  EXPECT_EQ(first.unix_ms(), 1'700'000'000'123);
}

TEST(Guid, TimedGuidsSortByTime) {
  EXPECT_LT(Guid::timed_hash(1, namespace_url, 9), Guid::timed_hash(2, namespace_url, 1));
  EXPECT_LT(Guid::timed_random(0xff), Guid::timed_random(0x100));
  EXPECT_EQ(Guid::timed_random(1'700'000'000'123).unix_ms(), 1'700'000'000'123);
  EXPECT_EQ(Guid::timed_random(1).to_string()[14], '7');
}

TEST(Guid, TheDefaultIsNil) {
  EXPECT_TRUE(Guid{}.is_nil());
  EXPECT_FALSE(namespace_url.is_nil());
  EXPECT_EQ(Guid{}.to_string(), "00000000-0000-0000-0000-000000000000");
}

}  // namespace
}  // namespace waybill
