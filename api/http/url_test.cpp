#include "api/http/url.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(Url, ReadsPercentEscapes) {
  EXPECT_EQ(percent_decode("a%20b%C3%A9+"), "a bé+");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  for (const std::string_view bad : {"%", "%4", "%zz", "%00", "%FF", "\xff", "%ED%A0%80"}) {
    EXPECT_FALSE(percent_decode(bad)) << bad;
  }
}

TEST(Url, ReadsQueriesInOrder) {
  std::vector<std::string> malformed;
  const auto pairs = parse_query("&a=1&b=x%3Dy=z&&c&a=+2&d=%FF&%zz=1", malformed);
  const QueryPairs expected = {{"a", "1"}, {"b", "x=y=z"}, {"c", ""}, {"a", " 2"}};
  EXPECT_EQ(pairs, expected);
  EXPECT_EQ(malformed, (std::vector<std::string>{"d", "query"}));
}

}  // namespace
}  // namespace waybill::api
